"""What a controller is to follow: a trajectory, a function of time, or one configuration to hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.arguments import as_floats, is_function, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.trajectory import Trajectory
from gearwright.text import listed

WORDS = ("q_ref", "v_ref", "a_ref", "jerk_ref", "snap_ref")
"""The references of a law: position and its derivatives."""


@dataclass(frozen=True)
class Reference:
    """References over time.

    Args:
        at: times (T,) -> all references side by side, (T, size).
        breaks: times at which they have a kink.
        given: what the user gave.
    """

    at: Callable[[Array], Array]
    breaks: tuple[float, ...] = ()
    given: Any = None


def entries(mech: Mechanism, joints: int, orders: int = 3) -> dict[str, tuple[str, ...]]:
    """The references q_ref, v_ref, a_ref ... of the joints with the names of their entries."""
    shafts = len(mech.shafts)
    coordinates = tuple(mech.coordinates[: mech.nq - shafts])
    return {word: coordinates if k == 0 else tuple(mech.speeds[:joints]) for k, word in enumerate(WORDS[:orders])}


def reference_of(caller: str, given: Any, mech: Mechanism, orders: int = 3) -> Reference:
    """What a user gives as a reference: a Trajectory, a function of time, or a configuration to hold.

    A function returns (q, v, a), as many as `orders` asks for, each for the joints alone.
    """
    joints = mech.n - len(mech.shafts)
    sizes = [len(names) for names in entries(mech, joints, orders).values()]
    if isinstance(given, Trajectory):
        return _planned(caller, given, mech, sizes)
    if is_function(given):
        return Reference(asked_reference(caller, given, sizes, WORDS), given=given)
    held = numbers(caller, "reference", as_floats(caller, "reference", given), axes=1)
    if len(held) != sizes[0]:
        raise InputError(
            f"{caller}: the reference has {len(held)} numbers for {sizes[0]} coordinates "
            f"({listed(mech.coordinates[: sizes[0]])}). Give a Trajectory, a function of time, or one number each."
        )
    row = np.concatenate([held, np.zeros(sum(sizes[1:]))])
    return Reference(lambda t: np.broadcast_to(row, (len(t), len(row))), given=given)


def _planned(caller: str, motion: Trajectory, mech: Mechanism, sizes: list[int]) -> Reference:
    if not mech.straight:
        raise InputError(
            f"{caller}: a trajectory cannot say how free, spherical or planar joints move. Give a function of time "
            "that returns (q, v, a)."
        )
    if motion.count != sizes[0]:
        raise InputError(
            f"{caller}: the reference moves {motion.count} coordinates; the machine has {sizes[0]} joints "
            f"({listed(mech.speeds[: sizes[0]])}). Give a motion of these."
        )
    orders = len(sizes)
    kinks = motion.kinks(orders - 1)
    return Reference(
        lambda t: np.concatenate([motion.at(t, k) for k in range(orders)], axis=-1),
        (0.0, *kinks, motion.duration),
        motion,
    )


def asked_reference(
    caller: str, function: Callable[[float], Any], sizes: Sequence[int], names: Sequence[str]
) -> Callable[[Array], Array]:
    """A user's function for many times, checked."""
    words = ", ".join(name.removesuffix("_ref") for name in names[: len(sizes)])

    def at(times: Array) -> Array:
        return np.stack([_row(caller, function(float(t)), sizes, words, float(t)) for t in times])

    return at


def _row(caller: str, found: Any, sizes: Sequence[int], words: str, t: float) -> Array:
    try:
        parts = [np.asarray(part, dtype=float) for part in found]
        right = [part.shape for part in parts] == [(size,) for size in sizes]
    except (TypeError, ValueError):
        right = False
    if not right:
        raise InputError(
            f"{caller}: the reference returned {found!r} at t = {t:g} s; it must return ({words}) of "
            f"{listed(map(str, sizes))} numbers. A source of positions alone goes through gw.control.filtered."
        )
    row = np.concatenate(parts)
    if not np.isfinite(row).all():
        raise InputError(f"{caller}: the reference is not finite at t = {t:g} s. Return finite numbers.")
    return row
