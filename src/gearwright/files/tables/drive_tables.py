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
from gearwright.files.problems import FileProblems
from gearwright.files.reading import read_text
from gearwright.files.size_limits import number_length_problem, quoted_short
from gearwright.parts import GearboxSheet, MotorSheet
from gearwright.parts.drives.data_sheet_consistency import EXPLANATION_NOTE, is_conflict_explained, sheet_conflicts
from gearwright.parts.drives.data_sheet_ranges import invalid_values
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.text import csv_cell_text, csv_row, did_you_mean, visible_text

# Columns

_ENTRY_COLUMNS = {
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
MOTOR_TABLE_FIELDS = {
    **_ENTRY_COLUMNS,
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
"""Column of a motor table -> field of a `MotorSheet`."""
GEARBOX_TABLE_FIELDS = {
    **_ENTRY_COLUMNS,
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
"""Column of a gearbox table -> field of a `GearboxSheet`."""
PRINTED_DEVIATIONS = ("dev_kt_kn", "dev_stall", "dev_tau_m", "dev_no_load")
"""Columns with deviations between the numbers of a row, for information only."""
TEXT_FIELDS = frozenset({"key", "manufacturer", "article", "name", "kind", "source", "note", "ratio_exact", "flange"})
PRINTED_RATIO_TOLERANCE = 1e-5
"""Relative tolerance: printed ratios have about six digits."""


# Reading


class DriveTable(NamedTuple):
    """The entries of one file, and remarks on columns that were not read."""

    motors: dict[str, MotorSheet]
    gearboxes: dict[str, GearboxSheet]
    remarks: tuple[str, ...]


def read_drive_table(path: Path) -> DriveTable:
    """Return the motors or gearboxes of a CSV file; errors name the line, key and column of each bad cell.

    Raises:
        FileError: a cell does not fit its column, or the file is not a catalogue table.
    """
    return drive_table(read_text(path, "a catalogue"), FileProblems(str(path)))


def drive_table(text: str, problems: FileProblems) -> DriveTable:
    """Return the motors or gearboxes of a table's text."""
    reader = csv.reader(io.StringIO(text))
    try:
        header = next(reader, [])
        columns = _table_columns(header, problems)
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        problems.add(f"this is not a CSV file ({error}). Check quotes and line ends.", line=reader.line_num)
        raise problems.to_error() from None
    sheets = dict(_read_sheets(header, columns, rows, problems))
    problems.raise_if_any()
    motors = {key: sheet for key, sheet in sheets.items() if isinstance(sheet, MotorSheet)}
    gearboxes = {key: sheet for key, sheet in sheets.items() if isinstance(sheet, GearboxSheet)}
    return DriveTable(motors, gearboxes, _unread_column_remarks(header, columns))


def _table_columns(header: list[str], problems: FileProblems) -> Mapping[str, str]:
    """Return the columns of motors or of gearboxes, according to the header."""
    names = {name.strip() for name in header}
    repeated = [name for name in names if name and [column.strip() for column in header].count(name) > 1]
    for name in sorted(repeated):
        problems.add(f"column {visible_text(name)!r} occurs twice. Remove one.", line=1)
    if "key" in names and names & {"k_t", "V"}:
        return MOTOR_TABLE_FIELDS
    if "key" in names and "ratio" in names:
        return GEARBOX_TABLE_FIELDS
    kind = "motors" if names & {"k_t", "V"} else "gearboxes" if "ratio" in names else ""
    if kind:
        problems.add(
            f"the column `key`, which identifies the {kind} of a catalogue, is missing. Add it, with a unique key in "
            "every row.",
            line=1,
        )
        raise problems.to_error()
    problems.add(
        f"this is neither a catalogue of motors (columns key, k_t, R, ...) nor of gearboxes (key, ratio, ...). Its "
        f"columns are: {quoted_short(', '.join(header))}.",
        line=1,
    )
    raise problems.to_error()


def _unread_column_remarks(header: list[str], columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return remarks on unknown columns."""
    unknown = [name.strip() for name in header if name.strip() not in {*columns, *PRINTED_DEVIATIONS}]
    return tuple(f"column {visible_text(name)!r} was not read. {did_you_mean(name, columns)}" for name in unknown)


def _read_sheets(
    header: list[str], columns: Mapping[str, str], rows: list[tuple[int, list[str]]], problems: FileProblems
) -> Iterator[tuple[str, MotorSheet | GearboxSheet]]:
    lines: dict[str, int] = {}
    for line, row in rows:
        if len(row) != len(header):
            problems.add(f"the row has {len(row)} cells, the header {len(header)}. Check commas and quotes.", line=line)
            continue
        cells = {name.strip(): csv_cell_text(cell.strip()) for name, cell in zip(header, row, strict=True)}
        key = cells["key"]
        if not key or key in lines:
            reason = "the key is empty" if not key else f"key {quoted_short(key)} is already used in line {lines[key]}"
            problems.add(f"{reason}. Give each entry a unique key.", "key", line)
            continue
        lines[key] = line
        words = _sheet_fields(cells, columns, key, line, problems)
        sheet = MotorSheet(**words) if columns is MOTOR_TABLE_FIELDS else GearboxSheet(**words)
        _refuse_contradictions(sheet, columns, line, problems)
        yield key, sheet


def _sheet_fields(
    cells: Mapping[str, str], columns: Mapping[str, str], key: str, line: int, problems: FileProblems
) -> dict[str, Any]:
    """Return the fields of a sheet without those of bad cells."""
    words: dict[str, Any] = {}
    for column, cell in cells.items():
        word = columns.get(column)
        if word is None or not cell:
            continue
        try:
            words[word] = cell if word in TEXT_FIELDS else _cell_number(word, cell)
        except ValueError as error:
            problems.add(str(error), f"{key}.{column}", line)
    for word, rule in list(invalid_values(words, printed=True)):
        del words[word]
        column = _column_of_field(columns, word)
        remedy = "Correct it, or leave the cell empty if the sheet does not print it."
        problems.add(f"{cells[column]} {rule}. {remedy}", f"{key}.{column}", line)
    if "ratio" in words and "ratio_exact" in words:
        _compare_ratios(words, f"{key}.ratio_exact", line, problems)
    return words


def _refuse_contradictions(
    sheet: MotorSheet | GearboxSheet, columns: Mapping[str, str], line: int, problems: FileProblems
) -> None:
    """Add contradictory numbers of a row, unless its note says that they are as printed."""
    for conflict in sheet_conflicts(sheet, lambda word: _column_of_field(columns, word)):
        if not is_conflict_explained(sheet, conflict):
            excuse = (
                f", or explain in the column note that they are so '{EXPLANATION_NOTE}'" if conflict.excusable else ""
            )
            column = _column_of_field(columns, conflict.words[0])
            problems.add(f"{conflict.sentence}. Correct one of them{excuse}.", f"{sheet.key}.{column}", line)


def _column_of_field(columns: Mapping[str, str], word: str) -> str:
    """Return the column of a field."""
    return next(column for column, name in columns.items() if name == word)


def _cell_number(word: str, cell: str) -> float | int:
    reason = number_length_problem(cell)
    if reason is not None:
        raise ValueError(reason)
    try:
        value = float(cell)
    except ValueError:
        raise ValueError(
            f"{quoted_short(cell)} is not a number. Give a number in SI units, or leave the cell empty."
        ) from None
    if not math.isfinite(value):
        raise ValueError(f"{cell} is not finite. Give a number in SI units, or leave the cell empty.")
    if word == "direction" and value == int(value):
        return int(value)
    return value + ZERO_CELSIUS if word == "max_winding_temperature" else value


def _compare_ratios(words: dict[str, Any], path: str, line: int, problems: FileProblems) -> None:
    """Check that a printed ratio and its fraction agree; the fraction is then used."""
    try:
        exact = float(Fraction(words["ratio_exact"]))
    except (ValueError, ZeroDivisionError, OverflowError):
        problems.add(
            f"{quoted_short(words['ratio_exact'])} is not a fraction. Give a fraction such as 3249/169.", path, line
        )
        return
    if not math.isclose(exact, words["ratio"], rel_tol=PRINTED_RATIO_TOLERANCE):
        problems.add(
            f"{words['ratio_exact']} is {exact:.7g}, but ratio is {words['ratio']:.7g}. Correct one.", path, line
        )
        return
    words["ratio"] = exact


# Writing


def drive_table_text(sheets: Sequence[MotorSheet | GearboxSheet]) -> str:
    """Return motors or gearboxes as a CSV table; a number missing on a sheet is an empty cell.

    >>> drive_table_text([GearboxSheet(key="g1", ratio=50.0)]).splitlines()[1].count("50.0")
    1
    """
    kinds = {type(sheet) for sheet in sheets}
    if len(kinds) != 1:
        kinds_text = "motors and gearboxes together" if kinds else "no entries"
        raise InputError(
            f"a table of {kinds_text} cannot be written: a file has either motors or gearboxes. Give one kind."
        )
    columns = MOTOR_TABLE_FIELDS if kinds == {MotorSheet} else GEARBOX_TABLE_FIELDS
    return csv_row(list(columns)) + "".join(
        csv_row([_cell_text(word, getattr(sheet, word)) for word in columns.values()]) for sheet in sheets
    )


def _cell_text(word: str, value: str | float | None) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return repr(value - ZERO_CELSIUS if word == "max_winding_temperature" else value)
