"""A graph as C source: a plain function without memory allocation, for robot controllers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.errors import InputError
from gearwright.text import c_comment, c_identifier, c_identifiers
from gearwright.tracing.graph import Graph, GraphNode

C_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
C_LOGIC = {"lt": "<", "le": "<=", "eq": "==", "ne": "!=", "and": "&&", "or": "||"}
C_FUNCTIONS = {"min": "fmin", "max": "fmax"}


@dataclass(frozen=True)
class RealType:
    """A floating-point type in C: its name, and the suffix of its constants and functions."""

    name: str
    ending: str = ""

    def constant_text(self, x: float) -> str:
        """A number as C text, rounded to the precision of the type."""
        with np.errstate(over="ignore"):
            rounded = float(x if self.name == "double" else np.float32(x))
        if not math.isfinite(rounded):
            raise InputError(f"the number {x!r} is too large for C in {self.name} precision. Use double.")
        return f"{rounded!r}{self.ending}"

    def call_text(self, function: str, arguments: Sequence[str]) -> str:
        """A function of the mathematical library."""
        return f"{function}{self.ending}({', '.join(arguments)})"


C_PRECISIONS = {"double": RealType("double"), "float": RealType("float", "f")}


def c_source(
    graph: Graph, name: str, inputs: Mapping[str, int], outputs: int, real: RealType = C_PRECISIONS["double"]
) -> str:
    """C99 text of `void name(const double *q, ..., double *out)`: one assignment per operation.

    It neither allocates memory nor checks its arguments. It needs only the mathematical functions of the program (`sin`
    and `cos`; `integrate` and `difference` of quaternions also `sqrt` and `atan2`; laws also others).
    """
    names = argument_names(graph, inputs)
    sizes = ", ".join(f"{x}[{size}]" for x, size in zip(names, inputs.values(), strict=True))
    lines = ["#include <math.h>", "", c_comment(f"{sizes} -> out[{outputs}]")]
    lines += [c_comment(f"{x}: {input_name}") for x, input_name in zip(names, inputs, strict=True) if x != input_name]
    lines += [function_declaration(name, names, real), "{"]
    needed = needed_nodes(graph)
    used = {int(graph.nodes[k].a) for k in needed if graph.nodes[k].op == "input"}
    lines += [f"  (void){x};" for k, x in enumerate(names) if k not in used] + ["  (void)out;"] * (not graph.outputs)
    text = _ExpressionText(graph, names, real)
    for k, node in enumerate(graph.nodes):
        if k in needed and node.op not in ("const", "input"):
            lines.append(f"  const {real.name} x{k} = {text.expression_text(node)};")
    lines += [f"  out[{i}] = {text.operand_text(k)};" for i, k in enumerate(graph.outputs)]
    return "\n".join([*lines, "}", ""])


def function_declaration(name: str, arguments: Sequence[str], real: RealType) -> str:
    """The declaration of a function."""
    parameters = ", ".join([*(f"const {real.name} *{x}" for x in arguments), f"{real.name} *out"])
    return f"void {c_identifier(name)}({parameters})"


def argument_names(graph: Graph, inputs: Mapping[str, int]) -> list[str]:
    """The argument names of a function, without conflicts with its other names (the result, steps, functions of C)."""
    steps = {f"x{k}" for k in range(len(graph.nodes))}
    called = {
        f"{op}{ending}" for op in (*C_FUNCTIONS.values(), *(node.op for node in graph.nodes)) for ending in ("", "f")
    }
    return c_identifiers(inputs, reserved={"out", *called, *steps})


def needed_nodes(graph: Graph) -> set[int]:
    """The nodes that the results need; guards are excluded, since C code does not check them."""
    needed = set(graph.outputs)
    for k in reversed(range(len(graph.nodes))):
        if k in needed:
            needed.update(graph.nodes[k].operands)
    return needed


@dataclass(frozen=True)
class _ExpressionText:
    """C text of the operations of a graph."""

    graph: Graph
    names: Sequence[str]
    real: RealType

    def operand_text(self, k: int) -> str:
        """A node as an operand."""
        node = self.graph.nodes[k]
        if node.op == "const":
            text = self.real.constant_text(float(node.a))
            return f"({text})" if text.startswith("-") else text
        return f"{self.names[int(node.a)]}[{int(node.b)}]" if node.op == "input" else f"x{k}"

    def expression_text(self, node: GraphNode) -> str:
        """The expression that a node computes."""
        args = [self.operand_text(k) for k in node.operands]
        if node.op in C_OPERATORS:
            return f"{args[0]} {C_OPERATORS[node.op]} {args[1]}"
        if node.op == "neg":
            return f"-{args[0]}"
        if node.op == "if_else_zero":
            zero = self.real.constant_text(0.0)
            return f"{args[0]} != {zero} ? {args[1]} : {zero}"
        truth = self._integer_expression(node, args)
        if truth is not None:
            return f"({self.real.name})({truth})"
        if not node.op.isidentifier():
            raise InputError(f"operation {node.op!r} has no C source.")
        return self.real.call_text(C_FUNCTIONS.get(node.op, node.op), args)

    def _integer_expression(self, node: GraphNode, args: Sequence[str]) -> str | None:
        """The expression of a node that C evaluates as an integer; None for others."""
        zero = self.real.constant_text(0.0)
        if node.op in C_LOGIC:
            truths = [f"{x} != {zero}" for x in args] if node.op in ("and", "or") else list(args)
            return f" {C_LOGIC[node.op]} ".join(truths)
        if node.op == "not":
            return f"{args[0]} == {zero}"
        return f"({args[0]} > {zero}) - ({args[0]} < {zero})" if node.op == "sign" else None
