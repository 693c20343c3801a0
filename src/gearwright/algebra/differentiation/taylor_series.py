"""Numbers that move: truncated Taylor series as scalars.

A recursion that runs over these computes every derivative of its result, exactly, without a formula of its own. There
are three kinds, so that one can be taken inside the other: `Taylor`, a series of time along a motion that is known;
`Varied` (in `dual_numbers`), what depends on parameters, whose coefficients may be Taylor series; and `Jet`, a series
of one small step from where a machine is, whose coefficients may be either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any, ClassVar, Self

from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.scalar import Operations, Scalar, is_zero


class Series:
    """x(t) = c[0] + c[1] t + c[2] t^2 + ...; the coefficients are scalars of any kind.

    What lies beyond the last coefficient is taken for zero: derivatives up to the order that came in are exact. To a
    series of a higher rank one of a lower rank is a constant.
    """

    __slots__ = ("c",)
    rank: ClassVar[int] = 0
    __array_ufunc__ = None  # an array on the left leaves the operation to this class

    def __init__(self, c: Sequence[Scalar]) -> None:
        self.c = tuple(c)

    def __repr__(self) -> str:
        """The coefficients: series stand in messages that say where a machine is."""
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
        return type(self)([*(k * x for k, x in enumerate(self.c) if k), 0.0])

    def cut(self, length: int) -> Self:
        """The first coefficients, filled up with zeros."""
        return type(self)([*self.c[:length], *[0.0] * (length - len(self.c))])

    def _outranked(self, other: Scalar) -> bool:
        rank: int = getattr(other, "rank", 0)
        return rank > self.rank

    def __add__(self, other: Scalar) -> Any:
        """The sum; a number changes the first coefficient alone."""
        if type(other) is type(self):
            return type(self)([x + y for x, y in zip(self.c, other.c, strict=True)])
        if self._outranked(other):
            return NotImplemented
        return type(self)([self.c[0] + other, *self.c[1:]])

    __radd__ = __add__

    def __neg__(self) -> Self:
        """The negative."""
        return type(self)([-x for x in self.c])

    def __sub__(self, other: Scalar) -> Any:
        """The difference."""
        return self + -other

    def __rsub__(self, other: Scalar) -> Any:
        """The difference from a number."""
        return -self + other

    def __mul__(self, other: Scalar) -> Any:
        """Cauchy's product; structural zeros cost nothing."""
        if type(other) is type(self):
            return type(self)([_convolved(self.c, other.c, k) for k in range(len(self.c))])
        if self._outranked(other):
            return NotImplemented
        return 0.0 if is_zero(other) else type(self)([x * other for x in self.c])

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Any:
        """The quotient, coefficient by coefficient."""
        if self._outranked(other):
            return NotImplemented
        if type(other) is not type(self):
            return type(self)([x / other for x in self.c])
        found: list[Scalar] = []
        for k, x in enumerate(self.c):
            known = sum((found[j] * other.c[k - j] for j in range(k)), 0.0)
            found.append((x - known) / other.c[0])
        return type(self)(found)

    def __rtruediv__(self, other: Scalar) -> Any:
        """A number over the series."""
        return type(self)([other, *[0.0] * (len(self.c) - 1)]) / self

    def __pow__(self, power: int) -> Any:
        """A small whole power, as products: functions of users are written with x**2."""
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
        """Comparisons are those of the values; derivatives have no say."""
        return self.c[0] < _value(other)

    def __gt__(self, other: Scalar) -> Scalar:
        """Whether the value is larger."""
        return self.c[0] > _value(other)

    def __le__(self, other: Scalar) -> Scalar:
        """Whether the value is not larger."""
        return self.c[0] <= _value(other)

    def __ge__(self, other: Scalar) -> Scalar:
        """Whether the value is not smaller."""
        return self.c[0] >= _value(other)


class Taylor(Series):
    """A series of time along a motion that is known.

    >>> x = Taylor.of_derivatives([3.0, 2.0, 4.0])      # x = 3 + 2 t + 2 t^2
    >>> (x * x).derivatives()                           # 9, 2 x x', 2 x'^2 + 2 x x''
    [9.0, 12.0, 32.0]
    """

    __slots__ = ()
    rank = 1


class Jet(Series):
    """A series of one small step from where a machine is; its coefficients may be Taylor series, or varied.

    >>> t = Taylor([2.0, 1.0])                          # t
    >>> (t * Jet([t, 1.0])).c[1].c                      # d/dx (t x) = t, at x = t
    (2.0, 1.0)
    """

    __slots__ = ()
    rank = 3


def _value(x: Scalar) -> Scalar:
    return x.c[0] if isinstance(x, Series) else x


def _convolved(x: Sequence[Scalar], y: Sequence[Scalar], k: int) -> Scalar:
    total: Scalar = 0.0
    for j in range(k + 1):
        if not is_zero(x[j]) and not is_zero(y[k - j]):
            total = total + x[j] * y[k - j]
    return total


class TaylorOperations:
    """The operations of a backend for series over its scalars; plain numbers count as constants.

    Choices (where, absolute, minimum, maximum) follow the values: derivatives are those of the branch that is taken.

    >>> from gearwright.algebra.operations import FLOATS
    >>> x = Taylor.of_derivatives([0.5, 2.0, 0.0])
    >>> [round(c, 6) for c in TaylorOperations(FLOATS).tanh(x).derivatives()]    # w, 2 (1 - w^2), -8 w (1 - w^2)
    [0.462117, 1.572895, -2.907448]
    """

    kind: type[Series] = Taylor

    def __init__(self, ops: Operations) -> None:
        self.ops = ops

    def cos(self, x: Scalar) -> Scalar:
        """Cosine."""
        return self._turned(x)[0] if isinstance(x, self.kind) else self.ops.cos(x)

    def sin(self, x: Scalar) -> Scalar:
        """Sine."""
        return self._turned(x)[1] if isinstance(x, self.kind) else self.ops.sin(x)

    def exp(self, x: Scalar) -> Scalar:
        """Exponential, from y' = x' y."""
        if not isinstance(x, self.kind):
            return self.ops.exp(x)
        return _grown(x, self.ops.exp(x.c[0]), lambda y: y)

    def tanh(self, x: Scalar) -> Scalar:
        """Hyperbolic tangent, from y' = x' (1 - y^2)."""
        if not isinstance(x, self.kind):
            return self.ops.tanh(x)
        return _grown(x, self.ops.tanh(x.c[0]), lambda y: 1 - y * y)

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root, from y' = x' / (2 y)."""
        if not isinstance(x, self.kind):
            return self.ops.sqrt(x)
        return _grown(x, self.ops.sqrt(x.c[0]), lambda y: 0.5 / y)

    def arctan2(self, y: Scalar, x: Scalar) -> Scalar:
        """Angle of the point (x, y), whose rate is (x y' - y x') / (x^2 + y^2)."""
        if not isinstance(x, self.kind) and not isinstance(y, self.kind):
            return self.ops.arctan2(y, x)
        x, y = self._same(x, y)
        x_rate, y_rate, below = x.rate(), y.rate(), len(x.c) - 1
        a, b, a_rate, b_rate = (z.cut(below) for z in (x, y, x_rate, y_rate))  # a rate is known to one order less
        rate = (a * b_rate - b * a_rate) / (a * a + b * b)
        rest = [rate.c[k - 1] / k for k in range(1, len(x.c))]
        return self.kind([self.ops.arctan2(y.c[0], x.c[0]), *rest])

    def absolute(self, x: Scalar) -> Scalar:
        """Absolute value."""
        return self.where(x < 0, -x, x) if isinstance(x, self.kind) else self.ops.absolute(x)

    def floor(self, x: Scalar) -> Scalar:
        """The largest whole number that is not larger: constant between its jumps."""
        if not isinstance(x, self.kind):
            return self.ops.floor(x)
        return self.kind([self.ops.floor(x.c[0]), *(0.0 for _ in x.c[1:])])

    def minimum(self, x: Scalar, y: Scalar) -> Scalar:
        """The smaller."""
        return self.where(_value(x) < _value(y), x, y)

    def maximum(self, x: Scalar, y: Scalar) -> Scalar:
        """The larger."""
        return self.where(_value(x) > _value(y), x, y)

    def where(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """`yes` where the condition holds, else `no`."""
        if not isinstance(yes, self.kind) and not isinstance(no, self.kind):
            return self.ops.where(condition, yes, no)
        both = zip(*(x.c for x in self._same(yes, no)), strict=True)
        return self.kind([_chosen(self.ops, condition, one, other) for one, other in both])

    def _turned(self, x: Series) -> tuple[Series, Series]:
        """Cosine and sine together, from cos' = -x' sin and sin' = x' cos."""
        rate = x.rate().c
        c, s = [self.ops.cos(x.c[0])], [self.ops.sin(x.c[0])]
        for k in range(1, len(x.c)):
            c, s = [*c, -_convolved(rate, s, k - 1) / k], [*s, _convolved(rate, c, k - 1) / k]
        return self.kind(c), self.kind(s)

    def _same(self, x: Scalar, y: Scalar) -> tuple[Series, Series]:
        """Two series of the same length, a plain number being a constant."""
        length = len((x if isinstance(x, self.kind) else y).c)
        a, b = (z if isinstance(z, self.kind) else self.kind([z, *[0.0] * (length - 1)]) for z in (x, y))
        return a, b


class JetOperations(TaylorOperations):
    """The operations of a backend for jets over its scalars."""

    kind = Jet


def _chosen(ops: Operations, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """One coefficient or another, numbers or slopes."""
    if isinstance(yes, Slopes) or isinstance(no, Slopes):
        return Slopes.chosen(ops, condition, yes, no)
    return ops.where(condition, yes, no)


def _grown(x: Series, first: Scalar, slope: Callable[[Series], Series]) -> Series:
    """The series of y with y' = x' slope(y), coefficient by coefficient."""
    kind, rate, y = type(x), x.rate().c, [first]
    for k in range(1, len(x.c)):
        y.append(_convolved(rate, slope(kind(y)).c, k - 1) / k)
    return kind(y)
