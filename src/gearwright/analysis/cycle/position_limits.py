"""Joint positions against the ranges of the joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.drives.limit_checks import LimitCheck
from gearwright.analysis.drives.limit_kinds import JOINT_POSITION
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.motion import Motion
from gearwright.parts import Robot
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.analysis.cycle.characteristics import Characteristics

POSITION_TOLERANCE = 1e-9
"""Tolerance of the range of a joint [rad, m], as for planned motions."""


def position_limits(robot: Robot, motion: Motion) -> Iterator[LimitCheck]:
    """Per joint with a range the largest distance from the middle of the range, against half the range.

    A one-sided range is compared with its end; joints without a range have no such limit. The range of a mimic joint
    applies to the joint that it follows.
    """
    joints, q = JointRanges.from_robot(robot), np.asarray(motion.q)
    units = joints.mech.layout.rates
    for k, where in enumerate(joints.coordinate_indices[: joints.mech.n - len(joints.mech.shafts)]):
        low, high = float(joints.lower[k]), float(joints.upper[k])
        if 0 <= where < q.shape[1] and (np.isfinite(low) or np.isfinite(high)):
            yield _position_check(joints.mech.speeds[k], units[k], low, high, motion.t, q[:, where])


def _position_check(joint: str, unit: str, low: float, high: float, t: Array, q: Array) -> LimitCheck:
    beyond = np.maximum(q - high, low - q)
    k = int(beyond.argmax())
    source = f"limits of the joint, {low:.4g} to {high:.4g} {unit}"
    if np.isfinite(low) and np.isfinite(high):
        value, limit, least = float(np.abs(q - (low + high) / 2).max()), (high - low) / 2, False
        source += "" if low == -high else ", measured from their middle"
    else:
        least = bool(np.isinf(high))
        value, limit = float(q[k]), low if least else high
    if beyond[k] <= POSITION_TOLERANCE:
        inside = max(value, limit) if least else min(value, limit)
        return LimitCheck(JOINT_POSITION, joint, inside, limit, unit, least, source=source)
    end = high if q[k] > high else low
    advice = Advice("joint range", time=float(t[k]), value=float(q[k]), present=end, unit=unit)
    return LimitCheck(JOINT_POSITION, joint, value, limit, unit, least, (advice,), source)


def require_joint_ranges(function: str, robot: Robot, motion: Motion) -> None:
    """Raise an error if a motion leaves the range of a joint."""
    for check in position_limits(robot, motion):
        if not check.is_satisfied:
            raise InputError(
                f"{function}: the task leaves the range of joint {check.owner!r} ({check.source}). {check.advice_text}"
            )


def loop_range_remarks(plain: Characteristics, perturbed: Characteristics) -> Iterator[str]:
    """A remark on joints that leave their ranges in the closed loop only, because of tracking errors."""
    exceeded = {check.key for check in plain.limits if not check.is_satisfied}
    for check in position_limits(perturbed.robot, perturbed.demands.motion):
        if not check.is_satisfied and check.key not in exceeded:
            excess = f"{abs(check.value - check.limit):.3g} {check.unit}"
            joint = visible_text(check.owner)
            yield f"in the closed loop {joint} exceeds its range by {excess}: keep the task away from its end."
