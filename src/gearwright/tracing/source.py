"""A graph as C source: a plain function without allocation, for robot controllers."""

from __future__ import annotations

from collections.abc import Mapping

from gearwright.errors import InputError
from gearwright.text import c_comment, c_identifier, c_identifiers
from gearwright.tracing.graph import Graph, Node

INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "/",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "and": "&&",
    "or": "||",
}
CALLS = {"min": "fmin", "max": "fmax"}


def c_source(graph: Graph, name: str, inputs: Mapping[str, int], outputs: int) -> str:
    """C99 text of `void name(const double *q, ..., double *out)`: one assignment per operation.

    Nothing is allocated and nothing checked. Beside the mathematical functions that the program uses (`sin` and `cos`;
    `integrate` and `difference` of quaternions also `sqrt` and `atan2`) it needs no library.
    """
    names = c_identifiers(inputs, taken=_own_names(graph))
    arguments = ", ".join([*(f"const double *{x}" for x in names), "double *out"])
    sizes = ", ".join(f"{x}[{size}]" for x, size in zip(names, inputs.values(), strict=True))
    lines = ["#include <math.h>", "", c_comment(f"{sizes} -> out[{outputs}]")]
    lines += [c_comment(f"{x}: {own}") for x, own in zip(names, inputs, strict=True) if x != own]
    lines += [f"void {c_identifier(name)}({arguments})", "{"]
    needed = _needed(graph)
    used = {int(graph.nodes[k].a) for k in needed if graph.nodes[k].op == "input"}
    lines += [f"  (void){x};" for k, x in enumerate(names) if k not in used]
    for k, node in enumerate(graph.nodes):
        if k in needed and node.op not in ("const", "input"):
            lines.append(f"  const double x{k} = {_expression(graph, node, names)};")
    lines += [f"  out[{i}] = {_operand(graph, k, names)};" for i, k in enumerate(graph.outputs)]
    return "\n".join([*lines, "}", ""])


def _needed(graph: Graph) -> set[int]:
    """The nodes that the results need; guards are for callers that can refuse."""
    needed = set(graph.outputs)
    for k in reversed(range(len(graph.nodes))):
        if k in needed:
            needed.update(graph.nodes[k].operands)
    return needed


def _own_names(graph: Graph) -> set[str]:
    """What the function's own text uses and no argument may be called: the result, the steps, functions of C."""
    steps = {f"x{k}" for k in range(len(graph.nodes))}
    return {"out", *CALLS.values(), *(node.op for node in graph.nodes), *steps}


def _operand(graph: Graph, k: int, names: list[str]) -> str:
    node = graph.nodes[k]
    if node.op == "const":
        text = repr(float(node.a))
        return f"({text})" if text.startswith("-") else text
    return f"{names[int(node.a)]}[{int(node.b)}]" if node.op == "input" else f"x{k}"


def _expression(graph: Graph, node: Node, names: list[str]) -> str:
    args = [_operand(graph, k, names) for k in node.operands]
    if node.op in INFIX:
        return f"{args[0]} {INFIX[node.op]} {args[1]}"
    if node.op == "neg":
        return f"-{args[0]}"
    if node.op == "not":
        return f"!{args[0]}"
    if node.op == "if_else_zero":
        return f"{args[0]} != 0.0 ? {args[1]} : 0.0"
    if node.op == "sign":
        return f"({args[0]} > 0.0) - ({args[0]} < 0.0)"
    if not node.op.isidentifier():
        raise InputError(f"operation {node.op!r} has no C source.")
    return f"{CALLS.get(node.op, node.op)}({', '.join(args)})"
