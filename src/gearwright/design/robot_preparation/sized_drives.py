"""The drives that are sized: those of joints, and motors of gear trains as drives of their own shafts.

A motor of a train turns with several joints. Its drive is therefore that of its shaft, by the name of the motor, with
the ratio 1; the wheels and meshes of the train stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from gearwright.algebra.differentiation.dual_numbers import partials_of, primal_value
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.parts import Drive, Gear, Robot, Train, TrainMotor
from gearwright.text import did_you_mean


def sized_drives(robot: Robot) -> tuple[Drive, ...]:
    """The drives of joints, then the motors of trains as drives of their shafts.

    >>> import gearwright as gw
    >>> [drive.joint for drive in sized_drives(gw.load("grm3"))]
    ['m1', 'm2', 'm3']
    """
    shafts = (Drive(motor.name, motor.motor, Gear(1.0)) for train in robot.trains for motor in train.motors)
    return (*robot.drives, *shafts)


def train_motor_names(robot: Robot) -> tuple[str, ...]:
    """The names of the motors of trains."""
    return tuple(motor.name for train in robot.trains for motor in train.motors)


def sized_drive(robot: Robot, joint: str) -> Drive:
    """The drive of a joint, or of the shaft of a train's motor, by name."""
    drives = {drive.joint: drive for drive in sized_drives(robot)}
    if joint not in drives:
        raise InputError(f"size_drives: joint {joint!r} has no drive. {did_you_mean(joint, drives)}")
    return drives[joint]


def with_sized_drive(robot: Robot, drive: Drive) -> Robot:
    """The robot with a drive of the same name replaced; of a train's motor only the motor is.

    >>> import gearwright as gw
    >>> robot = gw.load("grm3")
    >>> larger = with_sized_drive(robot, Drive("m2", gw.parts.Motor(5e-5), Gear(1.0)))
    >>> larger.trains[0].motors[1].motor.inertia, larger.trains[0].motors[1].stator
    (5e-05, 'base')
    """
    if drive.joint not in train_motor_names(robot):
        return robot.with_drive(drive.title, drive)

    def refit(motor: TrainMotor) -> TrainMotor:
        return replace(motor, motor=drive.motor) if motor.name == drive.joint else motor

    trains: list[Train] = [replace(train, motors=[refit(x) for x in train.motors]) for train in robot.trains]
    return replace(robot, trains=tuple(trains))


@dataclass(frozen=True)
class DriveCoordinate:
    """The coordinate of a drive: that of its joint, or of the shaft of a train's motor.

    Args:
        row: its speed per generalized speed, (n,).
        share: its force per generalized force, (n,): a row of the inverse of all rows.
        row_partials: derivatives of the row by parameters, (n,) each.
        share_partials: derivatives of the share by parameters, (n,) each.
    """

    row: Array
    share: Array
    row_partials: dict[str, Array]
    share_partials: dict[str, Array]


def drive_coordinates(robot: Robot, mech: Mechanism, joints: Iterable[str]) -> list[DriveCoordinate]:
    r"""The coordinates of drives: $u = D' v$ and $\tau = D f$, with unit columns of joints and those of train motors.

    Without trains they are the joints' own. More motors than joints share the forces with the least sum of squares.
    The rows of the machine may be dual numbers.
    """
    names = list(joints)
    if not robot.trains:
        units = [np.eye(mech.n)[mech.speeds.index(name)] for name in names]
        return [DriveCoordinate(unit, unit, {}, {}) for unit in units]
    joint_of = {drive.title: drive.joint for drive in robot.drives}
    driven = [joint_of.get(actuator.name, actuator.name) for actuator in mech.actuators]
    parameters = dict.fromkeys(x for actuator in mech.actuators for entry in actuator.row for x in partials_of(entry))
    D = np.zeros((mech.n, len(driven)))
    slopes = {name: np.zeros_like(D) for name in parameters}
    for k, actuator in enumerate(mech.actuators):
        if actuator.name in joint_of:
            D[mech.speeds.index(driven[k]), k] = 1.0
            continue
        D[:, k] = [float(primal_value(x)) for x in actuator.row]
        for name, slope in slopes.items():
            slope[:, k] = [float(partials_of(x).get(name, 0.0)) for x in actuator.row]
    P = np.asarray(np.linalg.pinv(D), dtype=np.float64)
    places = [driven.index(name) for name in names]
    inverse_slopes = {name: _inverse_slope(D, P, slope) for name, slope in slopes.items()}
    return [
        DriveCoordinate(
            D[:, k], P[k], {x: s[:, k] for x, s in slopes.items()}, {x: s[k] for x, s in inverse_slopes.items()}
        )
        for k in places
    ]


def _inverse_slope(D: Array, P: Array, slope: Array) -> Array:
    """The derivative of a pseudoinverse P of D of constant rank (Golub and Pereyra)."""
    first, second = np.eye(len(D)) - D @ P, np.eye(len(P)) - P @ D
    return np.asarray(-P @ slope @ P + P @ P.T @ slope.T @ first + second @ slope.T @ P.T @ P)
