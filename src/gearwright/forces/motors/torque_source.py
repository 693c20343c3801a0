"""A motor with its torque as input: the simplest actuator, without electrical data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import map_linear
from gearwright.argument_kinds import check_arguments
from gearwright.forces.actuators.linear_actuator import ActuatorInputs, ActuatorMotion
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import motor_line
from gearwright.mechanism import Mechanism

TORQUE_INPUT = "torque"
"""The input of a motor is <motor>.torque."""


@check_arguments
@dataclass(frozen=True)
class MotorTorque(Law):
    """The torque of a motor on its rotor, the input `<motor>.torque` [Nm]; it acts through the motor's gear losses.

    `tau.<joint>` is the total torque of the motors at a joint. Behind a differential or a gear train several motors
    contribute to it; this law is the torque of one of them.

    Args:
        name: its name, `<motor>.torque`.
        line: the rotor's speed relative to its stator.
        port: name of the motor, through whose gear losses the torque acts.
        limit: largest torque [Nm], which `demands` checks; None: no limit.

    >>> import gearwright as gw
    >>> wrist = gw.assemble(gw.load("wrist_bendix"))
    >>> [MotorTorque.for_machine(wrist, one.name).inputs[0].name for one in wrist.actuators]
    ['m1.torque', 'm2.torque', 'm3.torque']
    """

    name: str
    line: Line
    port: str
    limit: float | None = None

    @staticmethod
    def for_machine(mech: Mechanism, motor: str, limit: float | None = None) -> MotorTorque:
        """The torque of a machine's motor by its name."""
        return MotorTorque(f"{motor}.{TORQUE_INPUT}", motor_line(mech, motor), motor, limit)

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """The torque."""
        return (Quantity(self.name, "Nm"),)

    @property
    def limits(self) -> tuple[float | None, ...]:
        """The largest torque."""
        return (self.limit,)

    @property
    def inverse(self) -> TorqueInverse:
        """The inverse model: the input is the required torque."""
        return TorqueInverse()

    def act(self, mode: str, situation: Situation) -> Action:
        """The torque along the motor's line."""
        return Action(forces=(Force(self.line, situation.inputs[0], self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The supplied power."""
        return Outcome(supplied=situation.inputs[0] * situation.speed(self.line))


class TorqueInverse:
    """The inverse of a motor whose torque is its input."""

    relative_degree = 1

    def solve(self, demand: ActuatorMotion, state: Scalar | None = None) -> tuple[ActuatorInputs, Scalar]:
        """The required torque as the input."""
        torque = map_linear(lambda x: x[:, None], demand.force[0])
        return ActuatorInputs(np.zeros((len(demand.t), 0)), torque), np.zeros(0)
