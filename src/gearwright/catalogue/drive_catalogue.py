"""Motors and gearboxes to choose from: the bundled ones, a user's own files, and generic families."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TypeVar

from gearwright.errors import InputError
from gearwright.files.tables.catalogue_data import article_of
from gearwright.files.tables.drive_tables import DriveTable, read_drive_table
from gearwright.parts import DataSheet, GearboxSheet, MotorSheet
from gearwright.text import did_you_mean

BUNDLED = ("motors.csv", "gearboxes.csv")
Sheet = TypeVar("Sheet", bound=DataSheet)


@dataclass(frozen=True)
class Catalogue:
    """Motors and gearboxes by their keys.

    Args:
        motors: data sheets of motors.
        gearboxes: data sheets of gearboxes.
        remarks: what was not read of the files.

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
        return _by_key(self.motors, key, "motor")

    def gearbox(self, key: str) -> GearboxSheet:
        """A gearbox by its key."""
        return _by_key(self.gearboxes, key, "gearbox")

    def motor_named(self, name: str | None) -> MotorSheet | None:
        """The data sheet of a motor as a robot's file names it, by key or as a bundled motor; None without one.

        >>> drives().motor_named("maxon_re40").key
        'MM_148877'
        """
        if name is None or name in self.motors:
            return self.motors.get(name or "")
        return self.motors.get(article_of(name) or "")

    def search(self, text: str) -> Catalogue:
        """The articles that have every word of the text in their key, maker, number, name or kind."""
        return Catalogue(_found(self.motors, text), _found(self.gearboxes, text), self.remarks)

    def __add__(self, other: Catalogue) -> Catalogue:
        """Both together; an article of the second replaces one of the same key."""
        return Catalogue(
            {**self.motors, **other.motors}, {**self.gearboxes, **other.gearboxes}, self.remarks + other.remarks
        )


def drives(*paths: str | Path, bundled: bool = True) -> Catalogue:
    """The bundled motors and gearboxes with those of the user's own CSV files.

    Args:
        paths: files of motors or gearboxes; an article there replaces a bundled one of the same key.
        bundled: whether the bundled ones are among them.

    >>> drives().gearbox("HD_CSF-17-100-2UH").ratio
    100.0
    """
    whole = _bundled() if bundled else Catalogue({}, {})
    for path in paths:
        whole = whole + _of_table(read_drive_table(Path(path)), f"{path}: ")
    return whole


@cache
def _bundled() -> Catalogue:
    folder = Path(str(files("gearwright").joinpath("catalogue")))
    motors, gearboxes = (_of_table(read_drive_table(folder / name), f"{name}: ") for name in BUNDLED)
    return motors + gearboxes


def _of_table(table: DriveTable, source: str) -> Catalogue:
    return Catalogue(table.motors, table.gearboxes, tuple(source + remark for remark in table.remarks))


def _by_key(sheets: Mapping[str, Sheet], key: str, what: str) -> Sheet:
    if key not in sheets:
        raise InputError(f"there is no {what} {key!r} in the catalogue. {did_you_mean(key, sheets)}")
    return sheets[key]


def _found(sheets: Mapping[str, Sheet], text: str) -> dict[str, Sheet]:
    words = text.lower().split()
    return {key: sheet for key, sheet in sheets.items() if all(word in _index(sheet) for word in words)}


def _index(sheet: DataSheet) -> str:
    return " ".join((sheet.key, sheet.manufacturer, sheet.article, sheet.name, sheet.kind)).lower()
