"""Cartesian paths of a frame (lines, arcs, circles, orientation turning evenly), and the law of time along any path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.motion import Trajectory, s_curve, smoothed
from gearwright.planning.kinematics.poses import checked_position, checked_rotation, flat_poses, rotation_vector, slerp


@dataclass(frozen=True)
class Path:
    """Where a frame goes: poses over the share of the way.

    Args:
        poses: share (T,) -> flat poses (T, 12), 0 at the start and 1 at the end.
        length: of the way of its origin [m].
        turn: by how much it turns [rad].
        task: six weights of what is prescribed: position, orientation.
    """

    poses: Callable[[Array], Array]
    length: float
    turn: float
    task: tuple[float, ...]


def line_path(here: Any, to: Any) -> Path:
    """A straight line from a placement to a pose, or to a position with the orientation kept."""
    R0, p0, R1, p1, task = _ends("line", here, to)

    def poses(share: Array) -> Array:
        return flat_poses(slerp(R0, R1, share), p0 + share[:, None] * (p1 - p0))

    return Path(poses, float(np.linalg.norm(p1 - p0)), float(np.linalg.norm(rotation_vector(R0, R1))), task)


def arc_path(here: Any, through: ArrayLike, to: Any) -> Path:
    """The arc of a circle from a placement through a position to a pose."""
    R0, p0, R1, p1, task = _ends("arc", here, to)
    middle = checked_position("arc", through, "through")
    a, b = middle - p0, p1 - p0
    normal = np.cross(a, b)
    size = float(normal @ normal)
    if size <= 1e-18 * float(a @ a) * float(b @ b) or not size:
        raise InputError("arc: start, through and end lie on a line, so they make no circle. Use line, or circle.")
    centre = p0 + np.cross(float(a @ a) * b - float(b @ b) * a, normal) / (2 * size)
    axis = normal / np.sqrt(size)
    x, y = p0 - centre, np.cross(axis, p0 - centre)
    angle = float(np.arctan2((p1 - centre) @ y, (p1 - centre) @ x) % (2 * np.pi))
    return _round(R0, R1, centre, x, y, angle, float(np.linalg.norm(rotation_vector(R0, R1))), task)


def circle_path(here: Any, centre: ArrayLike, axis: ArrayLike, angle: float, turning: bool, oriented: bool) -> Path:
    """A circle about an axis; `turning`: the frame turns with it, as if carried by a wheel."""
    R0, p0 = here
    c, e = checked_position("circle", centre, "centre"), checked_position("circle", axis, "axis")
    if c.shape != (3,) or e.shape != (3,) or not e @ e > 0:
        raise InputError(
            f"circle: centre={c.tolist()} and axis={e.tolist()} must be three numbers each, the axis not zero."
        )
    e = e / np.linalg.norm(e)
    x = p0 - c - (p0 - c) @ e * e
    angle = number("circle", "angle", angle, above=0.0, unit="radians", example=6.28)
    task = (1.0, 1.0, 1.0, *(3 * [float(oriented)]))
    foot, y = p0 - x, np.cross(e, x)
    if not turning:
        return _round(R0, R0, foot, x, y, angle, 0.0, task)

    def poses(share: Array) -> Array:
        from scipy.spatial.transform import Rotation

        turned = Rotation.from_rotvec(angle * share[:, None] * e).as_matrix() @ R0
        return flat_poses(turned, _around(foot, x, y, angle * share))

    return Path(poses, angle * float(np.linalg.norm(x)), angle, task)


def _round(R0: Array, R1: Array, c: Array, x: Array, y: Array, angle: float, turn: float, task: Any) -> Path:
    def poses(share: Array) -> Array:
        return flat_poses(slerp(R0, R1, share), _around(c, x, y, angle * share))

    return Path(poses, angle * float(np.linalg.norm(x)), turn, task)


def _around(centre: Array, x: Array, y: Array, angle: Array) -> Array:
    return centre + np.cos(angle)[:, None] * x + np.sin(angle)[:, None] * y


def _ends(function: str, here: Any, to: Any) -> tuple[Array, Array, Array, Array, tuple[float, ...]]:
    """Rotations and positions of both ends, and the task: an orientation of None is left free."""
    R0, p0 = here
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


KEPT = 1e-6
"""Share of every limit that is left for what a path's own rate may be off."""
RAMP = 4.0
"""A jerk that nobody limits builds the acceleration up within this share of the time that speeding up takes."""
ROUND = 0.25
"""Width of the moving averages as a share of the time in which the acceleration builds up."""


class Pace(NamedTuple):
    """Largest speed, acceleration and jerk along a path [m/s or rad/s, ...]; infinity: unlimited."""

    speed: float
    acceleration: float = np.inf
    jerk: float = np.inf


def share_of_time(lengths: dict[str, tuple[float, Pace]]) -> Trajectory:
    """The share of a path (1 coordinate, 0 to 1) over time, rest to rest, that keeps every pace.

    An S-curve, which is the fastest under its limits, averaged twice over a short time, so that jerk and snap are
    continuous too (an average keeps every limit). Without a limit of the acceleration a quarter of the way is for
    speeding up and another for slowing down; without one of the jerk the acceleration builds up in a quarter of that.
    """
    known = [(length, pace) for length, pace in lengths.values() if length > 0]
    if not known:
        raise InputError("the path has no length: start and end are the same pose. Give somewhere to go.")
    v, a, j = (min(pace[k] / length for length, pace in known) * (1 - KEPT) for k in range(3))
    if np.isinf(v) and np.isinf(a):
        raise InputError("neither speed nor acceleration along the path is limited. Give one of them.")
    v = min(v, 2 * sqrt(a))  # faster than that nothing gets within the path
    a = min(a, 2 * v**2) if np.isinf(a) else a
    j = RAMP * a**2 / min(v, sqrt(a)) if np.isinf(j) else j
    law = s_curve([0.0], [1.0], speed=v, acceleration=a, jerk=j)
    width = ROUND * min(a / j, law.duration / 4)
    return smoothed(smoothed(law, width), width)
