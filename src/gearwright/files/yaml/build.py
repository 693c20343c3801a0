"""From words to parts: every number is moved once, from the frame it is stated in to the body frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from gearwright.algebra import Vec
from gearwright.files.fields.drive import DriveWords
from gearwright.files.fields.elasticity import made_flexible, put_on_springs, spring_of
from gearwright.files.fields.joint import Free
from gearwright.files.fields.link import LinkWords
from gearwright.files.fields.motor_data import friction_of
from gearwright.files.fields.robot import FrameWords, PayloadWords
from gearwright.files.placements import Seat
from gearwright.files.problems import Problems
from gearwright.files.size_limits import too_many
from gearwright.files.yaml.validation import Contents, spell
from gearwright.files.yaml_tree import Node
from gearwright.parts import Drive, Frame, Joint, Limits, Link, Payload, Robot, Shape, Train
from gearwright.parts.builders.mounting import mount_of, moved_drive, output_is_link
from gearwright.parts.checks import unphysical
from gearwright.parts.payload_and_frames import placed_payload
from gearwright.parts.structure.cord import moved_cord
from gearwright.parts.structure.frame_changes import HERE, PartPlace
from gearwright.parts.trains.train import Stated

Part = TypeVar("Part")
Frames = Mapping[str, PartPlace]
"""Per link the frame in which its words are stated, in its body frame."""


def build(contents: Contents, problems: Problems) -> Robot | None:
    """The robot, or None when anything of the file was not understood; what is wrong with a part is noted."""
    seats = _each(contents, problems, "links", lambda words: words.joint.seat())
    frames = {words.name: seat.frame for words, seat in zip(contents.links, seats, strict=True) if words and seat}
    pairs = dict(zip(map(id, contents.links), seats, strict=True))
    links = _each(contents, problems, "links", lambda words: _link(words, pairs[id(words)], frames))
    driven = {link.joint_name: link for link in links if link}
    drives = _each(contents, problems, "drives", lambda words: _drive(words, driven, frames))
    trains = _each(contents, problems, "trains", lambda words: words.train(frames))
    trains = [train and with_lines(train, i, contents.root, problems.source) for i, train in enumerate(trains)]
    marks = _each(contents, problems, "frames", lambda words: _frame(words, frames))
    plain = ("springs", "tendons", "states", "loops", "environment")
    more: dict[str, Any] = {word: _each(contents, problems, word, lambda words: words.part()) for word in plain}
    more["cords"] = _each(contents, problems, "cords", lambda words: moved_cord(words.part(), frames))
    head, complete = contents.header, [*links, *drives, *trains, *marks, *(x for parts in more.values() for x in parts)]
    if head is None or not links or None in complete or problems.found:
        return None
    supply = None if head.supply is None else head.supply.part()
    robot = Robot(head.robot, links, drives, None, marks, head.gravity, trains, head.description, supply, **more)  # type: ignore[arg-type]
    loaded = _loaded(robot, head.payload, frames, contents, problems)
    if loaded is None:
        return None
    for touch in contents.environment:
        loaded = touch.standing_before(loaded)
    return _elastic(loaded, frames, contents, problems)


def _each(contents: Contents, problems: Problems, word: str, make: Callable[[Any], Part]) -> list[Part | None]:
    """One part per entry; None where the words were not understood or the part cannot exist."""
    made: list[Part | None] = []
    for i, words in enumerate(getattr(contents, word)):
        part: Part | None = None
        if words is not None:
            with problems.of(spell((word, i)), contents.root.line_of((word, i))):
                part = make(words)
        made.append(part)
    return made


def with_lines(train: Train, place: int, root: Node, source: str) -> Train:
    """The train with the lines that state its parts, as messages call them."""
    names = {
        "wheels": [f"wheel {wheel.name!r}" for wheel in train.wheels],
        "meshes": [mesh.title for mesh in train.meshes],
        "motors": [f"motor {motor.name!r}" for motor in train.motors],
        "free": [f"free {name!r}" for name in train.free],
    }
    paths = [("trains", place, word, k) for word, parts in names.items() for k in range(len(parts))]
    titles = [title for parts in names.values() for title in parts]
    lines = [root.line_of(path) for path in paths]
    return replace(train, stated=[Stated(title, source, line) for title, line in zip(titles, lines, strict=True)])


def _link(words: LinkWords, seat: Seat | None, frames: Frames) -> Link | None:
    if seat is None or (words.parent != "base" and words.parent not in frames):
        return None
    place = frames.get(words.parent, HERE).then(seat.joint)
    return Link(
        name=words.name,
        parent=words.parent,
        joint=_joint(words, place, seat.axis),
        mass=words.mass,
        com=seat.frame.point(words.com),
        inertia=seat.frame.tensor(words.inertia.tensor),
        effective=words.effective,
        shapes=[_moved(shape.shape(), seat.frame) for shape in words.shapes],
        section=None if words.section is None else words.section.placed(seat.frame),
        tip=_tip(words, seat),
        stated=seat.stated,
    )


def _tip(words: LinkWords, seat: Seat) -> Vec | None:
    """The far end of a link in its body frame: as stated, or the origin of its Denavit-Hartenberg frame."""
    if words.tip is not None:
        return seat.frame.point(words.tip)
    return seat.frame.position if seat.stated.lengths else None


def _joint(words: LinkWords, place: PartPlace, axis: Vec) -> Joint:
    joint = words.joint
    limits, follows = getattr(joint, "limits", None), getattr(joint, "follows", None)
    return Joint(
        name=joint.name,
        kind=joint.type,
        axis=axis,
        rotation=place.rotation,
        position=place.position,
        limits=limits.limits() if limits is not None else Limits(),
        follows=(follows.joint, follows.multiplier, follows.offset) if follows is not None else None,
        damping=getattr(joint, "damping", 0.0),
        friction=friction_of(getattr(joint, "friction", 0.0)),
        spring=spring_of(getattr(joint, "spring", None)),
        **{word: getattr(joint, word, None) for word in ("axis2", "pitch")},
        armature=getattr(joint, "armature", 0.0),
    )


def _moved(shape: Shape, frame: PartPlace) -> Shape:
    place = frame.then(PartPlace(shape.rotation, shape.position))
    return replace(shape, position=place.position, rotation=place.rotation)


def _drive(words: DriveWords, driven: Mapping[str, Link], frames: Frames) -> Drive:
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
    if link is None:  # a joint that an attached robot may bring
        return moved_drive(drive, False, frames.get(words.mounted_on or "base", HERE))
    mount = frames.get(mount_of(drive, link), HERE)
    rides = output_is_link(moved_drive(drive, False, mount), link)
    return moved_drive(drive, rides, mount, frames.get(link.name, HERE))


def _frame(words: FrameWords, frames: Frames) -> Frame:
    place = frames.get(words.link, HERE).then(words.placement)
    return Frame(words.name, words.link, place.position, place.rotation)


def _loaded(
    robot: Robot, words: PayloadWords | None, frames: Frames, contents: Contents, problems: Problems
) -> Robot | None:
    """The robot with its payload, stated in the frame it names, or in that of the link that carries it."""
    if words is None:
        return robot
    loaded = None
    with problems.of("payload", contents.root.line_of(("payload",))):
        payload = Payload(words.mass, words.position, words.link, words.inertia.tensor, words.frame)
        if words.frame is None:
            payload = placed_payload(robot.name, robot.links, robot.frames, payload)
            frame = frames.get(payload.link if payload.link is not None else robot.last_link().name, HERE)
            at = payload.position if words.position is None else frame.point(words.position)
            payload = replace(payload, position=at, inertia=frame.tensor(words.inertia.tensor))
        loaded = replace(robot, payload=payload)
    return loaded


def _elastic(robot: Robot, frames: Frames, contents: Contents, problems: Problems) -> Robot:
    """The robot with its flexible links cut and put on its elastic base."""
    beams = [words.flexible.part() for words in contents.links if words is not None and words.flexible is not None]
    pieces = sum(beam.segments for beam in beams)
    reason = too_many(len(robot.links) + pieces, "links and segments of flexible links")
    if reason is not None:
        problems.add(reason, "links", contents.root.line_of(("links",)))
        return robot
    for i, words in enumerate(contents.links):
        if words is not None and words.flexible is not None:
            path = ("links", i, "flexible")
            with problems.of(spell(path), contents.root.line_of(path)):
                robot = made_flexible(robot, words.name, words.flexible, frames[words.name])
    if contents.header is not None and contents.header.elastic_base is not None:
        with problems.of("elastic_base", contents.root.line_of(("elastic_base",))):
            robot = put_on_springs(robot, contents.header.elastic_base)
    return robot


def physical_problems(contents: Contents, problems: Problems) -> None:
    """Note every link that no body can be; `effective` ones are not meant to be bodies."""
    for i, words in enumerate(contents.links):
        words = words or _understood(contents.root.data["links"][i])
        if words.effective or (isinstance(words.joint, Free) and words.mass == 0):
            continue
        where, line = spell(("links", i)), contents.root.line_of(("links", i))
        if words.mass < 0:
            problems.add(
                f"mass {words.mass:g} kg is negative. Give 0 or more, or mark the link effective.", where, line
            )
        wrong = unphysical(words.inertia.tensor)
        if wrong:
            problems.add(f"{wrong} Check the tensor, or mark the link `effective: true`.", where, line)


def _understood(entry: Any) -> LinkWords:
    """A link by those of its words about matter that can be read: the other words' problems must not hide theirs."""
    given = entry if isinstance(entry, dict) else {}
    words: dict[str, Any] = {"name": "link", "parent": "base", "joint": {"type": "fixed"}}
    for word in {"mass", "inertia", "effective"} & given.keys():
        with suppress(ValidationError):
            LinkWords.model_validate({**words, word: given[word]})
            words[word] = given[word]
    return LinkWords.model_validate(words)
