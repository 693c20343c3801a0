"""Sparse partial derivatives of a scalar in several directions."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar

from gearwright.algebra.scalar import Operations, Scalar, is_zero


class Partials:
    """Partial derivatives by direction, with vector addition and scaling; missing directions are zero.

    As the second coefficient of a `Dual` they give a whole gradient in one evaluation.

    >>> from gearwright.algebra.differentiation.dual_numbers import Dual
    >>> x, y = Dual([3.0, Partials({"x": 1.0})]), Dual([2.0, Partials({"y": 1.0})])
    >>> slopes = (x * x * y).c[1].by
    >>> slopes["x"], slopes["y"]
    (12.0, 9.0)
    """

    __slots__ = ("by",)
    __array_ufunc__ = None  # an array on the left leaves the operation to this class
    rank: ClassVar[float] = inf

    def __init__(self, by: Mapping[Any, Scalar]) -> None:
        self.by: dict[Any, Scalar] = {key: x for key, x in by.items() if not is_zero(x)}

    def __add__(self, other: Scalar) -> Partials:
        """The sum; the number zero has no partials."""
        if not isinstance(other, Partials):
            return self
        total = dict(self.by)
        for key, x in other.by.items():
            total[key] = total[key] + x if key in total else x
        return Partials(total)

    __radd__ = __add__

    def __neg__(self) -> Partials:
        """The negative."""
        return Partials({key: -x for key, x in self.by.items()})

    def __sub__(self, other: Scalar) -> Partials:
        """The difference."""
        return self + -other

    def __rsub__(self, other: Scalar) -> Partials:
        """The difference from other partials, or from zero."""
        return -self + other

    def __mul__(self, factor: Scalar) -> Partials:
        """Partials of a multiple."""
        return Partials({key: x * factor for key, x in self.by.items()})

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Partials:
        """Partials of a quotient."""
        return Partials({key: x / divisor for key, x in self.by.items()})

    @staticmethod
    def select_where(ops: Operations, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """Return `yes` where a condition holds, otherwise `no`; each may be partials or zero."""
        if_true, if_false = (x.by if isinstance(x, Partials) else {} for x in (yes, no))
        return Partials(
            {k: ops.where(condition, if_true.get(k, 0.0), if_false.get(k, 0.0)) for k in {**if_true, **if_false}}
        )
