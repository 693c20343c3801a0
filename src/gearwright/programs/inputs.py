"""Arrays from users: shape, dtype and values are checked once, here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Rot, is_number
from gearwright.arguments import as_floats
from gearwright.arrays import Array
from gearwright.dynamics.configuration import quaternions
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import BASE_MOTION, WRENCH
from gearwright.text import listed

NO_ROTATION = 1e-24
"""A quaternion with a smaller square is zero, which is not a rotation."""


def refuse_symbols(function: str, mech: Mechanism) -> None:
    """An error that names the first symbol of a machine; for when arithmetic on numbers met one."""
    groups: dict[str, Any] = {
        "body": mech.bodies,
        "spin": mech.spins,
        "spring": mech.springs,
        "actuator": mech.actuators,
    }
    for kind, parts in groups.items():
        for part in parts:
            for entry in fields(part):
                for x in _symbols(getattr(part, entry.name)):
                    raise InputError(
                        f"{function}: {kind} {part.name!r}, {entry.name}: {x} is a symbol, and this works on numbers. "
                        "Put a number in; closed_form makes symbols of a machine's numbers by itself."
                    )


def _symbols(value: Any) -> Iterator[Any]:
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
        yield from _symbols(x)


def checked(
    function: str, mech: Mechanism, name: str, value: ArrayLike, size: int, names: Sequence[str] | None = None
) -> Array:
    """A float64 array whose last axis has `size` finite numbers, or an error that says what is wrong where.

    `names` are those of the entries; unless given, q counts per coordinate and everything else per speed. Quaternions
    among coordinates must be rotations.
    """
    if names is None:
        names = mech.coordinates if name == "q" else mech.speeds
    array = as_floats(function, name, value)
    if array.ndim == 0 or array.shape[-1] != size:
        raise InputError(
            f"{function}: {name} has shape {array.shape}; its last axis must be {size} long "
            f"({listed(names)}). Leading axes are a batch."
        )
    if not np.isfinite(array).all():
        raise InputError(f"{function}: {not_finite(names, name, array)} Give finite numbers.")
    if names == mech.coordinates and mech.nq != mech.n:
        _refuse_zero_quaternions(function, mech, name, array)
    return array


def checked_point(function: str, point: ArrayLike) -> tuple[float, float, float]:
    """A point of a body: three finite numbers."""
    spot = as_floats(function, "point", point)
    if spot.shape != (3,) or not np.isfinite(spot).all():
        raise InputError(f"{function}: point {point!r} must be three finite numbers.")
    x, y, z = spot.tolist()
    return x, y, z


def not_finite(names: Sequence[str], name: str, array: Array) -> str:
    """A sentence that names the first entry that is not finite."""
    where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
    return f"{name}{list(where)} ({names[where[-1]]!r}) is {array[where]}."


def _refuse_zero_quaternions(function: str, mech: Mechanism, name: str, q: Array) -> None:
    for four in quaternions(mech):
        part = q[..., four]
        if (np.einsum("...i,...i->...", part, part) < NO_ROTATION).any():
            title = mech.coordinates[four.start].removesuffix(".qw")
            raise InputError(
                f"{function}: {name} has a zero quaternion for joint {title!r}, which is not a rotation. "
                "Give (w, x, y, z) of any length but zero; (1, 0, 0, 0) is the identity."
            )


def outside(
    function: str, mech: Mechanism, wrenches: Mapping[Any, ArrayLike] | None, base_motion: Any
) -> tuple[dict[str, ArrayLike], dict[str, Any]]:
    """External wrenches and base motion as inputs, and as what is fixed about them."""
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
        inputs[BASE_MOTION] = _joined(function, base_motion)
        fixed["base_motion"] = True
    return inputs, fixed


def _joined(function: str, base_motion: Any) -> Array:
    """(angular velocity, angular acceleration, linear acceleration) side by side."""
    try:
        parts = [as_floats(function, BASE_MOTION, part) for part in base_motion]
        if [part.shape[-1] for part in parts] != [3, 3, 3]:
            raise ValueError
        return np.concatenate(np.broadcast_arrays(*parts), axis=-1)
    except (TypeError, ValueError, IndexError):
        raise InputError(
            f"{function}: base_motion must be (angular velocity, angular acceleration, linear acceleration), "
            "each (..., 3)."
        ) from None
