"""The reader of Gearwright's own robot files: YAML to fields to parts, with every problem of the file in one error.

Units that depend on the joint are checked against its kind: a spring at a revolute joint is in Nm/rad, at a prismatic
one in N/m.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, TypeVar

from gearwright.errors import FileError, GearwrightWarning, depth_of_the_caller
from gearwright.files.fields.basic import Words
from gearwright.files.fields.drive import DriveWords
from gearwright.files.fields.elasticity import SpringWords
from gearwright.files.fields.environment import LoopWords, TouchWords
from gearwright.files.fields.joint import JointWords
from gearwright.files.fields.link import LinkWords
from gearwright.files.fields.mujoco_dcmotor import dcmotor_notes
from gearwright.files.fields.robot import AttachWords, FrameWords, HeaderWords
from gearwright.files.fields.tendons_and_cords import CordWords, StateWords, TendonWords
from gearwright.files.fields.train import TrainWords
from gearwright.files.permissions import Permissions
from gearwright.files.problems import Problems
from gearwright.files.reading import YAML_ENDINGS, read_text
from gearwright.files.size_limits import too_many
from gearwright.files.units import quantity
from gearwright.files.yaml.attachments import ReadRobot, attach_all
from gearwright.files.yaml.build import build, physical_problems
from gearwright.files.yaml.names import name_problems
from gearwright.files.yaml.validation import Contents, spell, validated
from gearwright.files.yaml_tree import Node, parse
from gearwright.parts import Robot

WANTED = {
    "turn": {
        **{"ratio": "number", "stiffness": "angular stiffness", "damping": "angular damping", "offset": "angle"},
        **{"backlash": "angle", "hardening": "angular hardening", "until": "torque", "torque": "torque"},
        **{"width": "angle", "amplitude": "angle"},
    },
    "slide": {
        **{"ratio": "turns per length", "stiffness": "stiffness", "damping": "damping", "offset": "length"},
        **{"backlash": "length", "hardening": "hardening", "until": "force", "torque": "force"},
        **{"width": "length", "amplitude": "length"},
    },
}
INSIDE = ("torsion", "pieces", "hysteresis", "errors")
"""Words within a gear whose own words have the units of the joint."""


def dimension_problems(contents: Contents, problems: Problems) -> None:
    """Note every unit of a gear or a follower that does not fit the kind of its joint."""
    joints = {words.joint.name or words.name: words.joint for words in contents.links if words}
    data = contents.root.data
    for i, drive in enumerate(contents.drives):
        if drive is not None:
            _note(data["drives"][i].get("gear"), joints.get(drive.joint), ("drives", i, "gear"), contents, problems)
    for i, link in enumerate(contents.links):
        if link is not None:
            follows = data["links"][i]["joint"].get("follows")
            _note(follows, link.joint, ("links", i, "joint", "follows"), contents, problems)


def _note(
    words: Any, joint: JointWords | None, path: tuple[str | int, ...], contents: Contents, problems: Problems
) -> None:
    if isinstance(words, list):
        for i, item in enumerate(words):
            _note(item, joint, (*path, i), contents, problems)
    if not isinstance(words, dict) or joint is None or joint.motion is None:
        return
    for word in INSIDE:
        _note(words.get(word), joint, (*path, word), contents, problems)
    for word, dimension in WANTED[joint.motion].items():
        value = words.get(word)
        if isinstance(value, str):
            try:
                quantity(value, dimension)
            except ValueError as error:
                full = (*path, word)
                problems.add(f"{error} The joint is {joint.type}.", spell(full), contents.root.line_of(full))


LISTS: dict[str, type[Words]] = {
    "links": LinkWords,
    "drives": DriveWords,
    "trains": TrainWords,
    "frames": FrameWords,
    "attach": AttachWords,
    "springs": SpringWords,
    "tendons": TendonWords,
    "states": StateWords,
    "loops": LoopWords,
    "environment": TouchWords,
    "cords": CordWords,
}
AnyWords = TypeVar("AnyWords", bound=Words)


def as_path(source: str | Path) -> Path | None:
    """The file that is meant, or None for a text that holds YAML itself."""
    if isinstance(source, Path):
        return source
    if not isinstance(source, str):
        raise FileError(f"{source!r} is neither a file's name nor YAML text. Give a text or a pathlib.Path.")
    return Path(source) if "\n" not in source and source.lower().endswith(YAML_ENDINGS) else None


def read(text: str, path: Path | None, permissions: Permissions, read_robot: ReadRobot) -> Robot:
    """A robot from YAML text.

    Args:
        text: the text of the file.
        path: the file, beside which attachments are looked for.
        permissions: what the file may do.
        read_robot: reads the files that this one attaches.
    """
    problems = Problems(str(path) if path is not None else "the YAML text")
    return _robot(parse(text, problems), problems, path, permissions, read_robot)


def read_bundled(path: Path, permissions: Permissions) -> Robot:
    """A bundled robot: bundled files are YAML, and they attach bundled robots only."""
    return read(read_text(path), path, permissions, read_bundled)


def read_words(words: dict[str, Any]) -> Robot:
    """A robot from the words of a file as plain data; it has no lines that a message could name."""
    return _robot(Node(_plain(words), 0), Problems("the words"), None, Permissions(), read_bundled)


def read_node(root: Node, source: str) -> Robot:
    """A robot from words that come from several places; messages name the source and the lines that the node knows."""
    node = Node(_plain(root.data), root.line, root.size, root.members)
    return _robot(node, Problems(source), None, Permissions(), read_bundled)


def _plain(data: Any) -> Any:
    """Data as a file would give it: lists, where code has tuples."""
    if isinstance(data, dict):
        return {word: _plain(value) for word, value in data.items()}
    return [_plain(value) for value in data] if isinstance(data, list | tuple) else data


def _robot(root: Node, problems: Problems, path: Path | None, permissions: Permissions, read_robot: ReadRobot) -> Robot:
    if not isinstance(root.data, dict):
        problems.add("the file does not hold a mapping. Start with `robot: name` and `links:`.", line=root.line)
        raise problems.error()
    if "motions" in root.data and "links" not in root.data:
        text = "this is a task, not a robot. Give the robot's file first, and the task to a command that takes one."
        problems.add(text, "motions", root.line_of(("motions",)))
        raise problems.error()
    contents = _contents(root, problems)
    name_problems(contents, problems)
    dimension_problems(contents, problems)
    physical_problems(contents, problems)
    robot = build(contents, problems)
    if robot is not None:
        robot = attach_all(robot, contents, problems, path, permissions, read_robot)
    problems.refuse()
    _warn(problems.source, dcmotor_notes(root.data))
    assert robot is not None  # build returns None only after noting a problem
    return robot


def _warn(source: str, notes: list[str]) -> None:
    """One warning that says how foreign words were read."""
    if notes:
        warnings.warn("\n  ".join([f"{source} was read:", *notes]), GearwrightWarning, stacklevel=depth_of_the_caller())


def _contents(root: Node, problems: Problems) -> Contents:
    """Every piece of the file by itself, so that a bad one does not hide the others."""
    head = {word: value for word, value in root.data.items() if word not in LISTS}
    header = validated(HeaderWords, head, root, (), problems)
    if "links" not in root.data:
        problems.add("the word 'links' is missing. List the robot's links.", line=root.line)
    lists: dict[str, Any] = {word: _items(root, word, model, problems) for word, model in LISTS.items()}
    return Contents(root, header, **lists)


def _items(root: Node, word: str, model: type[AnyWords], problems: Problems) -> list[AnyWords | None]:
    items: Any = root.data.get(word)
    if items is None:
        items = []
    if not isinstance(items, list):
        problems.add("a list is wanted here. Start each entry with '- '.", word, root.line_of((word,)))
        return []
    if word == "links" and not items and "links" in root.data:
        problems.add("there are no links. Give at least one.", word, root.line_of((word,)))
    reason = too_many(len(items), word)
    if reason is not None:
        problems.add(reason, word, root.line_of((word,)))
        raise problems.error()
    return [validated(model, item, root, (word, i), problems) for i, item in enumerate(items)]
