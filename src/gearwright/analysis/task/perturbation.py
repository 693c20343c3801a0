"""What goes wrong in a closed loop: start, payload, parameters, disturbances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from gearwright.analysis.picklable import Sendable
from gearwright.analysis.task.process_forces import ProcessForce
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.motion import Trajectory
from gearwright.parts import Robot, parameter, with_parameters
from gearwright.parts.structure.frame_changes import rows

FREQUENCY = 30.0
"""Natural frequency of the errors under the default controller [rad/s]."""


@dataclass(frozen=True)
class Perturbation(Sendable):
    """What differs from what the controller knows; the robot follows the task's motion in a closed loop.

    Args:
        start_error: per joint how far from the motion's start the robot begins [rad, m].
        payload_error: share by which the payload is heavier than the controller knows: 0.1 is a tenth.
        parameter_error: per parameter path (`elbow.motor.inertia`) the share by which it is larger.
        disturbance: forces that nobody planned.
        frequency: natural frequency of the errors under computed torque [rad/s], unless `controller` is given.
        controller: function of the known robot and the motion that makes a controller; `gw.control.computed_torque`
            with the known robot's exact model unless given.

    >>> Perturbation(payload_error=0.2, start_error={"shoulder": 0.01}).frequency
    30.0
    """

    start_error: Mapping[str, float] = field(default_factory=dict)
    payload_error: float = 0.0
    parameter_error: Mapping[str, float] = field(default_factory=dict)
    disturbance: Sequence[ProcessForce] = ()
    frequency: float = FREQUENCY
    controller: Callable[[Robot, Trajectory], Any] | None = None

    def __post_init__(self) -> None:
        for word in ("start_error", "parameter_error"):
            given = dict(getattr(self, word))
            for name, share in given.items():
                number("perturbation", f"{word}[{name!r}]", share, example=0.01)
            object.__setattr__(self, word, MappingProxyType(given))
        number("perturbation", "payload_error", self.payload_error, above=-1.0, example=0.1)
        number("perturbation", "frequency", self.frequency, above=0.0, unit="rad/s", example=FREQUENCY)
        object.__setattr__(self, "disturbance", tuple(self.disturbance))

    def applied(self, robot: Robot) -> Robot:
        """The robot as it really is."""
        changed = {path: (1 + share) * float(parameter(robot, path)) for path, share in self.parameter_error.items()}
        real = with_parameters(robot, changed) if changed else robot
        if not self.payload_error:
            return real
        load = real.payload
        if load is None:
            raise InputError(
                f"perturbation: payload_error={self.payload_error:g}, but robot {robot.name!r} carries nothing. Give "
                "the task a payload, or leave the payload_error out."
            )
        more = 1 + self.payload_error
        inertia = tuple(tuple(more * x for x in row) for row in rows(load.inertia))
        return replace(real, payload=replace(load, mass=load.mass * more, inertia=inertia))

    def control(self, robot: Robot, motion: Trajectory) -> Any:
        """The controller, which knows the robot without its errors."""
        if self.controller is not None:
            return self.controller(robot, motion)
        from gearwright.control import computed_torque

        return computed_torque(robot, motion, frequency=self.frequency)
