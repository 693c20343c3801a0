"""Catalogues of motors and gearboxes: bundled data, user files, and generic families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from gearwright.errors import InputError
from gearwright.files.tables.catalogue_data import data_sheet_key
from gearwright.files.tables.drive_tables import DriveTable, read_drive_table
from gearwright.parts import DataSheet, GearboxSheet, MotorSheet
from gearwright.text import did_you_mean

BUNDLED_TABLES = ("motors.csv", "gearboxes.csv")
Sheet = TypeVar("Sheet", bound=DataSheet)


@dataclass(frozen=True)
class Catalogue:
    """Motors and gearboxes by their keys.

    Args:
        motors: data sheets of motors.
        gearboxes: data sheets of gearboxes.
        remarks: on columns of the files that were not read.

    >>> catalogue = drives()
    >>> catalogue.motor("MM_148877").torque_constant
    0.0603
    >>> sorted(catalogue.search("CSF-17").gearboxes)
    ['HD_CSF-17-100-2UH', 'HD_CSF-17-50-2UH']
    """

    motors: Mapping[str, MotorSheet]
    gearboxes: Mapping[str, GearboxSheet]
    remarks: tuple[str, ...] = ()

    def motor(self, key: str) -> MotorSheet:
        """A motor by its key."""
        return _sheet_by_key(self.motors, key, "motor")

    def gearbox(self, key: str) -> GearboxSheet:
        """A gearbox by its key."""
        return _sheet_by_key(self.gearboxes, key, "gearbox")

    def motor_by_name(self, name: str | None) -> MotorSheet | None:
        """Return the data sheet of a motor by its name in a robot file (a key or a bundled motor); None without one.

        >>> drives().motor_by_name("maxon_re40").key
        'MM_148877'
        """
        if name is None or name in self.motors:
            return self.motors.get(name or "")
        return self.motors.get(data_sheet_key(name) or "")

    def search(self, text: str) -> Catalogue:
        """Return the entries with every word of the text in their key, manufacturer, part number, name or kind."""
        return Catalogue(_matching_sheets(self.motors, text), _matching_sheets(self.gearboxes, text), self.remarks)

    def __add__(self, other: Catalogue) -> Catalogue:
        """Return both catalogues combined; an entry of the second replaces one with the same key."""
        return Catalogue(
            {**self.motors, **other.motors}, {**self.gearboxes, **other.gearboxes}, self.remarks + other.remarks
        )


def drives(*paths: str | Path, bundled: bool = True) -> Catalogue:
    """Return the bundled motors and gearboxes with those of the user's CSV files.

    Args:
        paths: files of motors or gearboxes; an entry there replaces a bundled one with the same key.
        bundled: whether to include the bundled entries.

    >>> drives().gearbox("HD_CSF-17-100-2UH").ratio
    100.0
    """
    catalogue = _bundled_catalogue() if bundled else Catalogue({}, {})
    for path in paths:
        catalogue = catalogue + _catalogue_of_table(read_drive_table(Path(path)), f"{path}: ")
    return catalogue


@cache
def _bundled_catalogue() -> Catalogue:
    folder = Path(str(files("gearwright").joinpath("catalogue")))
    motors, gearboxes = (_catalogue_of_table(read_drive_table(folder / name), f"{name}: ") for name in BUNDLED_TABLES)
    return motors + gearboxes


def _catalogue_of_table(table: DriveTable, source: str) -> Catalogue:
    return Catalogue(table.motors, table.gearboxes, tuple(source + remark for remark in table.remarks))


def _sheet_by_key(sheets: Mapping[str, Sheet], key: str, kind: str) -> Sheet:
    if key not in sheets:
        raise InputError(f"there is no {kind} {key!r} in the catalogue. {did_you_mean(key, sheets)}")
    return sheets[key]


def _matching_sheets(sheets: Mapping[str, Sheet], text: str) -> dict[str, Sheet]:
    words = text.lower().split()
    return {key: sheet for key, sheet in sheets.items() if all(word in _search_text(sheet) for word in words)}


def _search_text(sheet: DataSheet) -> str:
    return " ".join((sheet.key, sheet.manufacturer, sheet.article, sheet.name, sheet.kind)).lower()
