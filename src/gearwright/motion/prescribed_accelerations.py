"""Motions stated by their accelerations alone."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing_array, number_array
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import coordinate_limits, per_joint
from gearwright.motion.piecewise_polynomials import piecewise_polynomial
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot


@check_arguments
def from_accelerations(
    times: ArrayLike,
    accelerations: ArrayLike,
    start: ArrayLike,
    start_speed: ArrayLike = 0.0,
    *,
    between: Literal["line", "hold"] = "line",
    robot: Robot | Mechanism | None = None,
) -> Trajectory:
    """Return the motion with the given accelerations, integrated exactly from its initial values.

    Args:
        times: increasing, (T,) [s]; the motion starts at the first.
        accelerations: (T, n) [rad/s2, m/s2].
        start: positions at the first time (n,), or one for all.
        start_speed: speeds at the first time (n,), or one for all.
        between: interpolation between two times: "line" (linear) or "hold" (piecewise constant).
        robot: gives the columns their names.

    >>> motion = from_accelerations([0.0, 1.0, 2.0], [[1.0], [-1.0], [0.0]], start=[0.0], between="hold")
    >>> motion.at(2.0), motion.at(2.0, 1)
    (array([1.]), array([0.]))
    """
    name = "from_accelerations"
    t, a = increasing_array(name, "times", times), number_array(name, "accelerations", accelerations, axes=2)
    if len(a) != len(t) or not a.shape[1]:
        raise InputError(f"{name}: accelerations has shape {a.shape} for {len(t)} times. Give one row per time.")
    if between not in ("line", "hold"):
        raise InputError(f"{name}: between={between!r} must be 'line' or 'hold'.")
    q0, v0 = per_joint(name, {"start": start, "start_speed": start_speed}, a.shape[1])
    h = np.diff(t)[:, None]
    jerk = np.diff(a, axis=0) / h if between == "line" else np.zeros_like(a[1:])
    a = a[:-1]
    v = _interval_starts(v0, h * (a + h * jerk / 2))
    q = _interval_starts(q0, h * (v + h * (a / 2 + h * jerk / 6)))
    pieces = piecewise_polynomial(np.array([jerk / 6, a / 2, v, q]), t - t[0])
    return coordinate_limits(name, a.shape[1], robot).with_joint_names(Trajectory(pieces))


def required_start(source: object, start: ArrayLike | None) -> ArrayLike:
    """Return the initial values of a file of accelerations; raise an error if they are missing."""
    if start is None:
        raise FileError(
            f"{source}: accelerations alone do not define the initial position. Give the initial values (start= and "
            "start_speed=, or --initial and --speeds), or add columns q.<coordinate>."
        )
    return start


def _interval_starts(first: Array, steps: Array) -> Array:
    """Return the values at the start of every interval."""
    return first + np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)[:-1]])
