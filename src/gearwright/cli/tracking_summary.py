"""What the command line says about following a motion: the motion, the controller, and how well it did."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gearwright.errors import InputError
from gearwright.parts import Robot

if TYPE_CHECKING:
    from gearwright.control import LawController
    from gearwright.motion import Trajectory
    from gearwright.simulation import Run, State


@dataclass(frozen=True)
class Following:
    """A robot that is to follow a motion."""

    robot: Robot
    motion: Trajectory
    controller: LawController

    @property
    def start(self) -> State:
        """The state at the start of the motion."""
        from gearwright.control.controllers_by_name import start_of

        return start_of(self.robot, self.motion)

    def summary(self, run: Run) -> str:
        """The largest error of position."""
        errors = abs(run.q[:, : self.motion.count] - self.motion.at(run.t))
        row, joint = divmod(int(errors.argmax()), self.motion.count)
        name = self.controller.law.mech.speeds[joint]
        return f"Largest error of position: {errors[row, joint]:.3g}, of {name} at t = {run.t[row]:.4g} s."

    def draw(self, run: Run, path: Path) -> None:
        """References, errors, torques against limits."""
        from gearwright.control import tracking_plot

        tracking_plot(run, self.motion, self.robot, path)


def controlled(
    robot: Robot, motion: Path | None, controller: str | None, frequency: float | None, damping: float | None
) -> Following | None:
    """The motion of a file and what follows it; both options or none."""
    gains = {word: x for word, x in (("frequency", frequency), ("damping", damping)) if x is not None}
    if motion is None and controller is None:
        for word, x in gains.items():
            raise InputError(f"--{word} {x:g}: there is no controller to tune. Give --motion and --controller too.")
        return None
    if motion is None or controller is None:
        raise InputError("--motion and --controller belong together: a file to follow, and what follows it. Give both.")
    from gearwright.control import by_name
    from gearwright.motion import recorded

    path = recorded(motion, robot=robot)
    return Following(robot, path, by_name(controller, robot, path, **gains))
