"""A graph as C source: a plain function without allocation, for robot controllers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.errors import InputError
from gearwright.text import c_comment, c_identifier, c_identifiers
from gearwright.tracing.graph import Graph, Node

ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
LOGIC = {"lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and": "&&", "or": "||"}
CALLS = {"min": "fmin", "max": "fmax"}


@dataclass(frozen=True)
class Real:
    """A kind of floating-point number in C: its type, and the ending of its constants and functions."""

    name: str
    ending: str = ""

    def constant(self, x: float) -> str:
        """A number as it stands in C, rounded to what the type can hold."""
        with np.errstate(over="ignore"):
            held = float(x if self.name == "double" else np.float32(x))
        if not math.isfinite(held):
            raise InputError(f"the number {x!r} is too large for C in {self.name} precision. Use double.")
        return f"{held!r}{self.ending}"

    def call(self, function: str, arguments: Sequence[str]) -> str:
        """A function of the mathematical library."""
        return f"{function}{self.ending}({', '.join(arguments)})"


PRECISIONS = {"double": Real("double"), "float": Real("float", "f")}


def c_source(
    graph: Graph, name: str, inputs: Mapping[str, int], outputs: int, real: Real = PRECISIONS["double"]
) -> str:
    """C99 text of `void name(const double *q, ..., double *out)`: one assignment per operation.

    Nothing is allocated and nothing checked. Beside the mathematical functions that the program uses (`sin` and `cos`;
    `integrate` and `difference` of quaternions also `sqrt` and `atan2`; laws also others) it needs no library.
    """
    names = argument_names(graph, inputs)
    sizes = ", ".join(f"{x}[{size}]" for x, size in zip(names, inputs.values(), strict=True))
    lines = ["#include <math.h>", "", c_comment(f"{sizes} -> out[{outputs}]")]
    lines += [c_comment(f"{x}: {own}") for x, own in zip(names, inputs, strict=True) if x != own]
    lines += [declaration(name, names, real), "{"]
    needed = needed_nodes(graph)
    used = {int(graph.nodes[k].a) for k in needed if graph.nodes[k].op == "input"}
    lines += [f"  (void){x};" for k, x in enumerate(names) if k not in used] + ["  (void)out;"] * (not graph.outputs)
    text = _Text(graph, names, real)
    for k, node in enumerate(graph.nodes):
        if k in needed and node.op not in ("const", "input"):
            lines.append(f"  const {real.name} x{k} = {text.expression(node)};")
    lines += [f"  out[{i}] = {text.operand(k)};" for i, k in enumerate(graph.outputs)]
    return "\n".join([*lines, "}", ""])


def declaration(name: str, arguments: Sequence[str], real: Real) -> str:
    """The head of a function."""
    given = ", ".join([*(f"const {real.name} *{x}" for x in arguments), f"{real.name} *out"])
    return f"void {c_identifier(name)}({given})"


def argument_names(graph: Graph, inputs: Mapping[str, int]) -> list[str]:
    """The arguments of a function: none has a name that its own text uses (the result, steps, functions of C)."""
    steps = {f"x{k}" for k in range(len(graph.nodes))}
    called = {f"{op}{ending}" for op in (*CALLS.values(), *(node.op for node in graph.nodes)) for ending in ("", "f")}
    return c_identifiers(inputs, taken={"out", *called, *steps})


def needed_nodes(graph: Graph) -> set[int]:
    """The nodes that the results need; guards are for callers that can refuse."""
    needed = set(graph.outputs)
    for k in reversed(range(len(graph.nodes))):
        if k in needed:
            needed.update(graph.nodes[k].operands)
    return needed


@dataclass(frozen=True)
class _Text:
    """How the operations of a graph are written."""

    graph: Graph
    names: Sequence[str]
    real: Real

    def operand(self, k: int) -> str:
        """A node where it is used."""
        node = self.graph.nodes[k]
        if node.op == "const":
            text = self.real.constant(float(node.a))
            return f"({text})" if text.startswith("-") else text
        return f"{self.names[int(node.a)]}[{int(node.b)}]" if node.op == "input" else f"x{k}"

    def expression(self, node: Node) -> str:
        """What a node computes."""
        args = [self.operand(k) for k in node.operands]
        if node.op in ARITHMETIC:
            return f"{args[0]} {ARITHMETIC[node.op]} {args[1]}"
        if node.op == "neg":
            return f"-{args[0]}"
        if node.op == "if_else_zero":
            zero = self.real.constant(0.0)
            return f"{args[0]} != {zero} ? {args[1]} : {zero}"
        truth = self._truth(node, args)
        if truth is not None:
            return f"({self.real.name})({truth})"
        if not node.op.isidentifier():
            raise InputError(f"operation {node.op!r} has no C source.")
        return self.real.call(CALLS.get(node.op, node.op), args)

    def _truth(self, node: Node, args: Sequence[str]) -> str | None:
        """What C computes as a whole number."""
        zero = self.real.constant(0.0)
        if node.op in LOGIC:
            truths = [f"{x} != {zero}" for x in args] if node.op in ("and", "or") else list(args)
            return f" {LOGIC[node.op]} ".join(truths)
        if node.op == "not":
            return f"{args[0]} == {zero}"
        return f"({args[0]} > {zero}) - ({args[0]} < {zero})" if node.op == "sign" else None
