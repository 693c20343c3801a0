"""Which format a file has, told by its ending."""

from __future__ import annotations

from pathlib import Path

from gearwright.errors import FileError, InputError
from gearwright.files import yaml_reader
from gearwright.files.reading import problem, read_text
from gearwright.files.yaml_writer import write_yaml
from gearwright.parts import Robot

URDF_ENDINGS = (".urdf", ".xacro")
ENDINGS = (*yaml_reader.YAML_ENDINGS, *URDF_ENDINGS)


def read_file(path: Path, within: tuple[Path, ...] = ()) -> Robot:
    """A robot from a file of any format; `within` are the files that attach this one."""
    ending = path.suffix.lower()
    if ending in URDF_ENDINGS:
        from gearwright.files.urdf_reader import read_urdf

        return read_urdf(path)
    if ending in yaml_reader.YAML_ENDINGS:
        return yaml_reader.read(read_text(path), path, within)
    raise problem(path, f"the ending {path.suffix!r} is none of {', '.join(ENDINGS)}. Rename the file, or convert it.")


def save(robot: Robot, path: str | Path) -> None:
    """Write a robot to a file; the ending chooses the format: .yaml, .yml or .urdf.

    What URDF cannot say is written beside it.

    Raises:
        FileError: an unknown ending, or the file cannot be written.
    """
    if not isinstance(path, str | Path) or not isinstance(robot, Robot):
        raise InputError(f"save takes a robot and a file's name, not {type(robot).__name__} and {type(path).__name__}.")
    path = Path(path)
    if path.suffix.lower() == ".urdf":
        from gearwright.files.urdf_writer import write_urdf

        write_urdf(robot, path)
    elif path.suffix.lower() in yaml_reader.YAML_ENDINGS:
        _write(path, write_yaml(robot))
    else:
        raise problem(path, f"the ending {path.suffix!r} is none of .yaml, .yml, .urdf. Choose one of them.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FileError(f"{path}: cannot be written ({error}). Check the folder and its permissions.") from None
