"""Limits of a trajectory, from arguments or from a robot's joints, and their checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.joint_names_and_units import CoordinateProperties, coordinate_properties
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot

LIMIT_ROUNDING_RATIO = 1e-9
"""Relative rounding error allowed at a limit."""
ZERO_LIMIT_ROUNDING = 1e-12
"""Rounding error allowed beyond a limit of position besides, for limits of 0 [rad, m]."""
LIMITED_RATES = ("speed", "acceleration", "jerk")
"""Limited quantities besides the position, in the order of the derivatives."""


class CoordinateLimits(NamedTuple):
    """Limits per coordinate, (n,) each; infinite where unlimited."""

    lower: Array
    upper: Array
    speed: Array
    acceleration: Array
    jerk: Array
    joints: CoordinateProperties | None = None

    def coordinate_label(self, index: int) -> str:
        """Name of a coordinate in messages."""
        return f"joint {self.joints.names[index]!r}" if self.joints is not None else f"coordinate {index}"

    def rate_limits(self) -> tuple[Array, Array, Array]:
        """The limits of the first three derivatives."""
        return self.speed, self.acceleration, self.jerk

    def with_joint_names(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with the names and units of the robot, if one was given."""
        if self.joints is None:
            return trajectory
        return replace(trajectory, names=self.joints.names, units=self.joints.units)


def per_joint(
    function: str, values_by_name: Mapping[str, ArrayLike], size: int | None = None, above: float | None = None
) -> list[Array]:
    """Return lists of joint values broadcast to the longest, or to `size`; one number holds for all joints."""
    lists = {name: number_array(function, name, x, axes=1, above=above) for name, x in values_by_name.items()}
    count = max(map(len, lists.values())) if size is None else size
    for name, x in lists.items():
        if len(x) not in (1, count):
            raise InputError(
                f"{function}: {name} has {len(x)} values for {count} joints. Give one per joint, or one for all."
            )
    return [np.broadcast_to(x, (count,)) for x in lists.values()]


def coordinate_limits(
    function: str,
    count: int,
    robot: Robot | Mechanism | None = None,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
) -> CoordinateLimits:
    """Return the given limits, otherwise those of the robot, otherwise infinite ones."""
    joints, none = coordinate_properties(function, robot, count), np.full(count, np.inf)
    stated = {} if joints is None else {"speed": joints.speed, "acceleration": joints.acceleration}
    v, a, j = (
        stated.get(name, none) if x is None else per_joint(function, {name: x}, count, above=0.0)[0]
        for name, x in zip(LIMITED_RATES, (speed, acceleration, jerk), strict=True)
    )
    lower, upper = (-none, none) if joints is None else (joints.lower, joints.upper)
    return CoordinateLimits(lower, upper, v, a, j, joints)


def require_limits(function: str, limits: CoordinateLimits, *names: str) -> None:
    """Raise an error if a required limit is missing."""
    for name in names:
        missing = np.flatnonzero(np.isinf(getattr(limits, name)))
        if missing.size:
            label = limits.coordinate_label(int(missing[0]))
            raise InputError(
                f"{function}: {label} has no limit of {name}. Give {name} with the motion, one per joint or one for all"
                f"{'' if name == 'jerk' else ', or state it in the limits of the robot and give the robot'}."
            )


def require_inside(
    function: str, subject: str, q: Array, limits: CoordinateLimits, way_out: str = "Move it inside."
) -> None:
    """Raise an error if a position is outside the limits of the robot."""
    low, high = limits.lower, limits.upper
    below, above = (LIMIT_ROUNDING_RATIO * np.abs(limit) + ZERO_LIMIT_ROUNDING for limit in (low, high))
    beyond = np.flatnonzero((q < low - below) | (q > high + above))
    if beyond.size:
        k = int(beyond[0])
        raise InputError(
            f"{function}: {subject} has {limits.coordinate_label(k)} at {q[k]:g}, outside its limits {low[k]:g} to "
            f"{high[k]:g}. {way_out}"
        )


def require_within_limits(function: str, trajectory: Trajectory, limits: CoordinateLimits, way_out: str) -> None:
    """Raise an error if a trajectory exceeds its limits anywhere, also between samples."""
    if np.isfinite(limits.lower).any() or np.isfinite(limits.upper).any():
        for q in trajectory.extremes():
            require_inside(function, "the motion between its points", q, limits, "Keep a larger distance from them.")
    for order, (name, limit) in enumerate(zip(LIMITED_RATES, limits.rate_limits(), strict=True), start=1):
        if not np.isfinite(limit).any():
            continue
        peak = trajectory.peak(order)
        over = peak > limit * (1 + LIMIT_ROUNDING_RATIO)
        if over.any():
            k = int(np.argmax(np.where(over, peak / limit, 0.0)))
            raise InputError(
                f"{function}: {limits.coordinate_label(k)} reaches a {name} of {peak[k]:g}, above its limit "
                f"{limit[k]:g}. {way_out}"
            )
