"""Division of a link into several: parts on the link are moved to the piece at their position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

from gearwright.algebra import IDENTITY, ZERO, Vec
from gearwright.errors import StructureError
from gearwright.parts.builders.mounting import drive_in_frame, mounting_link, output_is_link
from gearwright.parts.drives.drive import Drive
from gearwright.parts.gears.elasticity import PassiveSpring
from gearwright.parts.link import Link
from gearwright.parts.payload_and_frames import Frame, Payload
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import FramePlacement


class LinkDivision(Protocol):
    """A link divided into segments, 0 for the link itself."""

    def segment_at(self, position: Any) -> int:
        """Index of the segment that carries a point of the link."""
        ...

    def segment_origin(self, segment: int) -> Vec:
        """Origin of a segment of the undeformed link, in the link's frame."""
        ...


def with_divided_link(
    robot: Robot, link: str, hub: Link, pieces: Sequence[Link], division: LinkDivision, springs: Sequence[PassiveSpring]
) -> Robot:
    """Return the robot with a link replaced by a hub and pieces; children, drives, frames and payload are moved."""
    last = _unnamed_payload_link(robot)
    links: list[Link] = []
    for robot_link in robot.links:
        if robot_link.name == link:
            links += [hub, *pieces]
        else:
            links.append(_link_on_segment(robot_link, link, division))
    return replace(
        robot,
        links=links,
        drives=[_drive_on_segment(drive, robot, link, division) for drive in robot.drives],
        frames=[_frame_on_segment(frame, link, division) for frame in robot.frames],
        payload=None if robot.payload is None else _payload_on_segment(robot.payload, link, last, division),
        springs=(*robot.springs, *springs),
    )


def _unnamed_payload_link(robot: Robot) -> str | None:
    """Return the link of a payload that names none."""
    return robot.last_link().name if robot.payload is not None and robot.payload.link is None else None


def attached_segments(robot: Robot, link: str, division: LinkDivision) -> set[int]:
    """Return the segments of a link that carry other parts."""
    recorder = _SegmentRecorder(division)
    last = _unnamed_payload_link(robot)
    for child in robot.links:
        _link_on_segment(child, link, recorder)
    for drive in robot.drives:
        _drive_on_segment(drive, robot, link, recorder)
    for frame in robot.frames:
        _frame_on_segment(frame, link, recorder)
    if robot.payload is not None:
        _payload_on_segment(robot.payload, link, last, recorder)
    end_point = robot.link(link).end_point
    if end_point is not None:
        recorder.segment_at(end_point)
    return recorder.segments


class _SegmentRecorder:
    """A division that records which segments carry points."""

    def __init__(self, division: LinkDivision) -> None:
        self.division, self.segments = division, set[int]()

    def segment_at(self, position: Any) -> int:
        segment = self.division.segment_at(position)
        self.segments.add(segment)
        return segment

    def segment_origin(self, segment: int) -> Vec:
        return self.division.segment_origin(segment)


def with_tip(old: Link, name: str, segments: Sequence[Link], division: LinkDivision) -> list[Link]:
    """Return the segments; the one that contains the tip of the original link gets the tip."""
    if old.end_point is None:
        return list(segments)
    k = division.segment_at(old.end_point)
    place = old.end_point - division.segment_origin(k)
    return [replace(segment, tip=place) if segment.name == segment_name(name, k) else segment for segment in segments]


def segment_name(link: str, segment: int) -> str:
    """Return the name of a segment of a link; 0 is the link itself."""
    return f"{link}.{segment}" if segment else link


def _link_on_segment(child: Link, link: str, division: LinkDivision) -> Link:
    if child.parent != link:
        return child
    k = division.segment_at(child.joint.position)
    joint = replace(child.joint, position=Vec.from_values(child.joint.position) - division.segment_origin(k))
    return replace(child, parent=segment_name(link, k), joint=joint)


def _drive_on_segment(drive: Drive, robot: Robot, link: str, division: LinkDivision) -> Drive:
    """The drive on the segment of its driven joint, or of its motor's position if the joint is not on the division."""
    driven = robot.link_of_joint(drive.joint)
    if mounting_link(drive, driven) != link:
        return drive
    if driven.name == link and drive.axis is None:  # keep the joint's axis, which is unknown to a segment further out
        drive = replace(drive, axis=driven.joint.axis)
    stated = ZERO if drive.motor.position is None else drive.motor.position
    k = division.segment_at(driven.joint.position if driven.parent == link else stated)
    back = FramePlacement(IDENTITY, division.segment_origin(k) * -1.0)
    return replace(drive_in_frame(drive, output_is_link(drive, driven), back), mounted_on=segment_name(link, k))


def _frame_on_segment(frame: Frame, link: str, division: LinkDivision) -> Frame:
    if frame.link != link:
        return frame
    k = division.segment_at(frame.position)
    return replace(
        frame, link=segment_name(link, k), position=Vec.from_values(frame.position) - division.segment_origin(k)
    )


def _payload_on_segment(payload: Payload, link: str, last: str | None, division: LinkDivision) -> Payload:
    if payload.frame is not None or payload.position is None:  # placed by a frame or by an attachment
        return payload
    carrier = payload.link if payload.link is not None else last
    if carrier != link:
        return replace(payload, link=carrier)
    k = division.segment_at(payload.position)
    return replace(
        payload, link=segment_name(link, k), position=Vec.from_values(payload.position) - division.segment_origin(k)
    )


def refuse_trains_on_link(robot: Robot, link: str) -> None:
    """Raise an error if a train has wheels or motors on a link that is to be flexible."""
    for train in robot.trains:
        named = {wheel.carrier for wheel in train.wheels} | {motor.stator for motor in train.motors}
        named |= {name for mesh in train.meshes for name in (mesh.first, mesh.second, mesh.carrier)}
        if link in named:
            raise StructureError(
                f"link {link!r} cannot be flexible: train {train.name!r} has wheels on it, and bending would separate "
                "their axes. Mount them on a rigid link, such as a fixed link at its end."
            )
