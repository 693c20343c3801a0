"""Tracing: a program evaluated with recorded symbols, the machine's parameters as constants, and its derivatives.

Directional derivatives come from forward differentiation and take about twice the operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gearwright.algebra import Scalar
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.closed_loops.embedding import MAX_LOOP_GAP
from gearwright.dynamics.closed_loops.loop_equations import sum_of
from gearwright.dynamics.configuration import integrate_first_order, quaternion_slices
from gearwright.dynamics.pose import place_machine
from gearwright.mechanism import Mechanism
from gearwright.programs import ClosedMechanism
from gearwright.programs.batch import singular_result_error
from gearwright.programs.inputs import ZERO_QUATERNION_SQUARE
from gearwright.programs.program import Fixed, Program, flatten_scalars
from gearwright.tracing.expressions import GraphExpression, node_of
from gearwright.tracing.graph import Graph, GraphBuilder, graph_of_function
from gearwright.tracing.simplify.equivalent_machine import FRAME_INVARIANT_FUNCTIONS, simplify_machine
from gearwright.tracing.symbols import Symbol, as_expression, symbol_operations

PARAMETERS_INPUT = "parameters"
"""The input with the symbolic parameters."""


MAX_CASADI_BODIES = 40
"""Bodies above which a graph is built without CasADi: in a quarter of the time, with about 1 % more operations."""


@dataclass(frozen=True)
class TraceJob:
    """A program of a machine to be traced, with its fixed arguments, symbolic parameters and differentiated inputs.

    Args:
        program: the program.
        mech: the machine with its numbers.
        fixed: arguments fixed before tracing.
        symbolic_machine: makes the machine from symbolic parameters; None if there are none.
        parameter_count: number of symbolic parameters.
        wrt: inputs that the result is differentiated by, side by side as columns; none: the result itself.
    """

    program: Program
    mech: Mechanism
    fixed: Fixed
    symbolic_machine: Callable[[Sequence[Scalar]], Mechanism] | None = None
    parameter_count: int = 0
    wrt: tuple[str, ...] = ()

    @property
    def needs_tracing(self) -> bool:
        """Whether the result requires tracing: derivatives, parameters as inputs."""
        return bool(self.wrt or self.parameter_count)

    @cached_property
    def casadi_trace(self) -> Any:
        """The job as a CasADi function, traced at the first access."""
        return trace_function(self)

    def input_sizes(self) -> dict[str, int]:
        """Every input with its number of scalars."""
        inputs = self.program.input_sizes(self.mech, self.fixed)
        return {**inputs, PARAMETERS_INPUT: self.parameter_count} if self.parameter_count else inputs

    def column_counts(self) -> dict[str, int]:
        """Per input of `wrt` its number of columns: n for coordinates, in the tangent space."""
        sizes = self.input_sizes()
        return {name: self.mech.n if name in self.program.per_coordinate else sizes[name] for name in self.wrt}

    def result_shape(self) -> tuple[int, ...]:
        """The shape of the result for one state."""
        entries = self.program.shape(self.mech, self.fixed)
        return (*entries, sum(self.column_counts().values())) if self.wrt else entries

    def result_shapes(self) -> dict[str, tuple[int, ...]]:
        """Per result its shape for one state; a derivative is one array."""
        return {"out": self.result_shape()} if self.wrt else self.program.result_shapes(self.mech, self.fixed)


def trace_graph(job: TraceJob) -> Graph:
    """The job as a graph: through CasADi, or built directly for a large machine without derivatives."""
    if job.wrt or len(job.mech.bodies) <= MAX_CASADI_BODIES:
        return graph_of_function(trace_function(job))
    return _build_graph(job)


def _build_graph(job: TraceJob) -> Graph:
    builder = GraphBuilder()
    tape: list[Any] = []
    entries = {
        name: [Symbol(GraphExpression(builder, builder.add_node("input", number, i)), tape) for i in range(size)]
        for number, (name, size) in enumerate(job.input_sizes().items())
    }
    guards = [node_of(builder, as_expression(x)) for x in _quaternion_guards(job, entries)]
    results = [node_of(builder, as_expression(x)) for x in _result_scalars(job, entries)]
    return builder.make_graph(results, guards)


def trace_function(job: TraceJob) -> Any:
    """The job as a CasADi function of its inputs: (intermediates in the order of construction, result, guards)."""
    import casadi as ca

    vectors = {name: ca.SX.sym(name, size) for name, size in job.input_sizes().items()}
    tape: list[Any] = []
    entries = {name: [Symbol(vector[i], tape) for i in range(vector.numel())] for name, vector in vectors.items()}
    guards = [as_expression(x) for x in _quaternion_guards(job, entries)]
    tape.clear()
    result, tape = _jacobian_by_rows(job, vectors, entries, tape) if job.wrt else (_result_vector(job, entries), tape)
    outputs = [ca.vertcat(*tape), result, ca.vertcat(*guards)]
    name = job.program.name.replace(".", "_")  # CasADi allows letters, digits and underscores
    return ca.Function(name, list(vectors.values()), [ca.densify(x) for x in outputs])


def _result_vector(job: TraceJob, entries: Mapping[str, Sequence[Scalar]]) -> Any:
    import casadi as ca

    return ca.vertcat(*(as_expression(x) for x in _result_scalars(job, entries)))


def _result_scalars(job: TraceJob, entries: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
    """The results over symbols."""
    mech = job.mech if job.symbolic_machine is None else job.symbolic_machine(entries[PARAMETERS_INPUT])
    if job.program.name in FRAME_INVARIANT_FUNCTIONS and not job.fixed and mech.n:
        # Forces and energies do not depend on the choice of frames.
        equivalent = simplify_machine(mech.tree)
        if isinstance(mech, ClosedMechanism):
            mech = mech.with_equivalent_tree(equivalent.mech, equivalent.offsets)
        else:
            mech, entries = equivalent.mech, {**entries, "q": equivalent.coordinates_for(entries["q"])}
    try:
        return flatten_scalars(job.program.run(mech, symbol_operations(), entries, job.fixed))
    except ZeroDivisionError:  # among the machine's numbers, so at every state
        raise singular_result_error(job.program.name) from None


def _jacobian_by_rows(
    job: TraceJob, vectors: Mapping[str, Any], entries: Mapping[str, Sequence[Scalar]], tape: list[Any]
) -> tuple[Any, list[Any]]:
    """The Jacobian by rows, all inputs in one pass, which shares more operations than one pass for each.

    Coordinates that are not tangent coordinates (quaternions) are perturbed in the tangent space. CasADi chooses the
    order of execution: for derivatives the order of construction has no advantage.
    """
    import casadi as ca

    directions, moved = dict(vectors), dict(entries)
    steps = []
    if not job.mech.speeds_are_rates:
        for name in (name for name in job.wrt if name in job.program.per_coordinate):
            directions[name] = step = ca.SX.sym(f"d{name}", job.mech.n)
            along = [Symbol(step[i], tape) for i in range(job.mech.n)]
            moved[name] = _moved_configuration(job.mech, entries[name], along)
            steps.append(step)
    slope = ca.jacobian(_result_vector(job, moved), ca.vertcat(*(directions[name] for name in job.wrt)))
    if steps:
        slope = ca.substitute(slope, ca.vertcat(*steps), ca.DM.zeros(job.mech.n * len(steps)))
    return ca.vec(ca.densify(slope).T), []


def _moved_configuration(mech: Mechanism, q: Sequence[Scalar], along: Sequence[Scalar]) -> list[Scalar]:
    """The configuration to first order in a step; loops stay closed to first order: dq = G dq_i."""
    ops = symbol_operations()
    if mech.closure is not None:
        along = placed_machine(mech, q, ops)[1].speeds(along)
    return integrate_first_order(mech.tree, q, along, ops)


def _quaternion_guards(job: TraceJob, entries: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
    """Squared norms of quaternions less the smallest one accepted for a rotation."""
    guards = []
    for name in (name for name in entries if name in job.program.per_coordinate):
        for four in quaternion_slices(job.mech):
            w, x, y, z = entries[name][four]
            guards.append(w * w + x * x + y * y + z * z - ZERO_QUATERNION_SQUARE)
    return [*guards, *_loop_guards(job, entries)]


def _loop_guards(job: TraceJob, entries: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
    """Squares of the largest accepted gap less those of the gaps, and cosines of frames that face each other."""
    if job.mech.closure is None or not job.program.needs_closed_loops:
        return []
    guards = []
    for name in (name for name in entries if name in job.program.per_coordinate):
        pose = place_machine(job.mech.tree, entries[name], symbol_operations())
        gaps = [equation.gap for equation in job.mech.closure.equations(pose)]
        guards += [MAX_LOOP_GAP**2 - sum_of(gap * gap for gap in gaps), *job.mech.closure.facing_cosines(pose)]
    return guards


DIRECTION_PREFIX = "d_"
"""Prefix of an input's name: the direction of its change."""


def directional_derivative(job: TraceJob, names: tuple[str, ...]) -> tuple[Graph, dict[str, int]]:
    """The directional derivative of the result by the named inputs: sum (d result / d input) d_input.

    Returns:
        The graph, and all its inputs with their sizes: those of the job, then `d_<input>` for each name.
    """
    import casadi as ca

    sizes = job.input_sizes()
    inputs = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    moves = {name: ca.SX.sym(f"{DIRECTION_PREFIX}{name}", sizes[name]) for name in names}
    _, result, _ = trace_function(job)(*inputs.values())
    slope = ca.jtimes(result, ca.vertcat(*(inputs[name] for name in names)), ca.vertcat(*moves.values()))
    none = ca.SX(0, 1)
    function = ca.Function("along", [*inputs.values(), *moves.values()], [none, ca.densify(slope), none])
    return graph_of_function(function), {**sizes, **{f"{DIRECTION_PREFIX}{name}": sizes[name] for name in names}}


def tangent_step(
    job: TraceJob, state: str, moving: int, seeds: Mapping[str, Sequence[Sequence[float]]]
) -> tuple[Graph, Any]:
    """A step of a state together with columns of derivatives: [x+, X+], X+ = (dx+/dx) X + sum (dx+/du) S_u.

    Args:
        job: the step; its result is the next state.
        state: the name of its first input, the state; it becomes [x, X], column after column.
        moving: number of entries of the state that have derivatives; the others, diagnostics, follow them.
        seeds: per other input the constant derivatives S_u, (size, columns).

    Returns:
        The graph, and the same as a CasADi function.
    """
    import casadi as ca

    sizes = job.input_sizes()
    inputs = {name: ca.SX.sym(name, size) for name, size in sizes.items()}
    columns = len(next(iter(seeds.values()))[0])
    tangent = ca.SX.sym(f"{DIRECTION_PREFIX}{state}", moving, columns)
    _, result, _ = trace_function(job)(*inputs.values())
    after = result[:moving]
    moved = ca.mtimes(ca.jacobian(after, inputs[state])[:, :moving], tangent)
    for name, seed in seeds.items():
        moved = moved + ca.mtimes(ca.jacobian(after, inputs[name]), ca.sparsify(ca.DM(seed)))
    arguments = {**inputs, state: ca.vertcat(inputs[state], ca.vec(tangent))}
    whole, none = ca.vertcat(result, ca.vec(ca.densify(moved))), ca.SX(0, 1)
    function = ca.Function("tangent_step", list(arguments.values()), [none, ca.densify(whole), none])
    return graph_of_function(function), function
