"""Attachments: another robot's file on a frame of this one."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

from gearwright.errors import FileError
from gearwright.files.fields.robot import AttachWords
from gearwright.files.permissions import Permissions
from gearwright.files.problems import Problems
from gearwright.files.size_limits import MAX_ATTACHED, too_many
from gearwright.files.yaml.validation import Contents, spell
from gearwright.files.yaml_tree import Path as Words
from gearwright.parts import Robot, attach
from gearwright.text import did_you_mean

ReadRobot = Callable[[Path, Permissions], Robot]
"""Reads a robot from a file of any format the caller knows."""


def attach_all(
    robot: Robot,
    contents: Contents,
    problems: Problems,
    path: Path | None,
    permissions: Permissions,
    read_robot: ReadRobot,
) -> Robot:
    """The robot with every attachment of its file on it; every problem is noted.

    Args:
        robot: the robot without attachments.
        contents: the validated file.
        problems: where problems are noted.
        path: the robot's file; None for a text, which may attach bundled robots only.
        permissions: what the file may do.
        read_robot: reads an attached file. It is an argument because that file may have any format, whose reader
            stands above this one.
    """
    if len(contents.attach) > MAX_ATTACHED:
        line = contents.root.line_of(("attach",))
        problems.add(
            f"more than {MAX_ATTACHED} attachments. Put them into files that attach some each.", "attach", line
        )
    for i, words in enumerate(contents.attach[:MAX_ATTACHED]):
        if words is None:
            continue
        with problems.of(spell(("attach", i)), contents.root.line_of(("attach", i))):
            robot = _attached(robot, _other(words, path, permissions, read_robot), words)
    if contents.attach:
        _note_unknown(robot, contents, problems)
    return robot


def _note_unknown(robot: Robot, contents: Contents, problems: Problems) -> None:
    """Names that an attached robot might have brought, but did not."""
    joints, links = ([link.joint_name for link in robot.links], ["base", *(link.name for link in robot.links)])
    wanted: dict[Words, tuple[str | None, list[str]]] = {}
    for i, words in enumerate(contents.drives):
        if words is not None:
            wanted["drives", i, "joint"] = (words.joint, joints)
            wanted["drives", i, "mounted_on"] = (words.mounted_on, links)
    if contents.header is not None and contents.header.payload is not None:
        places = [*links[1:], *(frame.name for frame in robot.frames)]
        wanted["payload", "link"] = (contents.header.payload.link, links[1:])
        wanted["payload", "frame"] = (contents.header.payload.frame, places)
    for path, (name, known) in wanted.items():
        if name is not None and name not in known:
            problems.add(f"there is no {name!r}. {did_you_mean(name, known)}", spell(path), contents.root.line_of(path))


def _attached(robot: Robot, other: Robot, words: AttachWords) -> Robot:
    reason = too_many(len(robot.links) + len(other.links), "links")
    if reason is not None:
        raise FileError(reason)
    return attach(robot, other, words.frame, words.prefix)


def _other(words: AttachWords, path: Path | None, permissions: Permissions, read_robot: ReadRobot) -> Robot:
    found = _found(words.robot, path, permissions)
    return read_robot(found, permissions.attaching(path, found))


def _found(name: str, path: Path | None, permissions: Permissions) -> Path:
    """The file beside this one or in an included folder, or the bundled robot of that name."""
    bundled = {
        Path(entry.name).stem: Path(str(entry))
        for entry in files("gearwright").joinpath("catalogue", "robots").iterdir()
    }
    if name in bundled:
        return bundled[name].resolve()
    if "." not in name:
        raise FileError(f"{name!r} is neither a file nor a bundled robot. {did_you_mean(name, bundled)}")
    if path is None:
        raise FileError(f"{name!r} is looked for beside the robot's file, but this robot is not a file. Save it first.")
    return permissions.found(path.parent, name)
