"""Errors of a closed loop: start, payload, parameters, disturbances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from gearwright.analysis.picklable import Picklable
from gearwright.analysis.task.process_forces import ProcessForce
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.motion import Trajectory
from gearwright.parts import Robot, parameter, with_parameters
from gearwright.parts.structure.frame_changes import matrix_rows

DEFAULT_LOOP_FREQUENCY = 30.0
"""Natural frequency of the error dynamics with the default controller [rad/s]."""


@check_arguments
@dataclass(frozen=True)
class Perturbation(Picklable):
    """Differences between the actual robot and the model of the controller, for a task in a closed loop.

    Args:
        start_error: per joint the initial position error [rad, m].
        payload_error: relative error of the payload mass: 0.1 is ten per cent heavier than in the controller.
        parameter_error: relative error per parameter path (`elbow.motor.inertia`).
        disturbance: forces that are not part of the task.
        frequency: natural frequency of the error dynamics under computed torque [rad/s], unless `controller` is given.
        controller: function of the known robot and the motion that returns a controller; by default
            `gw.control.computed_torque` with the exact model of the known robot.

    >>> Perturbation(payload_error=0.2, start_error={"shoulder": 0.01}).frequency
    30.0
    """

    start_error: Mapping[str, float] = field(default_factory=dict)
    payload_error: float = 0.0
    parameter_error: Mapping[str, float] = field(default_factory=dict)
    disturbance: Sequence[ProcessForce] = ()
    frequency: float = DEFAULT_LOOP_FREQUENCY
    controller: Callable[[Robot, Trajectory], Any] | None = None

    def __post_init__(self) -> None:
        for field_name in ("start_error", "parameter_error"):
            errors = dict(getattr(self, field_name))
            for name, share in errors.items():
                real_number("perturbation", f"{field_name}[{name!r}]", share, example=0.01)
            object.__setattr__(self, field_name, MappingProxyType(errors))
        real_number("perturbation", "payload_error", self.payload_error, above=-1.0, example=0.1)
        real_number(
            "perturbation", "frequency", self.frequency, above=0.0, unit="rad/s", example=DEFAULT_LOOP_FREQUENCY
        )
        object.__setattr__(self, "disturbance", tuple(self.disturbance))

    def perturbed_robot(self, robot: Robot) -> Robot:
        """The actual robot."""
        changed = {path: (1 + share) * float(parameter(robot, path)) for path, share in self.parameter_error.items()}
        real = with_parameters(robot, changed) if changed else robot
        if not self.payload_error:
            return real
        load = real.payload
        if load is None:
            raise InputError(
                f"perturbation: payload_error={self.payload_error:g}, but robot {robot.name!r} has no payload. Give "
                "the task a payload, or remove payload_error."
            )
        payload_factor = 1 + self.payload_error
        inertia = tuple(tuple(payload_factor * x for x in row) for row in matrix_rows(load.inertia))
        return replace(real, payload=replace(load, mass=load.mass * payload_factor, inertia=inertia))

    def make_controller(self, robot: Robot, motion: Trajectory) -> Any:
        """The controller, with the robot model without errors."""
        if self.controller is not None:
            return self.controller(robot, motion)
        from gearwright.control import computed_torque

        return computed_torque(robot, motion, frequency=self.frequency)
