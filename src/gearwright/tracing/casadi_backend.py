"""The traced program as a CasADi function with named inputs and outputs, over SX."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from gearwright.argument_kinds import check_arguments
from gearwright.mechanism import RobotOrMech
from gearwright.text import plain_names
from gearwright.tracing.recipe import kernel_request
from gearwright.tracing.trace import TraceJob, trace_function


@check_arguments
def casadi_function(
    function: Callable[..., Any] | str, robot_or_mech: RobotOrMech, parameters: str | Sequence[str] = (), **fixed: Any
) -> Any:
    """Return a function of the dynamics as a `casadi.Function`, with the machine's parameters as constants.

    Args:
        function: a public function such as `gw.forward_dynamics`, or its name.
        robot_or_mech: a robot or a machine.
        parameters: paths of parameters that remain inputs: the last input, `parameters`, is then a column (P, 1).
        fixed: arguments of the function other than arrays, as for `compile`.

    Returns:
        A function of columns with the names of the arguments (`q`, `v`, ..., `wrench_<body>`, `base_motion`,
        `parameters`), for numbers, SX and MX. Vectors are columns, matrices keep their shape; the result is called
        `out`, those of `placement` are `rotation` and `position`. CasADi differentiates it to any order, by the
        coordinates themselves: a free joint has 7 of them. Quaternions are normalised inside; inputs are not checked.

    >>> import gearwright as gw
    >>> f = casadi_function(gw.forward_dynamics, gw.load("elbow"))
    >>> f
    Function(forward_dynamics:(q[3],v[3],tau[3])->(out[3]) SXFunction)
    >>> f.jacobian().size_out("jac_out_tau")
    (3, 3)
    """
    request = kernel_request(function, robot_or_mech, parameters, fixed, "casadi_function")
    return as_casadi(request.trace_job())


def as_casadi(job: TraceJob) -> Any:
    """A job as a CasADi function of named inputs, with its result in its own shape."""
    import casadi as ca

    sizes = job.input_sizes()
    symbols = [ca.SX.sym(name, size) for name, size in zip(plain_names(sizes), sizes.values(), strict=True)]
    flat = trace_function(job)(*symbols)[1]
    outputs, start = {}, 0
    for name, shape in job.result_shapes().items():
        stop = start + prod(shape)
        outputs[name], start = _reshape_rows(flat[start:stop], shape), stop
    title = plain_names([job.program.name])[0]
    return ca.Function(title, symbols, list(outputs.values()), plain_names(sizes), list(outputs))


def _reshape_rows(flat: Any, shape: tuple[int, ...]) -> Any:
    """A matrix from its entries in row-major order; CasADi is column-major. Further axes become more columns."""
    import casadi as ca

    if len(shape) < 2:
        return flat
    return ca.reshape(flat, prod(shape[1:]), shape[0]).T
