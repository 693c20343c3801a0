"""Dual numbers: scalars with partial derivatives by parameters, also as Taylor series in time.

A scalar here is a plain number, a `Taylor` series, or a `Varied`: a value with its partial derivatives, either of which
may be a Taylor series. The functions below read derivatives and time coefficients from any of them: a plain number has
no partial derivatives and is constant in time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import factorial
from typing import Any

from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Series, Taylor, TaylorOperations
from gearwright.algebra.scalar import Scalar


class Varied(Series):
    """A value and its slopes by parameters, [value, Slopes]; both may be Taylor series.

    >>> from gearwright.algebra.differentiation.partials import Slopes
    >>> from gearwright.algebra.differentiation.taylor_series import Taylor
    >>> mass = Varied([2.0, Slopes({"mass": 1.0})])
    >>> (mass * Taylor([3.0, 4.0])).c[1].by["mass"].c   # d/dmass (mass x) = x
    (3.0, 4.0)
    """

    __slots__ = ()
    rank = 2


class VariedOperations(TaylorOperations):
    """The operations of a backend for what depends on parameters."""

    kind = Varied


def varied_parameters(values: Mapping[str, Scalar]) -> dict[str, Varied]:
    """Numbers that vary, each with a slope by itself.

    >>> (varied_parameters({"x": 3.0, "y": 2.0})["x"] * 2.0).c[1].by
    {'x': 2.0}
    """
    return {name: Varied([float(x), Slopes({name: 1.0})]) for name, x in values.items()}


def slopes_of(x: Scalar) -> dict[Any, Scalar]:
    """Slopes by parameter; none for what does not depend on any."""
    return x.c[1].by if isinstance(x, Varied) and isinstance(x.c[1], Slopes) else {}


def value_of(x: Scalar) -> Scalar:
    """What it is without its slopes."""
    return x.c[0] if isinstance(x, Varied) else x


def with_slopes(value: Scalar, slopes: Mapping[str, Scalar]) -> Scalar:
    """A value with slopes, or alone where there are none."""
    found = Slopes(slopes)
    return Varied([value, found]) if found.by else value


def linear(change: Callable[[Scalar], Scalar], x: Scalar) -> Scalar:
    """A linear change of a scalar, and of all its slopes.

    >>> found = linear(lambda x: 2 * x, Varied([3.0, Slopes({"a": 1.0})]))
    >>> found.c[0], found.c[1].by
    (6.0, {'a': 2.0})
    """
    return with_slopes(change(value_of(x)), {name: change(s) for name, s in slopes_of(x).items()})


def rate_of(x: Scalar) -> Scalar:
    """The rate of change in time, of the same length.

    >>> rate_of(Varied([Taylor([1.0, 2.0]), Slopes({"a": Taylor([0.0, 3.0])})])).c[1].by["a"].c
    (3.0, 0.0)
    """
    return linear(lambda y: y.rate() if isinstance(y, Taylor) else 0.0, x)


def cut(x: Scalar, length: int) -> Scalar:
    """The first coefficients in time, filled up with zeros."""
    return linear(lambda y: (y if isinstance(y, Taylor) else Taylor([y])).cut(length), x)


def coefficient(x: Scalar, k: int) -> Scalar:
    """One coefficient in time.

    >>> coefficient(Taylor([1.0, 2.0]), 1), coefficient(5.0, 1)
    (2.0, 0.0)
    """
    return linear(lambda y: _coefficient(y, k), x)


def _coefficient(x: Scalar, k: int) -> Scalar:
    if not isinstance(x, Taylor):
        return 0.0 if k else x
    return x.c[k] if k < len(x.c) else 0.0


def series_of(coefficients: Sequence[Scalar]) -> Scalar:
    """The series of time with these coefficients, which may have slopes.

    >>> x = series_of([1.0, Varied([2.0, Slopes({"a": 4.0})])])
    >>> x.c[0].c, x.c[1].by["a"].c
    ((1.0, 2.0), (0.0, 4.0))
    """
    slopes = [slopes_of(x) for x in coefficients]
    names = {name: None for one in slopes for name in one}
    whole = Taylor([value_of(x) for x in coefficients])
    return with_slopes(whole, {name: Taylor([one.get(name, 0.0) for one in slopes]) for name in names})


def series_of_derivatives(values: Sequence[Scalar]) -> Scalar:
    """The series of time with this value and these derivatives."""
    return series_of([x if k < 2 else x / factorial(k) for k, x in enumerate(values)])


def derivatives_of(x: Scalar, length: int) -> list[Scalar]:
    """The value and the derivatives in time."""
    found = (coefficient(x, k) for k in range(length))
    return [c if k < 2 else c * factorial(k) for k, c in enumerate(found)]


def bilinear(product: Callable[[Scalar, Scalar], Scalar], x: Scalar, y: Scalar) -> Scalar:
    """A product of two scalars that is linear in either, with the slopes of both.

    >>> found = bilinear(lambda x, y: x * y, Varied([3.0, Slopes({"a": 1.0})]), Varied([5.0, Slopes({"a": 2.0})]))
    >>> found.c[0], found.c[1].by
    (15.0, {'a': 11.0})
    """
    one, other = value_of(x), value_of(y)
    first = Slopes({name: product(s, other) for name, s in slopes_of(x).items()})
    second = Slopes({name: product(one, s) for name, s in slopes_of(y).items()})
    return with_slopes(product(one, other), (first + second).by)
