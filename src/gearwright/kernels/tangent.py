"""Tracing: a program run over CasADi symbols, for derivatives and generated code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gearwright.dynamics.configuration import nudge
from gearwright.kernels.operations import casadi_operations
from gearwright.kernels.program import Fixed, Program
from gearwright.mechanism import Mechanism


def symbols(name: str, size: int) -> tuple[Any, list[Any]]:
    """A CasADi symbol vector and its entries."""
    import casadi as ca

    vector = ca.SX.sym(name, size)
    return vector, [vector[i] for i in range(size)]


def trace(program: Program, mech: Mechanism, fixed: Fixed) -> tuple[dict[str, Any], Any]:
    """The inputs as symbol vectors and the flat result as an expression."""
    import casadi as ca

    vectors, entries = {}, {}
    for name, size in program.sizes(mech, fixed).items():
        vectors[name], entries[name] = symbols(name, size)
    return vectors, ca.densify(ca.vertcat(*program.scalars(mech, casadi_operations(), entries, fixed)))


def tangent_derivative(program: Program, mech: Mechanism) -> Any:
    """A CasADi function of the program's inputs that returns d result / d input for each, q in the tangent."""
    import casadi as ca

    vectors, entries = {}, {}
    for name, size in program.sizes(mech, {}).items():
        vectors[name], entries[name] = symbols(name, size)
    step, steps = symbols("step", mech.n)
    moved = {**entries, "q": nudge(mech, entries["q"], steps)}
    result = ca.vertcat(*program.scalars(mech, casadi_operations(), moved, {}))
    slopes = [ca.jacobian(result, step if name == "q" else vectors[name]) for name in vectors]
    slopes = [ca.densify(ca.substitute(slope, step, ca.DM.zeros(mech.n))) for slope in slopes]
    return ca.Function(program.name, list(vectors.values()), slopes)


@lru_cache(maxsize=32)
def cached_tangent_derivative(program: Program, mech: Mechanism) -> Any:
    """The same, kept for the machines used last."""
    return tangent_derivative(program, mech)
