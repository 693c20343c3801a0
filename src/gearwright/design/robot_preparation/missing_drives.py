"""Robots without drives, as most URDF files have them: a place for a motor at every joint."""

from __future__ import annotations

from dataclasses import replace

from gearwright.errors import InputError
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Drive, Gear, Motor, Robot
from gearwright.text import listed


def with_places_for_motors(robot: Robot) -> tuple[Robot, tuple[str, ...]]:
    """A robot with a drive at every joint that turns, if it has none at all, and what is to be said of it.

    Motors sit on the parents, at the joints and along their axes. Joints that follow others get none.

    >>> import gearwright as gw
    >>> arm = gw.parts.Robot("arm", [gw.parts.Link("upper", mass=2), gw.parts.Link("fore", "upper", mass=1)])
    >>> [drive.joint for drive in with_places_for_motors(arm)[0].drives]
    ['upper', 'fore']
    """
    if robot.drives or robot.trains:
        return robot, ()
    free = [link for link in robot.links if link.joint.follows is None]
    sliding = listed(str(link.joint_name) for link in free if joint_kind(link.joint.kind).slides)
    if sliding:
        raise InputError(
            f"size_drives: robot {robot.name!r} states no drives, and {sliding} slides: whether a screw, a rack or a "
            "belt moves it is for you to say. Add its drive to the file, such as gear: {type: screw, lead: 10 mm}."
        )
    drives = [Drive(str(link.joint_name), Motor(), Gear()) for link in free if joint_kind(link.joint.kind).hinges]
    if not drives:
        return robot, ()
    names = listed(drive.joint for drive in drives)
    said = f"{robot.name} states no drives: motors are put on the parents of {names}, at the joints, along their axes."
    return replace(robot, drives=drives), (said,)
