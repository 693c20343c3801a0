"""Robots without drives, as in most URDF files: a drive at every revolute joint."""

from __future__ import annotations

from dataclasses import replace

from gearwright.errors import InputError
from gearwright.mechanism import joint_kind
from gearwright.parts import Drive, Gear, Motor, Robot
from gearwright.text import listed_names


def with_drive_at_every_joint(robot: Robot) -> tuple[Robot, tuple[str, ...]]:
    """A robot with a drive at every revolute joint, if it has no drives, and the remark on it.

    Motors are mounted on the parent links, at the joints and along their axes. Mimic joints get none.

    >>> import gearwright as gw
    >>> arm = gw.parts.Robot("arm", [gw.parts.Link("upper", mass=2), gw.parts.Link("fore", "upper", mass=1)])
    >>> [drive.joint for drive in with_drive_at_every_joint(arm)[0].drives]
    ['upper', 'fore']
    """
    if robot.drives or robot.trains:
        return robot, ()
    free = [link for link in robot.links if link.joint.follows is None]
    sliding = listed_names(str(link.joint_name) for link in free if joint_kind(link.joint.kind).is_prismatic)
    if sliding:
        raise InputError(
            f"size_drives: robot {robot.name!r} has no drives, and the gear of the prismatic joint {sliding} (screw, "
            "rack or belt) is unknown. Add its drive to the file, such as gear: {type: screw, lead: 10 mm}."
        )
    drives = [Drive(str(link.joint_name), Motor(), Gear()) for link in free if joint_kind(link.joint.kind).is_revolute]
    if not drives:
        return robot, ()
    names = listed_names(drive.joint for drive in drives)
    remark = (
        f"{robot.name} has no drives: motors are mounted on the parents of {names}, at the joints, along their axes."
    )
    return replace(robot, drives=drives), (remark,)
