"""From a CasADi function to a graph: its instruction list is walked once."""

from __future__ import annotations

from functools import cache
from typing import Any

from gearwright.errors import CompilationError
from gearwright.tracing.graph import LIBRARY, Builder, Graph


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
