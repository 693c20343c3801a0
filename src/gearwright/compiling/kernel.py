"""The kernel object: a function of the dynamics compiled for one machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import value_text
from gearwright.arrays import Array
from gearwright.compiling.call import GeneralCall, is_input
from gearwright.compiling.compile import CompiledKernel, array_layout, compile_kernel, kernel_from_cache
from gearwright.compiling.host.machine_code import has_known_layout
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.plots import html_table
from gearwright.text import did_you_mean
from gearwright.tracing.c_source import c_source
from gearwright.tracing.graph import OperationCount
from gearwright.tracing.parameters import nominal_value
from gearwright.tracing.recipe import KernelRequest, kernel_request
from gearwright.tracing.trace import TraceJob, trace_graph

SLOW_ENTRY_REMARK = "this Python or NumPy has another memory layout of objects, so calls go through Python"


class Kernel(partial[Array]):
    """A function of the dynamics compiled for one machine.

    Called like the function without its first argument: `k(q, v, a)`, arrays of any leading axes that broadcast, and
    `out=` for the result, which must not overlap an input. Kernels with parameters take `parameters=` (..., P), those
    with wrenches or a moving base `wrenches=` and `base_motion=`; all may also be given by position, in the order of
    `inputs` and then `out`. Calls are fastest with float64 arrays in C order, all with one axis or all with two.
    Several threads may call it at once; long batches use all cores (`GEARWRIGHT_THREADS`). It can be pickled and used
    after a fork.

    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))])
    >>> k = gw.compile(gw.inverse_dynamics, arm)
    >>> k(np.array([0.0]), np.array([0.0]), np.array([1.0]))
    array([0.6])
    """

    _request: KernelRequest
    _job: TraceJob
    _general: GeneralCall
    operations: OperationCount
    """Additions, multiplications, divisions, sines of one state."""
    remarks: tuple[str, ...]
    """Remarks on its speed: too large for machine code, or for its optimisation; () for most kernels."""

    def __new__(cls, request: KernelRequest, compiled: CompiledKernel | None = None) -> Kernel:
        """Compile a recipe, or load it from the cache; `compiled` is the result if it is known already."""
        if not isinstance(request, KernelRequest):
            raise InputError(f"Kernel: request={value_text(request)} is no request. gw.compile(...) returns a kernel.")
        job = request.trace_job()
        if compiled is None:
            compiled = compile_kernel(job, request.exact_identity())
        general = GeneralCall(job, request.parameters, compiled.code, compiled.operations.arithmetic_count)
        entry = general if compiled.code is None else compiled.code.python_builtin(request.function, general)
        self = super().__new__(cls, entry)
        self._request, self._job, self._general = request, job, general
        self.operations = compiled.operations
        slow_entry = () if compiled.code is None or has_known_layout() else (SLOW_ENTRY_REMARK,)
        self.remarks = (*compiled.remarks, *slow_entry)
        return self

    @classmethod
    def from_cache(cls, request: KernelRequest) -> Kernel | None:
        """The kernel if it is in the cache, else None."""
        compiled = kernel_from_cache(request.trace_job(), request.exact_identity())
        return None if compiled is None else cls(request, compiled)

    @property
    def trace_job(self) -> TraceJob:
        """The traced job."""
        return self._job

    def evaluate(self, arrays: Mapping[str, Array]) -> Array:
        """The result for arrays of floats by the names of the inputs, in their order, (..., size) each."""
        sizes = self._general.sizes
        known = isinstance(arrays, Mapping) and list(arrays) == list(sizes)
        if not known or not all(is_input(arrays[name], size) for name, size in sizes.items()):
            raise InputError(
                f"{self.name}: evaluate takes float64 arrays whose last axis has the entries of an input: "
                f"{', '.join(f'{name} ({size},)' for name, size in sizes.items())}. Call the kernel itself with other "
                "values."
            )
        return self._general.evaluate(arrays, None)

    @property
    def has_code(self) -> bool:
        """Whether it has machine code; a program above the size limit has none."""
        return self._general.code is not None

    def __reduce__(self) -> tuple[type[Kernel], tuple[KernelRequest]]:
        return Kernel, (self._request,)

    def _repr_html_(self) -> str:
        rows = [(name, size) for name, size in self._job.input_sizes().items()]
        facts = [("result", self._job.result_shape()), ("operations", self.operations.arithmetic_count)]
        return html_table(["kernel", self.name], [*rows, *facts, *(("remark", remark) for remark in self.remarks)])

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name} {size}" for name, size in self._job.input_sizes().items())
        title = f"d {self.name} / d ({', '.join(self._request.wrt)})" if self._request.wrt else self.name
        return (
            f"<Kernel {title} of {inputs}: result {self._job.result_shape()}, {self.operations.arithmetic_count} "
            "operations>"
        )

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._request.function

    @property
    def inputs(self) -> dict[str, int]:
        """Every input with its number of entries; all may be given by position in this order."""
        return self._job.input_sizes()

    @property
    def parameters(self) -> tuple[str, ...]:
        """Paths of the parameters that are inputs."""
        return self._request.parameters

    @property
    def nominal_parameters(self) -> Array:
        """The parameters' values in the machine it was compiled for, (P,)."""
        return np.array([nominal_value(self._request.source, path) for path in self.parameters])

    @property
    def columns(self) -> dict[str, slice]:
        """For a derivative, the columns of each input along the last axis."""
        slices, start = {}, 0
        for name, count in self._job.column_counts().items():
            slices[name] = slice(start, start + count)
            start += count
        return slices

    def jacobian(self, *inputs: str) -> Kernel:
        """The kernel of the exact derivative by one or more inputs, (..., *shape, columns).

        Columns of several inputs are side by side (see `columns`); one kernel for all inputs takes fewer operations
        than one for each. Without arguments: all inputs. A derivative by q has n columns, in the tangent space:
        rotations of free and spherical joints are about body axes.
        """
        if self._request.wrt:
            raise InputError(f"{self!r} is a derivative already. Differentiate the kernel of the function itself.")
        names = list(self._job.input_sizes())
        for name in inputs:
            if name not in names:
                raise InputError(
                    f"{self.name}: there is no input {name!r} to differentiate by. {did_you_mean(name, names)}"
                )
        return Kernel(replace(self._request, wrt=tuple(inputs) or tuple(names)))

    @check_arguments
    def source(self, language: str = "c") -> str:
        """The program as source text: C99 without memory allocation that needs only `sin` and `cos`.

        `integrate` and `difference` of free and spherical joints also need `sqrt` and `atan2`. The name of a derivative
        is the name of its function with `_by_` and the inputs.
        """
        if language != "c":
            raise InputError(f"source: language={language!r} is not supported. Use 'c'.")
        name = "_".join([self.name, *(["by", *self._request.wrt] if self._request.wrt else [])])
        return c_source(trace_graph(self._job), name, self._job.input_sizes(), array_layout(self._job).outputs)


@check_arguments
def compile(
    function: Callable[..., Any] | str,
    robot_or_mech: Robot | Mechanism,
    parameters: str | Sequence[str] = (),
    approximation: str = "exact",
    **fixed: Any,
) -> Kernel:
    """Compile a function of the dynamics for one robot or machine.

    Args:
        function: a public function such as `gw.inverse_dynamics`, or its name.
        robot_or_mech: a robot (parameters are then paths of its file, and wheels follow from them) or a machine.
        parameters: paths of parameters that remain inputs, such as "payload.mass", "j2.motor.inertia", "j2.gear.ratio".
        approximation: a simplified rotor model, one of the kinds of `approximate`; the parameters remain those
            of the robot.
        fixed: arguments of the function other than arrays: `body=` and `point=` of a Jacobian; `wrenches=` the bodies
            and frames with external wrenches; `base_motion=True`.

    Returns:
        The kernel.

    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", mass=2, com=(0.5, 0, 0), inertia=np.diag([0, 0.1, 0.1]))])
    >>> k = gw.compile(gw.mass_matrix, arm, parameters=["arm.mass"])
    >>> k(np.array([0.0]), parameters=np.array([[2.0], [4.0]])).ravel()
    array([0.6, 1.1])
    """
    request = kernel_request(function, robot_or_mech, parameters, fixed)
    return Kernel(replace(request, approximation=approximation))
