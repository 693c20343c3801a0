"""Putting one robot on another: a gripper on a flange, an arm on a torso."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gearwright.algebra import Rot, Tensor, Vec
from gearwright.errors import InputError, StructureError
from gearwright.parts.drive import Drive
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload import Frame
from gearwright.parts.robot import Robot


def attach(robot: Robot, other: Robot, frame: str, prefix: str = "") -> Robot:
    """The robot with another one whose base is fixed to a frame of it.

    Names of the other robot's links, joints, drives and frames get the prefix. Motors mounted on its base are then
    carried by the frame's link.

    >>> arm = Robot("arm", [Link("upper", mass=2)], frames=[Frame("tool", "upper", (0.5, 0, 0))])
    >>> jaw = Robot("jaw", [Link("finger", mass=0.1)])
    >>> attach(arm, jaw, "tool", "left_").links[1].parent
    'upper'
    """
    spot = next((f for f in robot.frames if f.name == frame), None)
    if spot is None:
        known = ", ".join(f.name for f in robot.frames) or "none"
        raise InputError(
            f"robot {robot.name!r} has no frame {frame!r} to attach {other.name!r} to. Known are: {known}."
        )
    if robot.payload is not None and robot.payload.link is None:  # it stays on what was the last link before
        robot = replace(robot, payload=replace(robot.payload, link=robot.last_link().name))
    move = _Move(spot, prefix)
    links = [move.link(link) for link in other.links]
    drives = [move.drive(drive, other) for drive in other.drives]
    frames = [move.frame(f) for f in other.frames]
    _refuse_doubles(robot, links, drives, frames)
    combined = replace(
        robot, links=(*robot.links, *links), drives=(*robot.drives, *drives), frames=(*robot.frames, *frames)
    )
    return _with_payload_of(combined, other, move)


class _Move:
    """Renames with a prefix, and moves what hangs on the other robot's base onto the frame's link."""

    def __init__(self, spot: Frame, prefix: str) -> None:
        self.spot, self.prefix = spot, prefix
        self.R, self.p = Rot.of(_rows(spot.rotation)), Vec.of(spot.position)

    def name(self, name: str) -> str:
        return self.spot.link if name == "base" else self.prefix + name

    def link(self, link: Link) -> Link:
        if link.parent == "base" and link.joint.kind == "free":
            raise StructureError(
                f"link {link.name!r} floats freely: it cannot be attached to a frame. Fix it to its base first."
            )
        joint = replace(link.joint, name=self.prefix + link.joint_name)
        if joint.follows is not None:
            joint = replace(joint, follows=(self.prefix + joint.follows[0], *joint.follows[1:]))
        if link.parent == "base":
            joint = self.seated(joint)
        return replace(link, name=self.name(link.name), parent=self.name(link.parent), joint=joint)

    def seated(self, joint: Joint) -> Joint:
        rotation = self.R.after(Rot.of(_rows(joint.rotation)))
        return replace(joint, rotation=rotation, position=self.R @ Vec.of(joint.position) + self.p)

    def drive(self, drive: Drive, other: Robot) -> Drive:
        mount = drive.mounted_on if drive.mounted_on is not None else other.link_of_joint(drive.joint).parent
        motor, axis = drive.motor, drive.axis
        if mount == "base":
            moved: dict[str, Any] = {"position": self.R @ Vec.of(motor.position) + self.p}
            if motor.com is not None:
                moved["com"] = self.R @ Vec.of(motor.com) + self.p
            if motor.tensor is not None:
                moved["tensor"] = Tensor.of(_rows(motor.tensor)).rotated(self.R)
            motor = replace(motor, **moved)
            axis = None if axis is None else self.R @ Vec.of(axis)
        named = None if drive.name is None else self.prefix + drive.name
        return replace(
            drive, joint=self.prefix + drive.joint, motor=motor, mounted_on=self.name(mount), axis=axis, name=named
        )

    def frame(self, frame: Frame) -> Frame:
        if frame.link != "base":
            return replace(frame, name=self.prefix + frame.name, link=self.prefix + frame.link)
        rotation = self.R.after(Rot.of(_rows(frame.rotation)))
        position = self.R @ Vec.of(frame.position) + self.p
        return Frame(self.prefix + frame.name, self.spot.link, position, rotation)


def _with_payload_of(robot: Robot, other: Robot, move: _Move) -> Robot:
    """What the other robot carries: the payload, or a fixed link when the robot carries one already."""
    carried = other.payload
    if carried is None:
        return robot
    link = move.name(carried.link if carried.link is not None else other.last_link().name)
    if robot.payload is None:
        return replace(robot, payload=replace(carried, link=link))
    body = Link(f"{move.prefix}payload", link, Joint(kind="fixed"), carried.mass, carried.position, carried.inertia)
    return replace(robot, links=(*robot.links, body))


def _refuse_doubles(robot: Robot, links: list[Link], drives: list[Drive], frames: list[Frame]) -> None:
    name_of: list[tuple[str, Callable[[Any], str], tuple[Any, ...], list[Any]]] = [
        ("link", lambda k: str(k.name), tuple(robot.links), links),
        ("joint", lambda k: str(k.joint_name), tuple(robot.links), links),
        ("drive", lambda d: str(d.title), tuple(robot.drives), drives),
        ("frame", lambda f: str(f.name), tuple(robot.frames), frames),
    ]
    for kind, name, ours, theirs in name_of:
        both = {name(x) for x in ours} & {name(x) for x in theirs}
        if both:
            raise StructureError(f"both robots have a {kind} {min(both)!r}. Attach with a prefix, such as 'left_'.")


def _rows(matrix: Any) -> Any:
    return matrix.rows() if isinstance(matrix, Rot | Tensor) else matrix
