"""Dual numbers: scalars with partial derivatives by parameters, also as Taylor series in time.

A scalar here is a plain number, a `Taylor` series, or a `Dual`: a value with its partial derivatives, either of which
may be a Taylor series. The functions below read derivatives and time coefficients from any of them: a plain number has
no partial derivatives and is constant in time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import factorial
from typing import Any

from gearwright.algebra.differentiation.partials import Partials
from gearwright.algebra.differentiation.taylor_series import PowerSeries, Taylor, TaylorOperations
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.algebra.scalar import Operations, Scalar


class Dual(PowerSeries):
    """A dual number: a value and its partial derivatives by parameters, [value, Partials]; both may be Taylor series.

    >>> from gearwright.algebra.differentiation.partials import Partials
    >>> from gearwright.algebra.differentiation.taylor_series import Taylor
    >>> mass = Dual([2.0, Partials({"mass": 1.0})])
    >>> (mass * Taylor([3.0, 4.0])).c[1].by["mass"].c   # d/dmass (mass x) = x
    (3.0, 4.0)
    """

    __slots__ = ()
    first_rank = 2


class DualOperations(TaylorOperations):
    """The operations of a backend for dual numbers."""

    kind = Dual

    def with_partials(self, x: Scalar, slopes: Mapping[Any, Scalar]) -> Scalar:
        """A scalar with partial derivatives, or the scalar itself if all of them are zero."""
        partials = Partials(slopes)
        return self.series([x, partials]) if partials.by else x

    def partials_of(self, x: Scalar) -> dict[Any, Scalar]:
        """The partial derivatives of this rank; empty for constants."""
        partials = self.coefficient(x, 1)
        return partials.by if isinstance(partials, Partials) else {}


DUAL_FLOATS: Operations = DualOperations(FLOATS)
DUAL_ARRAYS: Operations = DualOperations(ARRAYS)
"""The operations of numbers, and of arrays, with or without derivatives by parameters."""


def dual_parameters(values: Mapping[str, Scalar]) -> dict[str, Dual]:
    """Return parameters as dual numbers, each with unit derivative by itself.

    >>> (dual_parameters({"x": 3.0, "y": 2.0})["x"] * 2.0).c[1].by
    {'x': 2.0}
    """
    return {name: Dual([float(x), Partials({name: 1.0})]) for name, x in values.items()}


def partials_of(x: Scalar) -> dict[Any, Scalar]:
    """Return the partial derivatives by parameter; empty for constants."""
    return x.c[1].by if isinstance(x, Dual) and isinstance(x.c[1], Partials) else {}


def primal_value(x: Scalar) -> Scalar:
    """Return the value without partial derivatives."""
    return x.c[0] if isinstance(x, Dual) else x


def dual(value: Scalar, slopes: Mapping[str, Scalar]) -> Scalar:
    """Return a value with partial derivatives as a dual number, or the value alone without any."""
    if not slopes:
        return value
    nonzero_partials = Partials(slopes)
    return Dual([value, nonzero_partials]) if nonzero_partials.by else value


def map_linear(change: Callable[[Scalar], Scalar], x: Scalar) -> Scalar:
    """Apply a linear map to a scalar and all its partial derivatives.

    >>> found = map_linear(lambda x: 2 * x, Dual([3.0, Partials({"a": 1.0})]))
    >>> found.c[0], found.c[1].by
    (6.0, {'a': 2.0})
    """
    if not isinstance(x, Dual):
        return change(x)
    return dual(change(primal_value(x)), {name: change(s) for name, s in partials_of(x).items()})


def time_derivative(x: Scalar) -> Scalar:
    """Return the time derivative, with the same number of coefficients.

    >>> time_derivative(Dual([Taylor([1.0, 2.0]), Partials({"a": Taylor([0.0, 3.0])})])).c[1].by["a"].c
    (3.0, 0.0)
    """
    return map_linear(lambda y: y.rate() if isinstance(y, Taylor) else 0.0, x)


def truncated_series(x: Scalar, length: int) -> Scalar:
    """Return the first coefficients in time, padded with zeros."""
    return map_linear(lambda y: (y if isinstance(y, Taylor) else Taylor([y])).truncated_to(length), x)


def time_coefficient(x: Scalar, k: int) -> Scalar:
    """Return one coefficient in time.

    >>> time_coefficient(Taylor([1.0, 2.0]), 1), time_coefficient(5.0, 1)
    (2.0, 0.0)
    """
    return map_linear(lambda y: _taylor_coefficient(y, k), x)


def _taylor_coefficient(x: Scalar, k: int) -> Scalar:
    if not isinstance(x, Taylor):
        return 0.0 if k else x
    return x.c[k] if k < len(x.c) else 0.0


def series_from_coefficients(coefficients: Sequence[Scalar]) -> Scalar:
    """Return the series of time with these coefficients, which may be dual numbers.

    >>> x = series_from_coefficients([1.0, Dual([2.0, Partials({"a": 4.0})])])
    >>> x.c[0].c, x.c[1].by["a"].c
    ((1.0, 2.0), (0.0, 4.0))
    """
    slopes = [partials_of(x) for x in coefficients]
    names = {name: None for partial_map in slopes for name in partial_map}
    whole = Taylor([primal_value(x) for x in coefficients])
    return dual(whole, {name: Taylor([partial_map.get(name, 0.0) for partial_map in slopes]) for name in names})


def series_from_derivatives(values: Sequence[Scalar]) -> Scalar:
    """Return the series of time with this value and these derivatives."""
    return series_from_coefficients([x if k < 2 else x / factorial(k) for k, x in enumerate(values)])


def time_derivatives(x: Scalar, length: int) -> list[Scalar]:
    """Return the value and the time derivatives."""
    coefficients = (time_coefficient(x, k) for k in range(length))
    return [c if k < 2 else c * factorial(k) for k, c in enumerate(coefficients)]


def map_bilinear(product: Callable[[Scalar, Scalar], Scalar], x: Scalar, y: Scalar) -> Scalar:
    """Return a bilinear product of two scalars with the partial derivatives of both.

    >>> found = map_bilinear(lambda x, y: x * y, Dual([3.0, Partials({"a": 1.0})]), Dual([5.0, Partials({"a": 2.0})]))
    >>> found.c[0], found.c[1].by
    (15.0, {'a': 11.0})
    """
    if not isinstance(x, Dual) and not isinstance(y, Dual):
        return product(x, y)
    left_value, right_value = primal_value(x), primal_value(y)
    first = Partials({name: product(s, right_value) for name, s in partials_of(x).items()})
    second = Partials({name: product(left_value, s) for name, s in partials_of(y).items()})
    return dual(product(left_value, right_value), (first + second).by)
