"""Derivatives of a traced program along a direction: forward differentiation, about twice the operations."""

from __future__ import annotations

from gearwright.tracing.graph import Graph
from gearwright.tracing.trace import TraceJob, traced_function
from gearwright.tracing.walk import walk

ALONG = "d_"
"""Before the name of an input: the direction in which it changes."""


def directional(job: TraceJob, names: tuple[str, ...]) -> tuple[Graph, dict[str, int]]:
    """How the result changes while the named inputs move: sum (d result / d input) d_input.

    Returns:
        The graph, and all its inputs with their sizes: those of the job, then `d_<input>` for each name.
    """
    import casadi as ca

    sizes = job.sizes()
    inputs = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    moves = {name: ca.SX.sym(f"{ALONG}{name}", sizes[name]) for name in names}
    _, result, _ = traced_function(job)(*inputs.values())
    slope = ca.jtimes(result, ca.vertcat(*(inputs[name] for name in names)), ca.vertcat(*moves.values()))
    none = ca.SX(0, 1)
    function = ca.Function("along", [*inputs.values(), *moves.values()], [none, ca.densify(slope), none])
    return walk(function), {**sizes, **{f"{ALONG}{name}": sizes[name] for name in names}}
