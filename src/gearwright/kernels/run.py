"""From a public call to a result: check the inputs, choose a backend, run the program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import ArrayLike

from gearwright.kernels.batch import evaluate
from gearwright.kernels.inputs import Array, checked, outside, require_machine
from gearwright.kernels.program import Fixed, Program
from gearwright.mechanism import Mechanism


def run(program: Program, mech: Mechanism, inputs: Mapping[str, ArrayLike], fixed: Fixed | None = None) -> Array:
    """The result of a program for arrays as users give them."""
    require_machine(program.name, mech)
    fixed = fixed or {}
    sizes = program.sizes(mech, fixed)
    arrays = {name: checked(program.name, mech, name, inputs[name], size) for name, size in sizes.items()}
    return evaluate(program, mech, arrays, fixed)


def run_outside(
    program: Program,
    mech: Mechanism,
    inputs: Mapping[str, ArrayLike],
    wrenches: Mapping[Any, ArrayLike] | None,
    base_motion: Any,
) -> Array:
    """The same for a program that takes external wrenches and a moving base."""
    require_machine(program.name, mech)
    more, fixed = outside(program.name, mech, wrenches, base_motion)
    return run(program, mech, {**inputs, **more}, fixed)
