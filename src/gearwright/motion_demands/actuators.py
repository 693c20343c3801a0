"""The actuators of a motion: the robot's motors, actuators given by the user, and undriven directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from gearwright.algebra import FLOATS, Scalar
from gearwright.algebra.differentiation.dual_arrays import array_column, array_item, concatenate_arrays
from gearwright.dynamics.configuration import integrate, neutral
from gearwright.errors import InputError
from gearwright.forces import Line, MotorTorque, Quantity, Winding
from gearwright.forces.actuators.linear_actuator import ActuatorInputs, ActuatorMotion
from gearwright.forces.motors.inverse_motor import MotorInverse
from gearwright.forces.motors.thermal import temperature_quantities
from gearwright.forces.robot_lines import motor_line, robot_motors, voltage_limit
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.forces.transmission.drive_equation import winding_equations
from gearwright.functions import speed_directions
from gearwright.mechanism import Mechanism, dense_row
from gearwright.motion_demands.actuator_forces import ForceLine
from gearwright.motion_demands.motion_segments.smooth_segments import (
    SmoothSegment,
    all_samples,
    line_motion,
    segment_slices,
)
from gearwright.parts import Motor, Robot
from gearwright.programs import ClosedMechanism


class ActuatorInverse(Protocol):
    """The inverse model of an actuator over the smooth segments of a motion, in sequence."""

    @property
    def relative_degree(self) -> int:
        """Number of derivatives of its force that it needs, plus one."""
        ...

    def solve(self, demand: ActuatorMotion, state: Scalar | None = None) -> tuple[ActuatorInputs, Scalar]:
        """Return states and inputs, and the initial state of the next segment."""
        ...


class InvertibleActuator(Protocol):
    """An actuator whose inputs follow from motion and force, such as a LinearActuator."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def line(self) -> Line:
        """Line of its force."""
        ...

    @property
    def port(self) -> str | None:
        """Name of the gear that its force passes."""
        ...

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states."""
        ...

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Its inputs."""
        ...

    @property
    def limits(self) -> tuple[float | None, ...]:
        """Per input the largest magnitude."""
        ...

    @property
    def inverse(self) -> ActuatorInverse:
        """Its inverse."""
        ...


@dataclass(frozen=True)
class ActuatorDemand:
    """An actuator, the name of its force, and the data sheet if it is a motor of the robot."""

    actuator: InvertibleActuator
    force: str
    motor: Motor | None = None

    def data_sheet_series(self, force: Scalar, speed: Scalar) -> dict[str, Scalar]:
        """Return further series of the data sheet (current, heat, power ...) from torque [Nm] and speed [rad/s]."""
        if self.motor is None or self.actuator.port is None:
            return {}
        title, winding = self.actuator.port, winding_equations(self.motor)
        series = {f"{title}.speed": speed, f"{title}.power": force * speed}
        return series if winding is None else series | {f"{title}.current": winding.current_for_torque(force)}


def motor_demands(robot: Robot | None, mech: Mechanism, start: Mapping[str, float]) -> list[ActuatorDemand]:
    """Return the motors of a machine: with voltages where the data sheets allow, otherwise by torque alone.

    `start` gives initial temperatures by name.
    """
    sheets = {} if robot is None else dict(robot_motors(robot))
    electrical = {
        title: MotorInverse(Winding(title, motor_line(mech, title), motor), voltage_limit(robot, title, motor), start)
        for title, motor in sheets.items()
        if robot is not None and motor.torque_constant and motor.resistance
    }
    return [
        ActuatorDemand(
            electrical.get(actuator.name) or MotorTorque.for_machine(mech, actuator.name),
            f"{actuator.name}.torque",
            sheets.get(actuator.name),
        )
        for actuator in mech.actuators
    ]


def motor_torque_demands(mech: Mechanism) -> list[ActuatorDemand]:
    """Return the motors of a machine by torque alone, without electrical models."""
    return [
        ActuatorDemand(MotorTorque.for_machine(mech, actuator.name), f"{actuator.name}.torque")
        for actuator in mech.actuators
    ]


def actuator_demands(actuators: Any) -> list[ActuatorDemand]:
    """Return the actuators given by the user."""
    not_invertible = [x for x in actuators if not hasattr(x, "inverse")]
    if not_invertible:
        raise InputError(
            f"demands: actuators: {not_invertible[0]!r} cannot be inverted. Give LinearActuators, such as "
            "dc_motor(mech, ...)."
        )
    return [ActuatorDemand(x, x.name if isinstance(x, MotorTorque) else f"{x.name}.force") for x in actuators]


def undriven_lines(mech: Mechanism, demanded: Sequence[ActuatorDemand]) -> list[ForceLine]:
    """Return lines that span the generalized forces outside the actuators' range, in every configuration.

    Of a machine with closed loops they are along its independent speeds.
    """
    tree = mech.tree
    rows = np.array([_row_in_general_position(tree, demand.actuator.line) for demand in demanded], dtype=float).reshape(
        len(demanded), tree.n
    )
    if isinstance(mech, ClosedMechanism):
        rows = rows @ speed_directions(mech, mech.reference)
    rows = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True, initial=0.0), 1e-300)
    idle = [k for k in range(mech.n) if not rows[:, k].any()]
    busy = [k for k in range(mech.n) if k not in idle]
    rows_undriven = [np.eye(mech.n)[k] for k in idle]
    if busy:
        _, sizes, directions = np.linalg.svd(rows[:, busy])
        for direction in directions[int((sizes > 1e-10 * sizes.max()).sum()) :]:
            rows_undriven.append(np.zeros(mech.n))
            rows_undriven[-1][busy] = np.where(np.abs(direction) > 1e-12, direction, 0.0)
    named_rows = (dict(zip(mech.speeds, row.tolist(), strict=True)) for row in rows_undriven)
    return [ForceLine(Line.for_machine(tree, row), None) for row in named_rows]


def _row_in_general_position(mech: Mechanism, line: Line) -> list[Scalar]:
    """Return the row of a line, in general position if it depends on the configuration."""
    step = [0.1 + 0.3 * k for k in range(mech.n)]
    kinematics = SharedKinematics(mech, integrate(mech, neutral(mech), step, FLOATS), step, FLOATS)
    return dense_row(line.placed_in(kinematics).terms, mech.n)


class DriveInverses:
    """Inverse models of the actuators."""

    def __init__(self, demands: Sequence[ActuatorDemand]) -> None:
        self.demands = tuple(demands)
        self._inverses = [demand.actuator.inverse for demand in demands]

    @property
    def force_lines(self) -> tuple[ForceLine, ...]:
        """Their force lines and ports."""
        return tuple(ForceLine(demand.actuator.line, demand.actuator.port) for demand in self.demands)

    @property
    def order(self) -> int:
        """Number of derivatives of their forces that they need."""
        return max((inverse.relative_degree for inverse in self._inverses), default=1) - 1

    @property
    def temperature_states(self) -> list[str]:
        """Names of the temperatures with an initial value."""
        actuators = (demand.actuator for demand in self.demands)
        heated = [
            temperature_quantities(x.port, x.winding.motor.heat) for x in actuators if isinstance(x, MotorInverse)
        ]
        return [state.name for states in heated for state in states]

    def at_initial_temperatures(self) -> DriveInverses:
        """The same with motors that keep their initial temperatures."""
        return DriveInverses(
            [
                replace(demand, actuator=replace(demand.actuator, is_isothermal=True))
                if isinstance(demand.actuator, MotorInverse)
                else demand
                for demand in self.demands
            ]
        )

    def solve_inputs(self, segments: Sequence[SmoothSegment], forces: Sequence[Scalar]) -> dict[str, Scalar]:
        """Return inputs, states and forces by name over all segments of a motion.

        Args:
            segments: the segments; the states of an actuator at the end of one are those at the start of the next.
            forces: forces and their derivatives at all samples, each (T, actuators or more).
        """
        series: dict[str, Scalar] = {}
        samples, parts = all_samples(segments), segment_slices(segments)
        for j, (demand, inverse) in enumerate(zip(self.demands, self._inverses, strict=True)):
            force, motion = [array_column(x, j) for x in forces], line_motion(demand.actuator.line, samples)
            solutions, state = list[ActuatorInputs](), None
            for part in parts:
                motion_and_force = [[array_item(x, part) for x in values] for values in (motion, force)]
                solution, state = inverse.solve(ActuatorMotion(samples.t[part], *motion_and_force), state)
                solutions.append(solution)
            series |= demand.data_sheet_series(force[0], motion[1]) | _named_series(demand, force[0], solutions)
        return series


def _named_series(demand: ActuatorDemand, force: Scalar, solutions: Sequence[ActuatorInputs]) -> dict[str, Scalar]:
    signals = {
        name: concatenate_arrays([solution.other_signals[name] for solution in solutions])
        for name in solutions[0].other_signals
    }
    all_states, all_inputs = (
        concatenate_arrays([getattr(x, word) for x in solutions]) for word in ("states", "inputs")
    )
    states = {x.name: array_column(all_states, k) for k, x in enumerate(demand.actuator.states)}
    inputs = {x.name: array_column(all_inputs, k) for k, x in enumerate(demand.actuator.inputs)}
    return {**signals, **inputs, **states, demand.force: force}
