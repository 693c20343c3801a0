"""Bundled motors and gearboxes as data; files name them: `motor: {catalogue: ...}`, `gear: {catalogue: ...}`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from gearwright.errors import FileError
from gearwright.files.drive_tables import DriveTable, read_drive_table
from gearwright.files.problems import Problems
from gearwright.files.yaml_tree import parse
from gearwright.parts.data_sheets import GearboxSheet, MotorSheet
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
        words["heat"] = {word: x for word, x in vars(motor.heat).items() if x is not None}
    return {"description": f"{sheet.manufacturer} {sheet.name}", **words}


def motor_entry(name: str) -> dict[str, Any]:
    """The words of one bundled motor.

    >>> motor_entry("maxon_re30")["torque_constant"]
    '53.8 mNm/A'
    """
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
    """The words of one bundled gearbox; numbers that its sheet does not print are not among them.

    >>> gearbox_entry("HD_CSF-17-100-2UH")["ratio"]
    100.0
    """
    table = gearbox_table()
    if name not in table:
        raise FileError(f"there is no gearbox {name!r} in the catalogue. {did_you_mean(name, table)}")
    sheet = table[name]
    ratio = None if sheet.ratio is None else sheet.direction * sheet.ratio
    words = {"ratio": ratio, "inertia": sheet.inertia, "efficiency": sheet.efficiency, "mass": sheet.mass}
    return {word: x for word, x in words.items() if x is not None}
