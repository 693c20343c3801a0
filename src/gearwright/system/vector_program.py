"""Programs of a machine with its laws: named vectors in, one vector out; and their machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gearwright.algebra import Operations
from gearwright.compiling.compile import graph_code
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs, VectorProgram
from gearwright.tracing.trace import TraceJob, traced

Formula = Callable[[Mechanism, Operations, Inputs], Any]
"""(machine, operations, inputs by name) -> scalars, nested as they come."""


class NoKernelError(Exception):
    """Why there is no machine code of a machine with its laws, in a sentence for `Run.remarks`."""


def vector_program(name: str, contents: Mapping[str, int], size: int, formula: Formula) -> VectorProgram:
    """A program of vectors.

    Args:
        name: its name.
        contents: per input its number of scalars.
        size: number of results.
        formula: what it computes.
    """

    def run(mech: Mechanism, ops: Operations, given: Inputs, _: Fixed) -> Any:
        return formula(mech, ops, given)

    return VectorProgram(name, tuple(contents), run, lambda *_: (size,), growth=2, contents=dict(contents))


def job_of(program: VectorProgram, mech: Mechanism) -> TraceJob:
    """What is to be traced."""
    return TraceJob(program, mech, {})


def kernel(program: VectorProgram, mech: Mechanism, batches: bool = False) -> MachineCode:
    """The machine code of a program for one state after another, or for `batches`; NoKernelError if there is none."""
    job = job_of(program, mech)
    try:
        code = graph_code(job, traced(job), batches)
    except CompilationError as error:
        raise NoKernelError(f"the laws run in Python, not in machine code: {error}.") from error
    if code is None:
        raise NoKernelError(
            f"the laws run in Python, not in machine code: {program.name} has too many operations for machine code."
        )
    return code
