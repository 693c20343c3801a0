"""From a public call to a result: take the machine, check the inputs, let a backend answer.

The first calls of a machine run over NumPy. Once a kernel pays (see `service.Service`: the calls so far have cost as
much as compiling, or a kernel lies in the cache), the machine gets one, and calls go straight to it: `Program.ready`
finds it by the identity of the machine or robot. `GEARWRIGHT_KERNELS=off` in the environment keeps everything on NumPy,
`on` compiles at the first call; it is read as long as a machine has no kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.functions.backend import Service, service, when_gone
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.programs.inputs import checked, outside
from gearwright.programs.program import Fixed, Program


def run(
    program: Program,
    robot_or_mech: RobotOrMech,
    arrays: Sequence[ArrayLike],
    fixed: Fixed | None = None,
    wrenches: Mapping[Any, ArrayLike] | None = None,
    base_motion: Any = None,
) -> Array:
    """The result of a program for arrays as users give them, in the order of `program.inputs`.

    `fixed` is what is decided before running; wrenches and a moving base are for programs that take them.
    """
    if fixed is None and wrenches is None and base_motion is None:
        kernel = program.ready.get(id(robot_or_mech))
        if kernel is not None:
            result: Array = kernel(*arrays)
            return result
    given = dict(zip(program.inputs, arrays, strict=True))
    fixed = fixed or {}
    if wrenches is not None or base_motion is not None:
        mech = machine_of(program.name, robot_or_mech)
        more, fixed = outside(program.name, mech, wrenches, base_motion)
        given |= more
    return run_checked(program, robot_or_mech, given, fixed)


def derivative(program: Program, robot_or_mech: RobotOrMech, given: Mapping[str, ArrayLike], function: str) -> Array:
    """Derivatives of a program by all its inputs, side by side along the last axis, q in the tangent.

    `function` is what the user called, for messages.
    """
    return run_checked(program, robot_or_mech, given, {}, program.inputs, function)


def run_checked(
    program: Program,
    robot_or_mech: RobotOrMech,
    given: Mapping[str, ArrayLike],
    fixed: Fixed,
    wrt: tuple[str, ...] = (),
    function: str | None = None,
) -> Array:
    """The result for inputs by name, every one of them checked first; a kernel is kept at hand once there is one."""
    function = function or program.name
    mech = machine_of(function, robot_or_mech)
    arrays = {
        name: checked(function, mech, name, given[name], size, program.entry_names(mech, name))
        for name, size in program.sizes(mech, fixed).items()
    }
    backend = service(program, mech, fixed, wrt)
    result = backend(arrays)
    if not fixed and not wrt:
        _keep_at_hand(program, robot_or_mech, backend)
    return result


def _keep_at_hand(program: Program, robot_or_mech: RobotOrMech, backend: Service) -> None:
    """Let the next calls find the kernel, if there is one, by the identity of what users give."""
    number, ready = id(robot_or_mech), program.ready
    if backend.kernel is not None and number not in ready:
        ready[number] = backend.kernel.func  # the builtin itself
        when_gone(robot_or_mech, lambda: ready.pop(number, None))


def compiled_now(program: Program, robot_or_mech: RobotOrMech, fixed: Fixed | None = None) -> Callable[..., Array]:
    """A program of a machine for somebody who will call it thousands of times: as a kernel at once, where it can be."""
    mech = machine_of(program.name, robot_or_mech)
    kernel = service(program, mech, fixed or {}).compiled_now()
    return kernel.func if kernel is not None else lambda *arrays: run(program, mech, arrays, fixed)
