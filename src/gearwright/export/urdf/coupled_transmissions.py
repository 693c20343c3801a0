"""Trains of two motors on two joints as the coupled transmissions of ros_control, where they are of that kind."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Any

from gearwright.algebra import is_number
from gearwright.files.urdf.coupled_transmissions import Coupled, End, near_and_far
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot, Train, TrainMotor

Combination = dict[str, float]
MotorCombination = tuple[TrainMotor, Combination]


def coupled_transmissions(robot: Robot, mech: Mechanism) -> list[Coupled]:
    """The robot's trains that a URDF can state; the others are left to the sidecar."""
    rows = {actuator.name: _terms(mech, actuator.row) for actuator in mech.actuators}
    found = (_coupled(robot, train, [rows[motor.name] for motor in train.motors]) for train in robot.trains)
    return [transmission for transmission in found if transmission is not None]


def _terms(mech: Mechanism, row: Any) -> Combination:
    return {name: x for name, x in zip(mech.speeds, row, strict=True) if not (is_number(x) and x == 0)}


def _coupled(robot: Robot, train: Train, rows: Sequence[Combination]) -> Coupled | None:
    joints = list(dict.fromkeys(name for row in rows for name in row))
    links = {link.joint_name: link for link in robot.links}
    numbers = all(is_number(x) for row in rows for x in row.values())
    if not numbers or len(rows) != 2 or len(joints) != 2 or not all(name in links for name in joints):
        return None
    if near_and_far(links[joints[0]], links[joints[1]])[0] is None:
        return None
    first, second = sorted(zip(train.motors, rows, strict=True), key=lambda pair: len(pair[1]))
    if len(first[1]) == 1 and len(second[1]) == 2:
        return _four_bar(train, first, second)
    return _differential(train, first, second) if len(first[1]) == 2 else None


def _four_bar(train: Train, first: MotorCombination, second: MotorCombination) -> Coupled:
    """a1 = n_a1 j1, a2 = n_a2 (j1 + n_j2 j2)."""
    ((j1, alone),) = first[1].items()
    j2 = next(name for name in second[1] if name != j1)
    shared = second[1][j1]
    actuators = (_motor(first[0], alone), _motor(second[0], shared))
    joints = (End(j1), End(j2, second[1][j2] / shared))
    return Coupled(train.name, "FourBarLinkageTransmission", 0, actuators, joints)


def _differential(train: Train, first: MotorCombination, second: MotorCombination) -> Coupled | None:
    """a1 = n_a1 (j1 + n_j2 j2), a2 = n_a2 (j1 - n_j2 j2): the two ratios between the joints are opposite."""
    j1, j2 = first[1]
    between = [row[j2] / row[j1] for row in (first[1], second[1])]
    if not isclose(between[0], -between[1], rel_tol=1e-12):
        return None
    actuators = (_motor(first[0], first[1][j1]), _motor(second[0], second[1][j1]))
    return Coupled(train.name, "DifferentialTransmission", 0, actuators, (End(j1), End(j2, between[0])))


def _motor(motor: TrainMotor, reduction: float) -> End:
    known = motor.motor.tensor is None
    return End(motor.name, reduction, motor.motor.inertia if known else 0.0)
