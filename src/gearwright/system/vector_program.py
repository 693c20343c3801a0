"""Programs of a machine with its laws: named vectors in, one vector out; and their machine code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gearwright.algebra import Operations
from gearwright.compiling.compile import graph_code
from gearwright.compiling.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs, Program
from gearwright.tracing.trace import TraceJob, traced

Formula = Callable[[Mechanism, Operations, Inputs], Any]
"""(machine, operations, inputs by name) -> scalars, nested as they come."""


class NoKernelError(Exception):
    """Why there is no machine code of a machine with its laws, in a sentence for `Run.remarks`."""


@dataclass(frozen=True)
class VectorProgram(Program):
    """A program whose inputs have sizes of their own, and names of their entries where somebody states them."""

    contents: dict[str, int] = field(default_factory=dict)
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def sizes(self, mech: Mechanism, fixed: Fixed) -> dict[str, int]:
        """Every input with its number of scalars."""
        return dict(self.contents)

    def entry_names(self, mech: Mechanism, name: str) -> Sequence[str]:
        """What the entries of an input are called; numbers where nobody says."""
        return self.names.get(name) or tuple(map(str, range(self.contents[name])))


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


def kernel(program: VectorProgram, mech: Mechanism) -> MachineCode:
    """The machine code of a program; NoKernelError where there can be none."""
    job = job_of(program, mech)
    try:
        code = graph_code(job, traced(job))
    except CompilationError as error:
        raise NoKernelError(f"the laws run in Python, not in machine code: {error}.") from error
    if code is None:
        raise NoKernelError(
            f"the laws run in Python, not in machine code: {program.name} has too many operations for machine code."
        )
    return code
