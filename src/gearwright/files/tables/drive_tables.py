"""Motor and gearbox catalogues as CSV tables, read and written: one catalogue entry a row, in SI units.

The headers are those of the open motor and gearbox tables (`key`, `manufacturer`, `ID`, `type`, `V`, `k_t`, `R`, ...);
a table with a column `k_t` or `V` is one of motors, one with a column `ratio` one of gearboxes. An empty cell is a
number that the data sheet does not print.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from gearwright.errors import InputError
from gearwright.files.problems import Problems
from gearwright.files.reading import read_text
from gearwright.files.size_limits import long_number, shortened
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.parts.drives.data_sheet_consistency import EXPLAINED, conflicts, explained
from gearwright.parts.drives.data_sheet_ranges import impossible
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.text import csv_row, csv_text, did_you_mean, visible

# Columns

_ARTICLE = {
    "key": "key",
    "manufacturer": "manufacturer",
    "ID": "article",
    "name": "name",
    "type": "kind",
    "mass": "mass",
    "inertia": "inertia",
    "outer_diameter": "outer_diameter",
    "flange": "flange",
    "price": "price",
    "source": "source",
    "note": "note",
}
MOTOR_COLUMNS = {
    **_ARTICLE,
    "V": "voltage",
    "k_t": "torque_constant",
    "R": "resistance",
    "L": "inductance",
    "k_n": "speed_constant",
    "tau_m": "mechanical_time_constant",
    "omega_nl": "no_load_speed",
    "I_nl": "no_load_current",
    "I_nom": "nominal_current",
    "omega_nom": "nominal_speed",
    "torque_nom": "nominal_torque",
    "torque_stall": "stall_torque",
    "max_int_torque": "peak_torque",
    "max_int_speed": "peak_speed",
    "max_cont_speed": "continuous_speed",
    "max_cont_power": "continuous_power",
    "coulomb_friction": "coulomb_friction",
    "viscous_friction": "viscous_friction",
    "Rth1": "winding_housing",
    "Rth2": "housing_ambient",
    "tau_winding": "winding_time_constant",
    "tau_housing": "housing_time_constant",
    "T_winding_max": "max_winding_temperature",
    "pole_pairs": "pole_pairs",
    "shaft_diameter": "shaft_diameter",
}
"""Column of a motor table -> word of a `MotorSheet`."""
GEARBOX_COLUMNS = {
    **_ARTICLE,
    "stages": "stages",
    "ratio": "ratio",
    "ratio_exact": "ratio_exact",
    "efficiency": "efficiency",
    "direction": "direction",
    "max_int_torque": "peak_torque",
    "max_cont_torque": "rated_torque",
    "momentary_torque": "momentary_torque",
    "max_int_input_speed": "peak_input_speed",
    "max_cont_input_speed": "rated_input_speed",
    "backlash": "backlash",
    "stiffness": "stiffness",
    "starting_torque": "starting_torque",
    "backdriving_torque": "backdriving_torque",
    "life": "life",
    "life_speed": "life_speed",
    "life_exponent": "life_exponent",
    "max_motor_shaft": "max_motor_shaft",
    "radial_load": "radial_load",
    "radial_load_distance": "radial_load_distance",
    "axial_load": "axial_load",
    "tilting_moment": "tilting_moment",
}
"""Column of a gearbox table -> word of a `GearboxSheet`."""
PRINTED_DEVIATIONS = ("dev_kt_kn", "dev_stall", "dev_tau_m", "dev_no_load")
"""Columns in which a table may say how far a row is from what its numbers imply: for readers, not for the model."""
TEXTS = frozenset({"key", "manufacturer", "article", "name", "kind", "source", "note", "ratio_exact", "flange"})
SAME_RATIO = 1e-5
"""Relative: ratios are printed with six digits or so beside their exact fractions."""


# Reading


class DriveTable(NamedTuple):
    """The articles of one file and what was not read of it."""

    motors: dict[str, MotorSheet]
    gearboxes: dict[str, GearboxSheet]
    remarks: tuple[str, ...]


def read_drive_table(path: Path) -> DriveTable:
    """The motors or gearboxes of a CSV file; every bad cell is named with its line, key and column.

    Raises:
        FileError: a cell is not what its column asks for, or the file is not such a table.
    """
    return drive_table(read_text(path, "a catalogue"), Problems(str(path)))


def drive_table(text: str, problems: Problems) -> DriveTable:
    """The motors or gearboxes of a table's text."""
    reader = csv.reader(io.StringIO(text))
    try:
        header = next(reader, [])
        columns = _columns(header, problems)
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        problems.add(f"is not a CSV file ({error}). Check quotes and line ends.", line=reader.line_num)
        raise problems.error() from None
    sheets = dict(_sheets(header, columns, rows, problems))
    problems.refuse()
    motors = {key: sheet for key, sheet in sheets.items() if isinstance(sheet, MotorSheet)}
    gearboxes = {key: sheet for key, sheet in sheets.items() if isinstance(sheet, GearboxSheet)}
    return DriveTable(motors, gearboxes, _unread(header, columns))


def _columns(header: list[str], problems: Problems) -> Mapping[str, str]:
    """Which columns there may be: those of motors or those of gearboxes."""
    names = {name.strip() for name in header}
    twice = [name for name in names if name and [one.strip() for one in header].count(name) > 1]
    for name in sorted(twice):
        problems.add(f"column {visible(name)!r} comes twice. Remove one.", line=1)
    if "key" in names and names & {"k_t", "V"}:
        return MOTOR_COLUMNS
    if "key" in names and "ratio" in names:
        return GEARBOX_COLUMNS
    kind = "motors" if names & {"k_t", "V"} else "gearboxes" if "ratio" in names else ""
    if kind:
        problems.add(
            f"has no column `key`, by which robots and results name the {kind} of a catalogue. Add it, with another "
            "key in every row.",
            line=1,
        )
        raise problems.error()
    problems.add(
        "is not a catalogue of motors (columns key, k_t, R, ...) nor of gearboxes (key, ratio, ...). Its columns are: "
        f"{shortened(', '.join(header))}.",
        line=1,
    )
    raise problems.error()


def _unread(header: list[str], columns: Mapping[str, str]) -> tuple[str, ...]:
    """Columns that the model has no word for."""
    unknown = [name.strip() for name in header if name.strip() not in {*columns, *PRINTED_DEVIATIONS}]
    return tuple(f"column {visible(name)!r} was not read. {did_you_mean(name, columns)}" for name in unknown)


def _sheets(
    header: list[str], columns: Mapping[str, str], rows: list[tuple[int, list[str]]], problems: Problems
) -> Iterator[tuple[str, MotorSheet | GearboxSheet]]:
    lines: dict[str, int] = {}
    for line, row in rows:
        if len(row) != len(header):
            problems.add(f"has {len(row)} cells, the header {len(header)}. Check commas and quotes.", line=line)
            continue
        cells = {name.strip(): csv_text(cell.strip()) for name, cell in zip(header, row, strict=True)}
        key = cells["key"]
        if not key or key in lines:
            reason = "the key is empty" if not key else f"key {shortened(key)} stands in line {lines[key]} already"
            problems.add(f"{reason}. Give each article a key of its own.", "key", line)
            continue
        lines[key] = line
        words = _words(cells, columns, key, line, problems)
        sheet = MotorSheet(**words) if columns is MOTOR_COLUMNS else GearboxSheet(**words)
        _refuse_contradictions(sheet, columns, line, problems)
        yield key, sheet


def _words(
    cells: Mapping[str, str], columns: Mapping[str, str], key: str, line: int, problems: Problems
) -> dict[str, Any]:
    """The words of a sheet without those of bad cells."""
    words: dict[str, Any] = {}
    for column, cell in cells.items():
        word = columns.get(column)
        if word is None or not cell:
            continue
        try:
            words[word] = cell if word in TEXTS else _number(word, cell)
        except ValueError as error:
            problems.add(str(error), f"{key}.{column}", line)
    for word, rule in list(impossible(words, printed=True)):
        del words[word]
        column = _column(columns, word)
        way_out = "Correct it, or leave the cell empty if the sheet does not print it."
        problems.add(f"{cells[column]} {rule}. {way_out}", f"{key}.{column}", line)
    if "ratio" in words and "ratio_exact" in words:
        _compare_ratios(words, f"{key}.ratio_exact", line, problems)
    return words


def _refuse_contradictions(
    sheet: MotorSheet | GearboxSheet, columns: Mapping[str, str], line: int, problems: Problems
) -> None:
    """Numbers of one row that cannot be right together, unless its note says that they are so as printed."""
    for conflict in conflicts(sheet, lambda word: _column(columns, word)):
        if not explained(sheet, conflict):
            excuse = f", or say in the column note why they are so '{EXPLAINED}'" if conflict.excusable else ""
            column = _column(columns, conflict.words[0])
            problems.add(f"{conflict.sentence}. Correct one of them{excuse}.", f"{sheet.key}.{column}", line)


def _column(columns: Mapping[str, str], word: str) -> str:
    """The column of a word."""
    return next(column for column, name in columns.items() if name == word)


def _number(word: str, cell: str) -> float | int:
    reason = long_number(cell)
    if reason is not None:
        raise ValueError(reason)
    try:
        value = float(cell)
    except ValueError:
        raise ValueError(f"{shortened(cell)} is not a number. Give one in SI units, or leave the cell empty.") from None
    if not math.isfinite(value):
        raise ValueError(f"{cell} is not finite. Give a number in SI units, or leave the cell empty.")
    if word == "direction" and value == int(value):
        return int(value)
    return value + ZERO_CELSIUS if word == "max_winding_temperature" else value


def _compare_ratios(words: dict[str, Any], path: str, line: int, problems: Problems) -> None:
    """A printed ratio and its fraction must agree; the fraction is what counts then."""
    try:
        exact = float(Fraction(words["ratio_exact"]))
    except (ValueError, ZeroDivisionError, OverflowError):
        problems.add(f"{shortened(words['ratio_exact'])} is not a fraction such as 3249/169.", path, line)
        return
    if not math.isclose(exact, words["ratio"], rel_tol=SAME_RATIO):
        problems.add(
            f"{words['ratio_exact']} is {exact:.7g}, but ratio is {words['ratio']:.7g}. Correct one.", path, line
        )
        return
    words["ratio"] = exact


# Writing


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
