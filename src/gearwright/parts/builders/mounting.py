"""Where drives and wheels are mounted: the joint as seen from the link that carries them, and a move with that link."""

from __future__ import annotations

from dataclasses import replace

from gearwright.algebra import Rot, Vec, is_number
from gearwright.parts.drives.drive import Drive
from gearwright.parts.gears.elasticity import elements_of
from gearwright.parts.link import Link
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import (
    HERE,
    PartPlace,
    moved_gear,
    moved_motor,
    moved_wheel,
    rows,
    stated_wheel,
)
from gearwright.parts.trains.train import Gearwheel


def mount_of(drive: Drive, driven: Link) -> str:
    """The link that carries a drive: the parent of the driven link unless given."""
    return drive.mounted_on if drive.mounted_on is not None else driven.parent


def joint_axis(link: Link, seen_from: str) -> tuple[Vec, Vec] | None:
    """Axis and origin of a link's joint in the frame of one of the joint's two links; None for any other link.

    >>> from gearwright.parts import Joint
    >>> fore = Link("fore", "upper", Joint("elbow", position=(0.4, 0, 0)))
    >>> joint_axis(fore, "upper")
    (Vec(0.0, 0.0, 1.0), Vec(0.4, 0, 0))
    >>> joint_axis(fore, "fore")[1], joint_axis(fore, "base")
    (Vec(0.0, 0.0, 0.0), None)
    """
    axis = Vec.of(link.joint.axis)
    if seen_from == link.name:
        return axis, Vec(0.0, 0.0, 0.0)
    if seen_from == link.parent:
        return Rot.of(rows(link.joint.rotation)) @ axis, Vec.of(link.joint.position)
    return None


def output_is_link(drive: Drive, driven: Link) -> bool:
    """Whether the output member of a gear is the driven link: it turns in line with the joint, without a spring."""
    axis_and_point = joint_axis(driven, mount_of(drive, driven))
    if axis_and_point is None or driven.joint.kind != "revolute":
        return False
    in_line = drive.axis is None or _in_line(Vec.of(drive.axis), axis_and_point[0])
    return in_line and bool(getattr(drive.gear, "rigid", not elements_of(drive.gear)))


def moved_drive(drive: Drive, rides: bool, mount: PartPlace, driven: PartPlace = HERE) -> Drive:
    """A drive whose places are stated in a frame of its mount, in the mount's body frame.

    Args:
        drive: the drive.
        rides: whether the gear's output member is the driven link, see `output_is_link`: planets then ride on it.
        mount: the frame in which places on the mount are stated.
        driven: the frame in which those on the driven link are.
    """
    return replace(
        drive,
        motor=moved_motor(drive.motor, mount),
        gear=moved_gear(drive.gear, mount, driven if rides else mount),
        axis=None if drive.axis is None else mount.direction(drive.axis),
    )


def moved_base_wheel(robot: Robot, wheel: Gearwheel, base: PartPlace) -> Gearwheel:
    """A wheel of a train on a robot's base, in the frame of a link that the base is placed on."""
    return moved_wheel(stated_wheel(wheel, _wheel_axis(robot, wheel)), base)


def _wheel_axis(robot: Robot, wheel: Gearwheel) -> Vec | None:
    """The axis of a wheel on the base; None where it is not drawn."""
    wheels = {other.name: other for train in robot.trains for other in train.wheels}
    joints = {link.joint_name: link for link in robot.links}
    for _ in wheels:
        if not isinstance(wheel.axis, str):
            return Vec.of(wheel.axis)
        if wheel.axis in joints:
            axis_and_point = joint_axis(joints[wheel.axis], "base")
            return None if axis_and_point is None else axis_and_point[0]
        if wheel.axis not in wheels:
            return None
        wheel = wheels[wheel.axis]
    return None


def _in_line(e: Vec, z: Vec) -> bool:
    """Whether two directions of any length point the same way or opposite ways."""
    if not all(is_number(x) for x in (*e, *z)):
        return False
    lengths = (e.dot(e) * z.dot(z)) ** 0.5
    across = e.cross(z)
    return bool(across.dot(across) < 1e-16 * lengths * lengths)
