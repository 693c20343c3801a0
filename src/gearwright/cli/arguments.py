"""Arguments and options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from gearwright.catalogue import robots
from gearwright.cli.output import number_text, print_remark
from gearwright.errors import InputError
from gearwright.parts import Robot
from gearwright.text import listed_names

COMPLETED_FILE_ENDINGS = (".yaml", ".yml", ".urdf", ".xacro", ".xml")


def complete_robot(incomplete: str) -> list[str]:
    """Return the bundled robots, folders and robot files that complete a name, for the shell."""
    near = Path(incomplete if incomplete.endswith("/") else Path(incomplete).parent)
    paths = sorted(near.iterdir()) if near.is_dir() else []
    folders = [f"{path}/" for path in paths if path.is_dir()]
    files = [str(path) for path in paths if path.suffix in COMPLETED_FILE_ENDINGS]
    return [name for name in (*robots(), *files, *folders) if name.startswith(incomplete)]


RobotArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A bundled robot (see `gearwright list`) or a robot file: YAML, URDF, MJCF.",
        autocompletion=complete_robot,
    ),
]
XacroOption: TypeAlias = Annotated[
    bool, typer.Option("--xacro", help="Expand a xacro file. This runs the code in it: use it for trusted files only.")
]
IncludeOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--include",
        metavar="FOLDER",
        help="A further folder from which the file may include or attach other files; may be repeated.",
    ),
]
JointsOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--q",
        metavar="Q1,Q2,...",
        help="Joint positions [rad, m, or with units], or the name of a state of the file, such as home. Default: "
        "zero, or the middle of a joint's range if that excludes zero.",
    ),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]
PICTURE_ENDINGS = (".png", ".svg", ".pdf")


def require_ending(option: str, path: Path | None, endings: tuple[str, ...]) -> Path | None:
    """Return the path of an output file; a wrong ending or folder is an error before any computation."""
    if path is None:
        return None
    if path.suffix.lower() not in endings:
        either = " or ".join(part for part in (", ".join(endings[:-1]), endings[-1]) if part)
        raise InputError(f"{option} {path}: choose a name that ends in {either}.")
    if path.is_dir():
        raise InputError(f"{option} {path}: this is a folder. Give the name of a file.")
    nearest = next(part for part in (path, *path.absolute().parents) if part.exists())
    if nearest != path and not nearest.is_dir():
        raise InputError(f"{option} {path}: {nearest} is a file, not a folder. Choose another place.")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"{option} {path}: {nearest} is not writable. Choose another folder.")
    return path


def output_file_option(*names: str, text: str, endings: tuple[str, ...], makes_folders: bool = False) -> Any:
    """Return an option that names an output file; its folder must exist unless `makes_folders`."""

    def checked_path(path: Path | None) -> Path | None:
        valid = require_ending(names[0], path, endings)
        if valid is not None and not makes_folders and not valid.parent.is_dir():
            raise InputError(
                f"{names[0]} {valid}: the folder {valid.parent} does not exist. Create it, or choose another."
            )
        return valid

    return typer.Option(*names, metavar="FILE", help=text, callback=checked_path)


PlotOption: TypeAlias = Annotated[
    Path | None,
    output_file_option(
        "--plot", text="Draw a figure into this file (.png, .svg or .pdf).", endings=PICTURE_ENDINGS, makes_folders=True
    ),
]
OutputOption: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file; otherwise print.")
]

PayloadOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--payload",
        metavar="MASS@PLACE",
        help="A point mass [kg] at a frame, or at x,y,z [m] in the joint frame of the last link. Default: the tool "
        "frame, else the tip of the last link.",
    ),
]


def with_payload_option(robot: Robot, text: str) -> Robot:
    """Return the robot with the payload of `--payload MASS@PLACE`; the place is x,y,z or a frame, and is optional.

    >>> import gearwright as gw
    >>> with_payload_option(gw.load("scara"), "2.5@0,0,0.1").payload.position
    (0.0, 0.0, 0.1)
    >>> with_payload_option(gw.load("scara"), "2.5").payload_place
    "at frame 'flange' of link 'tool'"
    """
    mass, _, place = text.partition("@")
    try:
        position = None if "," not in place else tuple(float(part) for part in place.split(","))
        if position is not None and len(position) != 3:
            raise ValueError
        kilograms = float(mass)
    except ValueError:
        raise InputError(
            f"--payload {text!r} is not MASS@x,y,z or MASS@frame. Give the mass in kg, and a place in m or the name "
            "of a frame, such as 2.5@0,0,0.1 or 2.5@tool."
        ) from None
    loaded = robot.with_payload(kilograms, position, frame=place if place and position is None else None)
    print_remark(f"payload: {number_text(kilograms)} kg {loaded.payload_place}.")
    return loaded


def parse_seconds(text: str) -> float:
    """A time [s], with or without a unit, as in files.

    >>> parse_seconds("1.5"), parse_seconds("250 ms")
    (1.5, 0.25)
    """
    try:
        return _parse_quantity(text, "time")
    except InputError as reason:  # pydantic, which calls parsers of options, adds words to a ValueError
        raise typer.BadParameter(str(reason)) from None


def _is_plain_number(text: str) -> bool:
    """Whether a text is a number without a unit; a unit may end in a digit (gcm2)."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def parse_range(name: str, low: str, high: str) -> tuple[float, float]:
    """Return both ends of the range of a parameter, with or without units, as in files.

    >>> parse_range("upper.section.outer", "30 mm", "8 cm")
    (0.03, 0.08)

    Raises:
        ValueError: not a number, a unit of another dimension, or a unit at one end only.
    """
    from gearwright.files.field_units import parameter_value

    ends = parameter_value(name, low), parameter_value(name, high)
    if _is_plain_number(low) != _is_plain_number(high):
        raise ValueError(f"only one of {low.strip()} and {high.strip()} has a unit. State it at both.")
    return ends


def _parse_quantity(text: str, *dimensions: str) -> float:
    from gearwright.files.units import parse_quantity

    try:
        return float(text)
    except ValueError:
        pass
    try:
        return parse_quantity(text, *dimensions)
    except ValueError as reason:
        raise InputError(str(reason)) from None


def parse_numbers(option: str, text: str, names: Sequence[str] | None = None) -> list[float]:
    """Return numbers separated by commas, with optional units of angle or length; one per name if names are given.

    >>> parse_numbers("--q", "0,90 deg,20 mm")
    [0.0, 1.5707963267948966, 0.02]
    """
    try:
        values = [_parse_quantity(part, "angle", "length") for part in text.split(",")]
    except InputError as reason:
        raise InputError(
            f"{option} {text!r} is not a list of numbers: {reason} Separate them by commas: 0,0.5,-0.3."
        ) from None
    if names is not None and len(values) != len(names):
        raise InputError(f"{option} {text!r}: give {len(names)} finite numbers, for {listed_names(names)}.")
    if not all(map(isfinite, values)):
        raise InputError(f"{option} {text!r}: every number must be finite. Correct those that are not.")
    return values
