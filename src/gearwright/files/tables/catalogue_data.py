"""Bundled motors and gearboxes as data, for `motor: {catalogue: ...}` and `gear: {catalogue: ...}` in files."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from gearwright.errors import FileError, GearwrightWarning, caller_stack_level
from gearwright.files.problems import FileProblems
from gearwright.files.tables.card_data import card_entry
from gearwright.files.tables.drive_tables import DriveTable, read_drive_table
from gearwright.files.units import file_value
from gearwright.files.yaml_tree import parse_yaml
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.text import did_you_mean

MOTOR_SHEET_FIELDS = (
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
"""Fields of a motor that a data sheet has."""
_USER_ENTRIES: ContextVar[tuple[Mapping[str, MotorSheet], Mapping[str, GearboxSheet]]] = ContextVar(
    "own", default=({}, {})
)
"""Entries of user catalogues that robot files may use."""


@contextmanager
def user_entries(motors: Mapping[str, MotorSheet], gearboxes: Mapping[str, GearboxSheet]) -> Iterator[None]:
    """Context in which robot files may use these entries in addition to the bundled ones."""
    token = _USER_ENTRIES.set((motors, gearboxes))
    try:
        yield
    finally:
        _USER_ENTRIES.reset(token)


def is_stated_in_file(kind: str, key: str, words: Mapping[str, Any], needed: str) -> bool:
    """Whether a file gives the numbers of an entry that no catalogue has, as sized robots do; with a warning."""
    if words.get(needed) is None:
        return False
    warnings.warn(
        f"{kind} {key!r} is not in the catalogue: its numbers are taken from the robot file, and the limits of its "
        "data sheet are unknown. Give the catalogue file with load(..., catalogue=...) or --catalogue.",
        GearwrightWarning,
        stacklevel=caller_stack_level(),
    )
    return True


@cache
def motor_fields_by_key() -> dict[str, dict[str, Any]]:
    """Return the fields of all bundled motors by name."""
    text = files("gearwright").joinpath("catalogue", "motors.yaml").read_text(encoding="utf-8")
    problems = FileProblems("motors.yaml")
    table: dict[str, dict[str, Any]] = parse_yaml(text, problems).data
    problems.raise_if_any()
    return {**_motor_table_entries(), **table}


def _motor_table_entries() -> dict[str, dict[str, Any]]:
    """Return the motors of the bundled table as fields of a robot file."""
    return {key: _motor_sheet_fields(sheet) for key, sheet in _bundled_table("motors.csv").motors.items()}


def _bundled_table(name: str) -> DriveTable:
    return read_drive_table(Path(str(files("gearwright").joinpath("catalogue", name))))


def _motor_sheet_fields(sheet: MotorSheet) -> dict[str, Any]:
    motor = sheet.motor()
    words = {word: getattr(motor, word) for word in MOTOR_SHEET_FIELDS if getattr(motor, word) is not None}
    if motor.heat is not None:
        words["heat"] = {word: file_value(word, x) for word, x in vars(motor.heat).items() if x is not None}
    return {"description": f"{sheet.manufacturer} {sheet.name}", **words}


def motor_entry(name: str) -> dict[str, Any]:
    """Return the fields of a motor, bundled or from user catalogues.

    >>> motor_entry("maxon_re30")["torque_constant"]
    '53.8 mNm/A'
    """
    user_motors = _USER_ENTRIES.get()[0]
    if name in user_motors:
        return _motor_sheet_fields(user_motors[name])
    table = motor_fields_by_key()
    if name not in table and (card := card_entry(name)) is not None:
        return card
    if name not in table:
        raise FileError(f"there is no motor {name!r} in the catalogue. {did_you_mean(name, table)}")
    return table[name]


def data_sheet_key(name: str) -> str | None:
    """Return the key of the data sheet of a bundled motor with another name; None without one.

    >>> data_sheet_key("maxon_re40"), data_sheet_key("mini_cheetah")
    ('MM_148877', None)
    """
    return motor_fields_by_key().get(name, {}).get("article")


@cache
def gearbox_table() -> dict[str, GearboxSheet]:
    """Return all bundled gearboxes by key."""
    return _bundled_table("gearboxes.csv").gearboxes


def gearbox_entry(name: str) -> dict[str, Any]:
    """Return the fields of a gearbox, bundled or from user catalogues, without numbers missing on its sheet.

    >>> gearbox_entry("MM_203120")["ratio"]
    42.875
    """
    sheet = gearbox_sheet(name)
    words = {"ratio": sheet.signed_ratio, "inertia": sheet.inertia, "efficiency": sheet.efficiency, "mass": sheet.mass}
    return {word: x for word, x in words.items() if x is not None}


def gearbox_sheet(name: str) -> GearboxSheet:
    """Return the data sheet of a gearbox, bundled or from user catalogues."""
    table = {**gearbox_table(), **_USER_ENTRIES.get()[1]}
    if name not in table:
        raise FileError(f"there is no gearbox {name!r} in the catalogue. {did_you_mean(name, table)}")
    return table[name]


def has_gearbox(name: str) -> bool:
    """Whether a catalogue has a gearbox of that key."""
    return name in gearbox_table() or name in _USER_ENTRIES.get()[1]
