"""Kernels of programs with a plan or layout of their own: redundant models, motor motion."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.compile import compile_graph
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.functions.backend import COMPILATION_COST, kernel_mode, warn_slower
from gearwright.mechanism import Mechanism
from gearwright.programs.batch import batch_shape, evaluate_program
from gearwright.programs.program import Fixed, Program, VectorProgram
from gearwright.tracing.trace import TraceJob, trace_graph


class ProgramKernel:
    """A program of a machine: NumPy for the first calls, machine code once these have cost as much as compiling.

    Args:
        program: the program.
        mech: the machine.
        fixed: the constant arguments.
        sizes: number of scalars of each input.
    """

    def __init__(self, program: Program, mech: Mechanism, fixed: Fixed, sizes: Mapping[str, int]) -> None:
        sized = VectorProgram(
            program.name, tuple(sizes), program.run, program.shape, per_coordinate=(), vector_sizes=dict(sizes)
        )
        self._job, self._spent = TraceJob(sized, mech, fixed), 0.0

    @cached_property
    def _machine_code(self) -> MachineCode | None:
        try:
            code = compile_graph(self._job, trace_graph(self._job))
        except CompilationError as error:
            warn_slower(f"{self._job.program.name} runs without a kernel", str(error))
            return None
        for remark in code.remarks if code is not None else ("too many operations for machine code",):
            warn_slower(self._job.program.name, remark)
        return code

    def __call__(self, arrays: Mapping[str, Array]) -> Array:
        """The result for checked inputs."""
        job, lead = self._job, batch_shape(self._job.program.name, arrays)
        rows = int(np.prod(lead, dtype=int))
        if rows and self._is_compilation_worthwhile(rows) and self._machine_code is not None:
            inputs = [_input_rows(array, lead, rows) for array in arrays.values()]
            out = np.empty((rows, int(np.prod(job.result_shape(), dtype=int))))
            if self._machine_code.run_rows(inputs, [x.strides[0] for x in inputs], out, 0, rows):
                return out.reshape(lead + job.result_shape())
        return evaluate_program(
            job.program, job.mech, arrays, job.fixed
        )  # also for results that are not finite: the error names the cause

    def _is_compilation_worthwhile(self, rows: int) -> bool:
        """Whether all calls together have cost as much as compiling, counted as for public functions."""
        mode, bodies = kernel_mode(), len(self._job.mech.bodies)
        self._spent += bodies * (15.0 + 0.3 * rows)
        return mode == "on" or (mode == "auto" and self._spent >= COMPILATION_COST * max(bodies / 7, 1.0) ** 2)


class ProgramKernels:
    """The kernels of several programs of a machine with the same plan or layout.

    Args:
        mech: the machine.
        fixed: the constant arguments.
    """

    def __init__(self, mech: Mechanism, fixed: Fixed) -> None:
        self._mech, self._fixed = mech, fixed
        self._kernels: dict[tuple[str, ...], ProgramKernel] = {}

    def run_program(self, program: Program, arrays: Mapping[str, Array]) -> Array:
        """Return the result of a program for checked inputs; the set of inputs may differ between calls."""
        key = (program.name, *arrays)
        if key not in self._kernels:
            sizes = {name: array.shape[-1] for name, array in arrays.items()}
            self._kernels[key] = ProgramKernel(program, self._mech, self._fixed, sizes)
        return self._kernels[key](arrays)


def _input_rows(array: Array, lead: tuple[int, ...], rows: int) -> Array:
    """Return an input as one row per state."""
    return np.ascontiguousarray(np.broadcast_to(array, (*lead, array.shape[-1])).reshape(rows, array.shape[-1]))
