"""Tracing: a program run over recorded symbols with the machine's numbers folded in, and directional derivatives of it.

Derivatives along a direction come from forward differentiation and take about twice the operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gearwright.algebra import Scalar
from gearwright.dynamics.configuration import nudge, quaternions
from gearwright.mechanism import Mechanism
from gearwright.programs.batch import singular
from gearwright.programs.inputs import NO_ROTATION
from gearwright.programs.program import Fixed, Program, flatten
from gearwright.tracing.expressions import Drawn, drawn
from gearwright.tracing.graph import Builder, Graph, walk
from gearwright.tracing.simplify.equivalent_machine import PREPARED, prepare
from gearwright.tracing.symbols import Symbol, operations, plain

PARAMETERS = "parameters"
"""The input that holds the parameters kept symbolic."""


LARGE = 40
"""Bodies above which a graph is drawn without CasADi: in a quarter of the time, with about 1 % more operations."""


@dataclass(frozen=True)
class TraceJob:
    """What is traced: a program of a machine, with what is fixed, what stays symbolic and what is differentiated.

    Args:
        program: the program.
        mech: the machine with its numbers.
        fixed: what is decided before running.
        machine: makes the machine from symbolic parameters; None when there are none.
        count: number of symbolic parameters.
        wrt: inputs that the result is differentiated by, side by side as columns; none: the result itself.
    """

    program: Program
    mech: Mechanism
    fixed: Fixed
    machine: Callable[[Sequence[Scalar]], Mechanism] | None = None
    count: int = 0
    wrt: tuple[str, ...] = ()

    @property
    def needs_tracing(self) -> bool:
        """Whether the recursion over numbers alone cannot give the result: derivatives, parameters as inputs."""
        return bool(self.wrt or self.count)

    @cached_property
    def function(self) -> Any:
        """The job as a CasADi function, traced when something first needs it."""
        return traced_function(self)

    def sizes(self) -> dict[str, int]:
        """Every input with its number of scalars."""
        sizes = self.program.sizes(self.mech, self.fixed)
        return {**sizes, PARAMETERS: self.count} if self.count else sizes

    def columns(self) -> dict[str, int]:
        """Per input of `wrt` its number of columns: n for coordinates, in the tangent."""
        sizes = self.sizes()
        return {name: self.mech.n if name in self.program.per_coordinate else sizes[name] for name in self.wrt}

    def shape(self) -> tuple[int, ...]:
        """The shape of the result for one state."""
        shape = self.program.shape(self.mech, self.fixed)
        return (*shape, sum(self.columns().values())) if self.wrt else shape

    def results(self) -> dict[str, tuple[int, ...]]:
        """Per result its shape for one state; a derivative is one array."""
        return {"out": self.shape()} if self.wrt else self.program.results(self.mech, self.fixed)


def traced(job: TraceJob) -> Graph:
    """The job as a graph: by way of CasADi, or drawn at once where a large machine is not to be differentiated."""
    if job.wrt or len(job.mech.bodies) <= LARGE:
        return walk(traced_function(job))
    return _drawn(job)


def _drawn(job: TraceJob) -> Graph:
    builder = Builder()
    tape: list[Any] = []
    entries = {
        name: [Symbol(Drawn(builder, builder.node("input", which, i)), tape) for i in range(size)]
        for which, (name, size) in enumerate(job.sizes().items())
    }
    guards = [drawn(builder, plain(x)) for x in _guards(job, entries)]
    results = [drawn(builder, plain(x)) for x in _scalars(job, entries)]
    return builder.graph(results, guards)


def traced_function(job: TraceJob) -> Any:
    """The job as a CasADi function of its inputs: (intermediates in the order of construction, result, guards)."""
    import casadi as ca

    vectors = {name: ca.SX.sym(name, size) for name, size in job.sizes().items()}
    tape: list[Any] = []
    entries = {name: [Symbol(vector[i], tape) for i in range(vector.numel())] for name, vector in vectors.items()}
    guards = [plain(x) for x in _guards(job, entries)]
    tape.clear()
    result, tape = _differentiated(job, vectors, entries, tape) if job.wrt else (_result(job, entries), tape)
    outputs = [ca.vertcat(*tape), result, ca.vertcat(*guards)]
    name = job.program.name.replace(".", "_")  # CasADi takes letters, digits and underscores
    return ca.Function(name, list(vectors.values()), [ca.densify(x) for x in outputs])


def _result(job: TraceJob, entries: Mapping[str, Sequence[Scalar]]) -> Any:
    import casadi as ca

    return ca.vertcat(*(plain(x) for x in _scalars(job, entries)))


def _scalars(job: TraceJob, entries: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
    """The results over symbols."""
    mech = job.mech if job.machine is None else job.machine(entries[PARAMETERS])
    if job.program.name in PREPARED and not job.fixed and mech.n:
        # Forces and energies do not depend on the choice of frames.
        ready = prepare(mech)
        mech, entries = ready.mech, {**entries, "q": ready.placed_at(entries["q"])}
    try:
        return flatten(job.program.run(mech, operations(), entries, job.fixed))
    except ZeroDivisionError:  # among the machine's own numbers, so at every state
        raise singular(job.program.name) from None


def _differentiated(
    job: TraceJob, vectors: Mapping[str, Any], entries: Mapping[str, Sequence[Scalar]], tape: list[Any]
) -> tuple[Any, list[Any]]:
    """The Jacobian by rows, all inputs in one pass, which shares more than one pass for each.

    Coordinates are nudged in the tangent where they are not themselves it. The order of execution is left to CasADi:
    for derivatives the order of construction brings nothing.
    """
    import casadi as ca

    directions, moved = dict(vectors), dict(entries)
    steps = []
    if not job.mech.straight:
        for name in (name for name in job.wrt if name in job.program.per_coordinate):
            directions[name] = step = ca.SX.sym(f"d{name}", job.mech.n)
            along = [Symbol(step[i], tape) for i in range(job.mech.n)]
            moved[name] = nudge(job.mech, entries[name], along, operations())
            steps.append(step)
    slope = ca.jacobian(_result(job, moved), ca.vertcat(*(directions[name] for name in job.wrt)))
    if steps:
        slope = ca.substitute(slope, ca.vertcat(*steps), ca.DM.zeros(job.mech.n * len(steps)))
    return ca.vec(ca.densify(slope).T), []


def _guards(job: TraceJob, entries: Mapping[str, Sequence[Scalar]]) -> list[Scalar]:
    """Squares of quaternions less the smallest that is taken for a rotation."""
    found = []
    for name in (name for name in entries if name in job.program.per_coordinate):
        for four in quaternions(job.mech):
            w, x, y, z = entries[name][four]
            found.append(w * w + x * x + y * y + z * z - NO_ROTATION)
    return found


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
