"""Sets that keep every limit, joint by joint from the tip on: those that miss one are not followed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.arrays import Array
from gearwright.design.search.drive_sets import DriveSets, Places
from gearwright.errors import InputError

CHUNK = 2_000
"""Sets that are looked at together: their series must fit into memory."""
WIDTH = 8
"""Of the unfinished sets, how many of the lightest a walk follows."""


def all_sets(sets: DriveSets, share: float) -> Places:
    """Every set that keeps all limits."""
    if sets.order is None:
        raise InputError("size_drives: the drives act on each other in a circle. Use method='evolve'.")
    return _grown(sets, share, None)


def walked(sets: DriveSets, share: float, width: int = WIDTH) -> Places:
    """Light sets that keep all limits, or one that misses them by little: only the lightest beginnings are followed."""
    found = _grown(sets, share, width) if sets.order is not None else np.zeros((0, len(sets.options)), dtype=np.intp)
    return found if len(found) else closest(sets, share)[None]


def _grown(sets: DriveSets, share: float, width: int | None) -> Places:
    order = sets.order
    assert order is not None
    partial: Places = np.zeros((1, 0), dtype=np.intp)
    for depth, joint in enumerate(order):
        count = len(sets.options[joint])
        grown = [
            _kept(sets, order, depth, rows, share)
            for start in range(0, len(partial) * count, CHUNK)
            for rows in [_product(partial, count, start, min(start + CHUNK, len(partial) * count))]
        ]
        partial = np.concatenate(grown) if grown else np.zeros((0, depth + 1), dtype=np.intp)
        if width is not None:
            partial = partial[np.argsort(_mass(sets, order, partial), kind="stable")[:width]]
    return partial[:, np.argsort(order)]


def _mass(sets: DriveSets, order: Sequence[int], rows: Places) -> Array:
    masses = [sets.options[joint].mass[rows[:, k]] for k, joint in enumerate(order[: rows.shape[1]])]
    return np.asarray(np.sum(masses, axis=0))


def _product(partial: Places, count: int, start: int, stop: int) -> Places:
    """Rows of every partial set with every choice of the next joint."""
    numbers = np.arange(start, stop)
    return np.column_stack([partial[numbers // count], numbers % count])


def _kept(sets: DriveSets, order: Sequence[int], depth: int, rows: Places, share: float) -> Places:
    chosen = {joint: rows[:, k] for k, joint in enumerate(order[: depth + 1])}
    found = sets.screened(order[depth], chosen, rows[:, depth])
    return rows[found.worst <= share]


def closest(sets: DriveSets, share: float) -> Places:
    """At every joint from the tip on the lightest choice that fits; where none does, the one that misses least."""
    found: dict[int, int] = {}
    for joint in sets.order or range(len(sets.options)):
        count = len(sets.options[joint])
        chosen = {k: np.full(count, place) for k, place in found.items()}
        chosen |= {k: np.zeros(count, dtype=np.intp) for k in range(len(sets.options)) if k not in found}
        worst = sets.screened(joint, chosen, np.arange(count)).worst
        fits = np.flatnonzero(worst <= share)
        found[joint] = int(fits[0] if fits.size else worst.argmin())
    return np.array([found[j] for j in range(len(sets.options))])
