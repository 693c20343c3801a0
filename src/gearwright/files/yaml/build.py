"""Fields to parts: every number is transformed once, from the frame of the file to the body frame; and the inverse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from gearwright.algebra import Vec
from gearwright.files.fields.drive import DriveFields
from gearwright.files.fields.elasticity import joint_spring_part, on_elastic_base, with_flexible_link
from gearwright.files.fields.joint import Free, JointFields
from gearwright.files.fields.link import ConnectionFields, LinkFields
from gearwright.files.fields.motor_data import friction_part
from gearwright.files.fields.robot import FrameFields, PayloadFields
from gearwright.files.placements import LinkPlacement
from gearwright.files.problems import FileProblems
from gearwright.files.size_limits import part_count_problem
from gearwright.files.yaml.validation import RobotFileContents, path_text
from gearwright.files.yaml_tree import YamlNode
from gearwright.parts import Connection, Drive, Frame, Joint, Limits, Link, Payload, Robot, Shape, Train
from gearwright.parts.builders import closing_joints, linkages
from gearwright.parts.builders.mounting import drive_in_frame, mounting_link, output_is_link
from gearwright.parts.checks import tensor_defect
from gearwright.parts.structure.cord import cord_in_frames
from gearwright.parts.structure.frame_changes import IDENTITY_PLACEMENT, FramePlacement, frame_placement
from gearwright.parts.trains.train import TrainSource

Part = TypeVar("Part")
LinkFrames = Mapping[str, FramePlacement]
"""The frame of each link's fields, in its body frame."""


def build_robot(contents: RobotFileContents, problems: FileProblems) -> Robot | None:
    """Return the robot; None if any field was invalid. Problems of parts are collected."""
    placements = _build_parts(contents, problems, "links", _link_placement)
    frames = {
        words.name: placement.frame
        for words, placement in zip(contents.links, placements, strict=True)
        if words and placement
    }
    pairs = dict(zip(map(id, contents.links), placements, strict=True))
    links = _build_parts(contents, problems, "links", lambda words: _build_link(words, pairs[id(words)], frames))
    driven = {link.joint_name: link for link in links if link}
    drives = _build_parts(contents, problems, "drives", lambda words: _build_drive(words, driven, frames))
    trains = _build_parts(contents, problems, "trains", lambda words: words.to_train(frames))
    trains = [train and with_train_lines(train, i, contents.root, problems.source) for i, train in enumerate(trains)]
    marks = _build_parts(contents, problems, "frames", lambda words: _build_frame(words, frames))
    plain = ("springs", "tendons", "states", "loops", "environment")
    plain_parts: dict[str, Any] = {
        word: _build_parts(contents, problems, word, lambda words: words.part()) for word in plain
    }
    plain_parts["cords"] = _build_parts(contents, problems, "cords", lambda words: cord_in_frames(words.part(), frames))
    head, complete = (
        contents.header,
        [*links, *drives, *trains, *marks, *(x for parts in plain_parts.values() for x in parts)],
    )
    if head is None or not links or None in complete or problems.entries:
        return None
    supply = None if head.supply is None else head.supply.part()
    plain_parts["independent"] = head.independent
    robot = Robot(head.robot, links, drives, None, marks, head.gravity, trains, head.description, supply, **plain_parts)  # type: ignore[arg-type]
    connected = _with_stated_connections(robot, frames, contents, problems)
    if connected is None:
        return None
    robot = _with_second_joints(connected, frames, contents, problems)
    loaded = _with_payload(robot, head.payload, contents, problems)
    if loaded is None:
        return None
    for touch in contents.environment:
        loaded = touch.with_wall_mass(loaded)
    return _with_elasticity(loaded, frames, contents, problems)


LOOSE_LINK = LinkPlacement(IDENTITY_PLACEMENT, Vec(0.0, 0.0, 1.0))
"""The placement of a link without a joint of its own, which gets one of `joints`."""


def _link_placement(words: LinkFields) -> LinkPlacement:
    return LOOSE_LINK if words.joint is None else words.joint.link_placement()


def _build_parts(
    contents: RobotFileContents, problems: FileProblems, word: str, make: Callable[[Any], Part]
) -> list[Part | None]:
    """Return one part per entry; None if its fields are invalid or the part is impossible."""
    parts: list[Part | None] = []
    for i, words in enumerate(getattr(contents, word)):
        part: Part | None = None
        if words is not None:
            with problems.collect_errors(path_text((word, i)), contents.root.line_of((word, i))):
                part = make(words)
        parts.append(part)
    return parts


def with_train_lines(train: Train, place: int, root: YamlNode, source: str) -> Train:
    """Return the train with the lines of its parts, by their names in messages."""
    names = {
        "wheels": [f"wheel {wheel.name!r}" for wheel in train.wheels],
        "meshes": [mesh.title for mesh in train.meshes],
        "motors": [f"motor {motor.name!r}" for motor in train.motors],
        "free": [f"free {name!r}" for name in train.free],
    }
    paths = [("trains", place, word, k) for word, parts in names.items() for k in range(len(parts))]
    titles = [title for parts in names.values() for title in parts]
    lines = [root.line_of(path) for path in paths]
    return replace(train, stated=[TrainSource(title, source, line) for title, line in zip(titles, lines, strict=True)])


def _build_link(words: LinkFields, placement: LinkPlacement | None, frames: LinkFrames) -> Link | None:
    parent = words.parent or linkages.GROUND
    if placement is None or (parent != linkages.GROUND and parent not in frames):
        return None
    place = frames.get(parent, IDENTITY_PLACEMENT).compose_with(placement.joint)
    return Link(
        name=words.name,
        parent=parent,
        joint=Joint(kind="fixed") if words.joint is None else _build_joint(words.joint, place, placement.axis),
        mass=words.mass,
        com=placement.frame.point_in_outer(words.com),
        inertia=placement.frame.tensor_in_outer(words.inertia.as_tensor),
        effective=words.effective,
        shapes=[_shape_in_frame(shape.to_shape(), placement.frame) for shape in words.shapes],
        section=None if words.section is None else words.section.part_in_frame(placement.frame),
        tip=_link_tip(words, placement),
        stated=placement.stated,
    )


def _link_tip(words: LinkFields, placement: LinkPlacement) -> Vec | None:
    """Return the far end of a link in its body frame: as given, or the origin of its Denavit-Hartenberg frame."""
    if words.tip is not None:
        return placement.frame.point_in_outer(words.tip)
    return placement.frame.position if placement.stated.lengths else None


def _build_joint(joint: JointFields, place: FramePlacement, axis: Vec) -> Joint:
    limits, follows = getattr(joint, "limits", None), getattr(joint, "follows", None)
    return Joint(
        name=joint.name,
        kind=joint.kind,
        axis=axis,
        rotation=place.rotation,
        position=place.position,
        limits=limits.to_limits() if limits is not None else Limits(),
        follows=(follows.joint, follows.multiplier, follows.offset) if follows is not None else None,
        damping=getattr(joint, "damping", 0.0),
        friction=friction_part(getattr(joint, "friction", 0.0)),
        spring=joint_spring_part(getattr(joint, "spring", None)),
        **{word: getattr(joint, word, None) for word in ("axis2", "pitch")},
        armature=getattr(joint, "armature", 0.0),
    )


def _shape_in_frame(shape: Shape, frame: FramePlacement) -> Shape:
    place = frame.compose_with(FramePlacement(shape.rotation, shape.position))
    return replace(shape, position=place.position, rotation=place.rotation)


def _build_drive(words: DriveFields, driven: Mapping[str, Link], frames: LinkFrames) -> Drive:
    link = driven.get(words.joint)
    drive = Drive(
        joint=words.joint,
        motor=words.motor.part(),
        gear=words.gear.part(),
        mounted_on=words.mounted_on,
        axis=words.axis,
        name=words.name,
        supply=None if words.supply is None else words.supply.part(),
        current_control=None if words.current_control is None else words.current_control.part(),
        servo=None if words.servo is None else words.servo.part(),
    )
    if link is None:  # a joint that an attached robot may have
        return drive_in_frame(drive, False, frames.get(words.mounted_on or "base", IDENTITY_PLACEMENT))
    mount = frames.get(mounting_link(drive, link), IDENTITY_PLACEMENT)
    rides = output_is_link(drive_in_frame(drive, False, mount), link)
    return drive_in_frame(drive, rides, mount, frames.get(link.name, IDENTITY_PLACEMENT))


def _build_frame(words: FrameFields, frames: LinkFrames) -> Frame:
    place = frames.get(words.link, IDENTITY_PLACEMENT).compose_with(words.placement)
    return Frame(words.name, words.link, place.position, place.rotation)


def _with_stated_connections(
    robot: Robot, frames: LinkFrames, contents: RobotFileContents, problems: FileProblems
) -> Robot | None:
    """Return the robot with the joints between its links; None if the links are not connected by them."""
    connections = _build_parts(contents, problems, "joints", lambda words: _build_connection(words, frames))
    loose = {words.name for words in contents.links if words is not None and words.joint is None}
    connected = robot if not connections else None
    if connections:
        with problems.collect_errors("joints", contents.root.line_of(("joints",))):
            connected = linkages.with_connections(robot, [x for x in connections if x is not None], loose)
    return connected


def _build_connection(words: ConnectionFields, frames: LinkFrames) -> Connection:
    placement = words.joint.link_placement()
    parent, child = (frames.get(name, IDENTITY_PLACEMENT) for name in (words.parent, words.child.link))
    place, end = parent.compose_with(placement.joint), child.compose_with(words.child.placement)
    joint = _build_joint(words.joint, place, placement.axis)
    return Connection(joint, words.parent, words.child.link, end.position, end.rotation)


def _with_second_joints(robot: Robot, frames: LinkFrames, contents: RobotFileContents, problems: FileProblems) -> Robot:
    """Return the robot whose links with `closes` are parts of the links that they name."""
    for i, words in enumerate(contents.links):
        if words is not None and words.closes is not None:
            path = ("links", i, "closes")
            place = frames.get(words.closes.link, IDENTITY_PLACEMENT).compose_with(words.closes.placement)
            with problems.collect_errors(path_text(path), contents.root.line_of(path)):
                robot = closing_joints.weld_second_part(
                    robot, words.name, words.closes.link, place.position, place.rotation
                )
    return robot


def _with_payload(
    robot: Robot, words: PayloadFields | None, contents: RobotFileContents, problems: FileProblems
) -> Robot | None:
    """Return the robot with its payload, given in the named frame or in that of the link that carries it."""
    if words is None:
        return robot
    loaded = None
    with problems.collect_errors("payload", contents.root.line_of(("payload",))):
        payload = Payload(words.mass, words.position, words.link, words.inertia.as_tensor, words.frame)
        loaded = replace(robot, payload=payload.in_joint_frame(robot))
    return loaded


def _with_elasticity(robot: Robot, frames: LinkFrames, contents: RobotFileContents, problems: FileProblems) -> Robot:
    """Return the robot with its flexible links divided into segments, on its elastic base."""
    beams = [words.flexible.part() for words in contents.links if words is not None and words.flexible is not None]
    pieces = sum(beam.segments for beam in beams)
    reason = part_count_problem(len(robot.links) + pieces, "links and segments of flexible links")
    if reason is not None:
        problems.add(reason, "links", contents.root.line_of(("links",)))
        return robot
    for i, words in enumerate(contents.links):
        if words is not None and words.flexible is not None:
            path = ("links", i, "flexible")
            with problems.collect_errors(path_text(path), contents.root.line_of(path)):
                robot = with_flexible_link(robot, words.name, words.flexible, frames[words.name])
    if contents.header is not None and contents.header.elastic_base is not None:
        with problems.collect_errors("elastic_base", contents.root.line_of(("elastic_base",))):
            robot = on_elastic_base(robot, contents.header.elastic_base)
    return robot


def physical_problems(contents: RobotFileContents, problems: FileProblems) -> None:
    """Add a problem for every physically impossible link that is not `effective`."""
    for i, words in enumerate(contents.links):
        words = words or _readable_link(contents.root.data["links"][i])
        if words.effective or (isinstance(words.joint, Free) and words.mass == 0):
            continue
        path, line = path_text(("links", i)), contents.root.line_of(("links", i))
        if words.mass < 0:
            problems.add(f"mass {words.mass:g} kg is negative. Give 0 or more, or mark the link effective.", path, line)
        wrong = tensor_defect(words.inertia.as_tensor)
        if wrong:
            problems.add(f"{wrong} Check the tensor, or mark the link `effective: true`.", path, line)


def _readable_link(entry: Any) -> LinkFields:
    """Return a link from its valid inertia fields only, so that problems of other fields do not hide theirs."""
    stated = entry if isinstance(entry, dict) else {}
    words: dict[str, Any] = {"name": "link", "parent": "base", "joint": {"type": "fixed"}}
    for word in {"mass", "inertia", "effective"} & stated.keys():
        with suppress(ValidationError):
            LinkFields.model_validate({**words, word: stated[word]})
            words[word] = stated[word]
    return LinkFields.model_validate(words)


def inverse_frames(robot: Robot) -> dict[str, FramePlacement]:
    """Return the body frame of each link in the frame in which its file gives it; only where they differ."""
    frames = {}
    for link in robot.links:
        rotation, origin = link.stated.rotation, link.stated.origin
        placement = FramePlacement(rotation.T, rotation.T @ -origin)
        if placement != IDENTITY_PLACEMENT:
            frames[link.name] = placement
    return frames


def in_file_frames(robot: Robot, frames: Mapping[str, FramePlacement]) -> Robot:
    """Return a robot whose links, drives and frames are given in other frames than the bodies' own.

    Sections of beams, trains and cords are unchanged.

    Args:
        robot: the robot.
        frames: the body frame of each link in the wanted frame.
    """
    if not frames:
        return robot
    links = {link.joint_name: link for link in robot.links}
    return replace(
        robot,
        links=[_link_in_frame(link, frames) for link in robot.links],
        drives=[_drive_in_frames(drive, links.get(drive.joint), frames) for drive in robot.drives],
        frames=[_mark_in_frame(frame, frames) for frame in robot.frames],
        payload=None if robot.payload is None else _payload_in_frame(robot, robot.payload, frames),
    )


def _link_in_frame(link: Link, frames: Mapping[str, FramePlacement]) -> Link:
    own, parent = frames.get(link.name, IDENTITY_PLACEMENT), frames.get(link.parent, IDENTITY_PLACEMENT)
    position, rotation = _moved_pose(link.joint, parent)
    return replace(
        link,
        joint=replace(link.joint, position=position, rotation=rotation),
        com=own.point_in_outer(link.com),
        inertia=own.tensor_in_outer(link.inertia),
        tip=None if link.tip is None else own.point_in_outer(link.tip),
        shapes=[replace(x, position=p, rotation=R) for x in link.shapes for p, R in (_moved_pose(x, own),)],
    )


def _moved_pose(part: Any, frame: FramePlacement) -> tuple[Any, Any]:
    place = frame.compose_with(frame_placement(part.position, part.rotation))
    return place.position, place.rotation


def _mark_in_frame(mark: Frame, frames: Mapping[str, FramePlacement]) -> Frame:
    position, rotation = _moved_pose(mark, frames.get(mark.link, IDENTITY_PLACEMENT))
    return replace(mark, position=position, rotation=rotation)


def _payload_in_frame(robot: Robot, payload: Payload, frames: Mapping[str, FramePlacement]) -> Payload:
    carrier = None if payload.frame is not None else payload.carrier(robot)
    if carrier is None or carrier.name not in frames:
        return payload
    place = frames[carrier.name]
    position = None if payload.position is None else place.point_in_outer(payload.position)
    return replace(payload, position=position, inertia=place.tensor_in_outer(payload.inertia))


def _drive_in_frames(drive: Drive, driven: Link | None, frames: Mapping[str, FramePlacement]) -> Drive:
    if driven is None:
        return drive
    mount = frames.get(mounting_link(drive, driven), IDENTITY_PLACEMENT)
    return drive_in_frame(drive, output_is_link(drive, driven), mount, frames.get(driven.name, IDENTITY_PLACEMENT))
