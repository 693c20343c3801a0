"""From a public call to a result: check the inputs, choose a backend, run the program.

The first calls of a machine run over NumPy. Once a kernel pays (see `service.Service`: the calls so far have cost as
much as compiling, or a kernel lies in the cache), the machine gets one, and calls go straight to it: `Program.ready`
finds it by the identity of the machine. `GEARWRIGHT_KERNELS=off` in the environment keeps everything on NumPy, `on`
compiles at the first call; it is read as long as a machine has no kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.functions.service import service, when_gone
from gearwright.mechanism import Mechanism
from gearwright.programs.inputs import checked, outside, require_machine
from gearwright.programs.program import Fixed, Program


def run(program: Program, mech: Mechanism, arrays: Sequence[ArrayLike], fixed: Fixed | None = None) -> Array:
    """The result of a program for arrays as users give them, in the order of `program.inputs`."""
    if fixed is None:
        kernel = program.ready.get(id(mech))
        if kernel is not None:
            result: Array = kernel(*arrays)
            return result
    return served(program, mech, dict(zip(program.inputs, arrays, strict=True)), fixed or {})


def prompt(program: Program, mech: Mechanism, fixed: Fixed | None = None) -> Callable[..., Array]:
    """A program of a machine for somebody who will call it thousands of times: as a kernel at once, where it can be."""
    kernel = service(program, mech, fixed or {}).promptly()
    return kernel.func if kernel is not None else lambda *arrays: run(program, mech, arrays, fixed)


def run_outside(
    program: Program,
    mech: Mechanism,
    arrays: Sequence[ArrayLike],
    wrenches: Mapping[Any, ArrayLike] | None,
    base_motion: Any,
) -> Array:
    """The same for a program that takes external wrenches and a moving base."""
    if wrenches is None and base_motion is None:
        return run(program, mech, arrays)
    require_machine(program.name, mech)
    more, fixed = outside(program.name, mech, wrenches, base_motion)
    return served(program, mech, {**dict(zip(program.inputs, arrays, strict=True)), **more}, fixed)


def derivative(program: Program, mech: Mechanism, arrays: Mapping[str, ArrayLike], name: str) -> Array:
    """Derivatives of a program by all its inputs, side by side along the last axis, q in the tangent."""
    return served(program, mech, arrays, {}, program.inputs, name)


def served(
    program: Program,
    mech: Mechanism,
    given: Mapping[str, ArrayLike],
    fixed: Fixed,
    wrt: tuple[str, ...] = (),
    name: str | None = None,
) -> Array:
    """The result through the machine's service, after checking every input."""
    name = name or program.name
    require_machine(name, mech)
    sizes = program.sizes(mech, fixed)
    arrays = {x: checked(name, mech, x, given[x], size) for x, size in sizes.items()}
    provider = service(program, mech, fixed, wrt)
    result = provider(arrays)
    if provider.kernel is not None and not fixed and not wrt and id(mech) not in program.ready:
        number, ready = id(mech), program.ready
        ready[number] = provider.kernel.func  # the builtin itself
        when_gone(mech, lambda: ready.pop(number, None))
    return result
