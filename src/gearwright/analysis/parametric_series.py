"""Series over time and along beams as scalars: arrays, or `Varied` ones with their slopes by parameters.

Of a beam, times run down an array and stations across it: a series is (T, 1), what varies along the beam too (T, S). Of
a drive, a series is (T,). Equations run over both; what only arrays can do (sums, picking one element) is linear, and
then holds for every slope as well. The largest value over time keeps its place for a small step of a parameter, so that
its slope is that of the value there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_arrays import columns_of, item
from gearwright.algebra.differentiation.dual_numbers import VariedOperations, linear, slopes_of, value_of, with_slopes
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array


class NumberOperations(VariedOperations):
    """The operations of numbers that may vary; a root has no slope where it is zero."""

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root."""
        return super().sqrt(x) if value_of(x) else 0.0


OF_SERIES: Operations = VariedOperations(ARRAYS)
OF_NUMBERS: Operations = NumberOperations(FLOATS)


def columns(values: Scalar) -> list[Scalar]:
    """Per column of (T, n) its series, (T, 1)."""
    return [item(x, np.s_[:, None]) for x in columns_of(values)]


def slope_of(x: Scalar, name: str) -> float:
    """The slope of a number by a parameter."""
    return float(slopes_of(x).get(name, 0.0))


def mapped(change: Callable[[Array], Any], x: Scalar, shape: tuple[int, ...]) -> Scalar:
    """A linear map of an array of a shape, and of every slope of it.

    >>> from gearwright.algebra.differentiation.dual_numbers import varied_parameters
    >>> total = mapped(np.sum, varied_parameters({"a": 3.0})["a"] * np.array([1.0, 2.0]), (2,))
    >>> float(total.c[0]), float(total.c[1].by["a"])
    (9.0, 3.0)
    """
    return linear(lambda y: change(np.broadcast_to(np.asarray(y, dtype=float), shape)), x)


def picked(x: Scalar, at: tuple[int, ...], shape: tuple[int, ...]) -> Scalar:
    """One number of an array of a shape, with its slopes."""
    return mapped(lambda values: float(values[at]), x, shape)


def largest_size(x: Scalar) -> Scalar:
    """The largest magnitude of a series (T,).

    >>> largest_size(np.array([1.0, -3.0, 2.0]))
    3.0
    """
    values = value_of(x)
    at = int(np.abs(values).argmax())
    found = picked(x, (at,), values.shape)
    return -found if values[at] < 0 else found


def largest_length(parts: Sequence[Scalar], times: int) -> Scalar:
    """The largest length of a vector over time, from its series, each (T,) or (T, 1)."""
    flat = [mapped(np.ravel, x, np.shape(value_of(x)) or (times,)) for x in parts]
    sizes = np.linalg.norm([value_of(x) for x in flat], axis=0)
    at = (int(sizes.argmax()),)
    return length_of(*(picked(x, at, (times,)) for x in flat))


def length_of(*parts: Scalar) -> Scalar:
    """The root of the sum of squares of numbers.

    >>> length_of(3.0, -4.0)
    5.0
    """
    if not any(slopes_of(x) for x in parts):
        return hypot(*parts)
    total: Scalar = 0.0
    for x in parts:
        total = total + x * x
    return OF_NUMBERS.sqrt(total)


def raised(x: Scalar, power: float) -> Scalar:
    """A number or series that is not negative, to a power of 1 and more, or a positive one to any.

    >>> from gearwright.algebra.differentiation.dual_numbers import varied_parameters
    >>> found = raised(varied_parameters({"a": 4.0})["a"], 1.5)
    >>> found.c[0], found.c[1].by["a"]
    (8.0, 3.0)
    """
    value = value_of(x)
    slopes = slopes_of(x)
    if not slopes:
        return value**power
    factor = power * value ** (power - 1)
    return with_slopes(value**power, {name: factor * slope for name, slope in slopes.items()})
