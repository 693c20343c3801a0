"""Motions in CSV files: columns t, q.<coordinate>, v.<speed>, a.<speed> in; t, tau.<speed> out."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.csv_columns import Columns, read_columns
from gearwright.motion.csv_columns import write_columns as write_columns
from gearwright.motion.prescribed_accelerations import from_accelerations, required_start
from gearwright.motion.trajectory import Motion
from gearwright.text import did_you_mean, listed


class Recording(NamedTuple):
    """A motion read from a file, and what was derived or left out while reading, for the person."""

    motion: Motion
    remarks: tuple[str, ...]


def read_recording(
    path: str | Path, mech: Mechanism, start: ArrayLike | None = None, start_speed: ArrayLike = 0.0
) -> Recording:
    """The motion of a machine from a CSV file with a header line.

    Speeds and accelerations that the file leaves out are derived from its times by quintic splines; accelerations alone
    are integrated from the start values.

    Args:
        path: the file; columns in any order.
        mech: the machine whose coordinates and speeds the columns name.
        start: where a motion stated by accelerations alone starts, (n,).
        start_speed: how fast, (n,) or one for all.
    """
    table = read_columns(Path(path))
    remarks = _unused(table, mech)
    t = table.times()
    if table.has("a") and not table.has("q") and not table.has("v"):
        return _integrated(table, mech, start, start_speed, remarks)
    q = table.block("q", mech.coordinates)
    v = table.block("v", mech.speeds) if table.has("v") else _speeds(table, mech, t, q)
    a = table.block("a", mech.speeds) if table.has("a") else table.derive("a", t, v, "v")
    derived = [word for letter, word in (("v", "speeds"), ("a", "accelerations")) if not table.has(letter)]
    if derived:
        remarks.append(
            f"{path}: {' and '.join(derived)} derived from the times by a quintic spline; filter measured data first."
        )
    try:
        return Recording(Motion(t, q, v, a), tuple(remarks))
    except InputError as error:  # numbers of a size that nothing can be computed with
        raise FileError(f"{path}: {error}") from None


def _integrated(
    table: Columns, mech: Mechanism, start: ArrayLike | None, start_speed: ArrayLike, remarks: list[str]
) -> Recording:
    if not mech.straight:
        raise FileError(
            f"{table.path}: there are no columns q.<coordinate>, and accelerations of a free, spherical or planar "
            "joint are not integrated column by column. Give every q.<coordinate> and v.<speed>."
        )
    t, a = table.times(), table.block("a", mech.speeds)
    way = from_accelerations(t, a, required_start(table.path, start), start_speed)
    note = f"{table.path}: speeds and positions integrated from the accelerations, straight lines between them."
    return Recording(Motion(t, way.at(t - t[0]), way.at(t - t[0], 1), a), (*remarks, note))


def _unused(table: Columns, mech: Mechanism) -> list[str]:
    """Columns that will not be used: wrong names are refused, foreign ones are remarked upon."""
    expected = {"q": mech.coordinates, "v": mech.speeds, "a": mech.speeds}
    known = ["t", *(f"{letter}.{name}" for letter, names in expected.items() for name in names)]
    strange = [name for name in table.header if name not in known]
    for name in strange:
        if name[:2] in ("q.", "v.", "a."):
            raise FileError(f"{table.path}: column {name!r} belongs to no joint. {did_you_mean(name, known)}")
    return [f"{table.path}: columns not used: {listed(strange)}."] if strange else []


def _speeds(table: Columns, mech: Mechanism, t: Array, q: Array) -> Array:
    lost = [name for name, where in zip(mech.speeds, mech.layout.coordinate_of, strict=True) if where < 0]
    if lost:
        raise FileError(
            f"{table.path}: columns v.{lost[0]}, ... are missing. The speeds of a free, spherical or planar joint "
            "cannot be derived from its coordinates column by column: give every v.<speed>."
        )
    return table.derive("v", t, q[:, list(mech.layout.coordinate_of)], "q")
