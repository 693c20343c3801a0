"""A motion cut where it or the friction is not smooth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gearwright.algebra.operations import FLOATS
from gearwright.arrays import Array
from gearwright.forces.line import Line
from gearwright.forces.scene import Scene
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.system.system import System

ROUNDING = 1e-12
"""Share of a time by which sums of durations that mean the same may differ."""

LOOKS = 400
"""Intervals of a motion within which the speed along a coordinate turns round at most once."""

LEAST = 12
"""Samples that a piece has at least."""

CLOSE = 1e-4
"""Share of the motion's duration within which two cuts are one."""

SLOWEST = 1e-9
"""Share of the largest speed of a motion below which a speed is rounding: that of shafts is known to 1e-11 or so."""

BEGINNING = 1e-3
"""Share of a motion's duration in which it may be that slow although it moves."""

SAME = 0.02
"""Share of the mean time between two samples within which another adds nothing but rounding."""


def smooth_pieces(
    trajectory: Trajectory,
    system: System,
    order: int,
    samples: int,
    breaks: Sequence[float] = (),
    also: Sequence[float] = (),
) -> Iterator[tuple[Array, list[Array]]]:
    """Times and the motion with `order` derivatives there, piece by piece; both ends of a piece belong to it.

    A piece ends where one of the derivatives jumps, where a line along which something rubs turns round, and at
    `breaks`. Times in `also` are looked at too.
    """
    end = trajectory.duration
    fixed = distinct([0.0, *trajectory.kinks(order), end], [t for t in breaks if 0 < t < end])
    # A motion that comes to rest with zero acceleration has several roots in one, which are found to 1e-5 or so.
    turns = [t for t in _turns(trajectory, system) if min(abs(t - x) for x in fixed) > CLOSE * end]
    edges = sorted({*fixed, *(t for k, t in enumerate(turns) if not k or t - turns[k - 1] > CLOSE * end)})
    for first, last in pairwise(edges):
        even = np.linspace(first, last, max(LEAST, int(np.ceil(samples * (last - first) / end))))
        t = with_others(even, [x for x in also if first < x < last])
        inside = t.copy()
        inside[-1] = np.nextafter(last, first)  # from the left
        yield t, [trajectory.at(inside, k) for k in range(order + 1)]


def distinct(edges: Sequence[float], others: Sequence[float]) -> list[float]:
    """Times and others beside them, but for those that rounding alone tells apart.

    >>> distinct([0.0, 0.3], [0.1 + 0.2, 0.2])
    [0.0, 0.3, 0.2]
    """
    found = list(edges)
    for t in others:
        if min(abs(t - x) for x in found) > ROUNDING * t:
            found.append(t)
    return found


def with_others(even: Array, others: Sequence[float]) -> Array:
    """Even times and others among them, but for those that rounding alone tells apart.

    >>> with_others(np.array([0.0, 1.0]), [0.5, 0.5 + 1e-12, 1e-12]).tolist()
    [0.0, 0.5, 1.0]
    """
    kept: list[float] = []
    least = SAME * (even[-1] - even[0]) / (len(even) + len(others))
    for t in np.unique(others).tolist():
        place = int(np.searchsorted(even, t))
        near = [*even[max(place - 1, 0) : place + 1].tolist(), *kept[-1:]]
        if min(abs(t - x) for x in near) > least:
            kept.append(t)
    return np.sort(np.concatenate([even, kept]))


def _turns(trajectory: Trajectory, system: System) -> list[float]:
    """Times at which the speed along the line of a law with modes or states goes through zero."""
    found: list[float] = []
    for line in turning_lines(system):
        roots = _constant_turns(trajectory, line) if line.constant else _bent_turns(trajectory, system.mech, line)
        found += [t for t in roots if 0 < t < trajectory.duration]
    return sorted(found)


def turning_lines(system: System) -> Iterator[Line]:
    """The lines of laws that act otherwise once they turn round."""
    for law in system.laws:
        line = getattr(law, "line", None)
        if line is not None and (law.states or len(law.modes) > 1):
            yield line


def _constant_turns(trajectory: Trajectory, line: Line) -> list[float]:
    """The zeros of the polynomials that the speed along a constant row is made of."""
    from scipy.interpolate import PPoly

    rate = trajectory.pieces.derivative()
    along = PPoly(sum(float(factor) * rate.c[..., index] for index, factor in line.terms), rate.x)
    roots = along.roots(extrapolate=False)
    return [float(t) for t in roots[np.isfinite(roots)] if _really_turns(along, float(t))]


def _really_turns(speed: Any, t: float) -> bool:
    """Whether a speed that is zero at a time is more than rounding next to it: what rests turns round nowhere."""
    x = speed.x
    least = ROUNDING * (x[-1] - x[0])
    first, last = np.searchsorted(x, t - least) - 1, np.searchsorted(x, t + least, "right")
    near = np.linspace(x[max(first, 0)], x[min(last, len(x) - 1)], 9)
    return bool(np.abs(speed(near[1:-1])).max() > SLOWEST * np.abs(speed(np.linspace(x[0], x[-1], LOOKS))).max())


def rests(trajectory: Trajectory, t: Array, speeds: Array) -> bool:
    """Whether nothing moves over a smooth piece with times t and speeds (T, n), but for rounding.

    A motion that has just begun is as slow, but only for a short time.
    """
    if t[-1] - t[0] <= BEGINNING * trajectory.duration:
        return False
    times = np.linspace(0.0, trajectory.duration, LOOKS + 1)
    fastest = np.abs(trajectory.at(times, 1)).max(initial=0.0)
    return bool(np.abs(speeds).max(initial=0.0) <= SLOWEST * fastest)


def _bent_turns(trajectory: Trajectory, mech: Mechanism, line: Line) -> list[float]:
    """The zeros of the speed along a coordinate, between samples where its sign changes."""
    from scipy.optimize import brentq

    def speed(t: float) -> float:
        q, v = (trajectory.at(t, k).tolist() for k in range(2))
        return float(line.placed(Scene(mech, q, v, FLOATS, t)).speed(v))

    times = np.linspace(0.0, trajectory.duration, LOOKS + 1)
    signs = np.sign([speed(t) for t in times.tolist()])
    brackets = [(times[k], times[k + 1]) for k in range(LOOKS) if signs[k] * signs[k + 1] < 0]
    met = [float(times[k]) for k in range(1, LOOKS) if signs[k] == 0 and signs[k - 1] * signs[k + 1] < 0]
    return met + [float(brentq(speed, a, b, xtol=1e-14)) for a, b in brackets]
