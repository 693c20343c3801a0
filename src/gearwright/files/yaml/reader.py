"""The reader of Gearwright's YAML robot files: fields, then parts, with all problems of the file in one error.

Units that depend on the joint are checked against its kind: a spring at a revolute joint is in Nm/rad, at a prismatic
one in N/m.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any, TypeVar

from gearwright.errors import FileError, GearwrightWarning, caller_stack_level
from gearwright.files.field_synonyms import stated_name
from gearwright.files.fields.basic import FieldModel
from gearwright.files.fields.drive import DriveFields
from gearwright.files.fields.elasticity import SpringFields
from gearwright.files.fields.environment import ContactPointFields, LoopFields
from gearwright.files.fields.joint import JointFields
from gearwright.files.fields.link import ConnectionFields, LinkFields
from gearwright.files.fields.mujoco_dcmotor import dcmotor_notes
from gearwright.files.fields.robot import AttachFields, FrameFields, HeaderFields
from gearwright.files.fields.tendons_and_cords import CordFields, StateFields, TendonFields
from gearwright.files.fields.train import TrainFields
from gearwright.files.permissions import Permissions
from gearwright.files.problems import FileProblems
from gearwright.files.reading import YAML_ENDINGS, read_text
from gearwright.files.size_limits import part_count_problem
from gearwright.files.units import parse_quantity
from gearwright.files.yaml.attachments import ReadRobot, attach_all
from gearwright.files.yaml.build import build_robot, physical_problems
from gearwright.files.yaml.names import name_problems
from gearwright.files.yaml.validation import RobotFileContents, path_text, validate_fields
from gearwright.files.yaml_tree import YamlNode, parse_yaml
from gearwright.parts import Robot

DIMENSIONS_BY_MOTION = {
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
GEAR_SUBFIELDS = ("torsion", "pieces", "hysteresis", "errors")
"""Nested fields of a gear whose fields have the units of the joint."""


def dimension_problems(contents: RobotFileContents, problems: FileProblems) -> None:
    """Add a problem for every unit of a gear or mimic joint that does not fit the kind of its joint."""
    joints = {words.joint.name or words.name: words.joint for words in contents.links if words and words.joint}
    joints |= {words.joint.name: words.joint for words in contents.joints if words and words.joint.name}
    data = contents.root.data
    for i, drive in enumerate(contents.drives):
        if drive is not None:
            _note_wrong_units(
                data["drives"][i].get("gear"), joints.get(drive.joint), ("drives", i, "gear"), contents, problems
            )
    for word, entries in (("links", contents.links), ("joints", contents.joints)):
        for i, entry in enumerate(entries):
            if entry is not None and entry.joint is not None:
                joint = data[word][i]["joint"]
                name = stated_name(joint, "follows")
                _note_wrong_units(joint.get(name), entry.joint, (word, i, "joint", name), contents, problems)


def _note_wrong_units(
    words: Any,
    joint: JointFields | None,
    path: tuple[str | int, ...],
    contents: RobotFileContents,
    problems: FileProblems,
) -> None:
    if isinstance(words, list):
        for i, item in enumerate(words):
            _note_wrong_units(item, joint, (*path, i), contents, problems)
    if not isinstance(words, dict) or joint is None or joint.motion is None:
        return
    for word in GEAR_SUBFIELDS:
        _note_wrong_units(words.get(word), joint, (*path, word), contents, problems)
    for word, dimension in DIMENSIONS_BY_MOTION[joint.motion].items():
        name = stated_name(words, word)
        value = words.get(name)
        if isinstance(value, str):
            try:
                parse_quantity(value, dimension)
            except ValueError as error:
                full = (*path, name)
                problems.add(f"{error} The joint is {joint.kind}.", path_text(full), contents.root.line_of(full))


LIST_MODELS: dict[str, type[FieldModel]] = {
    "links": LinkFields,
    "joints": ConnectionFields,
    "drives": DriveFields,
    "trains": TrainFields,
    "frames": FrameFields,
    "attach": AttachFields,
    "springs": SpringFields,
    "tendons": TendonFields,
    "states": StateFields,
    "loops": LoopFields,
    "environment": ContactPointFields,
    "cords": CordFields,
}
AnyFieldModel = TypeVar("AnyFieldModel", bound=FieldModel)


def as_path(source: str | Path) -> Path | None:
    """Return the file of a source; None if the source is YAML text."""
    if isinstance(source, Path):
        return source
    if not isinstance(source, str):
        raise FileError(f"{source!r} is neither a file name nor YAML text. Give a string or a pathlib.Path.")
    return Path(source) if "\n" not in source and source.lower().endswith(YAML_ENDINGS) else None


def read_robot_text(text: str, path: Path | None, permissions: Permissions, read_robot: ReadRobot) -> Robot:
    """Return a robot from YAML text.

    Args:
        text: the text of the file.
        path: the file, in whose folder attachments are searched.
        permissions: permissions of the file.
        read_robot: reads the files that this one attaches.
    """
    problems = FileProblems(str(path) if path is not None else "the YAML text")
    return _robot_from_node(parse_yaml(text, problems), problems, path, permissions, read_robot)


def read_bundled(path: Path, permissions: Permissions) -> Robot:
    """Return a bundled robot: bundled files are YAML, and they attach bundled robots only."""
    return read_robot_text(read_text(path), path, permissions, read_bundled)


def read_robot_fields(words: dict[str, Any]) -> Robot:
    """Return a robot from the fields of a file as plain data, without line numbers."""
    return _robot_from_node(
        YamlNode(_as_plain_data(words), 0), FileProblems("the fields"), None, Permissions(), read_bundled
    )


def read_node(root: YamlNode, source: str) -> Robot:
    """Return a robot from fields of several sources; messages name the source and the lines of the node."""
    node = YamlNode(_as_plain_data(root.data), root.line, root.size, root.members)
    return _robot_from_node(node, FileProblems(source), None, Permissions(), read_bundled)


def _as_plain_data(data: Any) -> Any:
    """Return data as from a file: lists instead of tuples."""
    if isinstance(data, dict):
        return {word: _as_plain_data(value) for word, value in data.items()}
    return [_as_plain_data(value) for value in data] if isinstance(data, list | tuple) else data


def _robot_from_node(
    root: YamlNode, problems: FileProblems, path: Path | None, permissions: Permissions, read_robot: ReadRobot
) -> Robot:
    if not isinstance(root.data, dict):
        problems.add("the file is not a mapping. Start with `robot: name` and `links:`.", line=root.line)
        raise problems.to_error()
    if "motions" in root.data and "links" not in root.data:
        text = (
            "this is a task file, not a robot file. Give the robot file first, and the task where a command expects it."
        )
        problems.add(text, "motions", root.line_of(("motions",)))
        raise problems.to_error()
    contents = _validate_contents(root, problems)
    name_problems(contents, problems)
    dimension_problems(contents, problems)
    physical_problems(contents, problems)
    robot = build_robot(contents, problems)
    if robot is not None:
        robot = attach_all(robot, contents, problems, path, permissions, read_robot)
    problems.raise_if_any()
    _warn_notes(problems.source, dcmotor_notes(root.data))
    assert robot is not None  # build returns None only after adding a problem
    return robot


def _warn_notes(source: str, notes: list[str]) -> None:
    """Emit one warning about the interpretation of MuJoCo's fields."""
    if notes:
        warnings.warn(
            "\n  ".join([f"{source} was read with notes:", *notes]), GearwrightWarning, stacklevel=caller_stack_level()
        )


def _validate_contents(root: YamlNode, problems: FileProblems) -> RobotFileContents:
    """Validate every entry of the file separately, so that an invalid one does not hide problems of the others."""
    head = {word: value for word, value in root.data.items() if word not in LIST_MODELS}
    header = validate_fields(HeaderFields, head, root, (), problems)
    if "links" not in root.data:
        problems.add("the field 'links' is missing. List the robot's links.", line=root.line)
    lists: dict[str, Any] = {word: _validate_list(root, word, model, problems) for word, model in LIST_MODELS.items()}
    return RobotFileContents(root, header, **lists)


def _validate_list(
    root: YamlNode, word: str, model: type[AnyFieldModel], problems: FileProblems
) -> list[AnyFieldModel | None]:
    items: Any = root.data.get(word)
    if items is None:
        items = []
    if not isinstance(items, list):
        problems.add("this field must be a list. Start each entry with '- '.", word, root.line_of((word,)))
        return []
    if word == "links" and not items and "links" in root.data:
        problems.add("the list of links is empty. Give at least one.", word, root.line_of((word,)))
    reason = part_count_problem(len(items), word)
    if reason is not None:
        problems.add(reason, word, root.line_of((word,)))
        raise problems.to_error()
    return [validate_fields(model, item, root, (word, i), problems) for i, item in enumerate(items)]
