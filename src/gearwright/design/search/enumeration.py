"""Enumeration of feasible sets, joint by joint from the tip; partial sets that exceed a limit are discarded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.search.drive_sets import ChoiceIndices, DriveSets

ENUMERATION_CHUNK_SIZE = 2_000
"""Number of sets that are evaluated together: their series must fit into memory."""
BEAM_WIDTH = 8
"""Beam width: number of the lightest partial sets that are continued."""


def feasible_sets(sets: DriveSets, share: float) -> ChoiceIndices:
    """Every set that satisfies all limits; where drives act on each other, whole sets are evaluated."""
    if sets.joint_order is not None:
        return _grow_sets(sets, share, None)
    counts = [len(pairs) for pairs in sets.options]
    feasible: list[ChoiceIndices] = [np.zeros((0, len(counts)), dtype=np.intp)]
    for start in range(0, prod(counts), ENUMERATION_CHUNK_SIZE):
        numbers = np.arange(start, min(start + ENUMERATION_CHUNK_SIZE, prod(counts)))
        rows = np.column_stack(np.unravel_index(numbers, counts))
        feasible.append(rows[sets.evaluate_sets(rows, share).largest_share <= share])
    return np.concatenate(feasible)


def light_sets(sets: DriveSets, share: float, width: int = BEAM_WIDTH) -> ChoiceIndices:
    """Light sets that satisfy all limits, or the closest one, by a beam search over the lightest partial sets."""
    feasible = (
        _grow_sets(sets, share, width)
        if sets.joint_order is not None
        else np.zeros((0, len(sets.options)), dtype=np.intp)
    )
    return feasible if len(feasible) else closest_by_joint(sets, share)[None]


def _grow_sets(sets: DriveSets, share: float, width: int | None) -> ChoiceIndices:
    order = sets.joint_order
    assert order is not None
    partial: ChoiceIndices = np.zeros((1, 0), dtype=np.intp)
    for depth, joint in enumerate(order):
        count = len(sets.options[joint])
        if width is None:
            numbers = np.arange(len(partial) * count)
        else:
            masses = _partial_mass(sets, order, partial)[:, None] + sets.options[joint].mass
            numbers = np.argsort(masses, axis=None, kind="stable")
        grown: list[ChoiceIndices] = [np.zeros((0, depth + 1), dtype=np.intp)]
        for start in range(0, len(numbers), ENUMERATION_CHUNK_SIZE):
            grown.append(
                _feasible_rows(
                    sets,
                    order,
                    depth,
                    _extended_rows(partial, count, numbers[start : start + ENUMERATION_CHUNK_SIZE]),
                    share,
                )
            )
            if width is not None and sum(map(len, grown)) >= width:
                break  # all further rows are heavier
        partial = np.concatenate(grown)[:width]
    return partial[:, np.argsort(order)]


def _partial_mass(sets: DriveSets, order: Sequence[int], rows: ChoiceIndices) -> Array:
    masses = [sets.options[joint].mass[rows[:, k]] for k, joint in enumerate(order[: rows.shape[1]])]
    return np.asarray(np.sum(masses, axis=0)) if masses else np.zeros(len(rows))


def _extended_rows(partial: ChoiceIndices, count: int, numbers: NDArray[np.intp]) -> ChoiceIndices:
    """Rows, by their numbers, of every partial set with every choice of the next joint."""
    return np.column_stack([partial[numbers // count], numbers % count])


def _feasible_rows(
    sets: DriveSets, order: Sequence[int], depth: int, rows: ChoiceIndices, share: float
) -> ChoiceIndices:
    """The rows whose last joint satisfies its limits, first at few instants, then over the whole motion."""
    joint = order[depth]
    rows = rows[sets.peak_share_bound(joint, _indices_by_joint(order, rows), rows[:, depth]) <= share]
    return rows[sets.screen_joint(joint, _indices_by_joint(order, rows), rows[:, depth]).largest_share <= share]


def _indices_by_joint(order: Sequence[int], rows: ChoiceIndices) -> dict[int, ChoiceIndices]:
    return {joint: rows[:, k] for k, joint in enumerate(order[: rows.shape[1]])}


def closest_by_joint(sets: DriveSets, share: float) -> ChoiceIndices:
    """From the tip on, the lightest feasible choice of every joint, or else the one that exceeds its limits least."""
    selection: dict[int, int] = {}
    for joint in sets.joint_order or range(len(sets.options)):
        selection[joint] = _closest_choice(sets, joint, selection, share)
    return np.array([selection[j] for j in range(len(sets.options))])


def _closest_choice(sets: DriveSets, joint: int, selection: Mapping[int, int], share: float) -> int:
    count, worst = len(sets.options[joint]), []
    for start in range(0, count, ENUMERATION_CHUNK_SIZE):
        places = np.arange(start, min(start + ENUMERATION_CHUNK_SIZE, count))
        chosen = {k: np.full(len(places), selection.get(k, 0)) for k in range(len(sets.options))}
        worst.append(sets.screen_joint(joint, chosen, places).largest_share)
        fits = np.flatnonzero(worst[-1] <= share)
        if fits.size:
            return int(start + fits[0])
    return int(np.concatenate(worst).argmin())
