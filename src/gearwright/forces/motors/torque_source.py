"""A motor whose torque is given: the simplest actuator, which needs no electrical data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import linear
from gearwright.forces.actuators.linear_actuator import Answer, Demand
from gearwright.forces.law import Action, Force, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.robot_lines import motor_line
from gearwright.mechanism import Mechanism

WORD = "torque"
"""A motor's input is called <motor>.torque."""


@dataclass(frozen=True)
class MotorTorque(Law):
    """The torque of a motor on its rotor, given as the input `<motor>.torque` [Nm]; it passes the motor's gear.

    `tau.<joint>` says what motors together bring at a joint; behind a differential or a train that belongs to several
    motors, and this names one of them.

    Args:
        name: its name, `<motor>.torque`.
        line: the rotor's rate against its stator.
        port: name of the motor, whose gear the torque passes.
        limit: largest torque [Nm], for `demands` to compare with; None: any.

    >>> import gearwright as gw
    >>> wrist = gw.assemble(gw.load("wrist_bendix"))
    >>> [MotorTorque.of(wrist, one.name).inputs[0].name for one in wrist.actuators]
    ['m1.torque', 'm2.torque', 'm3.torque']
    """

    name: str
    line: Line
    port: str
    limit: float | None = None

    @staticmethod
    def of(mech: Mechanism, motor: str, limit: float | None = None) -> MotorTorque:
        """The motor of a machine by its name."""
        return MotorTorque(f"{motor}.{WORD}", motor_line(mech, motor), motor, limit)

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
        """What it must be given is what is asked of it."""
        return TorqueInverse()

    def act(self, mode: str, situation: Situation) -> Action:
        """The torque along the motor's line."""
        return Action(forces=(Force(self.line, situation.inputs[0], self.port),))

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The power it brings."""
        return Outcome(supplied=situation.inputs[0] * situation.speed(self.line))


class TorqueInverse:
    """The inverse of a motor whose torque is its input."""

    degree = 1

    def solve(self, demand: Demand, inner: Scalar | None = None) -> tuple[Answer, Scalar]:
        """The force is the input."""
        given = linear(lambda x: x[:, None], demand.force[0])
        return Answer(np.zeros((len(demand.t), 0)), given), np.zeros(0)
