"""The energies of many states of a machine with its laws, numbers of its own for each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.compiling.compile import graph_code
from gearwright.errors import CompilationError
from gearwright.functions.service import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs
from gearwright.simulation.step_program import StepPlan
from gearwright.system.stepped_observation import whole_energy
from gearwright.system.system import System
from gearwright.system.vector_program import VectorProgram, vector_program
from gearwright.tracing.trace import TracedWork, traced, traced_function
from gearwright.tracing.virtual_machine import evaluate_traced


def energy_program(system: System, plan: StepPlan) -> VectorProgram:
    """Kinetic, potential and stored energy together, from the inputs of a step."""

    def energy(mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        here, (t, h) = plan.on(system, mech, given), given["clock"]
        return [whole_energy(here, ops, t, h, here.moving(given["x"]), given["inputs0"])]

    contents = {name: size for name, size in plan.contents(system).items() if name not in ("inputs1", "inputs2")}
    return vector_program("whole_energy", contents, 1, energy)


def energies(task: TracedWork, inputs: Sequence[Array]) -> Array:
    """The energies (N,) for inputs (N or 1, size) in the order of the task; the first has N rows."""
    rows = len(inputs[0])
    code = None
    if kernel_mode() != "off":
        try:
            code = graph_code(task, traced(task))
        except CompilationError:
            code = None  # CasADi computes the same
    if code is None:
        return evaluate_traced(task, dict(zip(task.sizes(), inputs, strict=True)), traced_function(task))[:, 0]
    arrays, out = [np.ascontiguousarray(x) for x in inputs], np.empty((rows, 1))
    code.run(arrays, [0 if len(x) == 1 else x.strides[0] for x in arrays], out, 0, rows)
    return out[:, 0]
