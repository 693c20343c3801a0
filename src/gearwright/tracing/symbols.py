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
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Series
from gearwright.errors import NotTraceableError
from gearwright.tracing.expressions import applied, combined, without_repetitions

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
            return self.made(combined("add", self.sx, other.sx))
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        return self if other == 0 else self.made(combined("add", self.sx, float(other)))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.made(combined("sub", self.sx, other.sx))
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        return self if other == 0 else self.made(combined("sub", self.sx, float(other)))

    def __rsub__(self, other: Scalar) -> Scalar:
        return -self if other == 0 else self.made(combined("sub", float(other), self.sx))

    def __mul__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.made(combined("mul", self.sx, other.sx))
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        if other == 0:
            return 0.0
        return self if other == 1 else self.made(combined("mul", self.sx, float(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if isinstance(other, OVER_SYMBOLS):
            return NotImplemented
        return self.made(combined("div", self.sx, plain(other)))

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return self.made(combined("div", float(other), self.sx)) if other else 0.0

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
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(combined("lt", self.sx, plain(other)))

    def __le__(self, other: Scalar) -> Scalar:
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(combined("le", self.sx, plain(other)))

    def __gt__(self, other: Scalar) -> Scalar:
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(combined("lt", plain(other), self.sx))

    def __ge__(self, other: Scalar) -> Scalar:
        return NotImplemented if isinstance(other, OVER_SYMBOLS) else self.made(combined("le", plain(other), self.sx))


def symbols(name: str, count: int) -> list[Scalar]:
    """So many new symbols."""
    import casadi as ca

    vector, tape = ca.SX.sym(name, count), []  # type: tuple[Any, list[Any]]
    return [Symbol(vector[k], tape) for k in range(count)]


def distinct(values: Sequence[Scalar]) -> list[Scalar]:
    """Symbols without those that are written like one before; numbers are left out."""
    found = [one for one in values if isinstance(one, Symbol)]
    return [found[place] for place in without_repetitions([one.sx for one in found])]


def depend_on(values: Sequence[Scalar], given: Sequence[Scalar]) -> bool:
    """Whether any of some values depends on any of some symbols."""
    import casadi as ca

    if not values or not given:
        return False
    return bool(ca.depends_on(ca.vertcat(*map(plain, values)), ca.vertcat(*map(plain, given))))


def plain(x: Scalar) -> Any:
    """The expression that the symbol stands for, or the number as it is."""
    return x.sx if isinstance(x, Symbol) else float(x)


def recorded(name: str, number: Any) -> Any:
    """A function of one or more scalars, by CasADi's name, as one of symbols; numbers alone are computed at once."""

    def apply(*args: Scalar) -> Scalar:
        first = next((x for x in args if isinstance(x, Symbol)), None)
        return number(*args) if first is None else first.made(applied(name, [plain(x) for x in args]))

    return staticmethod(apply)


@cache
def operations() -> Operations:
    """The operations table for symbols."""

    class Recorded:
        cos, sin = recorded("cos", math.cos), recorded("sin", math.sin)
        sqrt, exp, tanh = recorded("sqrt", math.sqrt), recorded("exp", math.exp), recorded("tanh", math.tanh)
        arctan2, absolute = recorded("atan2", math.atan2), recorded("fabs", abs)
        floor = recorded("floor", math.floor)
        minimum, maximum = recorded("fmin", min), recorded("fmax", max)
        where = recorded("if_else", lambda condition, yes, no: yes if condition else no)

    table: Any = Recorded
    return table
