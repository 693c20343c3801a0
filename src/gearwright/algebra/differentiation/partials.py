"""Slopes: the derivatives of a scalar in several directions at once, few of which are not zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from gearwright.algebra.scalar import Operations, Scalar, is_zero


class Slopes:
    """A derivative per direction, which add and scale like a vector; directions that are not named have none.

    As the second coefficient of a `Jet` or of what is `Varied` they give a whole gradient in one run.

    >>> from gearwright.algebra.differentiation.taylor_series import Jet
    >>> x, y = Jet([3.0, Slopes({"x": 1.0})]), Jet([2.0, Slopes({"y": 1.0})])
    >>> slopes = (x * x * y).c[1].by
    >>> slopes["x"], slopes["y"]
    (12.0, 9.0)
    """

    __slots__ = ("by",)
    __array_ufunc__ = None  # an array on the left leaves the operation to this class
    rank: ClassVar[int] = 4

    def __init__(self, by: Mapping[Any, Scalar]) -> None:
        self.by: dict[Any, Scalar] = {key: x for key, x in by.items() if not is_zero(x)}

    def __add__(self, other: Scalar) -> Slopes:
        """The sum; the number zero has no slopes."""
        if not isinstance(other, Slopes):
            return self
        total = dict(self.by)
        for key, x in other.by.items():
            total[key] = total[key] + x if key in total else x
        return Slopes(total)

    __radd__ = __add__

    def __neg__(self) -> Slopes:
        """The negative."""
        return Slopes({key: -x for key, x in self.by.items()})

    def __sub__(self, other: Scalar) -> Slopes:
        """The difference."""
        return self + -other

    def __rsub__(self, other: Scalar) -> Slopes:
        """The difference from other slopes, or from none."""
        return -self + other

    def __mul__(self, factor: Scalar) -> Slopes:
        """Slopes of a multiple."""
        return Slopes({key: x * factor for key, x in self.by.items()})

    __rmul__ = __mul__

    def __truediv__(self, divisor: Scalar) -> Slopes:
        """Slopes of a part."""
        return Slopes({key: x / divisor for key, x in self.by.items()})

    @staticmethod
    def chosen(ops: Operations, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        """`yes` where a condition holds, else `no`, both of them slopes or none."""
        one, other = (x.by if isinstance(x, Slopes) else {} for x in (yes, no))
        return Slopes({k: ops.where(condition, one.get(k, 0.0), other.get(k, 0.0)) for k in {**one, **other}})
