"""The definition of a scalar, and the operations in addition to + - * / that a backend must provide."""

from __future__ import annotations

from numbers import Real
from typing import Annotated, Any, Protocol, TypeAlias

Scalar: TypeAlias = Annotated[Any, "scalar"]
"""Anything that adds, subtracts, multiplies and divides."""
VectorLike: TypeAlias = Annotated[Any, "vector"]
"""Three scalars: a `Vec`, a sequence or an array."""
MatrixLike: TypeAlias = Annotated[Any, "matrix"]
"""Three rows of three scalars: a `Rot`, a `Tensor`, sequences or an array."""
OptionalVector: TypeAlias = Annotated[Any, "vector or None"]
"""A vector, or None where it follows from other parts."""
OptionalMatrix: TypeAlias = Annotated[Any, "matrix or None"]
"""A matrix, or None where it follows from other parts."""


class Operations(Protocol):
    """The whole backend table: the operations that an algorithm may use in addition to + - * /.

    Recursions use none of these; `place` uses `cos` and `sin`; configurations (quaternions) use `sqrt`, `arctan2` and
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

    def log(self, x: Scalar, /) -> Scalar:
        """Natural logarithm."""
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
        """The largest integer not above x."""
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
    """Whether `x` is a plain number, not a symbol.

    >>> is_number(2.0), is_number("2")
    (True, False)
    """
    return isinstance(x, (float, Real))  # the test for float is faster than that for the abstract class


def is_zero(x: Scalar) -> bool:
    """Whether `x` is the number zero: a structural zero, which an algorithm may skip."""
    kind = type(x)
    if kind is float or kind is int:  # the test for an abstract class takes longer than an operation
        return bool(x == 0)
    return is_number(x) and bool(x == 0)
