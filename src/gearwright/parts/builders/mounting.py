"""Mounting of drives and wheels: the joint in the frame of the carrying link, and changes of that frame."""

from __future__ import annotations

from dataclasses import replace

from gearwright.algebra import Rot, Vec, is_number
from gearwright.parts.drives.drive import Drive
from gearwright.parts.gears.elasticity import elastic_elements
from gearwright.parts.link import Link
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import (
    IDENTITY_PLACEMENT,
    FramePlacement,
    gear_in_frame,
    matrix_rows,
    motor_in_frame,
    wheel_in_frame,
    wheel_with_defaults,
)
from gearwright.parts.trains.train import Gearwheel


def mounting_link(drive: Drive, driven: Link) -> str:
    """The link that carries a drive; by default the parent of the driven link."""
    return drive.mounted_on if drive.mounted_on is not None else driven.parent


def joint_axis_and_origin(link: Link, seen_from: str) -> tuple[Vec, Vec] | None:
    """Axis and origin of a link's joint in the frame of one of the joint's two links; None for any other link.

    >>> from gearwright.parts import Joint
    >>> fore = Link("fore", "upper", Joint("elbow", position=(0.4, 0, 0)))
    >>> joint_axis_and_origin(fore, "upper")
    (Vec(0.0, 0.0, 1.0), Vec(0.4, 0, 0))
    >>> joint_axis_and_origin(fore, "fore")[1], joint_axis_and_origin(fore, "base")
    (Vec(0.0, 0.0, 0.0), None)
    """
    axis = Vec.from_values(link.joint.axis)
    if seen_from == link.name:
        return axis, Vec(0.0, 0.0, 0.0)
    if seen_from == link.parent:
        return Rot.from_rows(matrix_rows(link.joint.rotation)) @ axis, Vec.from_values(link.joint.position)
    return None


def output_is_link(drive: Drive, driven: Link) -> bool:
    """Whether the output member of a gear is the driven link: it turns in line with the joint, without a spring."""
    axis_and_point = joint_axis_and_origin(driven, mounting_link(drive, driven))
    if axis_and_point is None or driven.joint.kind != "revolute":
        return False
    in_line = drive.axis is None or _is_collinear(Vec.from_values(drive.axis), axis_and_point[0])
    return in_line and bool(getattr(drive.gear, "is_output_rigid", not elastic_elements(drive.gear)))


def drive_in_frame(
    drive: Drive, rides: bool, mount: FramePlacement, driven: FramePlacement = IDENTITY_PLACEMENT
) -> Drive:
    """Return a drive with positions given in a frame of its mount, expressed in the mount's body frame.

    Args:
        drive: the drive.
        rides: whether the gear's output member is the driven link, see `output_is_link`; it then carries the planets.
        mount: the frame in which positions on the mount are given.
        driven: the frame in which positions on the driven link are given.
    """
    motor = motor_in_frame(drive.motor, mount)
    gear = gear_in_frame(drive.gear, mount, driven if rides else mount)
    axis = None if drive.axis is None else mount.direction_in_outer(drive.axis)
    if motor is drive.motor and gear is drive.gear and axis is None:  # nothing of it has a place of its own
        return drive
    return replace(drive, motor=motor, gear=gear, axis=axis)


def base_wheel_in_frame(robot: Robot, wheel: Gearwheel, base: FramePlacement) -> Gearwheel:
    """A wheel of a train on a robot's base, expressed in the frame of the link to which the base is attached."""
    return wheel_in_frame(wheel_with_defaults(wheel, _wheel_axis(robot, wheel)), base)


def _wheel_axis(robot: Robot, wheel: Gearwheel) -> Vec | None:
    """The axis of a wheel on the base; None if it is not specified."""
    wheels = {train_wheel.name: train_wheel for train in robot.trains for train_wheel in train.wheels}
    joints = {link.joint_name: link for link in robot.links}
    for _ in wheels:
        if not isinstance(wheel.axis, str):
            return Vec.from_values(wheel.axis)
        if wheel.axis in joints:
            axis_and_point = joint_axis_and_origin(joints[wheel.axis], "base")
            return None if axis_and_point is None else axis_and_point[0]
        if wheel.axis not in wheels:
            return None
        wheel = wheels[wheel.axis]
    return None


def _is_collinear(e: Vec, z: Vec) -> bool:
    """Whether two vectors are parallel or antiparallel."""
    if not all(is_number(x) for x in (*e, *z)):
        return False
    lengths = (e.dot(e) * z.dot(z)) ** 0.5
    across = e.cross(z)
    return bool(across.dot(across) < 1e-16 * lengths * lengths)
