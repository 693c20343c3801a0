"""Paths in joint space: splines through via points, and paths of trajectories between their stops."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number_array
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.motion import Trajectory
from gearwright.motion.piecewise_polynomials import from_spline, piecewise_polynomial

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

PATH_REST_SPEED_RATIO = 1e-7
"""Share of the largest speed below which a trajectory is at rest."""
FIRST_PATH_POINTS, MAX_PATH_POINTS = 65, 2049
"""Initial and largest number of points of the path of a trajectory."""
PATH_TOLERANCE = 1e-7
"""Largest deviation of the path from the trajectory [rad, m]."""
LOOSE_PATH_TOLERANCE = 1e-5
"""Largest deviation if more points do not reduce it [rad, m]."""
SAMPLES_PER_PATH_POINT = 20
"""Samples per point for the length of a path."""


def spline_through_points(function: str, points: ArrayLike) -> PPoly:
    """Return the natural cubic spline through configurations (m, n) over the share of the path length, 0 to 1."""
    from scipy.interpolate import CubicSpline

    q = number_array(function, "path", points, axes=2)
    if len(q) < 2 or not q.shape[1]:
        raise InputError(f"{function}: the path has shape {q.shape}; give 2 configurations or more as rows.")
    lengths = np.linalg.norm(np.diff(q, axis=0), axis=1)
    if not lengths.all():
        k = int(np.flatnonzero(lengths == 0)[0])
        raise InputError(f"{function}: configurations {k} and {k + 1} of the path are equal. Remove one.")
    share = np.concatenate([[0.0], np.cumsum(lengths)]) / lengths.sum()
    share[-1] = 1.0
    if len(q) == 2:
        return piecewise_polynomial(np.array([q[1:] - q[:-1], q[:-1]]), share)
    return CubicSpline(share, q, bc_type="natural")


def segments_between_rests(function: str, trajectory: Trajectory) -> list[PPoly | float]:
    """Return the paths of a trajectory between its stops, over the share of length; pauses as durations [s]."""
    rests = _rest_times(trajectory)
    if not len(rests) or rests[0] > 0 or rests[-1] < trajectory.duration:
        raise InputError(f"{function}: the trajectory does not start and end at rest. Give one from rest to rest.")
    segments: list[PPoly | float] = []
    for start, end in pairwise(rests):
        middle = trajectory.at(np.linspace(start, end, 17)[1:-1], 1)
        if np.abs(middle).max() <= PATH_REST_SPEED_RATIO * trajectory.peak(1).max():
            segments.append(float(end - start))
        else:
            segments.append(_segment_path(function, trajectory, float(start), float(end)))
    return segments


def _rest_times(trajectory: Trajectory) -> Array:
    """Return the times at which all speeds are zero."""
    speed = trajectory.pieces.derivative()
    peaks = trajectory.peak(1)
    roots = piecewise_polynomial(speed.c[:, :, int(peaks.argmax())], speed.x).roots(
        discontinuity=False, extrapolate=False
    )
    times = np.unique(np.concatenate([trajectory.pieces.x, roots[np.isfinite(roots)]]))
    is_at_rest = np.abs(trajectory.at(times, 1)).max(axis=1) <= PATH_REST_SPEED_RATIO * max(peaks.max(), 1e-300)
    close = 1e-9 * trajectory.duration
    ends = np.array([t for t in (0.0, trajectory.duration) if is_at_rest[np.abs(times - t) <= close].any()])
    inner = times[is_at_rest & (times > close) & (times < trajectory.duration - close)]
    inner = inner[np.diff(inner, prepend=-1.0) > close]
    return np.sort(np.concatenate([ends, inner]))


def _segment_path(function: str, trajectory: Trajectory, start: float, end: float) -> PPoly:
    """Return one path as a spline over its length, refined until it matches the trajectory."""
    from scipy.interpolate import make_interp_spline

    count, last = FIRST_PATH_POINTS, np.inf
    while True:
        t, share = _spread_points(trajectory, start, end, count)
        path = from_spline(make_interp_spline(share[::2], trajectory.at(t[::2]), k=5), 5)
        deviation = float(np.abs(path(share[1::2]) - trajectory.at(t[1::2])).max())
        if deviation <= PATH_TOLERANCE or (deviation <= LOOSE_PATH_TOLERANCE and deviation > last / 2):
            return path
        if count >= MAX_PATH_POINTS:
            raise PlanningError(
                f"{function}: the path from {start:.4g} to {end:.4g} s has too sharp corners for a motion at speed (a "
                f"path through {count} points deviates by {deviation:.2g} rad or m). Give configurations, or a "
                "smoother motion."
            )
        count, last = 2 * count - 1, deviation


def path_through_motion(motion: Trajectory, count: int) -> PPoly:
    """Return the path of a motion without stops as a spline over its length through 2 count - 1 points."""
    from scipy.interpolate import make_interp_spline

    t, share = _spread_points(motion, 0.0, motion.duration, count)
    return from_spline(make_interp_spline(share, motion.at(t), k=5), 5)


def _spread_points(trajectory: Trajectory, start: float, end: float, count: int) -> tuple[Array, Array]:
    """Return times and length shares of 2 count - 1 points, denser near the ends."""
    fine = start + (end - start) * (1 - np.cos(np.pi * np.linspace(0, 1, SAMPLES_PER_PATH_POINT * count))) / 2
    speeds = np.linalg.norm(trajectory.at(fine, 1), axis=1)
    length = np.concatenate([[0.0], np.cumsum(np.diff(fine) * (speeds[1:] + speeds[:-1]) / 2)])
    shares = (1 - np.cos(np.pi * np.linspace(0, 1, 2 * count - 1))) / 2
    t = np.interp(shares, length / length[-1], fine)
    t[0], t[-1] = start, end
    return t, shares
