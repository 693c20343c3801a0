"""The graph of a traced program's operations, each computed once, in order of execution; built from CasADi's."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from gearwright.errors import CompilationError

# The graph

COMMUTATIVE = frozenset({"add", "mul", "min", "max"})
LIBRARY = ("exp", "log", "tanh", "atan2", "asin", "acos", "atan", "pow", "tan", "sinh", "cosh")
"""Operations left to the mathematical library, one lane at a time."""


class OperationCount(NamedTuple):
    """What a traced program computes per state; sign changes cost nothing and are counted apart."""

    additions: int
    multiplications: int
    divisions: int
    sincos: int
    negations: int
    other: int

    @property
    def arithmetic(self) -> int:
        """Additions, multiplications and divisions."""
        return self.additions + self.multiplications + self.divisions


class Node(NamedTuple):
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

    nodes: tuple[Node, ...]
    outputs: tuple[int, ...]
    guards: tuple[int, ...] = ()

    @property
    def operations(self) -> OperationCount:
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


class Builder:
    """Makes nodes: equal ones are shared, whichever way round their operands stand and whatever their sign."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Node, int] = {}

    def node(self, op: str, a: int | float = -1, b: int | float = -1) -> int:
        """The index of a node, new or known."""
        if op in COMMUTATIVE and b < a:
            a, b = b, a
        key = Node(op, a, b)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def const(self, value: float) -> int:
        """A number."""
        return self.node("const", value, math.copysign(1.0, value) if value == 0 else -1)

    def value(self, index: int) -> float | None:
        """The number that a node is, or None."""
        node = self.nodes[index]
        return float(node.a) if node.op == "const" else None

    def negated(self, index: int) -> int | None:
        """What a node is the negative of, or None."""
        node = self.nodes[index]
        return int(node.a) if node.op == "neg" else None

    def neg(self, x: int) -> int:
        """-x."""
        value, inner = self.value(x), self.negated(x)
        if value is not None:
            return self.const(-value)
        return inner if inner is not None else self.node("neg", x)

    def add(self, x: int, y: int) -> int:
        """The sum x + y."""
        p, q = self.value(x), self.value(y)
        if p is not None and q is not None:
            return self.const(p + q)
        if p == 0 or q == 0:
            return y if p == 0 else x
        anyway = self._either_way(x, y)
        if anyway is not None:
            return anyway
        minus_x, minus_y = self.negated(x), self.negated(y)
        if minus_x is not None and minus_y is not None:
            return self.neg(self.add(minus_x, minus_y))
        if minus_x is not None:
            return self.sub(y, minus_x)
        return self.sub(x, minus_y) if minus_y is not None else self.node("add", x, y)

    def _either_way(self, x: int, y: int) -> int | None:
        """What is chosen whether a condition holds or not, or None: (c ? v : 0) + (not c ? v : 0)."""
        yes, no = self.nodes[x], self.nodes[y]
        if yes.op != "if_else_zero" or no.op != "if_else_zero" or yes.b != no.b:
            return None
        opposite = Node("not", yes.a) == self.nodes[int(no.a)] or Node("not", no.a) == self.nodes[int(yes.a)]
        return int(yes.b) if opposite else None

    def sub(self, x: int, y: int) -> int:
        """The difference x - y, as -(y - x) if that is there already."""
        p, q = self.value(x), self.value(y)
        if p is not None and q is not None:
            return self.const(p - q)
        if x == y:
            return self.const(0.0)
        if p == 0 or q == 0:
            return self.neg(y) if p == 0 else x
        minus_x, minus_y = self.negated(x), self.negated(y)
        if minus_y is not None:
            return self.add(x, minus_y)
        if minus_x is not None:
            return self.neg(self.add(minus_x, y))
        if Node("sub", y, x) in self._known:
            return self.neg(self.node("sub", y, x))
        return self.node("sub", x, y)

    def mul(self, x: int, y: int) -> int:
        """The product x y; signs move outwards, so that x y and x (-y) are one product."""
        p, q = self.value(x), self.value(y)
        if p is not None and q is not None:
            return self.const(p * q)
        if q is not None:
            return self.mul(y, x)
        if p is not None:
            return self._scaled(p, y)
        minus_x, minus_y = self.negated(x), self.negated(y)
        if minus_x is not None:
            return self.neg(self.mul(minus_x, y))
        return self.neg(self.mul(x, minus_y)) if minus_y is not None else self.node("mul", x, y)

    def _scaled(self, factor: float, x: int) -> int:
        inner = self.negated(x)
        if factor < 0 or inner is not None:
            positive = self._scaled(abs(factor), x if inner is None else inner)
            return positive if (factor < 0) == (inner is not None) else self.neg(positive)
        if factor == 0:
            return self.const(0.0)
        if factor == 1:
            return x
        return self.node("add", x, x) if factor == 2 else self.node("mul", self.const(factor), x)

    def div(self, x: int, y: int) -> int:
        """The quotient x / y; a division by a number is a product."""
        p, q = self.value(x), self.value(y)
        if q is not None and q != 0:
            return self.const(p / q) if p is not None else self.mul(self.const(1 / q), x)
        minus_x, minus_y = self.negated(x), self.negated(y)
        if minus_x is not None:
            return self.neg(self.div(minus_x, y))
        return self.neg(self.div(x, minus_y)) if minus_y is not None else self.node("div", x, y)

    def sin(self, x: int) -> int:
        """Sine; odd."""
        inner = self.negated(x)
        return self.node("sin", x) if inner is None else self.neg(self.node("sin", inner))

    def cos(self, x: int) -> int:
        """Cosine; even."""
        inner = self.negated(x)
        return self.node("cos", x if inner is None else inner)

    def graph(self, outputs: Sequence[int], guards: Sequence[int] = ()) -> Graph:
        """The graph of what the outputs need, everything else left out, order kept."""
        needed = self._needed([*outputs, *guards])
        place = {old: new for new, old in enumerate(k for k, keep in enumerate(needed) if keep)}
        nodes = [self._moved(self.nodes[old], place) for old in place]
        return Graph(tuple(nodes), tuple(place[k] for k in outputs), tuple(place[k] for k in guards))

    def _needed(self, wanted: Iterable[int]) -> list[bool]:
        needed = [False] * len(self.nodes)
        for k in wanted:
            needed[k] = True
        for k in reversed(range(len(self.nodes))):
            if needed[k]:
                for operand in self.nodes[k].operands:
                    needed[operand] = True
        return needed

    @staticmethod
    def _moved(node: Node, place: dict[int, int]) -> Node:
        if not node.operands:
            return node
        return Node(node.op, *(place[k] for k in node.operands))


# From a CasADi function


@cache
def _names() -> dict[int, str]:
    """CasADi's operation codes by our names."""
    import casadi as ca

    arithmetic = "ADD SUB MUL DIV NEG SIN COS SQRT FABS FLOOR SQ TWICE INV SIGN"
    others = "CONST INPUT OUTPUT ASSIGN LT LE EQ NE NOT AND OR IF_ELSE_ZERO"
    found = {getattr(ca, f"OP_{name}"): name.lower() for name in f"{arithmetic} {others}".split()}
    found |= {ca.OP_FMIN: "min", ca.OP_FMAX: "max", ca.OP_CONSTPOW: "pow"}
    return found | {getattr(ca, f"OP_{name.upper()}"): name for name in LIBRARY}


def walk(function: Any) -> Graph:
    """The graph of a CasADi function whose outputs are [recorded intermediates, results, guards].

    The intermediates come first only to fix the order of execution; they are not results.
    """
    builder = Builder()
    slots: dict[int, int] = {}
    results: list[dict[int, int]] = [{} for _ in range(3)]
    names = _names()
    for k in range(function.n_instructions()):
        name = names.get(function.instruction_id(k))
        if name is None:
            raise CompilationError(
                f"the traced program uses CasADi operation {function.instruction_id(k)}, which has no machine code."
            )
        if name == "output":
            which, entry = function.instruction_output(k)
            results[which][entry] = slots[function.instruction_input(k)[0]]
        else:
            slots[function.instruction_output(k)[0]] = _instruction(builder, function, k, name, slots)
    outputs = [_entry(builder, results[1], i) for i in range(function.size1_out(1))]
    return builder.graph(outputs, [_entry(builder, results[2], i) for i in range(function.size1_out(2))])


def _entry(builder: Builder, found: dict[int, int], i: int) -> int:
    return found[i] if i in found else builder.const(0.0)


def _instruction(builder: Builder, function: Any, k: int, name: str, slots: dict[int, int]) -> int:
    if name == "const":
        return builder.const(function.instruction_constant(k))
    if name == "input":
        which, entry = function.instruction_input(k)
        return builder.node("input", which, entry)
    args = [slots[slot] for slot in function.instruction_input(k)]
    if name in ("sq", "twice"):
        return builder.mul(args[0], args[0]) if name == "sq" else builder.mul(builder.const(2.0), args[0])
    if name == "inv":
        return builder.div(builder.const(1.0), args[0])
    if name == "assign":
        return args[0]
    if name in ("add", "sub", "mul", "div", "neg", "sin", "cos"):
        made: int = getattr(builder, name)(*args)
        return made
    return builder.node(name, *args)
