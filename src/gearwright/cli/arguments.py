"""Arguments and options that several commands share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from gearwright.catalogue import robots
from gearwright.cli.output import number, say
from gearwright.errors import InputError
from gearwright.parts import Robot
from gearwright.text import listed

ROBOT_FILES = (".yaml", ".yml", ".urdf", ".xacro", ".xml")


def complete_robot(incomplete: str) -> list[str]:
    """Bundled robots, and folders and robot files, whose names begin so: what the shell offers."""
    near = Path(incomplete if incomplete.endswith("/") else Path(incomplete).parent)
    found = sorted(near.iterdir()) if near.is_dir() else []
    folders = [f"{path}/" for path in found if path.is_dir()]
    files = [str(path) for path in found if path.suffix in ROBOT_FILES]
    return [name for name in (*robots(), *files, *folders) if name.startswith(incomplete)]


RobotName: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        help="A bundled robot (see `gearwright list`) or a robot file: YAML, URDF, MJCF.",
        autocompletion=complete_robot,
    ),
]
Xacro: TypeAlias = Annotated[
    bool, typer.Option("--xacro", help="Expand a xacro file. That runs whatever code is in it: only if you trust it.")
]
Include: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--include",
        metavar="FOLDER",
        help="A folder, besides that of the file, from which it may include or attach others; may be repeated.",
    ),
]
Joints: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--q",
        metavar="Q1,Q2,...",
        help="Where the joints are [rad, m, or with units], or a state that the file names, such as home; unless given "
        "at zero, or in the middle of a range without zero.",
    ),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]
PICTURES = (".png", ".svg", ".pdf")


def require_ending(option: str, path: Path | None, endings: tuple[str, ...]) -> Path | None:
    """The path of a file to write, whose ending says how: refused before the work, not after it."""
    if path is None:
        return None
    if path.suffix.lower() not in endings:
        either = " or ".join(part for part in (", ".join(endings[:-1]), endings[-1]) if part)
        raise InputError(f"{option} {path}: choose a name that ends in {either}.")
    if path.is_dir():
        raise InputError(f"{option} {path}: this is a directory. Give the name of a file.")
    nearest = next(part for part in (path, *path.absolute().parents) if part.exists())
    if nearest != path and not nearest.is_dir():
        raise InputError(f"{option} {path}: {nearest} is a file, not a folder. Choose another place.")
    if not os.access(nearest, os.W_OK):
        raise InputError(f"{option} {path}: {nearest} may not be written. Choose another place.")
    return path


def written(*names: str, text: str, endings: tuple[str, ...], makes_folders: bool = False) -> Any:
    """An option that names a file to write, whose folder must be there unless it is made."""

    def checked(path: Path | None) -> Path | None:
        found = require_ending(names[0], path, endings)
        if found is not None and not makes_folders and not found.parent.is_dir():
            raise InputError(f"{names[0]} {found}: there is no folder {found.parent}. Make it, or choose another.")
        return found

    return typer.Option(*names, metavar="FILE", help=text, callback=checked)


Plot: TypeAlias = Annotated[
    Path | None,
    written("--plot", text="Draw a figure into this file (.png, .svg or .pdf).", endings=PICTURES, makes_folders=True),
]
Output: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file; otherwise print.")
]

Payload: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--payload",
        metavar="MASS@PLACE",
        help="A point mass [kg] at a frame, or at x,y,z [m] from the joint of the last link; without a place at the "
        "tool frame, else at the tip of the last link.",
    ),
]


def with_load(robot: Robot, text: str) -> Robot:
    """The robot with what `--payload MASS@PLACE` says; the place is x,y,z or a frame, and may be left out.

    >>> import gearwright as gw
    >>> with_load(gw.load("scara"), "2.5@0,0,0.1").payload.position
    (0.0, 0.0, 0.1)
    >>> with_load(gw.load("scara"), "2.5").payload_place
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
    say(f"payload: {number(kilograms)} kg {loaded.payload_place}.")
    return loaded


def seconds(text: str) -> float:
    """A time [s], with or without a unit, as in files.

    >>> seconds("1.5"), seconds("250 ms")
    (1.5, 0.25)
    """
    return _with_unit(text, "time")


def _with_unit(text: str, *dimensions: str) -> float:
    from gearwright.files.units import quantity

    try:
        return float(text)
    except ValueError:
        pass
    try:
        return quantity(text, *dimensions)
    except ValueError as reason:
        raise InputError(str(reason)) from None


def number_list(option: str, text: str, names: Sequence[str] | None = None) -> list[float]:
    """Numbers separated by commas, angles and lengths maybe with units; as many as there are names, if these are given.

    >>> number_list("--q", "0,90 deg,20 mm")
    [0.0, 1.5707963267948966, 0.02]
    """
    try:
        found = [_with_unit(part, "angle", "length") for part in text.split(",")]
    except InputError as reason:
        raise InputError(
            f"{option} {text!r} is not a list of numbers: {reason} Separate them by commas: 0,0.5,-0.3."
        ) from None
    if names is not None and len(found) != len(names):
        raise InputError(f"{option} {text!r}: give {len(names)} finite numbers, for {listed(names)}.")
    if not all(map(isfinite, found)):
        raise InputError(f"{option} {text!r}: not every number is finite. Change those that are not.")
    return found
