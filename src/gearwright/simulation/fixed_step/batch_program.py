"""A program of a machine with its laws for whole batches, numbers of its own for each member."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.compiling.compile import graph_code
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.simulation.fixed_step.step_program import ITERATE, StepPlan
from gearwright.system.system import System
from gearwright.system.time_stepping.step import whole_energy
from gearwright.system.vector_program import vector_program
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.graph import Graph
from gearwright.tracing.trace import TraceJob, traced

FEW = 64
"""Members up to which CasADi computes sooner than a compiler gets ready."""


class BatchProgram:
    """The results of a traced program for many members at once.

    Args:
        job: what is traced.
    """

    def __init__(self, job: TraceJob) -> None:
        self._job = job

    @cached_property
    def _graph(self) -> Graph:
        return traced(self._job)

    @cached_property
    def _code(self) -> MachineCode | None:
        """None where there is no machine code: CasADi computes the same."""
        try:
            return None if kernel_mode() == "off" else graph_code(self._job, self._graph)
        except CompilationError:
            return None

    def zero(self, places: Sequence[int]) -> bool:
        """Whether some of the results are 0 whatever the inputs are."""
        nodes = (self._graph.nodes[self._graph.outputs[k]] for k in places)
        return all(node.op == "const" and node.a == 0 for node in nodes)

    def at(self, inputs: Sequence[Array]) -> Array:
        """The results (N, *shape) for inputs (N or 1, size) in the order of the job; the first has N rows."""
        rows, shape = len(inputs[0]), self._job.shape()
        if rows <= FEW or self._code is None:
            return evaluate_job(self._job, dict(zip(self._job.sizes(), inputs, strict=True)))
        arrays, out = [np.ascontiguousarray(x) for x in inputs], np.empty((rows, int(np.prod(shape))))
        self._code.run(arrays, [0 if len(x) == 1 else x.strides[0] for x in arrays], out, 0, rows)
        return out.reshape(rows, *shape)


def energy_program(system: System, plan: StepPlan) -> VectorProgram:
    """Kinetic, potential and stored energy together, from the inputs of a step."""

    def energy(mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        here, (t, h) = plan.on(system, mech, given), given["clock"]
        return [whole_energy(here, ops, t, h, here.moving(given["x"]), given["inputs0"])]

    contents = {
        name: size for name, size in plan.contents(system).items() if name not in (ITERATE, "inputs1", "inputs2")
    }
    return vector_program("whole_energy", contents, 1, energy)
