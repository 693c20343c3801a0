"""Rows over the generalized speeds: how a wheel, a spring or a motor is tied to the motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.errors import InputError, PartError
from gearwright.text import did_you_mean, listed

Row: TypeAlias = Mapping[str, Scalar] | Sequence[Scalar]
"""A number per speed: a sequence over all speeds, or a mapping from speed names to numbers."""

NamedRow: TypeAlias = Mapping[str, Scalar]
"""A row as a mapping from the names of the speeds, or joints, that it contains."""

Terms: TypeAlias = tuple[tuple[int, Scalar], ...]
"""The entries of a row that are not structurally zero, as (speed index, number)."""


LARGEST = 1e50
"""Larger numbers overflow where their products are taken (an inertia is a mass times two lengths, and is squared)."""


class FullRow(tuple[Scalar, ...]):
    """A checked row, one scalar per speed, that knows its terms: a wheel of a large machine has few of them.

    >>> FullRow.of({1: 100.0}, 3), FullRow.of({1: 100.0}, 3).terms
    ((0.0, 100.0, 0.0), ((1, 100.0),))
    """

    terms: Terms

    @staticmethod
    def of(entries: Mapping[int, Scalar], size: int) -> FullRow:
        """The row of that size with these entries, and zeros elsewhere."""
        values: list[Scalar] = [0.0] * size
        for index, x in entries.items():
            values[index] = x
        row = FullRow(values)
        row.terms = tuple((index, x) for index, x in sorted(entries.items()) if not is_zero(x))
        return row


def full_row(owner: str, row: Row, speeds: Mapping[str, int]) -> FullRow:
    """The row as one scalar per speed, with every name and length checked; only what is given costs a check."""
    if isinstance(row, FullRow) and len(row) == len(speeds):
        return row
    if isinstance(row, Mapping):
        for name in row:
            if name not in speeds:
                raise InputError(f"{owner}: there is no speed {name!r}. {did_you_mean(name, list(speeds))}")
        return FullRow.of({speeds[name]: plain(f"{owner}, row", x) for name, x in row.items()}, len(speeds))
    values = list(row) if isinstance(row, Iterable) else [row]
    if len(values) != len(speeds):
        raise InputError(
            f"{owner}: the row has {len(values)} numbers, the machine has {len(speeds)} speeds "
            f"({listed(speeds)}). Give one number per speed, or a mapping from speed names to numbers."
        )
    return FullRow.of({index: plain(f"{owner}, row", x) for index, x in enumerate(values)}, len(speeds))


def plain(owner: str, x: Scalar) -> Scalar:
    """A number as a finite float; a symbol as it is."""
    if not is_number(x):
        if isinstance(x, str | bytes | Sequence) or x is None:
            raise PartError(f"{owner}: {x!r} is not a number. Give a number in SI units.")
        return x
    value = float(x)
    if value != value or value in (float("inf"), float("-inf")):
        raise PartError(f"{owner}: {value} is not a finite number. Give a finite number in SI units.")
    if abs(value) > LARGEST:
        raise PartError(f"{owner}: {value:g} is beyond {LARGEST:g}, which no machine has. Check its unit.")
    return value


def terms(row: Sequence[Scalar]) -> Terms:
    """The entries that are not structurally zero."""
    if isinstance(row, FullRow):
        return row.terms
    return tuple((index, x) for index, x in enumerate(row) if not is_zero(x))


def spread(row: Terms, size: int) -> list[Scalar]:
    """The row as one scalar per speed.

    >>> spread(((1, 2.0),), 3)
    [0.0, 2.0, 0.0]
    """
    full: list[Scalar] = [0.0] * size
    for index, factor in row:
        full[index] = factor
    return full


def along(row: Terms, x: Sequence[Scalar]) -> Scalar:
    """The product row . x, without the structural zeros."""
    total: Scalar = 0.0
    for index, factor in row:
        total = total + factor * x[index]
    return total
