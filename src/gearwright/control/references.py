"""References of a controller: a trajectory, a function of time, or a constant configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.arguments import as_float_array, is_function, number_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.motion_demands.closed_loop_motion import independent_part
from gearwright.text import listed_names

REFERENCE_NAMES = ("q_ref", "v_ref", "a_ref", "jerk_ref", "snap_ref")
"""The references of a law: position and its derivatives."""


@dataclass(frozen=True)
class Reference:
    """References over time.

    Args:
        at: times (T,) -> all references side by side, (T, size).
        breaks: times of their discontinuities (knots).
        source: the reference as given by the user.
    """

    at: Callable[[Array], Array]
    breaks: tuple[float, ...] = ()
    source: Any = None


def reference_entries(mech: Mechanism, joints: int, orders: int = 3) -> dict[str, tuple[str, ...]]:
    """Return the references q_ref, v_ref, a_ref ... of the joints with the names of their entries."""
    shafts = len(mech.shafts)
    coordinates = tuple(mech.independent_coordinates[: len(mech.independent_indices) - shafts])
    return {
        name: coordinates if k == 0 else tuple(mech.speeds[:joints]) for k, name in enumerate(REFERENCE_NAMES[:orders])
    }


def read_reference(caller: str, source: Any, mech: Mechanism, orders: int = 3) -> Reference:
    """Return the reference for a Trajectory, a function of time, or a constant configuration.

    A function returns the first `orders` of (q, v, a, ...), each for the joints only. With closed loops, these are the
    independent joints; a motion or configuration of all joints must keep the loops closed.
    """
    joints = mech.n - len(mech.shafts)
    sizes = [len(names) for names in reference_entries(mech, joints, orders).values()]
    if isinstance(source, Trajectory):
        return _trajectory_reference(caller, source, mech, sizes)
    if is_function(source):
        return Reference(function_reference(caller, source, sizes, REFERENCE_NAMES), source=source)
    configuration = number_array(caller, "reference", as_float_array(caller, "reference", source), axes=1)
    if mech.closure is not None and len(configuration) == mech.nq:
        configuration = np.asarray(independent_part(caller, mech, [configuration])[0])[0]
    if len(configuration) != sizes[0]:
        raise InputError(
            f"{caller}: the reference has {len(configuration)} numbers for {sizes[0]} coordinates "
            f"({listed_names(mech.independent_coordinates[: sizes[0]])}). Give a Trajectory, a function of time, or "
            "one number each."
        )
    row = np.concatenate([configuration, np.zeros(sum(sizes[1:]))])
    return Reference(lambda t: np.broadcast_to(row, (len(t), len(row))), source=source)


def _trajectory_reference(caller: str, motion: Trajectory, mech: Mechanism, sizes: list[int]) -> Reference:
    if not mech.tree.speeds_are_rates:
        raise InputError(
            f"{caller}: a trajectory cannot describe free, spherical or planar joints. Give a function of time "
            "that returns (q, v, a)."
        )
    columns = list(range(sizes[0]))
    if mech.closure is not None and motion.count == mech.nq != sizes[0]:
        independent_part(caller, mech, motion)  # raises if it opens a loop
        columns = list(mech.independent_indices)
    elif motion.count != sizes[0]:
        raise InputError(
            f"{caller}: the reference moves {motion.count} coordinates; the machine has {sizes[0]} joints "
            f"({listed_names(mech.speeds[: sizes[0]])}). Give a motion of these."
        )
    orders = len(sizes)
    kinks = motion.derivative_jumps(orders - 1)
    return Reference(
        lambda t: np.concatenate([motion.at(t, k)[..., columns] for k in range(orders)], axis=-1),
        (0.0, *kinks, motion.duration),
        motion,
    )


def function_reference(
    caller: str, function: Callable[[float], Any], sizes: Sequence[int], names: Sequence[str]
) -> Callable[[Array], Array]:
    """Return a user's function, vectorised over times and checked."""
    labels = ", ".join(name.removesuffix("_ref") for name in names[: len(sizes)])

    def reference_at(times: Array) -> Array:
        return np.stack([_reference_row(caller, function(float(t)), sizes, labels, float(t)) for t in times])

    return reference_at


def _reference_row(caller: str, values: Any, sizes: Sequence[int], labels: str, t: float) -> Array:
    try:
        parts = [np.asarray(part, dtype=float) for part in values]
        is_valid = [part.shape for part in parts] == [(size,) for size in sizes]
    except (TypeError, ValueError):
        is_valid = False
    if not is_valid:
        raise InputError(
            f"{caller}: the reference returned {values!r} at t = {t:g} s; it must return ({labels}) of "
            f"{listed_names(map(str, sizes))} numbers. For a source of positions only, use "
            "gw.control.with_reference_filter."
        )
    row = np.concatenate(parts)
    if not np.isfinite(row).all():
        raise InputError(f"{caller}: the reference is not finite at t = {t:g} s. Return finite numbers.")
    return row
