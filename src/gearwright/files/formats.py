"""File formats, selected by file extension. Readers are imported on first use."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from gearwright.errors import FileError, GearwrightWarning, InputError, caller_stack_level
from gearwright.file_access import write_text
from gearwright.files.permissions import Permissions
from gearwright.files.problems import FileProblem
from gearwright.files.reading import YAML_ENDINGS, file_error, read_text
from gearwright.parts import Robot

URDF_ENDINGS = (".urdf", ".xacro")
MJCF_ENDINGS = (".xml",)
READABLE_ENDINGS = (*YAML_ENDINGS, *URDF_ENDINGS, *MJCF_ENDINGS)


def read_file(path: Path, permissions: Permissions, floating_base: bool = False) -> Robot:
    """Return the robot of a file of any format, within the given permissions."""
    ending = path.suffix.lower()
    if ending in URDF_ENDINGS:
        from gearwright.files.urdf.reader import read_urdf_with_report

        robot, report = read_urdf_with_report(path, floating_base=floating_base, permissions=permissions)
        report.emit_warning()
        return robot
    if floating_base:
        raise file_error(path, "floating_base applies to URDF files only. Write `joint: {type: free}` in this file.")
    if ending in MJCF_ENDINGS:
        from gearwright.files.mjcf.reader import read_mjcf_with_report

        robot, report = read_mjcf_with_report(path, permissions)
        report.emit_warning()
        return robot
    if ending in YAML_ENDINGS:
        from gearwright.files.yaml import reader

        return reader.read_robot_text(read_text(path), path, permissions, read_file)
    if path.is_dir():
        raise file_error(path, "this is a folder. Give the name of a file in it.")
    raise file_error(
        path,
        f"the file extension {path.suffix!r} is not supported (only {', '.join(READABLE_ENDINGS)}). Rename the "
        "file, or convert it.",
    )


def read_yaml(source: str | Path, *, include: Iterable[str | Path] = ()) -> Robot:
    """Return a robot from a YAML file (a path, or a text that names a .yaml or .yml file) or from YAML text.

    Attached files must be in its folder, or below one of the folders `include`.

    >>> read_yaml('''
    ... robot: pendulum
    ... links:
    ...   - {name: rod, parent: base, joint: {axis: [0, 1, 0]}, mass: 2, com: [300 mm, 0, 0]}
    ... ''').link("rod").com
    Vec(0.3, 0.0, 0.0)

    Raises:
        FileError: the file is not a valid robot; `problems` lists all errors.
    """
    from gearwright.files.yaml import reader

    path = reader.as_path(source)
    text = str(source) if path is None else read_text(path)
    return reader.read_robot_text(text, path, Permissions.from_arguments(include=include), read_file)


def check(path: str | Path, *, xacro: bool = False, include: Iterable[str | Path] = ()) -> list[FileProblem]:
    """Return all problems of a robot file, each with its line, its path and the remedy.

    Items that `load` accepts with a warning (physically impossible links of a URDF, elements of an MJCF that a robot
    cannot represent) are problems here. `xacro` and `include` are those of `load`; a xacro without permission to expand
    it is also a problem.

    >>> check("missing.yaml")[0].message
    'there is no such file. Check the name and the folder.'
    """
    path, permissions = Path(path), Permissions.from_arguments(xacro, include)
    try:
        if path.suffix.lower() in URDF_ENDINGS:
            from gearwright.files.urdf.reader import read_urdf_with_report

            return list(read_urdf_with_report(path, permissions=permissions)[1].accepted_problems)
        if path.suffix.lower() in MJCF_ENDINGS:
            from gearwright.files.mjcf.reader import read_mjcf_with_report

            return [
                FileProblem(None, "", f"not representable: {text}")
                for text in read_mjcf_with_report(path, permissions)[1].not_representable
            ]
        read_file(path, permissions)
    except FileError as error:
        return [FileProblem(*problem) for problem in error.problems] or [FileProblem(None, "", str(error))]
    return []


def save(robot: Robot, path: str | Path, based_on: str | Path | None = None) -> None:
    """Write a robot to a YAML file; `gearwright.save` also writes URDF, which needs the flat machine.

    Args:
        robot: the robot.
        path: the file.
        based_on: a robot file in YAML whose comments, order and units are kept where the robot is the same.

    Raises:
        FileError: an unknown file extension, or the file cannot be written.
        InputError: a parameter of the robot is symbolic, or `based_on` or the file is not YAML.
    """
    if not isinstance(path, str | Path) or not isinstance(robot, Robot):
        raise InputError(
            f"save: the arguments are {type(robot).__name__} and {type(path).__name__}. Give a robot and a file name."
        )
    path = Path(path)
    if based_on is not None:
        require_editable(Path(based_on), path)
    if path.suffix.lower() in YAML_ENDINGS:
        from gearwright.files.yaml.writer import write_yaml

        edited = None if based_on is None else _edited_file(Path(based_on), robot, path)
        write_text(path, write_yaml(robot) if edited is None else edited)
    else:
        raise file_error(path, f"the file extension {path.suffix!r} is not supported. Use .yaml, .yml, .urdf or .xml.")


def is_editable(source: Path, target: Path) -> bool:
    """Whether a file can be edited into another one: both are YAML."""
    return source.suffix.lower() in YAML_ENDINGS and target.suffix.lower() in YAML_ENDINGS


def require_editable(source: Path, target: Path) -> None:
    """Raise an error unless a file can be edited into another one."""
    if not is_editable(source, target):
        wrong = next(path for path in (source, target) if path.suffix.lower() not in YAML_ENDINGS)
        raise InputError(
            f"save: based_on={str(source)!r} for {str(target)!r}: only YAML files are edited, and {wrong.name!r} is "
            f"not one ({', '.join(YAML_ENDINGS)}). Remove based_on, or give YAML files."
        )


def _edited_file(source: Path, robot: Robot, target: Path) -> str | None:
    """Return the text of a YAML file edited to state a robot; None with a warning if that is impossible."""
    from gearwright.files.yaml import reader
    from gearwright.files.yaml.edits import edited_yaml

    def robot_at(path: Path) -> Callable[[str], Robot]:
        return lambda text: reader.read_robot_text(text, path, Permissions(), read_file)

    edited = edited_yaml(read_text(source), robot, robot_at(source), robot_at(target))
    if edited is None:
        warnings.warn(
            f"{target} was written anew: the comments, order and units of {source} could not be kept, because the "
            "changes concern more than its own fields.",
            GearwrightWarning,
            stacklevel=caller_stack_level(),
        )
    return edited
