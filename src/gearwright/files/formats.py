"""Which format a file has, told by its ending. Readers are imported when they are needed: most programs need one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from gearwright.errors import FileError, InputError
from gearwright.file_access import write_text
from gearwright.files.permissions import Permissions
from gearwright.files.problems import Problem
from gearwright.files.reading import YAML_ENDINGS, problem, read_text
from gearwright.parts import Robot

URDF_ENDINGS = (".urdf", ".xacro")
MJCF_ENDINGS = (".xml",)
ENDINGS = (*YAML_ENDINGS, *URDF_ENDINGS, *MJCF_ENDINGS)


def read_file(path: Path, permissions: Permissions, floating_base: bool = False) -> Robot:
    """A robot from a file of any format, which may do no more than it is permitted."""
    ending = path.suffix.lower()
    if ending in URDF_ENDINGS:
        from gearwright.files.urdf.reader import read_urdf_with_report

        robot, report = read_urdf_with_report(path, floating_base=floating_base, permissions=permissions)
        report.warn()
        return robot
    if floating_base:
        raise problem(path, "only a URDF leaves open whether its root floats. Write `joint: {type: free}` in the file.")
    if ending in MJCF_ENDINGS:
        from gearwright.files.mjcf.reader import read_mjcf_with_report

        robot, report = read_mjcf_with_report(path, permissions)
        report.warn()
        return robot
    if ending in YAML_ENDINGS:
        from gearwright.files.yaml import reader

        return reader.read(read_text(path), path, permissions, read_file)
    if path.is_dir():
        raise problem(path, "this is a folder. Give the name of a file in it.")
    raise problem(path, f"the ending {path.suffix!r} is none of {', '.join(ENDINGS)}. Rename the file, or convert it.")


def read_yaml(source: str | Path, *, include: Iterable[str | Path] = ()) -> Robot:
    """A robot from a YAML file (a path, or a text that names a .yaml or .yml file) or from YAML text.

    What it attaches is in its folder, or below one of the folders `include`.

    >>> read_yaml('''
    ... robot: pendulum
    ... links:
    ...   - {name: rod, parent: base, joint: {axis: [0, 1, 0]}, mass: 2, com: [300 mm, 0, 0]}
    ... ''').link("rod").com
    Vec(0.3, 0.0, 0.0)

    Raises:
        FileError: the file is not a robot; `problems` lists everything that is wrong with it.
    """
    from gearwright.files.yaml import reader

    path = reader.as_path(source)
    text = str(source) if path is None else read_text(path)
    return reader.read(text, path, Permissions.given(include=include), read_file)


def check(path: str | Path, *, xacro: bool = False, include: Iterable[str | Path] = ()) -> list[Problem]:
    """Every problem of a robot's file, each with its line, the words that lead there and what to do.

    What `load` accepts with a warning (links of a URDF that no body can be, what an MJCF states beyond the words of a
    robot) is a problem here. `xacro` and `include`
    are those of `load`: a xacro that is not to be expanded is a problem too.

    >>> check("missing.yaml")[0].message
    'there is no such file. Check the name and the folder.'
    """
    path, permissions = Path(path), Permissions.given(xacro, include)
    try:
        if path.suffix.lower() in URDF_ENDINGS:
            from gearwright.files.urdf.reader import read_urdf_with_report

            return list(read_urdf_with_report(path, permissions=permissions)[1].broken)
        if path.suffix.lower() in MJCF_ENDINGS:
            from gearwright.files.mjcf.reader import read_mjcf_with_report

            return [Problem(None, "", f"left out: {what}") for what in read_mjcf_with_report(path, permissions)[1].lost]
        read_file(path, permissions)
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
        from gearwright.files.yaml.writer import write_yaml

        write_text(path, write_yaml(robot))
    else:
        raise problem(path, f"the ending {path.suffix!r} is none of .yaml, .yml, .urdf, .xml. Choose one of them.")
