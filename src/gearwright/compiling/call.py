"""Calls of a kernel that its fast entry does not handle: lists, other dtypes, broadcasting, long batches, errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.compiling.llvm.python_entry import THREADED_WORK
from gearwright.compiling.threads import run_over_rows, thread_count
from gearwright.errors import InputError
from gearwright.programs.batch import batch_shape
from gearwright.programs.inputs import checked_array, external_inputs
from gearwright.text import listed_names
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.trace import PARAMETERS_INPUT, TraceJob


def is_input(array: Any, size: int) -> bool:
    """Whether machine code may read an array as an input of `size` entries."""
    return type(array) is np.ndarray and array.dtype == np.float64 and array.shape[-1:] == (size,)


class GeneralCall:
    """Any call of a kernel: arguments are checked and converted, leading axes broadcast, long batches threaded.

    Args:
        job: what the kernel computes.
        parameters: paths of its parameters.
        code: its machine code; None if it is too large.
        operations: per state.
    """

    def __init__(self, job: TraceJob, parameters: tuple[str, ...], code: MachineCode | None, operations: int) -> None:
        self.job, self.parameters, self.code, self.operations = job, parameters, code, operations
        self.name, self.inputs = job.program.name, job.program.inputs
        self.sizes, self.shape = job.input_sizes(), job.result_shape()
        self.size = prod(self.shape)

    def __call__(
        self,
        *args: Any,
        out: Array | None = None,
        parameters: ArrayLike | None = None,
        wrenches: Mapping[Any, ArrayLike] | None = None,
        base_motion: Any = None,
    ) -> Array:
        """The result; parameters, wrenches and base motion may also follow the inputs by position, `out` after them."""
        by_name = len(args) <= len(self.inputs) or any(x is not None for x in (parameters, wrenches, base_motion))
        names = self.inputs if by_name else tuple(self.sizes)
        if len(args) == len(names) + 1 and out is None:
            *args, out = args  # type: ignore[assignment]
        if len(args) != len(names):
            expected_names = listed_names(names)
            raise InputError(
                f"{self.name}: the kernel takes {expected_names}, but got {len(args)} arrays. Give each one."
            )
        arguments = dict(zip(names, args, strict=True))
        if by_name:
            arguments |= {**self._outside_inputs(wrenches, base_motion), **self._parameter_inputs(parameters)}
        arrays = {
            x: checked_array(self.name, self.job.mech, x, arguments[x], size, self._entry_names(x))
            for x, size in self.sizes.items()
        }
        return self.evaluate(arrays, out)

    def _entry_names(self, name: str) -> Sequence[str]:
        return self.parameters if name == PARAMETERS_INPUT else self.job.program.entry_names(self.job.mech, name)

    def _outside_inputs(self, wrenches: Mapping[Any, ArrayLike] | None, base_motion: Any) -> Mapping[str, ArrayLike]:
        """Wrenches and base motion, exactly those that the kernel was compiled for."""
        expected = self.job.fixed
        if wrenches is None and base_motion is None and not expected:
            return {}
        external, fixed = external_inputs(self.name, self.job.mech, wrenches, base_motion)
        same = set(fixed.get("wrenches", ())) == set(expected.get("wrenches", ()))
        if not same or bool(fixed.get("base_motion")) != bool(expected.get("base_motion")):
            raise InputError(
                f"{self.name}: the kernel was compiled for wrenches={tuple(expected.get('wrenches', ()))!r} and "
                f"base_motion={bool(expected.get('base_motion'))}. Give exactly these, or compile another."
            )
        return external

    def _parameter_inputs(self, parameters: ArrayLike | None) -> Mapping[str, ArrayLike]:
        if (parameters is None) == bool(self.parameters):
            expected_names = listed_names(self.parameters) or "none"
            raise InputError(
                f"{self.name}: the kernel's parameters are: {expected_names}. Give parameters= accordingly, "
                f"(..., {len(self.parameters)})."
            )
        return {} if parameters is None else {PARAMETERS_INPUT: parameters}

    def evaluate(self, arrays: Mapping[str, Array], out: Array | None) -> Array:
        """The result for checked inputs."""
        lead = batch_shape(self.name, arrays)
        if out is None:
            out = np.empty(lead + self.shape)
        else:
            self._check_output(out, lead + self.shape, arrays)
        rows = prod(lead)
        if rows and not (self.code and self._run_code(self.code, arrays, lead, out.reshape(rows, self.size))):
            out[...] = evaluate_job(self.job, arrays)  # also reports which value is not finite
        return out

    def _run_code(self, code: MachineCode, arrays: Mapping[str, Array], lead: tuple[int, ...], flat: Array) -> bool:
        inputs, strides = [], []
        for array in arrays.values():
            size = array.shape[-1]
            is_single = array.size == size
            broadcast_array = array if is_single or array.shape[:-1] == lead else np.broadcast_to(array, (*lead, size))
            inputs.append(np.ascontiguousarray(broadcast_array))
            strides.append(0 if is_single else 8 * size)
        rows = len(flat)
        if rows * self.operations < THREADED_WORK:
            return code.run_rows(inputs, strides, flat, 0, rows)
        return run_over_rows(lambda begin, end: code.run_rows(inputs, strides, flat, begin, end), rows, thread_count())

    def _check_output(self, out: Any, shape: tuple[int, ...], arrays: Mapping[str, Array]) -> None:
        right = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == shape
        if not right or not out.flags.c_contiguous or not out.flags.writeable or not out.flags.aligned:
            description = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            raise InputError(
                f"{self.name}: out is {description}; it must be a writable C-order float64 array of shape {shape}."
            )
        for x, array in arrays.items():
            if np.may_share_memory(out, array):
                raise InputError(f"{self.name}: out overlaps the input {x}. Give a separate array.")
