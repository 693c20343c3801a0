"""Operations on what symbols stand for: CasADi's scalars, or nodes drawn into a graph.

CasADi's operators and functions try every kind of matrix before they come to scalars. Asked by the code of an operation
it makes the same expression in a sixth of the time.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cache
from typing import Any

from gearwright.tracing.drawing import Drawn, drawn_function

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "lt": operator.lt,
    "le": operator.le,
}
"""Operations of two expressions, by the names that CasADi has for them."""

FUNCTIONS = ("cos", "sin", "sqrt", "exp", "tanh", "fabs", "floor", "atan2", "fmin", "fmax")
"""Functions of one or two expressions, by the names that CasADi has for them."""


@cache
def _codes() -> dict[str, int]:
    """CasADi's codes of the operations and functions."""
    import casadi as ca

    return {name: getattr(ca, f"OP_{name.upper()}") for name in (*OPERATORS, *FUNCTIONS)}


@cache
def _scalar_kind() -> Any:
    import casadi as ca

    return ca.SX


def combined(name: str, x: Any, y: Any) -> Any:
    """One of OPERATORS; x or y may be a number."""
    if isinstance(x, Drawn) or isinstance(y, Drawn):
        return OPERATORS[name](x, y)
    return _scalar_kind().binary(_codes()[name], x, y)


def applied(name: str, operands: list[Any]) -> Any:
    """One of FUNCTIONS, or `if_else`; some operands may be numbers."""
    builder = next((x.builder for x in operands if isinstance(x, Drawn)), None)
    if builder is not None:
        return drawn_function(builder, name, operands)
    if name == "if_else":
        import casadi as ca

        return ca.if_else(*operands)
    kind = _scalar_kind()
    return (kind.unary if len(operands) == 1 else kind.binary)(_codes()[name], *operands)


def without_repetitions(expressions: list[Any]) -> list[int]:
    """Places of the expressions that are not written, up to some depth, like one before."""
    import casadi as ca

    places: list[int] = []
    alike: dict[int, list[Any]] = {}  # only what ends with the same operation can be written alike
    for place, one in enumerate(expressions):
        group = alike.setdefault(one.index if isinstance(one, Drawn) else one.op(), [])
        if not group or not (isinstance(one, Drawn) or any(ca.is_equal(one, other, 50) for other in group)):
            places.append(place)
            group.append(one)
    return places
