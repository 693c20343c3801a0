"""Recorded symbols: scalars over CasADi SX that record the order of their construction.

The order matters: machine code is fastest in the order of the recursion, while CasADi sorts by the outputs. Every
intermediate is therefore recorded on a tape, and the tape is evaluated first.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NoReturn

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.partials import Partials
from gearwright.algebra.differentiation.taylor_series import PowerSeries
from gearwright.errors import NotTraceableError
from gearwright.tracing.expressions import apply_function, apply_operator, distinct_places

NUMPY_UFUNCS: dict[str, Callable[..., Scalar]] = {
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
"""NumPy functions called for a NumPy number to the left of a symbol."""


SCALARS_OVER_SYMBOLS = (PowerSeries, Partials)
"""Scalars whose coefficients may be symbols: they implement operations with symbols themselves."""


class Symbol:
    """A scalar expression on a tape; constant results are returned as floats."""

    __slots__ = ("sx", "tape")

    def __init__(self, sx: Any, tape: list[Any]) -> None:
        self.sx, self.tape = sx, tape

    def new_expression(self, sx: Any) -> Scalar:
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
        raise NotTraceableError("it compares two numbers with ==. Compare with < or <= in ops.where instead.")

    __hash__ = object.__hash__

    def _raise_not_a_number(self, *_: object) -> NoReturn:
        raise NotTraceableError(
            "it needs a plain number, as functions of `math` do. Use the functions of situation.ops instead."
        )

    __array__ = __float__ = __int__ = __index__ = __round__ = __floor__ = __ceil__ = __trunc__ = _raise_not_a_number
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __rpow__ = _raise_not_a_number

    def __array_ufunc__(self, function: Any, method: str, *arguments: Any, **_: Any) -> Scalar:
        """Operations with a NumPy number to the left; other NumPy functions do not support symbols."""
        operation = NUMPY_UFUNCS.get(function.__name__)
        if operation is None or method != "__call__" or any(getattr(x, "ndim", 0) for x in arguments):
            raise NotTraceableError(
                f"it calls NumPy's {function.__name__}. Use the functions of situation.ops instead."
            )
        return operation(*(x if isinstance(x, Symbol) else float(x) for x in arguments))

    def __add__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.new_expression(apply_operator("add", self.sx, other.sx))
        if isinstance(other, SCALARS_OVER_SYMBOLS):
            return NotImplemented
        return self if other == 0 else self.new_expression(apply_operator("add", self.sx, float(other)))

    __radd__ = __add__

    def __sub__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.new_expression(apply_operator("sub", self.sx, other.sx))
        if isinstance(other, SCALARS_OVER_SYMBOLS):
            return NotImplemented
        return self if other == 0 else self.new_expression(apply_operator("sub", self.sx, float(other)))

    def __rsub__(self, other: Scalar) -> Scalar:
        return -self if other == 0 else self.new_expression(apply_operator("sub", float(other), self.sx))

    def __mul__(self, other: Scalar) -> Scalar:
        if isinstance(other, Symbol):
            return self.new_expression(apply_operator("mul", self.sx, other.sx))
        if isinstance(other, SCALARS_OVER_SYMBOLS):
            return NotImplemented
        if other == 0:
            return 0.0
        return self if other == 1 else self.new_expression(apply_operator("mul", self.sx, float(other)))

    __rmul__ = __mul__

    def __truediv__(self, other: Scalar) -> Scalar:
        if isinstance(other, SCALARS_OVER_SYMBOLS):
            return NotImplemented
        return self.new_expression(apply_operator("div", self.sx, as_expression(other)))

    def __rtruediv__(self, other: Scalar) -> Scalar:
        return self.new_expression(apply_operator("div", float(other), self.sx)) if other else 0.0

    def __pow__(self, power: int) -> Scalar:
        """A small integer power, as products: users write x**2 in laws."""
        if not isinstance(power, int) or power < 1:
            raise NotTraceableError(f"it takes the power {power!r} of a number. Use ops.sqrt or ops.exp instead.")
        result: Scalar = self
        for _ in range(power - 1):
            result = result * self
        return result

    def __neg__(self) -> Scalar:
        return self.new_expression(-self.sx)

    def __abs__(self) -> Scalar:
        return symbol_operations().absolute(self)

    def __lt__(self, other: Scalar) -> Scalar:
        return (
            NotImplemented
            if isinstance(other, SCALARS_OVER_SYMBOLS)
            else self.new_expression(apply_operator("lt", self.sx, as_expression(other)))
        )

    def __le__(self, other: Scalar) -> Scalar:
        return (
            NotImplemented
            if isinstance(other, SCALARS_OVER_SYMBOLS)
            else self.new_expression(apply_operator("le", self.sx, as_expression(other)))
        )

    def __gt__(self, other: Scalar) -> Scalar:
        return (
            NotImplemented
            if isinstance(other, SCALARS_OVER_SYMBOLS)
            else self.new_expression(apply_operator("lt", as_expression(other), self.sx))
        )

    def __ge__(self, other: Scalar) -> Scalar:
        return (
            NotImplemented
            if isinstance(other, SCALARS_OVER_SYMBOLS)
            else self.new_expression(apply_operator("le", as_expression(other), self.sx))
        )


def new_symbols(name: str, count: int) -> list[Scalar]:
    """`count` new symbols."""
    import casadi as ca

    vector, tape = ca.SX.sym(name, count), []  # type: tuple[Any, list[Any]]
    return [Symbol(vector[k], tape) for k in range(count)]


def distinct_symbols(values: Sequence[Scalar]) -> list[Scalar]:
    """The distinct symbols, without numbers."""
    candidates = [value for value in values if isinstance(value, Symbol)]
    return [candidates[place] for place in distinct_places([value.sx for value in candidates])]


def has_dependence(values: Sequence[Scalar], variables: Sequence[Scalar]) -> bool:
    """Whether any of some values depends on any of some symbols."""
    import casadi as ca

    if not values or not variables:
        return False
    return bool(ca.depends_on(ca.vertcat(*map(as_expression, values)), ca.vertcat(*map(as_expression, variables))))


def as_expression(x: Scalar) -> Any:
    """The expression of a symbol, or the number itself."""
    return x.sx if isinstance(x, Symbol) else float(x)


def recorded_function(name: str, number: Any) -> Any:
    """A function of one or more scalars, by its CasADi name, for symbols; numbers alone are evaluated at once."""

    def apply(*args: Scalar) -> Scalar:
        first = next((x for x in args if isinstance(x, Symbol)), None)
        return (
            number(*args)
            if first is None
            else first.new_expression(apply_function(name, [as_expression(x) for x in args]))
        )

    return staticmethod(apply)


@cache
def symbol_operations() -> Operations:
    """The operations table for symbols."""

    class Recorded:
        cos, sin = recorded_function("cos", math.cos), recorded_function("sin", math.sin)
        sqrt, exp, log, tanh = (
            recorded_function("sqrt", math.sqrt),
            recorded_function("exp", math.exp),
            recorded_function("log", math.log),
            recorded_function("tanh", math.tanh),
        )
        arctan2, absolute = recorded_function("atan2", math.atan2), recorded_function("fabs", abs)
        floor = recorded_function("floor", math.floor)
        minimum, maximum = recorded_function("fmin", min), recorded_function("fmax", max)
        where = recorded_function("if_else", lambda condition, yes, no: yes if condition else no)

    table: Any = Recorded
    return table
