"""Programs of a machine with its laws: named vectors in, one vector out; and their machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gearwright.algebra import Operations
from gearwright.compiling.compile import compile_graph
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs, VectorProgram
from gearwright.tracing.trace import TraceJob, trace_graph

VectorFormula = Callable[[Mechanism, Operations, Inputs], Any]
"""(machine, operations, inputs by name) -> scalars, nested in any way."""


class NoKernelError(Exception):
    """The reason why a machine with its laws has no machine code, as a sentence for `Run.remarks`."""


def vector_program(name: str, contents: Mapping[str, int], size: int, formula: VectorFormula) -> VectorProgram:
    """A program of vectors.

    Args:
        name: its name.
        contents: the number of scalars of each input.
        size: number of results.
        formula: what it computes.
    """

    def run_formula(mech: Mechanism, ops: Operations, arguments: Inputs, _: Fixed) -> Any:
        return formula(mech, ops, arguments)

    return VectorProgram(name, tuple(contents), run_formula, lambda *_: (size,), growth=2, vector_sizes=dict(contents))


def trace_job(program: VectorProgram, mech: Mechanism) -> TraceJob:
    """The trace job of a program."""
    return TraceJob(program, mech, {})


def compile_program(program: VectorProgram, mech: Mechanism, batches: bool = False) -> MachineCode:
    """The machine code of a program for single states or for `batches`; NoKernelError if it cannot be compiled."""
    job = trace_job(program, mech)
    try:
        code = compile_graph(job, trace_graph(job), batches)
    except CompilationError as error:
        raise NoKernelError(f"the laws run in Python, not in machine code: {error}.") from error
    if code is None:
        raise NoKernelError(
            f"the laws run in Python, not in machine code: {program.name} has too many operations for machine code."
        )
    return code
