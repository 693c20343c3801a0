"""A program of a machine with its laws for whole batches, with separate numbers for each member."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.compiling.compile import compile_graph
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.functions.backend import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.simulation.fixed_step.step_program import IMPULSE_ITERATE, StepPlan
from gearwright.system.system import System
from gearwright.system.time_stepping.step import total_energy
from gearwright.system.vector_program import vector_program
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.graph import Graph
from gearwright.tracing.trace import TraceJob, trace_graph

INTERPRETED_ROWS = 64
"""Members up to which CasADi evaluates faster than a kernel compiles."""


class BatchProgram:
    """The results of a traced program for many members at once.

    Args:
        job: what is traced.
    """

    def __init__(self, job: TraceJob) -> None:
        self._job = job

    @cached_property
    def _graph(self) -> Graph:
        return trace_graph(self._job)

    @cached_property
    def _code(self) -> MachineCode | None:
        """The machine code; None if there is none, and CasADi computes the same."""
        try:
            return None if kernel_mode() == "off" else compile_graph(self._job, self._graph)
        except CompilationError:
            return None

    def is_zero(self, places: Sequence[int]) -> bool:
        """Whether some of the results are 0 for all inputs."""
        nodes = (self._graph.nodes[self._graph.outputs[k]] for k in places)
        return all(node.op == "const" and node.a == 0 for node in nodes)

    def evaluate(self, inputs: Sequence[Array]) -> Array:
        """The results (N, *shape) for inputs (N or 1, size) in the order of the job; the first has N rows."""
        row_count, shape = len(inputs[0]), self._job.result_shape()
        if row_count <= INTERPRETED_ROWS or self._code is None:
            return evaluate_job(self._job, dict(zip(self._job.input_sizes(), inputs, strict=True)))
        arrays, out = [np.ascontiguousarray(x) for x in inputs], np.empty((row_count, int(np.prod(shape))))
        self._code.run_rows(arrays, [0 if len(x) == 1 else x.strides[0] for x in arrays], out, 0, row_count)
        return out.reshape(row_count, *shape)


def energy_program(system: System, plan: StepPlan) -> VectorProgram:
    """Kinetic, potential and stored energy together, from the inputs of a step."""

    def energy(mech: Mechanism, ops: Operations, values: Inputs) -> list[Scalar]:
        symbolic, (t, h) = plan.symbolic_system(system, mech, values), values["clock"]
        return [total_energy(symbolic, ops, t, h, symbolic.motion_of(values["x"]), values["inputs0"])]

    contents = {
        name: size
        for name, size in plan.input_sizes(system).items()
        if name not in (IMPULSE_ITERATE, "inputs1", "inputs2")
    }
    return vector_program("whole_energy", contents, 1, energy)
