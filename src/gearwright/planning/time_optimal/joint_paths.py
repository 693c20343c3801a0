"""Paths in joint space, without time: curves through via points, and the ways of trajectories between their rests."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import numbers
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.motion import Trajectory
from gearwright.motion.piecewise_polynomials import from_spline, piecewise

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

REST = 1e-7
"""Share of the largest speed below which a trajectory rests."""
FIRST, MOST = 65, 2049
"""Points through which the way of a trajectory is laid, at first and at most."""
CLOSE = 1e-7
"""How far the path may be from the trajectory's own [rad, m]."""
FAR = 1e-5
"""How far it may be where more points do not bring it closer."""
FINE = 20
"""Samples per point by which the length of a way is measured."""


def through_points(function: str, points: ArrayLike) -> PPoly:
    """The natural cubic spline through configurations (m, n) over the share of the way between them, 0 to 1."""
    from scipy.interpolate import CubicSpline

    q = numbers(function, "path", points, axes=2)
    if len(q) < 2 or not q.shape[1]:
        raise InputError(f"{function}: the path has shape {q.shape}; give 2 configurations or more as rows.")
    way = np.linalg.norm(np.diff(q, axis=0), axis=1)
    if not way.all():
        k = int(np.flatnonzero(way == 0)[0])
        raise InputError(f"{function}: configurations {k} and {k + 1} of the path are the same. Leave one out.")
    share = np.concatenate([[0.0], np.cumsum(way)]) / way.sum()
    share[-1] = 1.0
    if len(q) == 2:
        return piecewise(np.array([q[1:] - q[:-1], q[:-1]]), share)
    return CubicSpline(share, q, bc_type="natural")


def ways_of(function: str, trajectory: Trajectory) -> list[PPoly | float]:
    """What a trajectory passes between its rests, over the share of each way; pauses as their lengths [s]."""
    rests = _rests(trajectory)
    if not len(rests) or rests[0] > 0 or rests[-1] < trajectory.duration:
        raise InputError(f"{function}: the trajectory does not start and end at rest. Give one that does.")
    found: list[PPoly | float] = []
    for start, end in pairwise(rests):
        middle = trajectory.at(np.linspace(start, end, 17)[1:-1], 1)
        if np.abs(middle).max() <= REST * trajectory.peak(1).max():
            found.append(float(end - start))
        else:
            found.append(_way(function, trajectory, float(start), float(end)))
    return found


def _rests(trajectory: Trajectory) -> Array:
    """Times at which all speeds are zero."""
    speed = trajectory.pieces.derivative()
    peaks = trajectory.peak(1)
    roots = piecewise(speed.c[:, :, int(peaks.argmax())], speed.x).roots(discontinuity=False, extrapolate=False)
    times = np.unique(np.concatenate([trajectory.pieces.x, roots[np.isfinite(roots)]]))
    still = np.abs(trajectory.at(times, 1)).max(axis=1) <= REST * max(peaks.max(), 1e-300)
    close = 1e-9 * trajectory.duration
    ends = np.array([t for t in (0.0, trajectory.duration) if still[np.abs(times - t) <= close].any()])
    inner = times[still & (times > close) & (times < trajectory.duration - close)]
    inner = inner[np.diff(inner, prepend=-1.0) > close]
    return np.sort(np.concatenate([ends, inner]))


def _way(function: str, trajectory: Trajectory, start: float, end: float) -> PPoly:
    """One way as a spline over its length: at ever more points until it keeps to the trajectory."""
    from scipy.interpolate import make_interp_spline

    count, last = FIRST, np.inf
    while True:
        t, share = _spread(trajectory, start, end, count)
        path = from_spline(make_interp_spline(share[::2], trajectory.at(t[::2]), k=5), 5)
        apart = float(np.abs(path(share[1::2]) - trajectory.at(t[1::2])).max())
        if apart <= CLOSE or (apart <= FAR and apart > last / 2):
            return path
        if count >= MOST:
            raise PlanningError(
                f"{function}: the way from {start:.4g} to {end:.4g} s bends too sharply to be followed at speed (a "
                f"path through {count} points is {apart:.2g} rad or m off). Give configurations, or a smoother motion."
            )
        count, last = 2 * count - 1, apart


def _spread(trajectory: Trajectory, start: float, end: float, count: int) -> tuple[Array, Array]:
    """Times and shares of the length of 2 count - 1 points, closer to each other near the ends."""
    fine = start + (end - start) * (1 - np.cos(np.pi * np.linspace(0, 1, FINE * count))) / 2
    speeds = np.linalg.norm(trajectory.at(fine, 1), axis=1)
    length = np.concatenate([[0.0], np.cumsum(np.diff(fine) * (speeds[1:] + speeds[:-1]) / 2)])
    wanted = (1 - np.cos(np.pi * np.linspace(0, 1, 2 * count - 1))) / 2
    t = np.interp(wanted, length / length[-1], fine)
    t[0], t[-1] = start, end
    return t, wanted
