"""Numbers that move: truncated Taylor series of time as scalars.

A recursion that runs over these computes every time derivative of its result, exactly, without a formula of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def _convolved(x: Sequence[Scalar], y: Sequence[Scalar], k: int) -> Scalar:
    total: Scalar = 0.0
    for j in range(k + 1):
        if not is_zero(x[j]) and not is_zero(y[k - j]):
            total = total + x[j] * y[k - j]
    return total


class TaylorOperations:
    """Cosine and sine of series: what placing a machine needs."""

    def __init__(self, ops: Operations) -> None:
        self.ops = ops

    def cos(self, x: Taylor) -> Taylor:
        """Cosine."""
        return self._turned(x)[0]

    def sin(self, x: Taylor) -> Taylor:
        """Sine."""
        return self._turned(x)[1]

    def _turned(self, x: Taylor) -> tuple[Taylor, Taylor]:
        """Cosine and sine together, from cos' = -x' sin and sin' = x' cos."""
        rate = x.rate().c
        c, s = [self.ops.cos(x.c[0])], [self.ops.sin(x.c[0])]
        for k in range(1, len(x.c)):
            c, s = [*c, -_convolved(rate, s, k - 1) / k], [*s, _convolved(rate, c, k - 1) / k]
        return Taylor(c), Taylor(s)
