"""The message if no set of drives is feasible: the closest set, its tightest limit, and a remedy."""

from __future__ import annotations

from math import inf, prod

import numpy as np

from gearwright.analysis import Task
from gearwright.design.search.drive_sets import ChoiceIndices, DriveSets
from gearwright.design.search.enumeration import ENUMERATION_CHUNK_SIZE, closest_by_joint, feasible_sets
from gearwright.design.search.genetic_search import SetEvaluator, improve_by_joint
from gearwright.errors import InputError


def require_cycle_time(task: Task, share: float) -> None:
    """Raise an error if a cycle of prescribed motions takes longer than required."""
    limit, duration = task.required.get("cycle_time"), task.cycle.duration
    if limit is None or duration <= share * limit * (1 + 1e-9):
        return
    raise InputError(
        f"size_drives: the cycle takes {duration:.4g} s, {share * limit:.4g} s is allowed, and the motions are "
        "prescribed. Vary `task.time_scale`, use the objective cycle_time, or relax the requirement."
    )


SHARE_TOLERANCE = 1e-9
"""Relative difference between joint and separate evaluation of sets, by rounding."""


def no_feasible_set(sets: DriveSets, share: float, max_enumerated: int) -> InputError:
    """The error if no set is feasible.

    Args:
        sets: all sets, including those that are too slow.
        share: allowed utilisation of every limit.
        max_enumerated: largest number of sets that are enumerated.
    """
    exact = prod(len(pairs) for pairs in sets.options) <= max_enumerated and sets.joint_order is not None
    tightest, limit_share = sets.tightest_limit(closest_set(sets, share, exact))
    best = "the best choice" if exact else "the best choice found"
    return InputError(
        f"size_drives: no set of drives satisfies every limit. The tightest is {tightest}: {best} needs "
        f"{limit_share:.0%} of it, {share:.0%} is allowed. {tightest.kind.remedy}"
    )


def closest_set(sets: DriveSets, share: float, exact: bool) -> ChoiceIndices:
    """The set with the smallest utilisation of its tightest limit; joint by joint, or `exact` by enumeration."""
    best = improve_by_joint(SetEvaluator(sets, "mass", -inf), closest_by_joint(sets, share))
    if not exact:
        return best
    bound = float(sets.evaluate_sets(best[None]).largest_share[0])
    rows = feasible_sets(sets, bound * (1 + SHARE_TOLERANCE)) if np.isfinite(bound) else best[None]
    uses = [
        sets.evaluate_sets(rows[start : start + ENUMERATION_CHUNK_SIZE]).largest_share
        for start in range(0, len(rows), ENUMERATION_CHUNK_SIZE)
    ]
    return np.asarray(rows[np.concatenate(uses).argmin()]) if len(rows) else best
