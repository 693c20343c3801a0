"""Checks of users' arrays: shape, dtype and values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Rot, is_number
from gearwright.arguments import as_float_array
from gearwright.arrays import Array
from gearwright.dynamics.configuration import quaternion_slices
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import BASE_MOTION, WRENCH
from gearwright.text import listed_names

ZERO_QUATERNION_SQUARE = 1e-24
"""Squared norm below which a quaternion counts as zero, which is not a rotation."""


def refuse_symbols(function: str, mech: Mechanism) -> None:
    """Raise an error that names the first symbol of a machine, after numeric arithmetic failed on it."""
    groups: dict[str, Any] = {
        "body": mech.bodies,
        "spin": mech.spins,
        "spring": mech.springs,
        "actuator": mech.actuators,
    }
    for kind, parts in groups.items():
        for part in parts:
            for entry in fields(part):
                for x in _symbols_in(getattr(part, entry.name)):
                    raise InputError(
                        f"{function}: {kind} {part.name!r}, {entry.name}: {x} is a symbol, but numbers are required. "
                        "Give a number; closed_form replaces the numbers of a machine by symbols itself."
                    )


def _symbols_in(value: Any) -> Iterator[Any]:
    if isinstance(value, str) or value is None or is_number(value):
        return
    if isinstance(value, Rot):
        value = (value.a, value.b, value.c)
    elif is_dataclass(value):
        value = [getattr(value, entry.name) for entry in fields(value)]
    if not hasattr(value, "__iter__"):
        yield value
        return
    for x in value:
        yield from _symbols_in(x)


def checked_array(
    function: str, mech: Mechanism, name: str, value: ArrayLike, size: int, names: Sequence[str] | None = None
) -> Array:
    """A float64 array whose last axis has `size` finite numbers; an error names the entry otherwise.

    `names` are those of the entries; by default q has one entry per coordinate, other inputs one per speed. Quaternions
    among coordinates must not be zero.
    """
    if names is None:
        names = mech.coordinates if name == "q" else mech.speeds
    array = as_float_array(function, name, value)
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(
            f"{function}: {name} has shape {array.shape}; its last axis must have length {size} "
            f"({listed_names(names)}). Leading axes are a batch."
        )
    if not np.isfinite(array).all():
        raise InputError(f"{function}: {non_finite_text(names, name, array)} Give finite numbers.")
    if names == mech.coordinates and mech.nq != mech.n:
        _refuse_zero_quaternions(function, mech, name, array)
    return array


def checked_point(function: str, point: ArrayLike) -> tuple[float, float, float]:
    """A point of a body: three finite numbers."""
    spot = as_float_array(function, "point", point)
    if spot.shape != (3,) or not np.isfinite(spot).all():
        raise InputError(f"{function}: point {point!r} must be three finite numbers.")
    x, y, z = spot.tolist()
    return x, y, z


def non_finite_text(names: Sequence[str], name: str, array: Array) -> str:
    """A sentence that names the first entry that is not finite."""
    index = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    return f"{name}{list(index)} ({names[index[-1]]!r}) is {array[index]}."


def _refuse_zero_quaternions(function: str, mech: Mechanism, name: str, q: Array) -> None:
    for four in quaternion_slices(mech):
        part = q[..., four]
        if (np.einsum("...i,...i->...", part, part) < ZERO_QUATERNION_SQUARE).any():
            title = mech.coordinates[four.start].removesuffix(".qw")
            raise InputError(
                f"{function}: {name} has a zero quaternion for joint {title!r}, which is not a rotation. "
                "Give (w, x, y, z) of any length but zero; (1, 0, 0, 0) is the identity."
            )


def external_inputs(
    function: str, mech: Mechanism, wrenches: Mapping[Any, ArrayLike] | None, base_motion: Any
) -> tuple[dict[str, ArrayLike], dict[str, Any]]:
    """External wrenches and base motion as inputs, and their fixed options."""
    inputs: dict[str, ArrayLike] = {}
    if wrenches is not None and not isinstance(wrenches, Mapping):
        raise InputError(
            f"{function}: wrenches is a {type(wrenches).__name__}. "
            "Give a mapping from bodies or frames to (..., 6) arrays."
        )
    for body, wrench in (wrenches or {}).items():
        name = WRENCH + mech.name_of(body)
        if name in inputs:
            raise InputError(f"{function}: two wrenches act on {name.removeprefix(WRENCH)!r}. Add them.")
        inputs[name] = wrench
    fixed: dict[str, Any] = {"wrenches": tuple(name.removeprefix(WRENCH) for name in inputs)} if inputs else {}
    if base_motion is not None:
        inputs[BASE_MOTION] = _joined_base_motion(function, base_motion)
        fixed["base_motion"] = True
    return inputs, fixed


def _joined_base_motion(function: str, base_motion: Any) -> Array:
    """(angular velocity, angular acceleration, linear acceleration) concatenated."""
    try:
        parts = [as_float_array(function, BASE_MOTION, part) for part in base_motion]
        if [part.shape[-1] for part in parts] != [3, 3, 3]:
            raise ValueError
        return np.concatenate(np.broadcast_arrays(*parts), axis=-1)
    except (TypeError, ValueError, IndexError):
        raise InputError(
            f"{function}: base_motion is not valid. Give (angular velocity, angular acceleration, linear "
            "acceleration), each (..., 3)."
        ) from None
