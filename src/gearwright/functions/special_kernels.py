"""Kernels of programs with a plan or layout of their own, which no recipe tells: redundant models, motor motion."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.compile import graph_code
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.errors import CompilationError
from gearwright.functions.backend import COMPILE, kernel_mode, warn_slower
from gearwright.mechanism import Mechanism
from gearwright.programs.batch import evaluate, leading
from gearwright.programs.program import Fixed, Program, VectorProgram
from gearwright.tracing.trace import TraceJob, traced


class OwnKernel:
    """A program of a machine: over NumPy at first, in machine code once that has cost as much as compiling does.

    Args:
        program: the program.
        mech: the machine.
        fixed: what is decided before running.
        sizes: per input its number of scalars.
    """

    def __init__(self, program: Program, mech: Mechanism, fixed: Fixed, sizes: Mapping[str, int]) -> None:
        sized = VectorProgram(
            program.name, tuple(sizes), program.run, program.shape, per_coordinate=(), contents=dict(sizes)
        )
        self._job, self._spent = TraceJob(sized, mech, fixed), 0.0

    @cached_property
    def _code(self) -> MachineCode | None:
        try:
            code = graph_code(self._job, traced(self._job))
        except CompilationError as error:
            warn_slower(f"{self._job.program.name} runs without a kernel", str(error))
            return None
        for remark in code.remarks if code is not None else ("too many operations for machine code",):
            warn_slower(self._job.program.name, remark)
        return code

    def __call__(self, arrays: Mapping[str, Array]) -> Array:
        """The result for checked inputs."""
        job, lead = self._job, leading(self._job.program.name, arrays)
        rows = int(np.prod(lead, dtype=int))
        if rows and self._pays(rows) and self._code is not None:
            given = [_rows(array, lead, rows) for array in arrays.values()]
            out = np.empty((rows, int(np.prod(job.shape(), dtype=int))))
            if self._code.run(given, [x.strides[0] for x in given], out, 0, rows):
                return out.reshape(lead + job.shape())
        return evaluate(job.program, job.mech, arrays, job.fixed)  # also what is not finite: it says why

    def _pays(self, rows: int) -> bool:
        """Whether all calls together have cost as much as compiling, counted as for public functions."""
        mode, bodies = kernel_mode(), len(self._job.mech.bodies)
        self._spent += bodies * (15.0 + 0.3 * rows)
        return mode == "on" or (mode == "auto" and self._spent >= COMPILE * max(bodies / 7, 1.0) ** 2)


class OwnKernels:
    """The kernels of several programs of a machine with the same plan or layout.

    Args:
        mech: the machine.
        fixed: what is decided before running.
    """

    def __init__(self, mech: Mechanism, fixed: Fixed) -> None:
        self._mech, self._fixed = mech, fixed
        self._known: dict[tuple[str, ...], OwnKernel] = {}

    def run(self, program: Program, arrays: Mapping[str, Array]) -> Array:
        """The result of a program for checked inputs; which inputs there are may differ from call to call."""
        key = (program.name, *arrays)
        if key not in self._known:
            sizes = {name: array.shape[-1] for name, array in arrays.items()}
            self._known[key] = OwnKernel(program, self._mech, self._fixed, sizes)
        return self._known[key](arrays)


def _rows(array: Array, lead: tuple[int, ...], rows: int) -> Array:
    """An input as one row per state."""
    return np.ascontiguousarray(np.broadcast_to(array, (*lead, array.shape[-1])).reshape(rows, array.shape[-1]))
