"""The operations of a graph on vectors, beyond sines and cosines."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.compiling.lanes import Writer
from gearwright.tracing.graph import LIBRARY

ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
COMPARISONS = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


def operation(w: Writer, op: str, args: Sequence[str]) -> str:
    """The value of one operation; truth is 1.0 or 0.0, as in CasADi."""
    if op in ARITHMETIC:
        return w.binary(ARITHMETIC[op], *args)
    if op == "neg":
        return w.assign(f"fneg {w.type} {args[0]}")
    if op in ("sqrt", "fabs", "floor"):
        return w.unary(op, args[0])
    if op in LIBRARY:
        return _library(w, op, args)
    if op in COMPARISONS:
        return _truth(w, compare(w, COMPARISONS[op], *args))
    return _logical(w, op, args)


def _logical(w: Writer, op: str, args: Sequence[str]) -> str:
    zero, one = w.splat(0.0), w.splat(1.0)
    if op == "not":
        return _truth(w, compare(w, "oeq", args[0], zero))
    if op == "and":
        return _truth(w, compare(w, "une", w.binary("fmul", *args), zero))
    if op == "or":
        return _truth(w, compare(w, "une", w.binary("fadd", *(w.unary("fabs", x) for x in args)), zero))
    if op == "if_else_zero":
        return select(w, compare(w, "une", args[0], zero), args[1], zero)
    if op in ("min", "max"):
        return _extreme(w, "olt" if op == "min" else "ogt", *args)
    positive = select(w, compare(w, "ogt", args[0], zero), one, zero)  # sign
    return select(w, compare(w, "olt", args[0], zero), w.splat(-1.0), positive)


def _extreme(w: Writer, relation: str, a: str, b: str) -> str:
    """The smaller or larger of two; NaN if either is, as in NumPy."""
    chosen = select(w, compare(w, relation, a, b), a, b)
    return select(w, compare(w, "uno", a, a), a, chosen)  # where only b is NaN, it is chosen already


def compare(w: Writer, relation: str, a: str, b: str) -> str:
    """Where a relation holds between two values."""
    return w.assign(f"fcmp {relation} {w.type} {a}, {b}")


def select(w: Writer, condition: str, yes: str, no: str) -> str:
    """One of two values, lane by lane."""
    kind = "i1" if w.width == 1 else f"<{w.width} x i1>"
    return w.assign(f"select {kind} {condition}, {w.type} {yes}, {w.type} {no}")


def _truth(w: Writer, condition: str) -> str:
    return select(w, condition, w.splat(1.0), w.splat(0.0))


def _library(w: Writer, op: str, args: Sequence[str]) -> str:
    """A call of the mathematical library for every lane; its address stands in the table of addresses."""
    place = w.assign(f"getelementptr i8, ptr @addresses, i64 {8 * LIBRARY.index(op)}")
    function = w.assign(f"load ptr, ptr {place}")
    results = []
    for lane in range(w.width):
        scalars = [x if w.width == 1 else w.assign(f"extractelement {w.type} {x}, i64 {lane}") for x in args]
        results.append(w.assign(f"call double {function}({', '.join(f'double {x}' for x in scalars)})"))
    if w.width == 1:
        return results[0]
    value = "poison"
    for lane, scalar in enumerate(results):
        value = w.assign(f"insertelement {w.type} {value}, double {scalar}, i64 {lane}")
    return value
