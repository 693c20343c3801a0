"""Data sheets as CSV: the tables that `read_drive_table` reads, with the same headers and units."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.errors import InputError
from gearwright.files.drive_tables import GEARBOX_COLUMNS, MOTOR_COLUMNS
from gearwright.parts.data_sheets import GearboxSheet, MotorSheet
from gearwright.parts.heat import ZERO_CELSIUS
from gearwright.text import csv_row


def drive_table_text(sheets: Sequence[MotorSheet | GearboxSheet]) -> str:
    """Motors or gearboxes as a table; a number that a sheet does not print is an empty cell.

    >>> drive_table_text([GearboxSheet(key="g1", ratio=50.0)]).splitlines()[1].count("50.0")
    1
    """
    kinds = {type(sheet) for sheet in sheets}
    if len(kinds) != 1:
        given = "motors and gearboxes together" if kinds else "no articles"
        raise InputError(f"a table of {given} cannot be written: a file has either motors or gearboxes. Name one kind.")
    columns = MOTOR_COLUMNS if kinds == {MotorSheet} else GEARBOX_COLUMNS
    return csv_row(list(columns)) + "".join(
        csv_row([_cell(word, getattr(sheet, word)) for word in columns.values()]) for sheet in sheets
    )


def _cell(word: str, value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return repr(value - ZERO_CELSIUS if word == "max_winding_temperature" else value)
