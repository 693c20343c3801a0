"""What a trajectory may do, from a user's numbers or a robot's joints, and whether it keeps to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.joint_names_and_units import Joints, joints_of
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot

SLACK = 1e-9
"""Share of a limit that rounding may take."""
RATES = ("speed", "acceleration", "jerk")
"""What is limited besides the position, in the order of the derivatives."""


class Bounds(NamedTuple):
    """Limits per coordinate, (n,) each; infinite where there is none."""

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array
    jerk: Array
    joints: Joints | None = None

    def label(self, index: int) -> str:
        """How messages call a coordinate."""
        return f"joint {self.joints.names[index]!r}" if self.joints is not None else f"coordinate {index}"

    def rates(self) -> tuple[Array, Array, Array]:
        """The limits of the first three derivatives."""
        return self.speed, self.acceleration, self.jerk

    def named(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with the names and units of the robot, if one was given."""
        if self.joints is None:
            return trajectory
        return replace(trajectory, names=self.joints.names, units=self.joints.units)


def per_joint(
    function: str, given: Mapping[str, ArrayLike], size: int | None = None, above: float | None = None
) -> list[Array]:
    """Lists of joint values, each made as long as the longest, or `size`; one number stands for all joints."""
    lists = {name: numbers(function, name, x, axes=1, above=above) for name, x in given.items()}
    count = max(map(len, lists.values())) if size is None else size
    for name, x in lists.items():
        if len(x) not in (1, count):
            raise InputError(
                f"{function}: {name} has {len(x)} values for {count} joints. Give one per joint, or one for all."
            )
    return [np.broadcast_to(x, (count,)) for x in lists.values()]


def bounds(
    function: str,
    count: int,
    robot: Robot | Mechanism | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
) -> Bounds:
    """The limits given, else those of the robot, else none."""
    joints, none = joints_of(function, robot, count), np.full(count, np.inf)
    stated = {} if joints is None else {"speed": joints.speed, "acceleration": joints.acceleration}
    v, a, j = (
        stated.get(name, none) if x is None else per_joint(function, {name: x}, count, above=0.0)[0]
        for name, x in zip(RATES, (speed, acceleration, jerk), strict=True)
    )
    lower, upper = (-none, none) if joints is None else (joints.lower, joints.upper)
    return Bounds(lower, upper, v, a, j, joints)


def require(function: str, limits: Bounds, *names: str) -> None:
    """Refuse limits that must be there and are not."""
    for name in names:
        missing = np.flatnonzero(np.isinf(getattr(limits, name)))
        if missing.size:
            who = limits.label(int(missing[0]))
            raise InputError(
                f"{function}: {who} has no limit of {name}. State {name} with the motion, one per joint or one for all"
                f"{'' if name == 'jerk' else ', or in the limits of the robot, which is given with it'}."
            )


def require_inside(function: str, what: str, q: Array, limits: Bounds, way_out: str = "Move it inside.") -> None:
    """Refuse a position beyond the limits of the robot."""
    low, high = limits.lower, limits.upper
    beyond = np.flatnonzero((q < low - SLACK * np.abs(low)) | (q > high + SLACK * np.abs(high)))
    if beyond.size:
        k = int(beyond[0])
        raise InputError(
            f"{function}: {what} has {limits.label(k)} at {q[k]:g}, outside of its limits {low[k]:g} to {high[k]:g}. "
            f"{way_out}"
        )


def require_kept(function: str, trajectory: Trajectory, limits: Bounds, way_out: str) -> None:
    """Refuse a trajectory that leaves the limits somewhere, between samples too."""
    if np.isfinite(limits.lower).any() or np.isfinite(limits.upper).any():
        for q in trajectory.extremes():
            require_inside(function, "the motion on its way", q, limits, "Stay further away from them.")
    for order, (name, limit) in enumerate(zip(RATES, limits.rates(), strict=True), start=1):
        if not np.isfinite(limit).any():
            continue
        peak = trajectory.peak(order)
        over = peak > limit * (1 + SLACK)
        if over.any():
            k = int(np.argmax(np.where(over, peak / limit, 0.0)))
            raise InputError(
                f"{function}: {limits.label(k)} reaches a {name} of {peak[k]:g}, above its limit {limit[k]:g}. "
                f"{way_out}"
            )
