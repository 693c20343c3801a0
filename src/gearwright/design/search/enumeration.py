"""Sets that keep every limit, joint by joint from the tip on: those that miss one are not followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

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
        if width is None:
            numbers = np.arange(len(partial) * count)
        else:
            masses = _mass(sets, order, partial)[:, None] + sets.options[joint].mass
            numbers = np.argsort(masses, axis=None, kind="stable")
        grown: list[Places] = [np.zeros((0, depth + 1), dtype=np.intp)]
        for start in range(0, len(numbers), CHUNK):
            grown.append(_kept(sets, order, depth, _product(partial, count, numbers[start : start + CHUNK]), share))
            if width is not None and sum(map(len, grown)) >= width:
                break  # all that follow are heavier
        partial = np.concatenate(grown)[:width]
    return partial[:, np.argsort(order)]


def _mass(sets: DriveSets, order: Sequence[int], rows: Places) -> Array:
    masses = [sets.options[joint].mass[rows[:, k]] for k, joint in enumerate(order[: rows.shape[1]])]
    return np.asarray(np.sum(masses, axis=0)) if masses else np.zeros(len(rows))


def _product(partial: Places, count: int, numbers: NDArray[np.intp]) -> Places:
    """Rows, by their numbers, of every partial set with every choice of the next joint."""
    return np.column_stack([partial[numbers // count], numbers % count])


def _kept(sets: DriveSets, order: Sequence[int], depth: int, rows: Places, share: float) -> Places:
    """The rows whose last joint keeps its limits: at few instants, and those that do over the whole motion."""
    joint = order[depth]
    rows = rows[sets.peak_use(joint, _chosen(order, rows), rows[:, depth]) <= share]
    return rows[sets.screened(joint, _chosen(order, rows), rows[:, depth]).worst <= share]


def _chosen(order: Sequence[int], rows: Places) -> dict[int, Places]:
    return {joint: rows[:, k] for k, joint in enumerate(order[: rows.shape[1]])}


def closest(sets: DriveSets, share: float) -> Places:
    """At every joint from the tip on the lightest choice that fits; where none does, the one that misses least."""
    found: dict[int, int] = {}
    for joint in sets.order or range(len(sets.options)):
        found[joint] = _closest(sets, joint, found, share)
    return np.array([found[j] for j in range(len(sets.options))])


def _closest(sets: DriveSets, joint: int, found: Mapping[int, int], share: float) -> int:
    count, worst = len(sets.options[joint]), []
    for start in range(0, count, CHUNK):
        places = np.arange(start, min(start + CHUNK, count))
        chosen = {k: np.full(len(places), found.get(k, 0)) for k in range(len(sets.options))}
        worst.append(sets.screened(joint, chosen, places).worst)
        fits = np.flatnonzero(worst[-1] <= share)
        if fits.size:
            return int(start + fits[0])
    return int(np.concatenate(worst).argmin())
