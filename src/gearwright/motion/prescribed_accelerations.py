"""Motions stated by their accelerations alone."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing, numbers
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import bounds, per_joint
from gearwright.motion.piecewise_polynomials import piecewise
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
    """The motion whose accelerations are given at times, integrated exactly from its start values.

    Args:
        times: increasing, (T,) [s]; the motion starts at the first.
        accelerations: (T, n) [rad/s2, m/s2].
        start: positions at the first time (n,), or one for all.
        start_speed: speeds at the first time (n,), or one for all.
        between: two times the acceleration follows a straight line, or with "hold" stays as it was.
        robot: whose joints name the columns.

    >>> way = from_accelerations([0.0, 1.0, 2.0], [[1.0], [-1.0], [0.0]], start=[0.0], between="hold")
    >>> way.at(2.0), way.at(2.0, 1)
    (array([1.]), array([0.]))
    """
    name = "from_accelerations"
    t, a = increasing(name, "times", times), numbers(name, "accelerations", accelerations, axes=2)
    if len(a) != len(t) or not a.shape[1]:
        raise InputError(f"{name}: accelerations has shape {a.shape} for {len(t)} times. Give one row per time.")
    if between not in ("line", "hold"):
        raise InputError(f"{name}: between={between!r} must be 'line' or 'hold'.")
    q0, v0 = per_joint(name, {"start": start, "start_speed": start_speed}, a.shape[1])
    h = np.diff(t)[:, None]
    jerk = np.diff(a, axis=0) / h if between == "line" else np.zeros_like(a[1:])
    a = a[:-1]
    v = _summed(v0, h * (a + h * jerk / 2))
    q = _summed(q0, h * (v + h * (a / 2 + h * jerk / 6)))
    pieces = piecewise(np.array([jerk / 6, a / 2, v, q]), t - t[0])
    return bounds(name, a.shape[1], robot).named(Trajectory(pieces))


def required_start(source: object, start: ArrayLike | None) -> ArrayLike:
    """The start values of a file of accelerations, or an error that asks for them."""
    if start is None:
        raise FileError(
            f"{source}: accelerations alone do not say where the motion starts. Give its start (start= and "
            "start_speed=, or --initial and --speeds), or add columns q.<coordinate>."
        )
    return start


def _summed(first: Array, steps: Array) -> Array:
    """The values at the start of every interval."""
    return first + np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)[:-1]])
