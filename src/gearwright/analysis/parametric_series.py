"""Series over time and along beams as scalars: arrays, or dual numbers with derivatives by parameters.

For a beam, rows are times and columns are stations: a series is (T, 1), a quantity along the beam (T, S). For a drive,
a series is (T,). Equations run over both. Array operations (sums, selection of an element) are linear and apply to
every derivative as well. The time of a maximum does not change for a small step of a parameter; its derivative is
that of the value at this time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import hypot
from typing import Any

import numpy as np

from gearwright.algebra import ARRAYS, FLOATS, Operations, Scalar
from gearwright.algebra.differentiation.dual_arrays import array_columns, array_item
from gearwright.algebra.differentiation.dual_numbers import DualOperations, dual, map_linear, partials_of, primal_value
from gearwright.arrays import Array


class NumberOperations(DualOperations):
    """Operations of plain and dual numbers; the derivative of a square root at zero is zero."""

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root."""
        return super().sqrt(x) if primal_value(x) else 0.0


SERIES_OPERATIONS: Operations = DualOperations(ARRAYS)
NUMBER_OPERATIONS: Operations = NumberOperations(FLOATS)


def column_series(values: Scalar) -> list[Scalar]:
    """The columns of (T, n) as series, (T, 1) each."""
    return [array_item(x, np.s_[:, None]) for x in array_columns(values)]


def partial_by(x: Scalar, name: str) -> float:
    """The derivative of a number by a parameter."""
    return float(partials_of(x).get(name, 0.0))


def map_series(change: Callable[[Array], Any], x: Scalar, shape: tuple[int, ...]) -> Scalar:
    """A linear map of an array of a shape, and of each of its derivatives.

    >>> from gearwright.algebra.differentiation.dual_numbers import dual_parameters
    >>> total = map_series(np.sum, dual_parameters({"a": 3.0})["a"] * np.array([1.0, 2.0]), (2,))
    >>> float(total.c[0]), float(total.c[1].by["a"])
    (9.0, 3.0)
    """
    return map_linear(lambda y: change(np.broadcast_to(np.asarray(y, dtype=float), shape)), x)


def series_element(x: Scalar, index: tuple[int, ...], shape: tuple[int, ...]) -> Scalar:
    """One element of an array of a shape, with its derivatives."""
    return map_series(lambda values: float(values[index]), x, shape)


def peak_magnitude(values: Scalar) -> Scalar:
    """The largest magnitude of a series (..., T), with the derivatives at its time.

    >>> peak_magnitude(np.array([1.0, -3.0, 2.0]))
    3.0
    """
    x = np.asarray(primal_value(values))
    if not partials_of(values):
        return plain_number(np.maximum(x.max(axis=-1), -x.min(axis=-1)))
    at = np.expand_dims(np.abs(x).argmax(axis=-1), -1)
    sign = np.where(np.take_along_axis(x, at, -1) < 0, -1.0, 1.0)
    return map_linear(
        lambda y: plain_number((sign * np.take_along_axis(np.broadcast_to(y, x.shape), at, -1))[..., 0]), values
    )


def peak_norm(parts: Sequence[Scalar], times: int) -> Scalar:
    """The largest length of a vector over time, from its series, each (T,) or (T, 1)."""
    flat = [map_series(np.ravel, x, np.shape(primal_value(x)) or (times,)) for x in parts]
    sizes = np.linalg.norm([primal_value(x) for x in flat], axis=0)
    at = (int(sizes.argmax()),)
    return norm_of(*(series_element(x, at, (times,)) for x in flat))


def norm_of(*parts: Scalar) -> Scalar:
    """The root of the sum of squares of numbers.

    >>> norm_of(3.0, -4.0)
    5.0
    """
    if not any(partials_of(x) for x in parts):
        return hypot(*parts)
    total: Scalar = 0.0
    for x in parts:
        total = total + x * x
    return NUMBER_OPERATIONS.sqrt(total)


def plain_number(values: Array) -> Any:
    """An array without axes as a float; other arrays unchanged."""
    return float(values) if np.ndim(values) == 0 else values


def to_power(x: Scalar, exponent: Scalar) -> Scalar:
    """The power of non-negative numbers or series; derivatives at zero are zero.

    >>> from gearwright.algebra.differentiation.dual_numbers import dual_parameters
    >>> found = to_power(dual_parameters({"a": 4.0})["a"], 1.5)
    >>> float(found.c[0]), float(found.c[1].by["a"])
    (8.0, 3.0)
    """
    value = primal_value(x)
    slopes = partials_of(x)
    if not slopes:  # cubes, the usual case, without logarithms
        return value * value * value if np.all(exponent == 3.0) else value**exponent
    factor = np.where(value > 0, exponent * np.where(value > 0, value, 1.0) ** (exponent - 1), 0.0)
    return dual(value**exponent, {name: factor * slope for name, slope in slopes.items()})
