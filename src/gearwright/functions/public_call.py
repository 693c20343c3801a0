"""From a public call to a result: assemble the machine, check the inputs, call a backend.

The first calls of a machine use NumPy. Once the calls so far have cost as much as compiling, or a kernel is in the
cache (see `backend.Backend`), the machine gets a kernel, and calls go directly to it: `Program.ready` finds it by
the id of the machine or robot. The environment variable `GEARWRIGHT_KERNELS=off` selects NumPy for all calls, `on`
compiles at the first call; it is read as long as a machine has no kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.functions.backend import Backend, backend_of, on_collected
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.programs.inputs import checked_array, external_inputs
from gearwright.programs.program import Fixed, Program


def run_program(
    program: Program,
    robot_or_mech: RobotOrMech,
    arrays: Sequence[ArrayLike],
    fixed: Fixed | None = None,
    wrenches: Mapping[Any, ArrayLike] | None = None,
    base_motion: Any = None,
) -> Array:
    """Return the result of a program for the user's arrays, in the order of `program.inputs`.

    `fixed` has the constant arguments; wrenches and a moving base are for programs that accept them.
    """
    if fixed is None and wrenches is None and base_motion is None:
        kernel = program.ready.get(id(robot_or_mech))
        if kernel is not None:
            result: Array = kernel(*arrays)
            return result
    inputs = dict(zip(program.inputs, arrays, strict=True))
    fixed = fixed or {}
    if wrenches is not None or base_motion is not None:
        mech = machine_of(program.name, robot_or_mech)
        external, fixed = external_inputs(program.name, mech, wrenches, base_motion)
        inputs |= external
    return run_named_inputs(program, robot_or_mech, inputs, fixed)


def program_derivative(
    program: Program, robot_or_mech: RobotOrMech, inputs: Mapping[str, ArrayLike], function: str
) -> Array:
    """Return the derivatives of a program by all its inputs, concatenated along the last axis, q in the tangent space.

    `function` is the name of the called function, for messages.
    """
    return run_named_inputs(program, robot_or_mech, inputs, {}, program.inputs, function)


def run_named_inputs(
    program: Program,
    robot_or_mech: RobotOrMech,
    inputs: Mapping[str, ArrayLike],
    fixed: Fixed,
    wrt: tuple[str, ...] = (),
    function: str | None = None,
) -> Array:
    """Return the result for inputs by name, after checking each of them; a kernel is cached once it exists."""
    function = function or program.name
    mech = machine_of(function, robot_or_mech)
    arrays = {
        name: checked_array(
            function, mech, name, whole_input(program, mech, name, inputs[name]), size, program.entry_names(mech, name)
        )
        for name, size in program.input_sizes(mech, fixed).items()
    }
    backend = backend_of(program, mech, fixed, wrt)
    result = backend(arrays)
    if not fixed and not wrt:
        _cache_kernel(program, robot_or_mech, mech, backend)
    return result


def whole_input(program: Program, mech: Mechanism, name: str, value: ArrayLike) -> ArrayLike:
    """Return an input; independent coordinates of a machine with closed loops as the whole configuration."""
    if not isinstance(mech, ClosedMechanism) or name not in program.per_coordinate:
        return value
    shape = np.shape(value)
    if not shape or shape[-1] == mech.nq or shape[-1] != len(mech.independent_indices):
        return value
    return mech.closed(value)


def _cache_kernel(program: Program, robot_or_mech: RobotOrMech, mech: Mechanism, backend: Backend) -> None:
    """Store the kernel, if there is one, under the id of the user's machine or robot."""
    number, ready = id(robot_or_mech), program.ready
    if backend.kernel is not None and number not in ready:
        call = backend.kernel.func  # the built-in function itself
        ready[number] = call if mech.closure is None else partial(_call_with_whole_inputs, program, mech, call)
        on_collected(robot_or_mech, lambda: ready.pop(number, None))


def _call_with_whole_inputs(program: Program, mech: Mechanism, call: Callable[..., Array], *arrays: ArrayLike) -> Array:
    return call(*(whole_input(program, mech, name, x) for name, x in zip(program.inputs, arrays, strict=True)))


def compile_now(program: Program, robot_or_mech: RobotOrMech, fixed: Fixed | None = None) -> Callable[..., Array]:
    """Return a program of a machine for thousands of calls, compiled immediately where possible."""
    mech = machine_of(program.name, robot_or_mech)
    kernel = backend_of(program, mech, fixed or {}).compile_now()
    return kernel.func if kernel is not None else lambda *arrays: run_program(program, mech, arrays, fixed)
