"""What to do when a limit is not kept by any drive, and requirements that no drive can change."""

from __future__ import annotations

from gearwright.analysis import Task
from gearwright.analysis.limit_checks import LIFE, STRESS
from gearwright.design.drive_demand import JOINT_FORCE, JOINT_SPEED, JOINT_TORQUE
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
