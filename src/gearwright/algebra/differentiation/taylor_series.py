"""Truncated Taylor series as scalars.

A recursion evaluated with them computes all derivatives of its result exactly, without further formulas. There are
two types: `Taylor`, a series of time along a known motion, and `Dual` (in `dual_numbers`), a dual number for
parameters, whose coefficients may be Taylor series. Both can be nested in themselves and in each other: the derivatives
by a displacement from a configuration are numbers of a higher rank, whose coefficients are series and dual numbers. A
rank is one independent differentiation; two of one rank are never confused with two of different ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any, ClassVar, Self

import numpy as np

from gearwright.algebra.differentiation.partials import Partials
from gearwright.algebra.scalar import Operations, Scalar, is_zero
from gearwright.arrays import Array

RANKS_PER_LEVEL = 2
"""Ranks of one level of nesting: that of a series, and above it that of dual numbers."""


class PowerSeries:
    """x(t) = c[0] + c[1] t + c[2] t^2 + ...; the coefficients are of any scalar type.

    Coefficients beyond the last are zero: derivatives up to the order of the input are exact. A series of lower rank is
    a constant for a series of higher rank.

    Args:
        c: the coefficients.
        rank: the rank of its variable; None: that of time, or of parameters for dual numbers.
    """

    __slots__ = ("c", "rank")
    first_rank: ClassVar[int] = 0
    __array_ufunc__ = None  # an array on the left leaves the operation to this class

    def __init__(self, c: Sequence[Scalar] | Array, rank: int | None = None) -> None:
        self.c: Any = c if isinstance(c, np.ndarray) else self._stored(c)
        self.rank = self.first_rank if rank is None else rank

    @staticmethod
    def _stored(c: Sequence[Scalar]) -> Any:
        """Return the coefficients as they are kept."""
        return tuple(c)

    def __repr__(self) -> str:
        """The coefficients, for messages with the state of a machine."""
        return f"{type(self).__name__}({', '.join(map(repr, self.c))})"

    @classmethod
    def of_derivatives(cls, values: Sequence[Scalar]) -> Self:
        """The series with this value and these derivatives."""
        return cls([x if k < 2 else x / factorial(k) for k, x in enumerate(values)])

    def derivatives(self) -> list[Scalar]:
        """The value and the derivatives."""
        return [x if k < 2 else x * factorial(k) for k, x in enumerate(self.c)]

    def rate(self) -> Self:
        """The derivative, of the same length."""
        if isinstance(self.c, np.ndarray):
            rate = np.zeros_like(self.c)
            np.multiply(self.c[1:].T, np.arange(1.0, len(self.c)), out=rate[:-1].T)
            return type(self)(rate, self.rank)
        return type(self)([*(k * x for k, x in enumerate(self.c) if k), 0.0], self.rank)

    def truncated_to(self, length: int) -> Self:
        """Return the first coefficients, padded with zeros."""
        if len(self.c) == length:
            return self
        return type(self)([*self.c[:length], *[0.0] * (length - len(self.c))], self.rank)

    def _is_outranked_by(self, other: Scalar) -> bool:
        rank: float = getattr(other, "rank", 0)
        return rank > self.rank

    def _is_like(self, other: Scalar) -> bool:
        """Whether another scalar is a series in the same variable."""
        return isinstance(other, PowerSeries) and other.rank == self.rank

    def _value_of(self, other: Scalar) -> Scalar:
        return other.c[0] if self._is_like(other) else other

    def __add__(self, other: Scalar) -> Any:
        """The sum; a number changes the first coefficient only."""
        if self._is_like(other):
            if _are_alike(self.c, other.c):
                return type(self)(self.c + other.c, self.rank)
            return type(self)([x + y for x, y in zip(self.c, other.c, strict=True)], self.rank)
        if self._is_outranked_by(other):  # Python does not reflect operands of one type itself
            return other.__radd__(self)
        if isinstance(self.c, np.ndarray) and np.shape(other) in ((), self.c.shape[1:]):
            total = self.c.copy()
            total[0] += other
            return type(self)(total, self.rank)
        return type(self)([self.c[0] + other, *self.c[1:]], self.rank)

    __radd__ = __add__

    def __neg__(self) -> Self:
        """The negative."""
        return type(self)(-self.c if isinstance(self.c, np.ndarray) else [-x for x in self.c], self.rank)

    def __sub__(self, other: Scalar) -> Any:
        """The difference."""
        if self._is_like(other) and _are_alike(self.c, other.c):
            return type(self)(self.c - other.c, self.rank)
        return self + -other

    def __rsub__(self, other: Scalar) -> Any:
        """The difference from a number."""
        return -self + other

    def __mul__(self, other: Scalar) -> Any:
        """The Cauchy product, without structural zeros."""
        if self._is_like(other):
            if _are_alike(self.c, other.c):
                return type(self)(_cauchy_product(self.c, other.c), self.rank)
            return type(self)([_cauchy_coefficient(self.c, other.c, k) for k in range(len(self.c))], self.rank)
        if self._is_outranked_by(other):  # Python does not reflect operands of one type itself
            return other.__rmul__(self)
        if is_zero(other):
            return 0.0
        if isinstance(self.c, np.ndarray) and np.shape(other) in ((), self.c.shape[1:]):
            return type(self)(self.c * other, self.rank)
        return type(self)([x * other for x in self.c], self.rank)

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Any:
        """The quotient, coefficient by coefficient."""
        if self._is_outranked_by(other):  # Python does not reflect operands of one type itself
            return other.__rtruediv__(self)
        if not self._is_like(other):
            return type(self)([x / other for x in self.c], self.rank)
        quotient: list[Scalar] = []
        for k, x in enumerate(self.c):
            convolution = sum((quotient[j] * other.c[k - j] for j in range(k)), 0.0)
            quotient.append((x - convolution) / other.c[0])
        return type(self)(quotient, self.rank)

    def __rtruediv__(self, other: Scalar) -> Any:
        """A number divided by the series."""
        return type(self)([other, *[0.0] * (len(self.c) - 1)], self.rank) / self

    def __pow__(self, power: int) -> Any:
        """A small integer power by products, for user functions with x**2."""
        if not isinstance(power, int) or power < 1:
            return NotImplemented
        result: Scalar = self
        for _ in range(power - 1):
            result = result * self
        return result

    def __abs__(self) -> Self:
        """The absolute value of a series of numbers or arrays."""
        return self * (1.0 - 2.0 * (self.c[0] < 0))

    def __lt__(self, other: Scalar) -> Scalar:
        """Whether the value is smaller; comparisons ignore derivatives."""
        return self.c[0] < self._value_of(other)

    def __gt__(self, other: Scalar) -> Scalar:
        """Whether the value is larger."""
        return self.c[0] > self._value_of(other)

    def __le__(self, other: Scalar) -> Scalar:
        """Whether the value is not larger."""
        return self.c[0] <= self._value_of(other)

    def __ge__(self, other: Scalar) -> Scalar:
        """Whether the value is not smaller."""
        return self.c[0] >= self._value_of(other)


class Taylor(PowerSeries):
    """A series of time along a known motion.

    >>> x = Taylor.of_derivatives([3.0, 2.0, 4.0])      # x = 3 + 2 t + 2 t^2
    >>> (x * x).derivatives()                           # 9, 2 x x', 2 x'^2 + 2 x x''
    [9.0, 12.0, 32.0]
    """

    __slots__ = ()
    first_rank = 1

    @staticmethod
    def _stored(c: Sequence[Scalar]) -> Any:
        """Return one array with a row per power for numbers and arrays over samples; other coefficients stay."""
        return _coefficient_rows(c)


def _coefficient_rows(c: Sequence[Scalar]) -> Any:
    """Return coefficients as one array with a row per power where they are numbers and arrays, else as they are."""
    rows = tuple(c)
    shapes = [x.shape for x in rows if isinstance(x, np.ndarray) and x.dtype == np.float64]
    if not shapes or not all(isinstance(x, (float, int, np.ndarray)) for x in rows):
        return rows
    largest = max(shapes, key=len)
    if any(shape not in ((), largest) for shape in shapes):
        return rows
    packed = np.empty((len(rows), *largest))
    for k, x in enumerate(rows):
        packed[k] = x
    return packed


def _are_alike(x: Any, y: Any) -> bool:
    """Whether the coefficients of two series are arrays of one shape."""
    return isinstance(x, np.ndarray) and isinstance(y, np.ndarray) and x.shape == y.shape


def _cauchy_product(x: Array, y: Array) -> Array:
    """Return the coefficients of a product of series from arrays (length, ...)."""
    product: Array = x[0] * y
    for k in range(1, len(x)):
        product[k:] += x[k] * y[: len(y) - k]
    return product


def _cauchy_coefficient(x: Sequence[Scalar], y: Sequence[Scalar], k: int) -> Scalar:
    total: Scalar = 0.0
    for j in range(k + 1):
        if not is_zero(x[j]) and not is_zero(y[k - j]):
            total = total + x[j] * y[k - j]
    return total


class TaylorOperations:
    """The operations of a backend for series over its scalars; plain numbers are constants.

    Choices (where, absolute, minimum, maximum) follow the values: derivatives are those of the branch that is taken.
    Where two values are equal, absolute, minimum and maximum take the branch that holds next, by the derivatives.

    >>> from gearwright.algebra.operations import FLOATS
    >>> x = Taylor.of_derivatives([0.5, 2.0, 0.0])
    >>> [round(c, 6) for c in TaylorOperations(FLOATS).tanh(x).derivatives()]    # w, 2 (1 - w^2), -8 w (1 - w^2)
    [0.462117, 1.572895, -2.907448]
    """

    kind: type[PowerSeries] = Taylor

    def __init__(self, ops: Operations, rank: int | None = None) -> None:
        self.ops = ops
        self.rank = self.kind.first_rank if rank is None else rank

    @classmethod
    def for_displacement(cls, ops: Operations) -> Self:
        """The operations for a displacement: one rank above those of the scalars, of time and of parameters."""
        rank, below = cls.kind.first_rank + RANKS_PER_LEVEL, getattr(ops, "rank", 0)
        while rank <= below:
            rank += RANKS_PER_LEVEL
        return cls(ops, rank)

    def series(self, coefficients: Sequence[Scalar]) -> PowerSeries:
        """The series with these coefficients."""
        return self.kind(coefficients, self.rank)

    def coefficient(self, x: Scalar, k: int) -> Scalar:
        """A coefficient of a series of this rank; any other scalar is a constant."""
        if self._is_series(x):
            return x.c[k]
        return 0.0 if k else x

    def _is_series(self, x: Scalar) -> bool:
        return isinstance(x, PowerSeries) and x.rank == self.rank

    def cos(self, x: Scalar) -> Scalar:
        """Cosine."""
        return self._cos_sin(x)[0] if self._is_series(x) else self.ops.cos(x)

    def sin(self, x: Scalar) -> Scalar:
        """Sine."""
        return self._cos_sin(x)[1] if self._is_series(x) else self.ops.sin(x)

    def exp(self, x: Scalar) -> Scalar:
        """Exponential, from y' = x' y."""
        if not self._is_series(x):
            return self.ops.exp(x)
        return _integrated_series(x, self.ops.exp(x.c[0]), lambda y: y)

    def log(self, x: Scalar) -> Scalar:
        """Natural logarithm, from y' = x' / x."""
        if not self._is_series(x):
            return self.ops.log(x)
        below = len(x.c) - 1
        rate = x.rate().truncated_to(below) / x.truncated_to(below)
        return self.series([self.ops.log(x.c[0]), *(rate.c[k] / (k + 1) for k in range(below))])

    def tanh(self, x: Scalar) -> Scalar:
        """Hyperbolic tangent, from y' = x' (1 - y^2)."""
        if not self._is_series(x):
            return self.ops.tanh(x)
        return _integrated_series(x, self.ops.tanh(x.c[0]), lambda y: 1 - y * y)

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root, from y' = x' / (2 y)."""
        if not self._is_series(x):
            return self.ops.sqrt(x)
        return _integrated_series(x, self.ops.sqrt(x.c[0]), lambda y: 0.5 / y)

    def arctan2(self, y: Scalar, x: Scalar) -> Scalar:
        """Angle of the point (x, y), whose rate is (x y' - y x') / (x^2 + y^2)."""
        if not self._is_series(x) and not self._is_series(y):
            return self.ops.arctan2(y, x)
        x, y = self._equal_length(x, y)
        x_rate, y_rate, below = x.rate(), y.rate(), len(x.c) - 1
        a, b, a_rate, b_rate = (
            z.truncated_to(below) for z in (x, y, x_rate, y_rate)
        )  # the order of a rate is lower by one
        rate = (a * b_rate - b * a_rate) / (a * a + b * b)
        coefficients = [rate.c[k - 1] / k for k in range(1, len(x.c))]
        return self.series([self.ops.arctan2(y.c[0], x.c[0]), *coefficients])

    def absolute(self, x: Scalar) -> Scalar:
        """Absolute value."""
        return self.maximum(x, -x) if self._is_series(x) else self.ops.absolute(x)

    def floor(self, x: Scalar) -> Scalar:
        """The largest integer not above x, piecewise constant."""
        if not self._is_series(x):
            return self.ops.floor(x)
        return self.series([self.ops.floor(x.c[0]), *(0.0 for _ in x.c[1:])])

    def minimum(self, x: Scalar, y: Scalar) -> Scalar:
        """The smaller."""
        return self.where(self.exceeds(y, x), x, y)

    def maximum(self, x: Scalar, y: Scalar) -> Scalar:
        """The larger."""
        return self.where(self.exceeds(x, y), x, y)

    def where(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """`yes` where the condition holds, else `no`."""
        if not self._is_series(yes) and not self._is_series(no):
            return self.ops.where(condition, yes, no)
        both = zip(*(x.c for x in self._equal_length(yes, no)), strict=True)
        return self.series([_select_coefficient(self.ops, condition, if_true, if_false) for if_true, if_false in both])

    def exceeds(self, x: Scalar, y: Scalar) -> Scalar:
        """Whether x is larger than y: in time from here on, by the first coefficients that differ; otherwise by value.

        Partial derivatives and displacements have no order.
        """
        if not self._is_series(x) and not self._is_series(y):
            return self.ops.exceeds(x, y) if isinstance(self.ops, TaylorOperations) else x > y
        if self.rank != Taylor.first_rank:
            return self.exceeds(self.coefficient(x, 0), self.coefficient(y, 0))
        decided: Scalar = -1.0
        for a, b in reversed(list(zip(*(z.c for z in self._equal_length(x, y)), strict=True))):
            decided = self.ops.where(a > b, 1.0, self.ops.where(b > a, -1.0, decided))
        return decided > 0.0

    def _cos_sin(self, x: PowerSeries) -> tuple[PowerSeries, PowerSeries]:
        """Return cosine and sine, from cos' = -x' sin and sin' = x' cos."""
        rate = x.rate().c
        c, s = [self.ops.cos(x.c[0])], [self.ops.sin(x.c[0])]
        for k in range(1, len(x.c)):
            c, s = [*c, -_cauchy_coefficient(rate, s, k - 1) / k], [*s, _cauchy_coefficient(rate, c, k - 1) / k]
        return self.series(c), self.series(s)

    def _equal_length(self, x: Scalar, y: Scalar) -> tuple[PowerSeries, PowerSeries]:
        """Return two series of the same length; a plain number is a constant."""
        length = len((x if self._is_series(x) else y).c)
        a, b = (z if self._is_series(z) else self.series([z, *[0.0] * (length - 1)]) for z in (x, y))
        return a, b


def _select_coefficient(ops: Operations, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """Return one of two coefficients, numbers or partials."""
    if isinstance(yes, Partials) or isinstance(no, Partials):
        return Partials.select_where(ops, condition, yes, no)
    return ops.where(condition, yes, no)


def _integrated_series(x: PowerSeries, first: Scalar, slope: Callable[[PowerSeries], PowerSeries]) -> PowerSeries:
    """Return the series of y with y' = x' slope(y), coefficient by coefficient."""
    kind, rank, rate, y = type(x), x.rank, x.rate().c, [first]
    for k in range(1, len(x.c)):
        y.append(_cauchy_coefficient(rate, slope(kind(y, rank)).c, k - 1) / k)
    return kind(y, rank)
