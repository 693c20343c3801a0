"""Bundled motors and gearboxes as data; files name them: `motor: {catalogue: ...}`, `gear: {catalogue: ...}`."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from gearwright.errors import FileError, GearwrightWarning, depth_of_the_caller
from gearwright.files.problems import Problems
from gearwright.files.tables.drive_tables import DriveTable, read_drive_table
from gearwright.files.units import file_value
from gearwright.files.yaml_tree import parse
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.text import did_you_mean

WORDS = (
    "inertia",
    "motor_mass",
    "torque_constant",
    "resistance",
    "inductance",
    "max_voltage",
    "max_torque",
    "max_speed",
    "friction",
    "damping",
)
"""Words of a motor that a data sheet knows."""
_OWN: ContextVar[tuple[Mapping[str, MotorSheet], Mapping[str, GearboxSheet]]] = ContextVar("own", default=({}, {}))
"""Articles of a user's own files that robot files may name while they are read."""


@contextmanager
def own_articles(motors: Mapping[str, MotorSheet], gearboxes: Mapping[str, GearboxSheet]) -> Iterator[None]:
    """While this lasts, robot files may name these articles beside the bundled ones."""
    token = _OWN.set((motors, gearboxes))
    try:
        yield
    finally:
        _OWN.reset(token)


def stated_instead(what: str, key: str, words: Mapping[str, Any], needed: str) -> bool:
    """Whether a file states the numbers of an article that no catalogue has, as sized robots do; a warning says so."""
    if words.get(needed) is None:
        return False
    warnings.warn(
        f"{what} {key!r} is not in the catalogue: its numbers are those of the robot's file, and limits of its data "
        "sheet are not known. Give the file that has it: load(..., catalogue=...), --catalogue.",
        GearwrightWarning,
        stacklevel=depth_of_the_caller(),
    )
    return True


@cache
def motor_table() -> dict[str, dict[str, Any]]:
    """Every bundled motor's words by its name."""
    text = files("gearwright").joinpath("catalogue", "motors.yaml").read_text(encoding="utf-8")
    problems = Problems("motors.yaml")
    table: dict[str, dict[str, Any]] = parse(text, problems).data
    problems.refuse()
    return {**_articles(), **table}


def _articles() -> dict[str, dict[str, Any]]:
    """The motors of the table of articles, in the words of a robot file."""
    return {key: _words(sheet) for key, sheet in _table("motors.csv").motors.items()}


def _table(name: str) -> DriveTable:
    return read_drive_table(Path(str(files("gearwright").joinpath("catalogue", name))))


def _words(sheet: MotorSheet) -> dict[str, Any]:
    motor = sheet.motor()
    words = {word: getattr(motor, word) for word in WORDS if getattr(motor, word) is not None}
    if motor.heat is not None:
        words["heat"] = {word: file_value(word, x) for word, x in vars(motor.heat).items() if x is not None}
    return {"description": f"{sheet.manufacturer} {sheet.name}", **words}


def motor_entry(name: str) -> dict[str, Any]:
    """The words of one motor, bundled or of the user's own files.

    >>> motor_entry("maxon_re30")["torque_constant"]
    '53.8 mNm/A'
    """
    own = _OWN.get()[0]
    if name in own:
        return _words(own[name])
    table = motor_table()
    if name not in table:
        raise FileError(f"there is no motor {name!r} in the catalogue. {did_you_mean(name, table)}")
    return table[name]


def article_of(name: str) -> str | None:
    """The key of the data sheet of a bundled motor that is the same article under another name; None without one.

    >>> article_of("maxon_re40"), article_of("mini_cheetah")
    ('MM_148877', None)
    """
    return motor_table().get(name, {}).get("article")


@cache
def gearbox_table() -> dict[str, GearboxSheet]:
    """Every bundled gearbox by its key."""
    return _table("gearboxes.csv").gearboxes


def gearbox_entry(name: str) -> dict[str, Any]:
    """The words of one gearbox, bundled or of the user's own files, without numbers that its sheet does not print.

    >>> gearbox_entry("MM_203120")["ratio"]
    42.875
    """
    sheet = gearbox_sheet(name)
    words = {"ratio": sheet.signed_ratio, "inertia": sheet.inertia, "efficiency": sheet.efficiency, "mass": sheet.mass}
    return {word: x for word, x in words.items() if x is not None}


def gearbox_sheet(name: str) -> GearboxSheet:
    """The data sheet of one gearbox, bundled or of the user's own files."""
    table = {**gearbox_table(), **_OWN.get()[1]}
    if name not in table:
        raise FileError(f"there is no gearbox {name!r} in the catalogue. {did_you_mean(name, table)}")
    return table[name]


def has_gearbox(name: str) -> bool:
    """Whether a catalogue has a gearbox of that key."""
    return name in gearbox_table() or name in _OWN.get()[1]
