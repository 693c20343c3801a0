"""Operations on what symbols stand for: CasADi's scalars, or nodes of a graph under construction.

CasADi's operators and functions try every kind of matrix before they come to scalars; called by the code of an
operation it makes the same expression in a sixth of the time.

Nodes have the few operations of CasADi's scalars that `Symbol` uses, and take a quarter of the time. They stand for
symbols of large machines where no derivative is required; CasADi knows a few more ways to save an operation, so that
small machines are left to it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gearwright.tracing.graph import Builder


class Drawn:
    """A node of a graph under construction."""

    __slots__ = ("builder", "index")

    def __init__(self, builder: Builder, index: int) -> None:
        self.builder, self.index = builder, index

    def is_constant(self) -> bool:
        """Whether it turned out to be a number."""
        return self.builder.value(self.index) is not None

    def __float__(self) -> float:
        value = self.builder.value(self.index)
        return math.nan if value is None else value

    def __add__(self, other: Any) -> Drawn:
        return self._made(self.builder.add(self.index, self._of(other)))

    def __sub__(self, other: Any) -> Drawn:
        return self._made(self.builder.sub(self.index, self._of(other)))

    def __rsub__(self, other: Any) -> Drawn:
        return self._made(self.builder.sub(self._of(other), self.index))

    def __mul__(self, other: Any) -> Drawn:
        return self._made(self.builder.mul(self.index, self._of(other)))

    def __truediv__(self, other: Any) -> Drawn:
        return self._made(self.builder.div(self.index, self._of(other)))

    def __rtruediv__(self, other: Any) -> Drawn:
        return self._made(self.builder.div(self._of(other), self.index))

    def __neg__(self) -> Drawn:
        return self._made(self.builder.neg(self.index))

    def __lt__(self, other: Any) -> Drawn:
        return self._made(self.builder.node("lt", self.index, self._of(other)))

    def __le__(self, other: Any) -> Drawn:
        return self._made(self.builder.node("le", self.index, self._of(other)))

    def __gt__(self, other: Any) -> Drawn:
        return self._made(self.builder.node("lt", self._of(other), self.index))

    def __ge__(self, other: Any) -> Drawn:
        return self._made(self.builder.node("le", self._of(other), self.index))

    def _made(self, index: int) -> Drawn:
        return Drawn(self.builder, index)

    def _of(self, x: Any) -> int:
        return drawn(self.builder, x)


def drawn(builder: Builder, x: Any) -> int:
    """The node of an expression or a number."""
    return x.index if isinstance(x, Drawn) else builder.const(float(x))


def drawn_function(builder: Builder, name: str, operands: Sequence[Any]) -> Drawn:
    """A function, by the name that CasADi has for it, of expressions and numbers."""
    return Drawn(builder, _node(builder, name, [drawn(builder, x) for x in operands]))


def _node(builder: Builder, name: str, operands: Sequence[int]) -> int:
    if name in ("cos", "sin"):
        made: int = getattr(builder, name)(*operands)
        return made
    if name != "if_else":
        return builder.node({"fmin": "min", "fmax": "max"}.get(name, name), *operands)
    condition, yes, no = operands
    otherwise = builder.node("not", condition)
    return builder.add(builder.node("if_else_zero", condition, yes), builder.node("if_else_zero", otherwise, no))


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
