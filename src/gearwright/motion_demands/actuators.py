"""What drives a machine along a motion: its own motors, actuators that a user gives, and what no one drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import column
from gearwright.algebra.operations import FLOATS
from gearwright.dynamics.configuration import integrate, neutral
from gearwright.errors import InputError
from gearwright.forces.actuators.dc_motor import most_voltage
from gearwright.forces.actuators.linear_actuator import Answer, Demand
from gearwright.forces.law import Quantity
from gearwright.forces.line import Line
from gearwright.forces.motors.inverse_motor import DrivenMotor
from gearwright.forces.motors.motor import Winding
from gearwright.forces.motors.thermal import warm_states
from gearwright.forces.motors.torque_source import MotorTorque
from gearwright.forces.robot_lines import motor_line, motors_of
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.motion_demands.actuator_forces import Push
from gearwright.motion_demands.motion_segments.smooth_segments import Piece, motion_along
from gearwright.parts import Motor, Robot


class Inverse(Protocol):
    """What inverts an actuator over smooth pieces of a motion, one after the other."""

    @property
    def degree(self) -> int:
        """One more than the number of derivatives of its force that it needs."""
        ...

    def solve(self, demand: Demand, inner: Scalar | None = None) -> tuple[Answer, Scalar]:
        """States and inputs, and what it must know at the start of the next piece."""
        ...


class Invertible(Protocol):
    """An actuator whose inputs follow from motion and force, such as a LinearActuator."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def line(self) -> Line:
        """Along what it pushes."""
        ...

    @property
    def port(self) -> str | None:
        """Whose gear its force passes."""
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
    def inverse(self) -> Inverse:
        """Its inverse."""
        ...


@dataclass(frozen=True)
class Asked:
    """An actuator of which something is asked, what its force is called, and the data sheet of a robot's own motor."""

    actuator: Invertible
    force: str
    motor: Motor | None = None

    def sheet(self, force: Scalar, speed: Scalar) -> dict[str, Scalar]:
        """What the data sheet lets one say beside the inputs, from torque [Nm] and speed [rad/s]."""
        if self.motor is None or self.actuator.port is None:
            return {}
        title, constant = self.actuator.port, self.motor.torque_constant
        found = {f"{title}.speed": speed, f"{title}.power": force * speed}
        return found | {f"{title}.current": force / constant} if constant else found


def own_motors(robot: Robot | None, mech: Mechanism, start: Mapping[str, float]) -> list[Asked]:
    """The motors of a machine: with voltages where a robot's data sheets allow, else by their torques alone.

    `start` has temperatures at the start by name.
    """
    sheets = {} if robot is None else dict(motors_of(robot))
    electrical = {
        title: DrivenMotor(Winding(title, motor_line(mech, title), motor), most_voltage(robot, title, motor), start)
        for title, motor in sheets.items()
        if robot is not None and motor.torque_constant and motor.resistance
    }
    return [
        Asked(electrical.get(one.name) or MotorTorque.of(mech, one.name), f"{one.name}.torque", sheets.get(one.name))
        for one in mech.actuators
    ]


def torques_alone(mech: Mechanism) -> list[Asked]:
    """The motors of a machine without what drives them."""
    return [Asked(MotorTorque.of(mech, one.name), f"{one.name}.torque") for one in mech.actuators]


def given_actuators(actuators: Any) -> list[Asked]:
    """Those of a user."""
    strange = [x for x in actuators if not hasattr(x, "inverse")]
    if strange:
        raise InputError(
            f"demands: actuators: {strange[0]!r} cannot be inverted. Give LinearActuators, such as dc_motor(mech, ...)."
        )
    return [Asked(x, x.name if isinstance(x, MotorTorque) else f"{x.name}.force") for x in actuators]


def undriven(mech: Mechanism, asked: Sequence[Asked]) -> list[Push]:
    """Lines that span all forces which the actuators cannot give, wherever the machine is."""
    rows = np.array([_anywhere(mech, one.actuator.line) for one in asked], dtype=float).reshape(len(asked), mech.n)
    rows = rows / np.maximum(np.abs(rows).max(axis=1, keepdims=True, initial=0.0), 1e-300)
    idle = [k for k in range(mech.n) if not rows[:, k].any()]
    busy = [k for k in range(mech.n) if k not in idle]
    found = [np.eye(mech.n)[k] for k in idle]
    if busy:
        _, sizes, directions = np.linalg.svd(rows[:, busy])
        for direction in directions[int((sizes > 1e-10 * sizes.max()).sum()) :]:
            found.append(np.zeros(mech.n))
            found[-1][busy] = np.where(np.abs(direction) > 1e-12, direction, 0.0)
    return [Push(Line.of(mech, row.tolist()), None) for row in found]


def _anywhere(mech: Mechanism, line: Line) -> list[Scalar]:
    """The row of a line, in general position where it depends on the configuration."""
    step = [0.1 + 0.3 * k for k in range(mech.n)]
    scene = Scene(mech, integrate(mech, neutral(mech), step, FLOATS), step, FLOATS)
    return spread(line.placed(scene).terms, mech.n)


class Drives:
    """Actuators that are inverted piece by piece, and what each must know of the piece before."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self.asked = tuple(asked)
        self._inverses = [one.actuator.inverse for one in asked]
        self._inner: list[Scalar | None] = [None] * len(self.asked)

    @property
    def pushes(self) -> tuple[Push, ...]:
        """Their lines and ports."""
        return tuple(Push(one.actuator.line, one.actuator.port) for one in self.asked)

    @property
    def order(self) -> int:
        """How many derivatives of their forces they need."""
        return max((inverse.degree for inverse in self._inverses), default=1) - 1

    @property
    def temperatures(self) -> list[str]:
        """The temperatures that a user may give for the start."""
        asked = (one.actuator for one in self.asked)
        warm = [warm_states(x.port, x.winding.motor.heat) for x in asked if isinstance(x, DrivenMotor)]
        return [state.name for states in warm for state in states]

    def inverted(self, piece: Piece, forces: Sequence[Scalar]) -> dict[str, Scalar]:
        """Inputs, states and forces by name, for forces and their derivatives, each (T, actuators or more)."""
        found: dict[str, Scalar] = {}
        for j, (one, inverse) in enumerate(zip(self.asked, self._inverses, strict=True)):
            force, ways = [column(x, j) for x in forces], motion_along(one.actuator.line, piece)
            answer, self._inner[j] = inverse.solve(Demand(piece.t, ways, force), self._inner[j])
            found |= one.sheet(force[0], ways[1]) | dict(answer.shown) | _named(one, force[0], answer)
        return found


def _named(asked: Asked, force: Scalar, answer: Answer) -> dict[str, Scalar]:
    states = {x.name: column(answer.states, k) for k, x in enumerate(asked.actuator.states)}
    inputs = {x.name: column(answer.inputs, k) for k, x in enumerate(asked.actuator.inputs)}
    return {**inputs, **states, asked.force: force}
