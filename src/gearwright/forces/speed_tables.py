"""Tables over speed: linear interpolation, constant extrapolation."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from gearwright.algebra import Operations, Scalar
from gearwright.arguments import number_array
from gearwright.errors import InputError

SpeedTable: TypeAlias = tuple[tuple[float, float], ...]
"""(x, y) with rising x."""


def interpolate_table(points: SpeedTable, x: Scalar, ops: Operations) -> Scalar:
    """The interpolated value at x for scalars of any kind: the first value plus the rise of every segment up to x.

    >>> from gearwright.algebra import FLOATS
    >>> [interpolate_table(((0.0, 0.5), (10.0, 0.3)), x, FLOATS) for x in (-1.0, 5.0, 99.0)]
    [0.5, 0.4, 0.3]
    """
    total: Scalar = points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        total = total + (y1 - y0) / (x1 - x0) * (ops.minimum(ops.maximum(x, x0), x1) - x0)
    return total


def checked_table(owner: str, points: Sequence[tuple[float, float]]) -> SpeedTable:
    """The points as a table; an error if there are none or their x do not rise."""
    table = number_array(owner, "points", points)
    if table.ndim != 2 or table.shape[1] != 2 or not len(table) or (table[1:, 0] <= table[:-1, 0]).any():
        raise InputError(f"{owner}: {points!r} is not a table. Give (speed, value) pairs with rising speeds.")
    return tuple((x, y) for x, y in table.tolist())
