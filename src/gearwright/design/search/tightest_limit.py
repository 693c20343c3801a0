"""The message if no set of drives is feasible: the closest set, its tightest limit, and a remedy."""

from __future__ import annotations

from math import inf, prod

import numpy as np

from gearwright.analysis import Task
from gearwright.analysis.drives.limit_checks import LIFE_LIMIT, STRESS_LIMIT
from gearwright.design.candidates.drive_equations import JOINT_FORCE_LIMIT, JOINT_SPEED_LIMIT, JOINT_TORQUE_LIMIT
from gearwright.design.search.drive_sets import ChoiceIndices, DriveSets
from gearwright.design.search.enumeration import ENUMERATION_CHUNK_SIZE, closest_by_joint, feasible_sets
from gearwright.design.search.genetic_search import SetEvaluator, improve_by_joint
from gearwright.errors import InputError

ADVICE_BY_LIMIT = {
    JOINT_SPEED_LIMIT: "It does not depend on the drive: slow the task down (`task.stretch`), or raise the joint "
    "limit.",
    JOINT_TORQUE_LIMIT: "Reduce the mass of links, payload or rotors, slow the task down, or raise the joint limit.",
    JOINT_FORCE_LIMIT: "Reduce the mass of links, payload or rotors, slow the task down, or raise the joint limit.",
    LIFE_LIMIT: "Relax the requirement, reduce the mass of links, or add gearboxes with higher ratings or longer life.",
    "cycle time": "Allow faster motions (a wider `task.stretch`), shorten the pauses, or relax the requirement.",
    "accuracy": "Reduce the errors, give the loop a higher frequency, or relax the requirement.",
    "tip deflection": "Stiffen links and gears, slow the task down, or relax the requirement.",
    "natural frequency": "Stiffen the gears, reduce the mass of links, or relax the requirement.",
    STRESS_LIMIT: "Give the links larger sections, reduce their load, or slow the task down.",
    "input speed": "Slow the task down, or add drives of lower ratios.",
    "output-shaft": "Support the link by a separate bearing, or add gearboxes with higher permissible shaft loads.",
    "gearbox": "Slow the task down, reduce the mass of links, or add stronger gearboxes to the catalogue.",
    "voltage": "Slow the task down, or add drives of lower ratios or windings for higher voltages.",
    "speed": "Slow the task down, or add drives of lower ratios.",
    "": "Slow the task down, reduce the mass of links, or add larger drives to the catalogue.",
}
"""Remedies by a part of the name of a limit; the first match applies."""


def advice_for(limit: str) -> str:
    """The remedy for the tightest limit.

    >>> advice_for("elbow: gearbox mean torque")
    'Slow the task down, reduce the mass of links, or add stronger gearboxes to the catalogue.'
    """
    quantity = limit.rpartition(": ")[2]
    return next(advice for phrase, advice in ADVICE_BY_LIMIT.items() if phrase in quantity)


def require_cycle_time(task: Task, share: float) -> None:
    """Raise an error if a cycle of prescribed motions takes longer than required."""
    limit, duration = task.required.get("cycle_time"), task.cycle.duration
    if limit is None or duration <= share * limit * (1 + 1e-9):
        return
    raise InputError(
        f"size_drives: the cycle takes {duration:.4g} s, {share * limit:.4g} s is allowed, and the motions are "
        "prescribed. Let `task.stretch` vary, use the objective cycle_time, or relax the requirement."
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
    name, limit_share = sets.tightest_limit(closest_set(sets, share, exact))
    best = "the best choice" if exact else "the best choice found"
    return InputError(
        f"size_drives: no set of drives satisfies every limit. The tightest is {name}: {best} needs {limit_share:.0%} "
        f"of it, {share:.0%} is allowed. {advice_for(name)}"
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
