"""Operations on the expressions behind symbols: CasADi's scalars, or nodes of a graph under construction.

CasADi's operators and functions try every kind of matrix before scalars; called by the code of an operation, it makes
the same expression in a sixth of the time.

Nodes have only those operations of CasADi's scalars that `Symbol` uses, and take a quarter of the time. They are used
for large machines without derivatives; CasADi simplifies a few more operations, so small machines use CasADi.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gearwright.tracing.graph import GraphBuilder


class GraphExpression:
    """A node of a graph under construction."""

    __slots__ = ("builder", "index")

    def __init__(self, builder: GraphBuilder, index: int) -> None:
        self.builder, self.index = builder, index

    def is_constant(self) -> bool:
        """Whether it is a constant number."""
        return self.builder.constant_value(self.index) is not None

    def __float__(self) -> float:
        value = self.builder.constant_value(self.index)
        return math.nan if value is None else value

    def __add__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.add(self.index, self._node_of(other)))

    def __sub__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.sub(self.index, self._node_of(other)))

    def __rsub__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.sub(self._node_of(other), self.index))

    def __mul__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.mul(self.index, self._node_of(other)))

    def __truediv__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.div(self.index, self._node_of(other)))

    def __rtruediv__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.div(self._node_of(other), self.index))

    def __neg__(self) -> GraphExpression:
        return self._expression_at(self.builder.neg(self.index))

    def __lt__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.add_node("lt", self.index, self._node_of(other)))

    def __le__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.add_node("le", self.index, self._node_of(other)))

    def __gt__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.add_node("lt", self._node_of(other), self.index))

    def __ge__(self, other: Any) -> GraphExpression:
        return self._expression_at(self.builder.add_node("le", self._node_of(other), self.index))

    def _expression_at(self, index: int) -> GraphExpression:
        return GraphExpression(self.builder, index)

    def _node_of(self, x: Any) -> int:
        return node_of(self.builder, x)


def node_of(builder: GraphBuilder, x: Any) -> int:
    """The node of an expression or a number."""
    return x.index if isinstance(x, GraphExpression) else builder.add_constant(float(x))


def call_node(builder: GraphBuilder, name: str, operands: Sequence[Any]) -> GraphExpression:
    """A function of expressions and numbers, by its CasADi name."""
    return GraphExpression(builder, _function_node(builder, name, [node_of(builder, x) for x in operands]))


def _function_node(builder: GraphBuilder, name: str, operands: Sequence[int]) -> int:
    if name in ("cos", "sin"):
        index: int = getattr(builder, name)(*operands)
        return index
    if name != "if_else":
        return builder.add_node({"fmin": "min", "fmax": "max"}.get(name, name), *operands)
    condition, yes, no = operands
    otherwise = builder.add_node("not", condition)
    return builder.add(
        builder.add_node("if_else_zero", condition, yes), builder.add_node("if_else_zero", otherwise, no)
    )


CASADI_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "lt": operator.lt,
    "le": operator.le,
}
"""Operations of two expressions, by their CasADi names."""

CASADI_FUNCTIONS = ("cos", "sin", "sqrt", "exp", "log", "tanh", "fabs", "floor", "atan2", "fmin", "fmax")
"""Functions of one or two expressions, by their CasADi names."""


@cache
def _casadi_codes() -> dict[str, int]:
    """CasADi's codes of the operations and functions."""
    import casadi as ca

    return {name: getattr(ca, f"OP_{name.upper()}") for name in (*CASADI_OPERATORS, *CASADI_FUNCTIONS)}


@cache
def _scalar_kind() -> Any:
    import casadi as ca

    return ca.SX


def apply_operator(name: str, x: Any, y: Any) -> Any:
    """One of `CASADI_OPERATORS`; x or y may be a number."""
    if isinstance(x, GraphExpression) or isinstance(y, GraphExpression):
        return CASADI_OPERATORS[name](x, y)
    return _scalar_kind().binary(_casadi_codes()[name], x, y)


def apply_function(name: str, operands: list[Any]) -> Any:
    """One of `CASADI_FUNCTIONS`, or `if_else`; some operands may be numbers."""
    builder = next((x.builder for x in operands if isinstance(x, GraphExpression)), None)
    if builder is not None:
        return call_node(builder, name, operands)
    if name == "if_else":
        import casadi as ca

        return ca.if_else(*operands)
    kind = _scalar_kind()
    return (kind.unary if len(operands) == 1 else kind.binary)(_casadi_codes()[name], *operands)


def distinct_places(expressions: list[Any]) -> list[int]:
    """Indices of the expressions that are not identical, up to some depth, to an earlier one."""
    import casadi as ca

    places: list[int] = []
    alike: dict[int, list[Any]] = {}  # only expressions with the same last operation can be identical
    for place, expression in enumerate(expressions):
        group = alike.setdefault(expression.index if isinstance(expression, GraphExpression) else expression.op(), [])
        if not group or not (
            isinstance(expression, GraphExpression) or any(ca.is_equal(expression, earlier, 50) for earlier in group)
        ):
            places.append(place)
            group.append(expression)
    return places
