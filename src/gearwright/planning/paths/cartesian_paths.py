"""Cartesian paths of a frame (lines, arcs, circles, even rotation), and the time law along any path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.motion import Trajectory, moving_average, s_curve
from gearwright.planning.kinematics.poses import checked_position, checked_rotation, flat_poses, rotation_vector, slerp
from gearwright.planning.paths.path_limits import RateLimits


@dataclass(frozen=True)
class CartesianPath:
    """A path of a frame: poses over the share of its length.

    Args:
        poses: share (T,) -> flat poses (T, 12), 0 at the start and 1 at the end.
        length: length of the path of its origin [m].
        rotation_angle: angle of its rotation [rad].
        task: six weights of position and orientation, 0 for free ones.
    """

    poses: Callable[[Array], Array]
    length: float
    rotation_angle: float
    task: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class CircularPath:
    """A circle, or an angle of it, about an axis (world axes).

    Args:
        centre: a point of the axis [m].
        axis: direction of the axis, right-handed.
        angle: angle of the arc [rad]; by default a full turn.
        turning: whether the frame rotates with the circle; otherwise it keeps its orientation.
        oriented: whether the orientation is prescribed.

    >>> CircularPath(centre=(0.4, 0, 0.3), axis=(0, 0, 1), angle=1.5).turning
    False
    """

    centre: ArrayLike
    axis: ArrayLike
    angle: float = 2 * np.pi
    turning: bool = False
    oriented: bool = True


def line_path(start_pose: Any, to: Any) -> CartesianPath:
    """Return a straight line from a placement to a pose, or to a position with constant orientation."""
    R0, p0, R1, p1, task = _end_poses("line", start_pose, to)

    def poses_at(share: Array) -> Array:
        return flat_poses(slerp(R0, R1, share), p0 + share[:, None] * (p1 - p0))

    return CartesianPath(poses_at, float(np.linalg.norm(p1 - p0)), float(np.linalg.norm(rotation_vector(R0, R1))), task)


def arc_path(start_pose: Any, through: ArrayLike, to: Any) -> CartesianPath:
    """Return the circular arc from a placement through a position to a pose."""
    R0, p0, R1, p1, task = _end_poses("arc", start_pose, to)
    middle = checked_position("arc", through, "through")
    a, b = middle - p0, p1 - p0
    normal = np.cross(a, b)
    size = float(normal @ normal)
    if size <= 1e-18 * float(a @ a) * float(b @ b) or not size:
        raise InputError("arc: start, through and end are collinear. Use line, or circle.")
    centre = p0 + np.cross(float(a @ a) * b - float(b @ b) * a, normal) / (2 * size)
    axis = normal / np.sqrt(size)
    x, y = p0 - centre, np.cross(axis, p0 - centre)
    angle = float(np.arctan2((p1 - centre) @ y, (p1 - centre) @ x) % (2 * np.pi))
    return _circular_path(R0, R1, centre, x, y, angle, float(np.linalg.norm(rotation_vector(R0, R1))), task)


def circle_path(start_pose: Any, circle: CircularPath) -> CartesianPath:
    """Return a circle about an axis from a placement."""
    R0, p0 = start_pose
    c, e = checked_position("circle", circle.centre, "centre"), checked_position("circle", circle.axis, "axis")
    if c.shape != (3,) or e.shape != (3,) or not e @ e > 0:
        raise InputError(
            f"circle: centre={c.tolist()} and axis={e.tolist()} must be three numbers each, the axis not zero."
        )
    e = e / np.linalg.norm(e)
    x = p0 - c - (p0 - c) @ e * e
    angle = real_number("circle", "angle", circle.angle, above=0.0, unit="radians", example=6.28)
    task = (1.0, 1.0, 1.0, *(3 * [float(circle.oriented)]))
    foot, y = p0 - x, np.cross(e, x)
    if not circle.turning:
        return _circular_path(R0, R0, foot, x, y, angle, 0.0, task)

    def poses_at(share: Array) -> Array:
        from scipy.spatial.transform import Rotation

        rotations = Rotation.from_rotvec(angle * share[:, None] * e).as_matrix() @ R0
        return flat_poses(rotations, _circle_points(foot, x, y, angle * share))

    return CartesianPath(poses_at, angle * float(np.linalg.norm(x)), angle, task)


def _circular_path(
    R0: Array, R1: Array, c: Array, x: Array, y: Array, angle: float, turn: float, task: Any
) -> CartesianPath:
    def poses_at(share: Array) -> Array:
        return flat_poses(slerp(R0, R1, share), _circle_points(c, x, y, angle * share))

    return CartesianPath(poses_at, angle * float(np.linalg.norm(x)), turn, task)


def _circle_points(centre: Array, x: Array, y: Array, angle: Array) -> Array:
    return centre + np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y


def _end_poses(function: str, start_pose: Any, to: Any) -> tuple[Array, Array, Array, Array, tuple[float, ...]]:
    """Return rotations and positions of both ends, and the task: an orientation of None is free."""
    R0, p0 = start_pose
    if isinstance(to, tuple) and len(to) == 2:
        rotation, position = to
        free = rotation is None
        R1 = R0 if free else checked_rotation(function, rotation, "to")
        p1 = p0 if position is None else checked_position(function, position, "to")
    else:
        free, R1, p1 = False, R0, checked_position(function, to, "to")
    if R1.shape != (3, 3) or p1.shape != (3,):
        raise InputError(f"{function}: the end must be one pose (rotation, position), or one position (3,).")
    return R0, p0, R1, p1, (1.0, 1.0, 1.0, *(3 * [float(not free)]))


PATH_RATE_MARGIN = 1e-6
"""Share of every limit reserved for errors of the path's derivative."""
UNLIMITED_JERK_RATIO = 4.0
"""Rise time of the acceleration without a jerk limit, relative to the acceleration phase."""
SMOOTHING_WIDTH_RATIO = 0.25
"""Width of the moving averages relative to the rise time of the acceleration."""


def path_time_law(lengths: dict[str, tuple[float, RateLimits]]) -> Trajectory:
    """Return the share of a path (1 coordinate, 0 to 1) over time, rest to rest, within all limits.

    A time-optimal S-curve is averaged twice over a short time, so that jerk and snap are continuous too (averaging
    respects every limit). Without an acceleration limit a quarter of the path is for acceleration and another for
    deceleration; without a jerk limit the acceleration rises in a quarter of that time.
    """
    travelled = [(length, limits) for length, limits in lengths.values() if length > 0]
    if not travelled:
        raise InputError("the path has no length: start and end are the same pose. Give another end.")
    v, a, j = (min(limits[k] / length for length, limits in travelled) * (1 - PATH_RATE_MARGIN) for k in range(3))
    if np.isinf(v) and np.isinf(a):
        raise InputError("neither speed nor acceleration along the path is limited. Give one of them.")
    v = min(v, 2 * sqrt(a))  # the largest speed attainable within the path
    a = min(a, 2 * v**2) if np.isinf(a) else a
    j = UNLIMITED_JERK_RATIO * a**2 / min(v, sqrt(a)) if np.isinf(j) else j
    law = s_curve([0.0], [1.0], speed=v, acceleration=a, jerk=j)
    width = SMOOTHING_WIDTH_RATIO * min(a / j, law.duration / 4)
    return moving_average(moving_average(law, width), width)
