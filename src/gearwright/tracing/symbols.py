"""Recorded symbols: scalars over CasADi SX that remember the order in which they were made.

The order matters: machine code runs fastest when it computes in the order in which the recursion was written, while
CasADi alone sorts by the outputs. So every intermediate is kept on a tape, and the tape is walked first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.slopes import Slopes
from gearwright.algebra.taylor import Series
from gearwright.errors import NotTraceableError
from gearwright.tracing.drawing import Drawn, applied

UFUNCS: dict[str, Callable[..., Scalar]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "negative": operator.neg,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}
"""What a NumPy number to the left of a symbol asks for."""


OVER_SYMBOLS = (Series, Slopes)
"""Scalars whose coefficients may be symbols: an operation with one of these is left to it."""


class Symbol:
    """A scalar expression on a tape; a result that turns out to be a number is returned as a float."""

    __slots__ = ("sx", "tape")

    def __init__(self, sx: Any, tape: list[Any]) -> None:
        self.sx, self.tape = sx, tape

    def made(self, sx: Any) -> Scalar:
        """A new expression on the same tape, or a float."""
        if sx.is_constant():
            return float(sx)
        self.tape.append(sx)
        return Symbol(sx, self.tape)

    def __repr__(self) -> str:
        return f"Symbol({self.sx})"

    def __bool__(self) -> NoReturn:
        raise NotTraceableError(
            "it is written with `if`, `and`, `or`, `min` or `max` on its numbers. Choose with ops.where, ops.minimum "
            "and ops.maximum instead."
        )

    def __eq__(self, other: object) -> NoReturn:
        raise NotTraceableError(
            "it asks with == whether two numbers are equal. Compare with < or <= in ops.where instead."
        )

    __hash__ = object.__hash__

    def _needs_a_number(self, *_: object) -> NoReturn:
        raise NotTraceableError(
            "it needs a plain number, as functions of `math` do. Use the functions of situation.ops instead."
        )

    __array__ = __float__ = __int__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = _needs_a_number
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __rpow__ = _needs_a_number

    def __array_ufunc__(self, function: Any, method: str, *given: Any, **_: Any) -> Scalar:
        """A NumPy number to the left leaves the operation to the symbol; NumPy's functions do not know symbols."""
        found = UFUNCS.get(function.__name__)
        if found is None or method != "__call__" or any(getattr(x, "ndim", 0) for x in given):
            raise NotTraceableError(
                f"it calls NumPy's {function.__name__}. Use the functions of situation.ops instead."
            )
        return found(*(x if isinstance(x, Symbol) else float(x) for x in given))

    def __add__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.made(self.sx + other.sx)
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        return self if other == 0 else self.made(self.sx + float(other))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.made(self.sx - other.sx)
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        return self if other == 0 else self.made(self.sx - float(other))

    def __rsub__(self, other: Scalar) -> Scalar:
        return -self if other == 0 else self.made(float(other) - self.sx)

    def __mul__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.made(self.sx * other.sx)
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        if other == 0:
            return 0.0
        return self if other == 1 else self.made(self.sx * float(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        return self.made(self.sx / plain(other))

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return self.made(float(other) / self.sx) if other else 0.0

    def __pow__(self, power: int) -> Scalar:
        """A small whole power, as products: laws of users are written with x**2."""
        if not isinstance(power, int) or power < 1:
            raise NotTraceableError(f"it takes the power {power!r} of a number. Use ops.sqrt or ops.exp instead.")
        result: Scalar = self
        for _ in range(power - 1):
            result = result * self
        return result

    def __neg__(self) -> Scalar:
        return self.made(-self.sx)

    def __abs__(self) -> Scalar:
        return operations().absolute(self)

    def __lt__(self, other: Scalar) -> Scalar:
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(self.sx < plain(other))

    def __le__(self, other: Scalar) -> Scalar:
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(self.sx <= plain(other))

    def __gt__(self, other: Scalar) -> Scalar:
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(plain(other) < self.sx)

    def __ge__(self, other: Scalar) -> Scalar:
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(plain(other) <= self.sx)


def symbols(name: str, count: int) -> list[Scalar]:
    """So many new symbols."""
    import casadi as ca

    vector, tape = ca.SX.sym(name, count), []  # type: tuple[Any, list[Any]]
    return [Symbol(vector[k], tape) for k in range(count)]


def distinct(values: Sequence[Scalar]) -> list[Scalar]:
    """Symbols without those that are written like one before; numbers are left out."""
    import casadi as ca

    found: list[Symbol] = []
    for one in values:
        if isinstance(one, Symbol) and not any(_alike(one.sx, other.sx, ca.is_equal) for other in found):
            found.append(one)
    return list(found)


def _alike(x: Any, y: Any, is_equal: Callable[[Any, Any, int], bool]) -> bool:
    """Whether two expressions are written alike, up to some depth."""
    return bool(x.index == y.index) if isinstance(x, Drawn) else is_equal(x, y, 50)


def depend_on(values: Sequence[Scalar], given: Sequence[Scalar]) -> bool:
    """Whether any of some values depends on any of some symbols."""
    import casadi as ca

    if not values or not given:
        return False
    return bool(ca.depends_on(ca.vertcat(*map(plain, values)), ca.vertcat(*map(plain, given))))


def plain(x: Scalar) -> Any:
    """The expression that the symbol stands for, or the number as it is."""
    return x.sx if isinstance(x, Symbol) else float(x)


def recorded(function: Any, number: Any) -> Any:
    """A CasADi function of one or more scalars as one of symbols; numbers alone are computed at once."""

    def apply(*args: Scalar) -> Scalar:
        first = next((x for x in args if isinstance(x, Symbol)), None)
        return number(*args) if first is None else first.made(applied(function, [plain(x) for x in args]))

    return staticmethod(apply)


@cache
def operations() -> Operations:
    """The operations table for symbols; imports CasADi at the first call."""
    import casadi as ca

    class Recorded:
        cos, sin = recorded(ca.cos, math.cos), recorded(ca.sin, math.sin)
        sqrt, exp, tanh = recorded(ca.sqrt, math.sqrt), recorded(ca.exp, math.exp), recorded(ca.tanh, math.tanh)
        arctan2, absolute = recorded(ca.atan2, math.atan2), recorded(ca.fabs, abs)
        floor = recorded(ca.floor, math.floor)
        minimum, maximum = recorded(ca.fmin, min), recorded(ca.fmax, max)
        where = recorded(ca.if_else, lambda condition, yes, no: yes if condition else no)

    table: Any = Recorded
    return table
