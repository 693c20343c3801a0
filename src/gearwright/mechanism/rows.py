"""Rows over the generalized speeds that couple a wheel, a spring or a motor to the motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.arguments import is_scalar_or_batch
from gearwright.errors import InputError, PartError
from gearwright.text import did_you_mean, listed_names

Row: TypeAlias = Mapping[str, Scalar] | Sequence[Any]
"""A number per speed: a sequence over all speeds, which a machine checks, or a mapping from their names to numbers."""

NamedRow: TypeAlias = Mapping[str, Scalar]
"""A row as a mapping from the names of its speeds or joints."""

Terms: TypeAlias = tuple[tuple[int, Scalar], ...]
"""The entries of a row that are not structurally zero, as (speed index, number)."""


OVERFLOW_LIMIT = 1e50
"""Largest accepted number: products of larger ones overflow (an inertia is a mass times two lengths, squared)."""


class FullRow(tuple[Scalar, ...]):
    """A checked row, one scalar per speed, with its nonzero terms (few in a large machine).

    >>> FullRow.from_entries({1: 100.0}, 3), FullRow.from_entries({1: 100.0}, 3).terms
    ((0.0, 100.0, 0.0), ((1, 100.0),))
    """

    terms: Terms

    @staticmethod
    def from_entries(entries: Mapping[int, Scalar], size: int) -> FullRow:
        """Return the row of a given size with these entries, and zeros elsewhere."""
        values: list[Scalar] = [0.0] * size
        for index, x in entries.items():
            values[index] = x
        row = FullRow(values)
        row.terms = tuple((index, x) for index, x in sorted(entries.items()) if not is_zero(x))
        return row


def full_row(owner: str, row: Row, speeds: Mapping[str, int]) -> FullRow:
    """Return the row as one scalar per speed, with names and length checked."""
    if isinstance(row, FullRow) and len(row) == len(speeds):
        return row
    if isinstance(row, Mapping):
        for name in row:
            if name not in speeds:
                raise InputError(f"{owner}: there is no speed {name!r}. {did_you_mean(name, list(speeds))}")
        return FullRow.from_entries(
            {speeds[name]: as_number(f"{owner}, row", x) for name, x in row.items()}, len(speeds)
        )
    values = list(row) if isinstance(row, Iterable) else [row]
    if len(values) != len(speeds):
        raise InputError(
            f"{owner}: the row has {len(values)} numbers, the machine has {len(speeds)} speeds "
            f"({listed_names(speeds)}). Give one number per speed, or a mapping from speed names to numbers."
        )
    return FullRow.from_entries({index: as_number(f"{owner}, row", x) for index, x in enumerate(values)}, len(speeds))


def as_number(owner: str, x: Scalar) -> Scalar:
    """Return a number as a finite float; a symbol unchanged."""
    if not is_number(x):
        if not is_scalar_or_batch(x):
            raise PartError(f"{owner}: {x!r} is not a number. Give a number in SI units.")
        return x
    value = float(x)
    if value != value or value in (float("inf"), float("-inf")):
        raise PartError(f"{owner}: {value} is not a finite number. Give a finite number in SI units.")
    if abs(value) > OVERFLOW_LIMIT:
        raise PartError(f"{owner}: {value:g} exceeds the largest accepted number {OVERFLOW_LIMIT:g}. Check its unit.")
    return value


def nonzero_terms(row: Sequence[Scalar]) -> Terms:
    """Return the entries that are not structurally zero."""
    if isinstance(row, FullRow):
        return row.terms
    return tuple((index, x) for index, x in enumerate(row) if not is_zero(x))


def dense_row(row: Terms, size: int) -> list[Scalar]:
    """Return the row as one scalar per speed.

    >>> dense_row(((1, 2.0),), 3)
    [0.0, 2.0, 0.0]
    """
    full: list[Scalar] = [0.0] * size
    for index, factor in row:
        full[index] = factor
    return full


def row_dot(row: Terms, x: Sequence[Scalar]) -> Scalar:
    """Return the product row . x, without structural zeros."""
    total: Scalar = 0.0
    for index, factor in row:
        total = total + factor * x[index]
    return total
