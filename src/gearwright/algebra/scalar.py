"""What a scalar is, and the few operations beyond + - * / that a backend must bring."""

from __future__ import annotations

from numbers import Real
from typing import Any, Protocol, TypeAlias

Scalar: TypeAlias = Any
"""Anything that adds, subtracts, multiplies and divides."""


class Operations(Protocol):
    """The whole backend table: what an algorithm may use beside + - * /.

    Recursions use none of these; `place` takes `cos` and `sin`; configurations (quaternions) use `sqrt`, `arctan2` and
    `where`; force laws may use all of them.
    """

    def cos(self, x: Scalar, /) -> Scalar:
        """Cosine."""
        ...

    def sin(self, x: Scalar, /) -> Scalar:
        """Sine."""
        ...

    def sqrt(self, x: Scalar, /) -> Scalar:
        """Square root."""
        ...

    def exp(self, x: Scalar, /) -> Scalar:
        """Exponential."""
        ...

    def tanh(self, x: Scalar, /) -> Scalar:
        """Hyperbolic tangent."""
        ...

    def arctan2(self, y: Scalar, x: Scalar, /) -> Scalar:
        """Angle of the point (x, y)."""
        ...

    def absolute(self, x: Scalar, /) -> Scalar:
        """Absolute value."""
        ...

    def floor(self, x: Scalar, /) -> Scalar:
        """The largest whole number that is not larger."""
        ...

    def minimum(self, x: Scalar, y: Scalar, /) -> Scalar:
        """The smaller."""
        ...

    def maximum(self, x: Scalar, y: Scalar, /) -> Scalar:
        """The larger."""
        ...

    def where(self, condition: Scalar, yes: Scalar, no: Scalar, /) -> Scalar:
        """`yes` where the condition holds, else `no`."""
        ...


def is_number(x: Scalar) -> bool:
    """Whether `x` is one plain number, which can be checked, and not a symbol, which cannot.

    >>> is_number(2.0), is_number("2")
    (True, False)
    """
    return isinstance(x, (float, Real))  # a float is told at once, without asking the abstract class


def is_zero(x: Scalar) -> bool:
    """Whether `x` is the number zero: a structural zero, which an algorithm may skip."""
    return is_number(x) and bool(x == 0)
