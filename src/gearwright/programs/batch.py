"""Running a recursion over NumPy: one state in floats, a batch in arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gearwright.algebra import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.closed_loops.embedding import MAX_LOOP_GAP
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError, SingularityError
from gearwright.mechanism import Mechanism
from gearwright.programs.inputs import refuse_symbols
from gearwright.programs.program import Fixed, Program, flatten_scalars
from gearwright.text import listed_names


def evaluate_program(program: Program, mech: Mechanism, inputs: Mapping[str, Array], fixed: Fixed) -> Array:
    """The program's result for checked inputs, shape (leading axes, *program.shape)."""
    lead = batch_shape(program.name, inputs)
    if mech.closure is not None and program.needs_closed_loops:
        require_closed_loops(program, mech, inputs)
    try:
        if lead == ():
            single = {name: array.tolist() for name, array in inputs.items()}
            flat = np.array(flatten_scalars(program.run(mech, FLOATS, single, fixed)), dtype=np.float64)
        else:
            flat = _evaluate_batch(program, mech, inputs, fixed, lead)
    except ZeroDivisionError:
        raise singular_result_error(program.name) from None
    except TypeError:
        refuse_symbols(program.name, mech)
        raise
    if not np.isfinite(flat).all():
        raise singular_result_error(program.name)
    return flat.reshape(lead + program.shape(mech, fixed))


def require_closed_loops(
    program: Program, mech: Mechanism, inputs: Mapping[str, Array], function: str | None = None
) -> None:
    """Raise an error that names the loop which a configuration leaves open, and the function, if it is another."""
    for name in (name for name in inputs if name in program.per_coordinate):
        columns = list(np.ascontiguousarray(np.moveaxis(inputs[name], -1, 0)))
        pose = place_machine(mech.tree, columns, ARRAYS)
        gaps = [np.abs(np.asarray(equation.gap)) for equation in mech.closure.equations(pose)]
        largest = [float(x.max(initial=0.0)) for x in gaps]
        worst = int(np.argmax(largest))
        turned = any(np.any(np.asarray(x) < 0) for x in mech.closure.facing_cosines(pose))
        if largest[worst] > MAX_LOOP_GAP or turned:
            state = np.unravel_index(int(gaps[worst].argmax()), gaps[worst].shape) if gaps[worst].ndim else ()
            where = f" in state {listed_names(map(str, state))}" if state else ""
            by = "a half turn" if largest[worst] <= MAX_LOOP_GAP else f"{largest[worst]:.4g} (m or rad)"
            equation = mech.closure.equation_names[worst]
            raise InputError(
                f"{function or program.name}: {name} leaves the loop equation {equation} open by {by}{where}. Give a "
                "configuration that closes the loops: mech.closed(q) computes it from the independent coordinates."
            )


def batch_shape(function: str, inputs: Mapping[str, Array]) -> tuple[int, ...]:
    """The common batch shape of all inputs."""
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in inputs.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in inputs.items())
        raise InputError(f"{function}: the leading axes do not broadcast: {shapes}. Make them equal or 1.") from None


def _evaluate_batch(
    program: Program, mech: Mechanism, inputs: Mapping[str, Array], fixed: Fixed, lead: tuple[int, ...]
) -> Array:
    columns = {name: list(np.ascontiguousarray(np.moveaxis(array, -1, 0))) for name, array in inputs.items()}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # the result is checked as a whole
        scalars = flatten_scalars(program.run(mech, ARRAYS, columns, fixed))
    flat = np.empty((*lead, len(scalars)))
    for k, values in enumerate(scalars):
        flat[..., k] = values
    return flat


def singular_result_error(function: str) -> SingularityError:
    """The error for a result that is not finite for finite inputs."""
    return SingularityError(
        f"{function}: the result is not finite. Either the mass matrix is singular at this configuration (a massless "
        "link that moves freely: give it mass or a rotor), or the numbers are too large for float64."
    )
