"""Numbers that move: truncated Taylor series of time as scalars.

A recursion that runs over these computes every time derivative of its result, exactly, without a formula of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial

from gearwright.algebra.scalar import Operations, Scalar, is_zero


class Taylor:
    """x(t) = c[0] + c[1] t + c[2] t^2 + ...; the coefficients are scalars of any kind.

    What lies beyond the last coefficient is taken for zero: derivatives up to the order that came in are exact.

    >>> x = Taylor.of_derivatives([3.0, 2.0, 4.0])      # x = 3 + 2 t + 2 t^2
    >>> (x * x).derivatives()                           # 9, 2 x x', 2 x'^2 + 2 x x''
    [9.0, 12.0, 32.0]
    """

    __slots__ = ("c",)
    __array_ufunc__ = None  # an array on the left leaves the operation to this class

    def __init__(self, c: Sequence[Scalar]) -> None:
        self.c = tuple(c)

    @staticmethod
    def of_derivatives(values: Sequence[Scalar]) -> Taylor:
        """The series with this value and these time derivatives."""
        return Taylor([x if k < 2 else x / factorial(k) for k, x in enumerate(values)])

    def derivatives(self) -> list[Scalar]:
        """The value and the time derivatives."""
        return [x if k < 2 else x * factorial(k) for k, x in enumerate(self.c)]

    def rate(self) -> Taylor:
        """The time derivative, of the same length."""
        return Taylor([*(k * x for k, x in enumerate(self.c) if k), 0.0])

    def cut(self, length: int) -> Taylor:
        """The first coefficients, filled up with zeros."""
        return Taylor([*self.c[:length], *[0.0] * (length - len(self.c))])

    def __add__(self, other: Scalar) -> Taylor:
        """The sum; a number changes the first coefficient alone."""
        if isinstance(other, Taylor):
            return Taylor([x + y for x, y in zip(self.c, other.c, strict=True)])
        return Taylor([self.c[0] + other, *self.c[1:]])

    __radd__ = __add__

    def __neg__(self) -> Taylor:
        """The negative."""
        return Taylor([-x for x in self.c])

    def __sub__(self, other: Scalar) -> Taylor:
        """The difference."""
        return self + -other

    def __rsub__(self, other: Scalar) -> Taylor:
        """The difference from a number."""
        return -self + other

    def __mul__(self, other: Scalar) -> Scalar:
        """Cauchy's product; structural zeros cost nothing."""
        if not isinstance(other, Taylor):
            return 0.0 if is_zero(other) else Taylor([x * other for x in self.c])
        return Taylor([_convolved(self.c, other.c, k) for k in range(len(self.c))])

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Taylor:
        """The quotient, coefficient by coefficient."""
        if not isinstance(other, Taylor):
            return Taylor([x / other for x in self.c])
        found: list[Scalar] = []
        for k, x in enumerate(self.c):
            known = sum((found[j] * other.c[k - j] for j in range(k)), 0.0)
            found.append((x - known) / other.c[0])
        return Taylor(found)

    def __rtruediv__(self, other: Scalar) -> Taylor:
        """A number over the series."""
        return Taylor([other, *[0.0] * (len(self.c) - 1)]) / self

    def __abs__(self) -> Taylor:
        """The absolute value of a series of plain numbers."""
        return -self if self.c[0] < 0 else self

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


def _value(x: Scalar) -> Scalar:
    return x.c[0] if isinstance(x, Taylor) else x


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

    def __init__(self, ops: Operations) -> None:
        self.ops = ops

    def cos(self, x: Scalar) -> Scalar:
        """Cosine."""
        return self._turned(x)[0] if isinstance(x, Taylor) else self.ops.cos(x)

    def sin(self, x: Scalar) -> Scalar:
        """Sine."""
        return self._turned(x)[1] if isinstance(x, Taylor) else self.ops.sin(x)

    def exp(self, x: Scalar) -> Scalar:
        """Exponential, from y' = x' y."""
        if not isinstance(x, Taylor):
            return self.ops.exp(x)
        return _grown(x, self.ops.exp(x.c[0]), lambda y: y)

    def tanh(self, x: Scalar) -> Scalar:
        """Hyperbolic tangent, from y' = x' (1 - y^2)."""
        if not isinstance(x, Taylor):
            return self.ops.tanh(x)
        return _grown(x, self.ops.tanh(x.c[0]), lambda y: 1 - y * y)

    def sqrt(self, x: Scalar) -> Scalar:
        """Square root, from y' = x' / (2 y)."""
        if not isinstance(x, Taylor):
            return self.ops.sqrt(x)
        return _grown(x, self.ops.sqrt(x.c[0]), lambda y: 0.5 / y)

    def arctan2(self, y: Scalar, x: Scalar) -> Scalar:
        """Angle of the point (x, y), whose rate is (x y' - y x') / (x^2 + y^2)."""
        if not isinstance(x, Taylor) and not isinstance(y, Taylor):
            return self.ops.arctan2(y, x)
        x, y = _same(x, y)
        rate = (x * y.rate() - y * x.rate()) / (x * x + y * y)
        rest = [rate.c[k - 1] / k for k in range(1, len(x.c))]
        return Taylor([self.ops.arctan2(y.c[0], x.c[0]), *rest])

    def absolute(self, x: Scalar) -> Scalar:
        """Absolute value."""
        return self.where(x < 0, -x, x) if isinstance(x, Taylor) else self.ops.absolute(x)

    def floor(self, x: Scalar) -> Scalar:
        """The largest whole number that is not larger: constant between its jumps."""
        if not isinstance(x, Taylor):
            return self.ops.floor(x)
        return Taylor([self.ops.floor(x.c[0]), *(0.0 for _ in x.c[1:])])

    def minimum(self, x: Scalar, y: Scalar) -> Scalar:
        """The smaller."""
        return self.where(_value(x) < _value(y), x, y)

    def maximum(self, x: Scalar, y: Scalar) -> Scalar:
        """The larger."""
        return self.where(_value(x) > _value(y), x, y)

    def where(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """`yes` where the condition holds, else `no`."""
        if not isinstance(yes, Taylor) and not isinstance(no, Taylor):
            return self.ops.where(condition, yes, no)
        both = zip(*(x.c for x in _same(yes, no)), strict=True)
        return Taylor([self.ops.where(condition, one, other) for one, other in both])

    def _turned(self, x: Taylor) -> tuple[Taylor, Taylor]:
        """Cosine and sine together, from cos' = -x' sin and sin' = x' cos."""
        rate = x.rate().c
        c, s = [self.ops.cos(x.c[0])], [self.ops.sin(x.c[0])]
        for k in range(1, len(x.c)):
            c, s = [*c, -_convolved(rate, s, k - 1) / k], [*s, _convolved(rate, c, k - 1) / k]
        return Taylor(c), Taylor(s)


def _grown(x: Taylor, first: Scalar, slope: Callable[[Taylor], Taylor]) -> Taylor:
    """The series of y with y' = x' slope(y), coefficient by coefficient."""
    rate, y = x.rate().c, [first]
    for k in range(1, len(x.c)):
        y.append(_convolved(rate, slope(Taylor(y)).c, k - 1) / k)
    return Taylor(y)


def _same(x: Scalar, y: Scalar) -> tuple[Taylor, Taylor]:
    """Two series of the same length, a plain number being a constant."""
    length = len((x if isinstance(x, Taylor) else y).c)
    a, b = (z if isinstance(z, Taylor) else Taylor([z, *[0.0] * (length - 1)]) for z in (x, y))
    return a, b
