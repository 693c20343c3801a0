"""Motions in CSV files: columns t, q.<coordinate>, v.<speed>, a.<speed> in; t, tau.<speed> out."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.csv_columns import CsvColumns, read_columns
from gearwright.motion.csv_columns import write_columns as write_columns
from gearwright.motion.prescribed_accelerations import from_accelerations, required_start
from gearwright.motion.trajectory import Motion
from gearwright.text import did_you_mean, listed_names


class Recording(NamedTuple):
    """A motion read from a file, and remarks on derived values and unused columns."""

    motion: Motion
    remarks: tuple[str, ...]


def read_recording(
    path: str | Path, mech: Mechanism, start: ArrayLike | None = None, start_speed: ArrayLike = 0.0
) -> Recording:
    """Read the motion of a machine from a CSV file with a header line.

    Speeds and accelerations that are missing in the file are derived by quintic splines over time; accelerations alone
    are integrated from the start values.

    Args:
        path: the file; columns in any order.
        mech: the machine whose coordinates and speeds the columns name.
        start: initial positions of a motion stated by accelerations alone, (n,).
        start_speed: its initial speeds, (n,) or one for all.
    """
    table = read_columns(Path(path))
    remarks = _unused_columns(table, mech)
    t = table.time_column()
    if table.has_letter("a") and not table.has_letter("q") and not table.has_letter("v"):
        return _integrated_recording(table, mech, start, start_speed, remarks)
    q = table.column_block("q", mech.coordinates)
    v = table.column_block("v", mech.speeds) if table.has_letter("v") else _derived_speeds(table, mech, t, q)
    a = table.column_block("a", mech.speeds) if table.has_letter("a") else table.derive_rates("a", t, v, "v")
    derived = [word for letter, word in (("v", "speeds"), ("a", "accelerations")) if not table.has_letter(letter)]
    if derived:
        remarks.append(
            f"{path}: {' and '.join(derived)} derived from the times by a quintic spline; filter measured data first."
        )
    try:
        return Recording(Motion(t, q, v, a), tuple(remarks))
    except InputError as error:  # numbers too large to compute with
        raise FileError(f"{path}: {error}") from None


def _integrated_recording(
    table: CsvColumns, mech: Mechanism, start: ArrayLike | None, start_speed: ArrayLike, remarks: list[str]
) -> Recording:
    if not mech.speeds_are_rates:
        raise FileError(
            f"{table.path}: there are no columns q.<coordinate>, and accelerations of a free, spherical or planar "
            "joint are not integrated column by column. Give every q.<coordinate> and v.<speed>."
        )
    t, a = table.time_column(), table.column_block("a", mech.speeds)
    trajectory = from_accelerations(t, a, required_start(table.path, start), start_speed)
    note = f"{table.path}: speeds and positions integrated from the accelerations, which are interpolated linearly."
    return Recording(Motion(t, trajectory.at(t - t[0]), trajectory.at(t - t[0], 1), a), (*remarks, note))


def _unused_columns(table: CsvColumns, mech: Mechanism) -> list[str]:
    """Remarks on unused columns; unknown names of joints raise an error."""
    expected = {"q": mech.coordinates, "v": mech.speeds, "a": mech.speeds}
    expected_names = ["t", *(f"{letter}.{name}" for letter, names in expected.items() for name in names)]
    strange = [name for name in table.header if name not in expected_names]
    for name in strange:
        if name[:2] in ("q.", "v.", "a."):
            raise FileError(f"{table.path}: column {name!r} belongs to no joint. {did_you_mean(name, expected_names)}")
    return [f"{table.path}: columns not used: {listed_names(strange)}."] if strange else []


def _derived_speeds(table: CsvColumns, mech: Mechanism, t: Array, q: Array) -> Array:
    underivable = [
        name for name, coordinate in zip(mech.speeds, mech.layout.coordinate_of, strict=True) if coordinate < 0
    ]
    if underivable:
        raise FileError(
            f"{table.path}: columns v.{underivable[0]}, ... are missing. The speeds of a free, spherical or planar "
            "joint cannot be derived from its coordinates column by column: give every v.<speed>."
        )
    return table.derive_rates("v", t, q[:, list(mech.layout.coordinate_of)], "q")
