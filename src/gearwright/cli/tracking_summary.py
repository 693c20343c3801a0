"""Tracking on the command line: the motion, the controller and the tracking error."""

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
class MotionFollowing:
    """A robot, the motion that it tracks, and its controller."""

    robot: Robot
    motion: Trajectory
    controller: LawController

    @property
    def start_state(self) -> State:
        """The state at the start of the motion."""
        from gearwright.control.controllers_by_name import start_state

        return start_state(self.robot, self.motion)

    def error_summary(self, run: Run) -> str:
        """Return a sentence with the largest position error."""
        errors = abs(run.q[:, : self.motion.count] - self.motion.at(run.t))
        row, joint = divmod(int(errors.argmax()), self.motion.count)
        name = self.controller.law.mech.speeds[joint]
        return f"Largest position error: {errors[row, joint]:.3g} at {name}, t = {run.t[row]:.4g} s."

    def draw_tracking(self, run: Run, path: Path) -> None:
        """Draw references, errors, and torques with their limits."""
        from gearwright.control import tracking_plot

        tracking_plot(run, self.motion, self.robot, path)


def motion_following(
    robot: Robot, motion: Path | None, controller: str | None, frequency: float | None, damping: float | None
) -> MotionFollowing | None:
    """Return the motion of a file and its controller, or None; the two options are given together or not at all."""
    gains = {word: x for word, x in (("frequency", frequency), ("damping", damping)) if x is not None}
    if motion is None and controller is None:
        for word, x in gains.items():
            raise InputError(
                f"--{word} {x:g}: it tunes a controller, but none is given. Add --motion and --controller."
            )
        return None
    if motion is None or controller is None:
        raise InputError(
            "--motion and --controller must be given together: the motion to track and the controller. Add the other "
            "one."
        )
    from gearwright.control import controller_by_name
    from gearwright.motion import recorded

    path = recorded(motion, robot=robot)
    return MotionFollowing(robot, path, controller_by_name(controller, robot, path, **gains))
