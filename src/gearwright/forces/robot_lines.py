"""The lines of a robot's joints and motors in its machine."""

from __future__ import annotations

from collections.abc import Iterator

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.forces.line import ConstantLine, Line
from gearwright.mechanism import Mechanism, joint_kind
from gearwright.parts import Link, Motor, Robot, Supply


def joint_line(mech: Mechanism, link: Link) -> tuple[ConstantLine, Scalar] | None:
    """The line of a link's joint and the offset of its coordinate, q_joint = line . q + offset; None if it has none.

    A mimic joint lies along the joint that it follows.

    >>> import gearwright as gw
    >>> robot = gw.load("elbow")
    >>> joint_line(gw.assemble(robot), robot.links[1])[0].name
    'j2'
    """
    joint = mech.joints[mech.body_index(link.name)]
    if not joint_kind(link.joint.kind).has_one_coordinate:
        return None
    return Line.for_machine(mech, {mech.speeds[joint.dofs[0].speed]: joint.factor}), joint.offset


def robot_motors(robot: Robot) -> Iterator[tuple[str, Motor]]:
    """All motors with the names of their actuators: those of drives, of trains, of tendons."""
    for drive in robot.drives:
        yield drive.title, drive.motor
    for train in robot.trains:
        for train_motor in train.motors:
            yield train_motor.name, train_motor.motor
    for tendon in robot.tendons:
        if tendon.motor is not None:
            yield tendon.name, tendon.motor


def supply_of_motor(robot: Robot, title: str) -> Supply | None:
    """The supply of a motor: that of its drive, or else of the robot."""
    drive_supply = next((drive.supply for drive in robot.drives if drive.title == title), None)
    return drive_supply if drive_supply is not None else robot.supply


def supply_voltage(robot: Robot, title: str) -> Scalar | None:
    """The voltage of a motor's supply [V]; None where the robot does not state it."""
    supply = supply_of_motor(robot, title)
    return None if supply is None else supply.voltage


def voltage_limit(robot: Robot, title: str, motor: Motor) -> float | None:
    """The largest voltage of a motor's electronics [V]: their own limit or that of the supply."""
    stated = (motor.max_voltage, supply_voltage(robot, title))
    return min((float(primal_value(x)) for x in stated if x is not None), default=None)


def motor_line(mech: Mechanism, title: str) -> ConstantLine:
    """The line of a motor: its rotor's rate relative to its stator per unit of each speed."""
    return Line.for_machine(mech, next(actuator.row for actuator in mech.actuators if actuator.name == title))


def force_unit(link: Link) -> str:
    """The force unit of a joint: Nm if it rotates, N if it slides."""
    return joint_kind(link.joint.kind).force_unit
