"""The message when no set of drives keeps every limit: the closest set, its tightest limit, and what to change."""

from __future__ import annotations

from math import inf, prod

import numpy as np

from gearwright.analysis import Task
from gearwright.analysis.drives.limit_checks import LIFE, STRESS
from gearwright.design.candidates.drive_equations import JOINT_FORCE, JOINT_SPEED, JOINT_TORQUE
from gearwright.design.search.drive_sets import DriveSets, Places
from gearwright.design.search.enumeration import CHUNK, all_sets, closest
from gearwright.design.search.genetic_search import Judged, improved
from gearwright.errors import InputError

ADVICE = {
    JOINT_SPEED: "No drive changes that: slow the task down (`task.stretch`), or allow the joint more.",
    JOINT_TORQUE: "Lighten links, payload or rotors, slow the task down, or allow the joint more.",
    JOINT_FORCE: "Lighten links, payload or rotors, slow the task down, or allow the joint more.",
    LIFE: "Require less, lighten the links, or add gearboxes that are rated for more or for longer.",
    "cycle time": "Let the motions be quicker (a wider `task.stretch`), shorten the pauses, or require less.",
    "accuracy": "Make the errors smaller, give the loop a higher frequency, or require less.",
    "tip deflection": "Stiffen links and gears, slow the task down, or require less.",
    "natural frequency": "Stiffen the gears, lighten the links, or require less.",
    STRESS: "Give the links larger sections, lighten what they carry, or slow the task down.",
    "input speed": "Slow the task down, or add drives of lower ratios.",
    "output-shaft": "Carry the link by a bearing of its own, or add gearboxes whose output shafts bear more.",
    "gearbox": "Slow the task down, lighten the links, or add stronger gearboxes to the catalogue.",
    "voltage": "Slow the task down, or add drives of lower ratios or windings for higher voltages.",
    "speed": "Slow the task down, or add drives of lower ratios.",
    "": "Slow the task down, lighten the links, or add larger drives to the catalogue.",
}
"""By what the name of a limit contains, the first that fits."""


def way_out(limit: str) -> str:
    """What helps where a limit is the tightest.

    >>> way_out("elbow: gearbox mean torque")
    'Slow the task down, lighten the links, or add stronger gearboxes to the catalogue.'
    """
    what = limit.rpartition(": ")[2]
    return next(advice for words, advice in ADVICE.items() if words in what)


def require_time(task: Task, share: float) -> None:
    """Refuse a cycle that takes longer than required: its motions are prescribed."""
    most, takes = task.required.get("cycle_time"), task.cycle.duration
    if most is None or takes <= share * most * (1 + 1e-9):
        return
    raise InputError(
        f"size_drives: the cycle takes {takes:.4g} s, {share * most:.4g} s is allowed, and no drive changes a motion "
        "that is prescribed. Let `task.stretch` vary, want the least cycle_time, or require less."
    )


ROUNDING = 1e-9
"""Sets looked at together or apart differ by so much."""


def nothing_fits(sets: DriveSets, share: float, few: int) -> InputError:
    """The message about an empty set.

    Args:
        sets: all there are, also those that turn too slowly.
        share: of every limit that may be taken.
        few: up to so many sets all are looked at.
    """
    exact = prod(len(some) for some in sets.options) <= few and sets.order is not None
    name, use = sets.tightest(least_worst(sets, share, exact))
    best = "the best choice" if exact else "the best choice found"
    return InputError(
        f"size_drives: no set keeps every limit. The tightest is {name}: {best} takes {use:.0%} of it, {share:.0%} is "
        f"allowed. {way_out(name)}"
    )


def least_worst(sets: DriveSets, share: float, exact: bool) -> Places:
    """The set whose tightest limit is taken least; found joint by joint, and `exact` by all that could be better."""
    found = improved(Judged(sets, "mass", -inf), closest(sets, share))
    if not exact:
        return found
    bound = float(sets.evaluated(found[None]).use[0])
    rows = all_sets(sets, bound * (1 + ROUNDING)) if np.isfinite(bound) else found[None]
    uses = [sets.evaluated(rows[start : start + CHUNK]).use for start in range(0, len(rows), CHUNK)]
    return np.asarray(rows[np.concatenate(uses).argmin()]) if len(rows) else found
