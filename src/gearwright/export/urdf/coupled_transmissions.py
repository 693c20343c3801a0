"""Trains of two motors on two joints as coupled transmissions of ros_control, if they are of that type."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Any

from gearwright.algebra import is_number
from gearwright.files.urdf.coupled_transmissions import CoupledTransmission, TransmissionEnd, near_and_far
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot, Train, TrainMotor

Combination = dict[str, float]
MotorCombination = tuple[TrainMotor, Combination]


def coupled_transmissions(robot: Robot, mech: Mechanism) -> list[CoupledTransmission]:
    """Return the robot's trains that a URDF can represent; the others are in the sidecar."""
    rows = {actuator.name: _nonzero_terms(mech, actuator.row) for actuator in mech.actuators}
    candidates = (
        _coupled_transmission(robot, train, [rows[motor.name] for motor in train.motors]) for train in robot.trains
    )
    return [transmission for transmission in candidates if transmission is not None]


def _nonzero_terms(mech: Mechanism, row: Any) -> Combination:
    return {name: x for name, x in zip(mech.speeds, row, strict=True) if not (is_number(x) and x == 0)}


def _coupled_transmission(robot: Robot, train: Train, rows: Sequence[Combination]) -> CoupledTransmission | None:
    joints = list(dict.fromkeys(name for row in rows for name in row))
    links = {link.joint_name: link for link in robot.links}
    numbers = all(is_number(x) for row in rows for x in row.values())
    if not numbers or len(rows) != 2 or len(joints) != 2 or not all(name in links for name in joints):
        return None
    if near_and_far(links[joints[0]], links[joints[1]])[0] is None:
        return None
    first, second = sorted(zip(train.motors, rows, strict=True), key=lambda pair: len(pair[1]))
    if len(first[1]) == 1 and len(second[1]) == 2:
        return _four_bar_transmission(train, first, second)
    return _differential_transmission(train, first, second) if len(first[1]) == 2 else None


def _four_bar_transmission(train: Train, first: MotorCombination, second: MotorCombination) -> CoupledTransmission:
    """Return a four-bar transmission: a1 = n_a1 j1, a2 = n_a2 (j1 + n_j2 j2)."""
    ((j1, alone),) = first[1].items()
    j2 = next(name for name in second[1] if name != j1)
    shared = second[1][j1]
    actuators = (_actuator_end(first[0], alone), _actuator_end(second[0], shared))
    joints = (TransmissionEnd(j1), TransmissionEnd(j2, second[1][j2] / shared))
    return CoupledTransmission(train.name, "FourBarLinkageTransmission", 0, actuators, joints)


def _differential_transmission(
    train: Train, first: MotorCombination, second: MotorCombination
) -> CoupledTransmission | None:
    """Return a differential transmission: a1 = n_a1 (j1 + n_j2 j2), a2 = n_a2 (j1 - n_j2 j2)."""
    j1, j2 = first[1]
    between = [row[j2] / row[j1] for row in (first[1], second[1])]
    if not isclose(between[0], -between[1], rel_tol=1e-12):
        return None
    actuators = (_actuator_end(first[0], first[1][j1]), _actuator_end(second[0], second[1][j1]))
    return CoupledTransmission(
        train.name, "DifferentialTransmission", 0, actuators, (TransmissionEnd(j1), TransmissionEnd(j2, between[0]))
    )


def _actuator_end(motor: TrainMotor, reduction: float) -> TransmissionEnd:
    has_scalar_inertia = motor.motor.tensor is None
    return TransmissionEnd(motor.name, reduction, motor.motor.inertia if has_scalar_inertia else 0.0)
