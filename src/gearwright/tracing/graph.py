"""The graph of a traced program's operations, each computed once, in order of execution; built from CasADi's graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from gearwright.errors import CompilationError

# The graph

COMMUTATIVE_OPERATIONS = frozenset({"add", "mul", "min", "max"})
LIBRARY_FUNCTIONS = ("exp", "log", "tanh", "atan2", "asin", "acos", "atan", "pow", "tan", "sinh", "cosh")
"""Operations of the mathematical library, evaluated one lane at a time."""


class OperationCount(NamedTuple):
    """Operation counts of a traced program per state; sign changes are free and counted separately."""

    additions: int
    multiplications: int
    divisions: int
    sincos: int
    negations: int
    other: int

    @property
    def arithmetic_count(self) -> int:
        """Additions, multiplications and divisions."""
        return self.additions + self.multiplications + self.divisions


class GraphNode(NamedTuple):
    """One operation: `a` and `b` are indices of nodes, of an input, or (const) the value itself."""

    op: str
    a: int | float = -1
    b: int | float = -1

    @property
    def operands(self) -> tuple[int, ...]:
        """The nodes it needs."""
        if self.op in ("const", "input"):
            return ()
        return (int(self.a),) if self.b == -1 else (int(self.a), int(self.b))


@dataclass(frozen=True)
class Graph:
    """Operations in order of execution; every operand comes before its use.

    Args:
        nodes: the operations.
        outputs: the nodes that are results.
        guards: nodes that must not be negative (or NaN) for the results to be valid.
    """

    nodes: tuple[GraphNode, ...]
    outputs: tuple[int, ...]
    guards: tuple[int, ...] = ()

    @property
    def operation_count(self) -> OperationCount:
        """The operation count; a sine and a cosine of one argument count as one."""
        count = dict.fromkeys(OperationCount._fields, 0)
        kinds = {
            "add": "additions",
            "sub": "additions",
            "mul": "multiplications",
            "div": "divisions",
            "neg": "negations",
        }
        angles = set()
        for node in self.nodes:
            if node.op in ("sin", "cos"):
                angles.add(node.a)
            elif node.op not in ("const", "input"):
                count[kinds.get(node.op, "other")] += 1
        return OperationCount(**{**count, "sincos": len(angles)})


class GraphBuilder:
    """Makes nodes; equal ones are shared, independent of the order and sign of their operands."""

    def __init__(self) -> None:
        self.nodes: list[GraphNode] = []
        self._index_by_node: dict[GraphNode, int] = {}

    def add_node(self, op: str, a: int | float = -1, b: int | float = -1) -> int:
        """The index of a node, new or known."""
        if op in COMMUTATIVE_OPERATIONS and b < a:
            a, b = b, a
        key = GraphNode(op, a, b)
        index = self._index_by_node.get(key)
        if index is None:
            index = self._index_by_node[key] = len(self.nodes)
            self.nodes.append(key)
        return index

    def add_constant(self, value: float) -> int:
        """A number."""
        return self.add_node("const", value, math.copysign(1.0, value) if value == 0 else -1)

    def constant_value(self, index: int) -> float | None:
        """The value of a constant node, or None."""
        node = self.nodes[index]
        return float(node.a) if node.op == "const" else None

    def negated_operand(self, index: int) -> int | None:
        """The operand of a negation, or None."""
        node = self.nodes[index]
        return int(node.a) if node.op == "neg" else None

    def neg(self, x: int) -> int:
        """-x."""
        value, inner = self.constant_value(x), self.negated_operand(x)
        if value is not None:
            return self.add_constant(-value)
        return inner if inner is not None else self.add_node("neg", x)

    def add(self, x: int, y: int) -> int:
        """The sum x + y."""
        p, q = self.constant_value(x), self.constant_value(y)
        if p is not None and q is not None:
            return self.add_constant(p + q)
        if p == 0 or q == 0:
            return y if p == 0 else x
        common = self._same_either_way(x, y)
        if common is not None:
            return common
        minus_x, minus_y = self.negated_operand(x), self.negated_operand(y)
        if minus_x is not None and minus_y is not None:
            return self.neg(self.add(minus_x, minus_y))
        if minus_x is not None:
            return self.sub(y, minus_x)
        return self.sub(x, minus_y) if minus_y is not None else self.add_node("add", x, y)

    def _same_either_way(self, x: int, y: int) -> int | None:
        """The common value of both branches of a condition, or None: (c ? v : 0) + (not c ? v : 0)."""
        yes, no = self.nodes[x], self.nodes[y]
        if yes.op != "if_else_zero" or no.op != "if_else_zero" or yes.b != no.b:
            return None
        opposite = GraphNode("not", yes.a) == self.nodes[int(no.a)] or GraphNode("not", no.a) == self.nodes[int(yes.a)]
        return int(yes.b) if opposite else None

    def sub(self, x: int, y: int) -> int:
        """The difference x - y, as -(y - x) if that exists already."""
        p, q = self.constant_value(x), self.constant_value(y)
        if p is not None and q is not None:
            return self.add_constant(p - q)
        if x == y:
            return self.add_constant(0.0)
        if p == 0 or q == 0:
            return self.neg(y) if p == 0 else x
        minus_x, minus_y = self.negated_operand(x), self.negated_operand(y)
        if minus_y is not None:
            return self.add(x, minus_y)
        if minus_x is not None:
            return self.neg(self.add(minus_x, y))
        if GraphNode("sub", y, x) in self._index_by_node:
            return self.neg(self.add_node("sub", y, x))
        return self.add_node("sub", x, y)

    def mul(self, x: int, y: int) -> int:
        """The product x y; signs are factored out, so that x y and x (-y) share one product."""
        p, q = self.constant_value(x), self.constant_value(y)
        if p is not None and q is not None:
            return self.add_constant(p * q)
        if q is not None:
            return self.mul(y, x)
        if p is not None:
            return self._multiply_by_constant(p, y)
        minus_x, minus_y = self.negated_operand(x), self.negated_operand(y)
        if minus_x is not None:
            return self.neg(self.mul(minus_x, y))
        return self.neg(self.mul(x, minus_y)) if minus_y is not None else self.add_node("mul", x, y)

    def _multiply_by_constant(self, factor: float, x: int) -> int:
        inner = self.negated_operand(x)
        if factor < 0 or inner is not None:
            positive = self._multiply_by_constant(abs(factor), x if inner is None else inner)
            return positive if (factor < 0) == (inner is not None) else self.neg(positive)
        if factor == 0:
            return self.add_constant(0.0)
        if factor == 1:
            return x
        return self.add_node("add", x, x) if factor == 2 else self.add_node("mul", self.add_constant(factor), x)

    def div(self, x: int, y: int) -> int:
        """The quotient x / y; a division by a constant becomes a product."""
        p, q = self.constant_value(x), self.constant_value(y)
        if q is not None and q != 0:
            return self.add_constant(p / q) if p is not None else self.mul(self.add_constant(1 / q), x)
        minus_x, minus_y = self.negated_operand(x), self.negated_operand(y)
        if minus_x is not None:
            return self.neg(self.div(minus_x, y))
        return self.neg(self.div(x, minus_y)) if minus_y is not None else self.add_node("div", x, y)

    def sin(self, x: int) -> int:
        """Sine; odd."""
        inner = self.negated_operand(x)
        return self.add_node("sin", x) if inner is None else self.neg(self.add_node("sin", inner))

    def cos(self, x: int) -> int:
        """Cosine; even."""
        inner = self.negated_operand(x)
        return self.add_node("cos", x if inner is None else inner)

    def make_graph(self, outputs: Sequence[int], guards: Sequence[int] = ()) -> Graph:
        """The graph of the nodes that the outputs need, in their order."""
        needed = self._needed_nodes([*outputs, *guards])
        place = {old: new for new, old in enumerate(k for k, keep in enumerate(needed) if keep)}
        nodes = [self._renumbered_node(self.nodes[old], place) for old in place]
        return Graph(tuple(nodes), tuple(place[k] for k in outputs), tuple(place[k] for k in guards))

    def _needed_nodes(self, indices: Iterable[int]) -> list[bool]:
        needed = [False] * len(self.nodes)
        for k in indices:
            needed[k] = True
        for k in reversed(range(len(self.nodes))):
            if needed[k]:
                for operand in self.nodes[k].operands:
                    needed[operand] = True
        return needed

    @staticmethod
    def _renumbered_node(node: GraphNode, place: dict[int, int]) -> GraphNode:
        if not node.operands:
            return node
        return GraphNode(node.op, *(place[k] for k in node.operands))


# From a CasADi function


@cache
def _operation_names() -> dict[int, str]:
    """CasADi's operation codes by our names."""
    import casadi as ca

    arithmetic = "ADD SUB MUL DIV NEG SIN COS SQRT FABS FLOOR SQ TWICE INV SIGN"
    remaining = "CONST INPUT OUTPUT ASSIGN LT LE EQ NE NOT AND OR IF_ELSE_ZERO"
    names = {getattr(ca, f"OP_{name}"): name.lower() for name in f"{arithmetic} {remaining}".split()}
    names |= {ca.OP_FMIN: "min", ca.OP_FMAX: "max", ca.OP_CONSTPOW: "pow"}
    return names | {getattr(ca, f"OP_{name.upper()}"): name for name in LIBRARY_FUNCTIONS}


def graph_of_function(function: Any) -> Graph:
    """The graph of a CasADi function whose outputs are [recorded intermediates, results, guards].

    The intermediates come first only to fix the order of execution; they are not results.
    """
    builder = GraphBuilder()
    slots: dict[int, int] = {}
    results: list[dict[int, int]] = [{} for _ in range(3)]
    names = _operation_names()
    for k in range(function.n_instructions()):
        name = names.get(function.instruction_id(k))
        if name is None:
            raise CompilationError(
                f"the traced program uses CasADi operation {function.instruction_id(k)}, which has no machine code."
            )
        if name == "output":
            output, entry = function.instruction_output(k)
            results[output][entry] = slots[function.instruction_input(k)[0]]
        else:
            slots[function.instruction_output(k)[0]] = _instruction_node(builder, function, k, name, slots)
    outputs = [_output_node(builder, results[1], i) for i in range(function.size1_out(1))]
    return builder.make_graph(outputs, [_output_node(builder, results[2], i) for i in range(function.size1_out(2))])


def _output_node(builder: GraphBuilder, nodes: dict[int, int], i: int) -> int:
    return nodes[i] if i in nodes else builder.add_constant(0.0)


def _instruction_node(builder: GraphBuilder, function: Any, k: int, name: str, slots: dict[int, int]) -> int:
    if name == "const":
        return builder.add_constant(function.instruction_constant(k))
    if name == "input":
        number, entry = function.instruction_input(k)
        return builder.add_node("input", number, entry)
    args = [slots[slot] for slot in function.instruction_input(k)]
    if name in ("sq", "twice"):
        return builder.mul(args[0], args[0]) if name == "sq" else builder.mul(builder.add_constant(2.0), args[0])
    if name == "inv":
        return builder.div(builder.add_constant(1.0), args[0])
    if name == "assign":
        return args[0]
    if name in ("add", "sub", "mul", "div", "neg", "sin", "cos"):
        index: int = getattr(builder, name)(*args)
        return index
    return builder.add_node(name, *args)
