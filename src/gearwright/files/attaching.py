"""Attachments: another robot's file on a frame of this one."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from gearwright.errors import FileError
from gearwright.files.formats import read_file
from gearwright.files.problems import Problems, did_you_mean
from gearwright.files.reading import inside
from gearwright.files.robot_words import AttachWords
from gearwright.files.validation import Contents, spell
from gearwright.parts import Robot
from gearwright.parts.attachment import attach

MAX_NESTING = 8


def attach_all(
    robot: Robot, contents: Contents, problems: Problems, path: Path | None, within: tuple[Path, ...]
) -> Robot:
    """The robot with every attachment of its file on it; what goes wrong is noted."""
    for i, words in enumerate(contents.attach):
        if words is None:
            continue
        with problems.of(spell(("attach", i)), contents.root.line_of(("attach", i))):
            robot = attach(robot, _other(words, path, within), words.frame, words.prefix)
    return robot


def _other(words: AttachWords, path: Path | None, within: tuple[Path, ...]) -> Robot:
    found = _found(words.robot, path)
    chain = (*within, *([path.resolve()] if path is not None else []))
    if found in chain or len(chain) >= MAX_NESTING:
        raise FileError(
            f"{words.robot!r} attaches itself, or robots are nested deeper than {MAX_NESTING}. Attach another one."
        )
    return read_file(found, chain)


def _found(name: str, path: Path | None) -> Path:
    """The file beside this one, or the bundled robot of that name."""
    bundled = {
        Path(entry.name).stem: Path(str(entry))
        for entry in files("gearwright").joinpath("catalogue", "robots").iterdir()
    }
    if name in bundled:
        return bundled[name].resolve()
    if "." not in name:
        raise FileError(f"{name!r} is neither a file nor a bundled robot. {did_you_mean(name, bundled)}")
    if path is None:
        raise FileError(f"{name!r} is looked for beside the robot's file, but this robot is no file. Save it first.")
    return inside(path.parent, name)
