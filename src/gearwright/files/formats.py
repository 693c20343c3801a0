"""Which format a file has, told by its ending. Readers are imported when they are needed: most programs need one."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import FileError, InputError
from gearwright.files.problems import Problem
from gearwright.files.reading import problem, read_text
from gearwright.parts import Robot

YAML_ENDINGS = (".yaml", ".yml")
URDF_ENDINGS = (".urdf", ".xacro")
ENDINGS = (*YAML_ENDINGS, *URDF_ENDINGS)


def read_file(path: Path, within: tuple[Path, ...] = (), floating_base: bool = False) -> Robot:
    """A robot from a file of any format; `within` are the files that attach this one."""
    ending = path.suffix.lower()
    if ending in URDF_ENDINGS:
        from gearwright.files.urdf_reader import read_urdf

        return read_urdf(path, floating_base=floating_base)
    if floating_base:
        raise problem(path, "only a URDF leaves open whether its root floats. Write `joint: {type: free}` in the file.")
    if ending in YAML_ENDINGS:
        from gearwright.files import yaml_reader

        return yaml_reader.read(read_text(path), path, within)
    raise problem(path, f"the ending {path.suffix!r} is none of {', '.join(ENDINGS)}. Rename the file, or convert it.")


def check(path: str | Path) -> list[Problem]:
    """Every problem of a robot's file, each with its line, the words that lead there and what to do.

    What `load` accepts with a warning (links of a URDF that no body can be) is a problem here.

    >>> check("missing.yaml")[0].message
    'there is no such file. Check the name and the folder.'
    """
    path = Path(path)
    try:
        if path.suffix.lower() in URDF_ENDINGS:
            from gearwright.files.urdf_reader import read_urdf_with_report

            return list(read_urdf_with_report(path)[1].broken)
        read_file(path)
    except FileError as error:
        return [Problem(*found) for found in error.problems] or [Problem(None, "", str(error))]
    return []


def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a YAML file; `gearwright.save` writes URDF too, for which the flat machine is needed.

    Raises:
        FileError: an unknown ending, or the file cannot be written.
        InputError: a number of the robot is a symbol.
    """
    if not isinstance(path, str | Path) or not isinstance(robot, Robot):
        raise InputError(f"save takes a robot and a file's name, not {type(robot).__name__} and {type(path).__name__}.")
    path = Path(path)
    if path.suffix.lower() in YAML_ENDINGS:
        from gearwright.files.yaml_writer import write_yaml

        write_text(path, write_yaml(robot))
    else:
        raise problem(path, f"the ending {path.suffix!r} is none of .yaml, .yml, .urdf. Choose one of them.")


def write_text(path: Path, text: str) -> None:
    """Write a text file, or say why not.

    Raises:
        FileError: the file cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be written ({error}). Check the folder and its permissions.") from None
