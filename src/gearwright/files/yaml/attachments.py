"""Attachments: another robot file on a frame of this robot."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from gearwright.errors import FileError
from gearwright.files.fields.robot import AttachFields
from gearwright.files.permissions import Permissions
from gearwright.files.problems import FileProblems
from gearwright.files.size_limits import MAX_ATTACHED, part_count_problem
from gearwright.files.yaml.validation import RobotFileContents, path_text
from gearwright.files.yaml_tree import KeyPath as Words
from gearwright.parts import Robot, attach
from gearwright.text import did_you_mean

ReadRobot = Callable[[Path, Permissions], Robot]
"""Function that reads a robot from a file of any format."""


def attach_all(
    robot: Robot,
    contents: RobotFileContents,
    problems: FileProblems,
    path: Path | None,
    permissions: Permissions,
    read_robot: ReadRobot,
) -> Robot:
    """Return the robot with all attachments of its file; problems are collected.

    Args:
        robot: the robot without attachments.
        contents: the validated file.
        problems: collects the problems.
        path: the robot's file; None for a text, which may attach bundled robots only.
        permissions: permissions of the file.
        read_robot: reads an attached file. It is an argument because the readers of other formats are in a higher
            layer.
    """
    if len(contents.attach) > MAX_ATTACHED:
        line = contents.root.line_of(("attach",))
        problems.add(
            f"there are more than {MAX_ATTACHED} attachments. Distribute them over several attached files.",
            "attach",
            line,
        )
    for i, words in enumerate(contents.attach[:MAX_ATTACHED]):
        if words is None:
            continue
        with problems.collect_errors(path_text(("attach", i)), contents.root.line_of(("attach", i))):
            robot = _with_attachment(robot, _read_attachment(words, path, permissions, read_robot), words)
    if contents.attach:
        _note_unknown_names(robot, contents, problems)
    return robot


def _note_unknown_names(robot: Robot, contents: RobotFileContents, problems: FileProblems) -> None:
    """Add problems for names that exist neither in the robot nor in its attachments."""
    joints, links = ([link.joint_name for link in robot.links], ["base", *(link.name for link in robot.links)])
    references: dict[Words, tuple[str, str | None, list[str]]] = {}
    for i, words in enumerate(contents.drives):
        if words is not None:
            references["drives", i, "joint"] = ("joint", words.joint, joints)
            references["drives", i, "mounted_on"] = ("link", words.mounted_on, links)
    if contents.header is not None and contents.header.payload is not None:
        places = [*links[1:], *(frame.name for frame in robot.frames)]
        references["payload", "link"] = ("link", contents.header.payload.link, links[1:])
        references["payload", "frame"] = ("link or frame", contents.header.payload.frame, places)
    for path, (kind, name, candidates) in references.items():
        if name is not None and name not in candidates:
            message = f"there is no {kind} {name!r}. {did_you_mean(name, candidates)}"
            problems.add(message, path_text(path), contents.root.line_of(path))


def _with_attachment(robot: Robot, attachment: Robot, words: AttachFields) -> Robot:
    reason = part_count_problem(len(robot.links) + len(attachment.links), "links")
    if reason is not None:
        raise FileError(reason)
    return attach(robot, attachment, words.frame, words.prefix)


def _read_attachment(words: AttachFields, path: Path | None, permissions: Permissions, read_robot: ReadRobot) -> Robot:
    file = _attachment_file(words.robot, path, permissions)
    return read_robot(file, permissions.for_attachment(path, file))


def _attachment_file(name: str, path: Path | None, permissions: Permissions) -> Path:
    """Return the file in this folder or in an included one, or the bundled robot of that name."""
    bundled = {
        Path(entry.name).stem: Path(str(entry))
        for entry in files("gearwright").joinpath("catalogue", "robots").iterdir()
    }
    if name in bundled:
        return bundled[name].resolve()
    if "." not in name:
        raise FileError(f"{name!r} is neither a file nor a bundled robot. {did_you_mean(name, bundled)}")
    if path is None:
        raise FileError(
            f"{name!r} is relative to the folder of the robot file, but this robot is YAML text. Save it "
            "to a file first."
        )
    return permissions.resolve_file(path.parent, name)
