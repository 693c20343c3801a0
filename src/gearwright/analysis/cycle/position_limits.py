"""Where the joints go against the ranges that they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gearwright.analysis.drives.limit_checks import POSITION, LimitCheck
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.motion import Motion
from gearwright.parts import Robot
from gearwright.planning.kinematics.joint_ranges import Joints
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.analysis.cycle.characteristics import Characteristics

ROUNDING = 1e-9
"""How far beyond its range a joint may be [rad, m] and still count as at its end, as for planned motions."""


def position_limits(robot: Robot, motion: Motion) -> Iterator[LimitCheck]:
    """Per joint with a range how far it goes from the middle of that range, against half of it.

    A range with one end only is compared with that end; joints without a range have no such limit. The range of a joint
    that follows another counts for the one that it follows.
    """
    joints, q = Joints.of(robot), np.asarray(motion.q)
    units = joints.mech.layout.rates
    for k, where in enumerate(joints.coordinates[: joints.mech.n - len(joints.mech.shafts)]):
        low, high = float(joints.lower[k]), float(joints.upper[k])
        if 0 <= where < q.shape[1] and (np.isfinite(low) or np.isfinite(high)):
            yield _checked(joints.mech.speeds[k], units[k], low, high, motion.t, q[:, where])


def _checked(joint: str, unit: str, low: float, high: float, t: Array, q: Array) -> LimitCheck:
    beyond = np.maximum(q - high, low - q)
    k = int(beyond.argmax())
    source = f"limits of the joint, {low:.4g} to {high:.4g} {unit}"
    if np.isfinite(low) and np.isfinite(high):
        value, limit, least = float(np.abs(q - (low + high) / 2).max()), (high - low) / 2, False
        source += "" if low == -high else ", counted from their middle"
    else:
        least = bool(np.isinf(high))
        value, limit = float(q[k]), low if least else high
    if beyond[k] <= ROUNDING:
        inside = max(value, limit) if least else min(value, limit)
        return LimitCheck(f"{joint}: {POSITION}", inside, limit, unit, least, source=source)
    end = high if q[k] > high else low
    advice = (
        f"At {t[k]:.4g} s it is at {q[k]:.4g} {unit}, {beyond[k]:.4g} {unit} beyond {end:.4g} {unit}: end the motion "
        "there, or give the joint a wider range."
    )
    return LimitCheck(f"{joint}: {POSITION}", value, limit, unit, least, advice, source)


def require_inside(function: str, robot: Robot, motion: Motion) -> None:
    """Refuse a motion that leaves the ranges of joints."""
    for check in position_limits(robot, motion):
        if not check.kept:
            raise InputError(
                f"{function}: the task leaves the range of joint {_joint(check)!r} ({check.source}). {check.advice}"
            )


def beyond_in_the_loop(plain: Characteristics, perturbed: Characteristics) -> Iterator[str]:
    """A remark on joints that only the closed loop takes out of their ranges: errors there, and not the task."""
    asked = {check.name for check in plain.limits if not check.kept}
    for check in position_limits(perturbed.robot, perturbed.demands.motion):
        if not check.kept and check.name not in asked:
            off = f"{abs(check.value - check.limit):.3g} {check.unit}"
            joint = visible(_joint(check))
            yield f"in the closed loop {joint} goes {off} beyond its range: the task leaves it too little room."


def _joint(check: LimitCheck) -> str:
    return check.name.removesuffix(f": {POSITION}")
