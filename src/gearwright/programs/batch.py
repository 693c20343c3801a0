"""Running a recursion over NumPy: one state in floats, a batch in arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.mechanism import Mechanism
from gearwright.programs.inputs import refuse_symbols
from gearwright.programs.program import Fixed, Program, flatten


def evaluate(program: Program, mech: Mechanism, inputs: Mapping[str, Array], fixed: Fixed) -> Array:
    """The program's result for checked inputs, shape (leading axes, *program.shape)."""
    lead = leading(program.name, inputs)
    try:
        if lead == ():
            single = {name: array.tolist() for name, array in inputs.items()}
            flat = np.array(flatten(program.run(mech, FLOATS, single, fixed)), dtype=np.float64)
        else:
            flat = _batch(program, mech, inputs, fixed, lead)
    except ZeroDivisionError:
        raise singular(program.name) from None
    except TypeError:
        refuse_symbols(program.name, mech)
        raise
    if not np.isfinite(flat).all():
        raise singular(program.name)
    return flat.reshape(lead + program.shape(mech, fixed))


def leading(function: str, inputs: Mapping[str, Array]) -> tuple[int, ...]:
    """The common batch shape of all inputs."""
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in inputs.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in inputs.items())
        raise InputError(f"{function}: the leading axes do not broadcast: {shapes}. Make them equal or 1.") from None


def _batch(
    program: Program, mech: Mechanism, inputs: Mapping[str, Array], fixed: Fixed, lead: tuple[int, ...]
) -> Array:
    columns = {name: list(np.ascontiguousarray(np.moveaxis(array, -1, 0))) for name, array in inputs.items()}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # the result is checked as a whole
        scalars = flatten(program.run(mech, ARRAYS, columns, fixed))
    flat = np.empty((*lead, len(scalars)))
    for k, values in enumerate(scalars):
        flat[..., k] = values
    return flat


def singular(function: str) -> SingularityError:
    """What to say when the arithmetic broke down on finite inputs."""
    return SingularityError(
        f"{function}: the result is not finite. Either the mass matrix is singular at this configuration (a massless "
        "link that moves freely: give it mass or a rotor), or the numbers are too large for float64."
    )
