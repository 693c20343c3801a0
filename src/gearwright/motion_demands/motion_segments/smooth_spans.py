"""Smooth spans of a prescribed motion: it is cut where a derivative jumps and where friction changes its direction."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gearwright.algebra import FLOATS
from gearwright.arrays import Array
from gearwright.forces import Law, Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.system.system import System

TIME_ROUNDING_RATIO = 1e-12
"""Relative difference of two times up to which they are equal (rounding of sums of durations)."""

REVERSAL_INTERVALS = 400
"""Intervals of a motion in each of which the speed along a coordinate changes sign at most once."""

INTERVAL_CHECK_TIMES = 9
"""Times within an interval at which motion is detected."""

MIN_SEGMENT_SAMPLES = 12
"""Least number of samples of a segment."""

SAME_CUT_RATIO = 1e-4
"""Distance relative to the duration of the motion below which two segment ends are identical."""

REST_SPEED_RATIO = 1e-9
"""Speed relative to the largest of a motion below which it is a rounding error (shafts: about 1e-11)."""

SLOW_START_RATIO = 1e-3
"""Fraction of a motion's duration in which it may be as slow although it moves."""

SAME_SAMPLE_RATIO = 0.02
"""Distance relative to the mean sampling interval below which two sampling times are identical."""


class Span(NamedTuple):
    """A smooth span of a motion.

    Args:
        t: times (T,); both ends belong to it.
        motion: q and its derivatives there, each (T, n).
        rests: whether it is at rest up to rounding.
        moving: per law with a line that turns round the position and the speeds where it moves fastest before it does.
    """

    t: Array
    motion: list[Array]
    rests: bool
    moving: tuple[tuple[Array, Array] | None, ...]


def smooth_spans(
    trajectory: Trajectory,
    system: System,
    order: int,
    samples: int,
    breaks: Sequence[float] = (),
    extra_times: Sequence[float] = (),
) -> Iterator[Span]:
    """Smooth spans of a motion with `order` derivatives.

    One ends where one of the derivatives jumps, where a line along which something rubs turns round, and at `breaks`.
    Times in `also` are looked at too.
    """
    end = trajectory.duration
    fixed = sorted(distinct_times([0.0, *trajectory.derivative_jumps(order), end], [t for t in breaks if 0 < t < end]))
    courses = [_LineSpeed.for_law(law, trajectory, system.mech, fixed) for law in system.laws]
    # A motion that comes to rest with zero acceleration has several roots in one, which are found to 1e-5 or so.
    turns = sorted(
        t
        for course in courses
        if course
        for t in course.reversal_times
        if min(abs(t - x) for x in fixed) > SAME_CUT_RATIO * end
    )
    edges = sorted({*fixed, *(t for k, t in enumerate(turns) if not k or t - turns[k - 1] > SAME_CUT_RATIO * end)})
    times = np.linspace(0.0, end, REVERSAL_INTERVALS + 1)
    fastest = float(np.abs(trajectory.at(times, 1)).max(initial=0.0))
    peaks = [course and course.motion_at_peaks(trajectory, edges, fixed) for course in courses]
    for first, last in pairwise(edges):
        even = np.linspace(first, last, max(MIN_SEGMENT_SAMPLES, int(np.ceil(samples * (last - first) / end))))
        t = with_extra_times(even, [x for x in extra_times if first < x < last])
        inside = t.copy()
        inside[-1] = np.nextafter(last, first)  # from the left
        moving = tuple(course and course(first) for course in peaks)
        motion = [trajectory.at(inside, k) for k in range(order + 1)]
        yield Span(t, motion, is_at_rest(t, motion[1], fastest, end), moving)


def distinct_times(edges: Sequence[float], candidates: Sequence[float]) -> list[float]:
    """Return times and other times, without duplicates up to rounding.

    >>> distinct_times([0.0, 0.3], [0.1 + 0.2, 0.2])
    [0.0, 0.3, 0.2]
    """
    times = list(edges)
    for t in candidates:
        if min(abs(t - x) for x in times) > TIME_ROUNDING_RATIO * t:
            times.append(t)
    return times


def with_extra_times(even: Array, extra: Sequence[float]) -> Array:
    """Return equally spaced times merged with others, without duplicates up to rounding.

    >>> with_extra_times(np.array([0.0, 1.0]), [0.5, 0.5 + 1e-12, 1e-12]).tolist()
    [0.0, 0.5, 1.0]
    """
    added: list[float] = []
    least = SAME_SAMPLE_RATIO * (even[-1] - even[0]) / (len(even) + len(extra))
    for t in np.unique(extra).tolist():
        place = int(np.searchsorted(even, t))
        near = [*even[max(place - 1, 0) : place + 1].tolist(), *added[-1:]]
        if min(abs(t - x) for x in near) > least:
            added.append(t)
    return np.sort(np.concatenate([even, added]))


def reversing_line(law: Law) -> Line | None:
    """The line of a law whose force depends on the direction of motion."""
    return getattr(law, "line", None) if law.states or len(law.modes) > 1 else None


class _LineSpeed(NamedTuple):
    """The speed along the line of a law whose force depends on the direction of motion.

    Args:
        speed: of times.
        rest_speed: what is slower rests.
        reversal_times: times at which it turns round, comes to rest or leaves it.
    """

    speed: Callable[[Array], Array]
    rest_speed: float
    reversal_times: Sequence[float]

    @classmethod
    def for_law(cls, law: Law, trajectory: Trajectory, mech: Mechanism, fixed: Sequence[float]) -> _LineSpeed | None:
        """The speed along the line of a law; None if its force does not depend on a direction."""
        line = reversing_line(law)
        if line is None:
            return None
        speed, zeros_found = (_speed_along_constant_row if line.is_constant else _speed_along_coordinate)(
            trajectory, mech, line
        )
        rest_speed = REST_SPEED_RATIO * float(np.abs(speed(np.linspace(fixed[0], fixed[-1], REVERSAL_INTERVALS))).max())
        zeros = _exact_zeros(zeros_found, speed, rest_speed, trajectory)
        return cls(speed, rest_speed, tuple(_reversal_times(speed, rest_speed, zeros, fixed)))

    def motion_at_peaks(
        self, trajectory: Trajectory, edges: Sequence[float], fixed: Sequence[float]
    ) -> Callable[[float], tuple[Array, Array]]:
        """Position and speeds at its peak speed between its own reversals; near those of others it is rounding.

        The result is a function of time: a time at an edge belongs to the interval after it.
        """
        law_edges = sorted({*fixed, *(min(edges, key=lambda x: abs(x - cut)) for cut in self.reversal_times)})
        times = _inner_times(law_edges)
        speeds = np.abs(self.speed(times.ravel()).reshape(times.shape))
        best = np.take_along_axis(times, speeds.argmax(axis=1)[:, None], axis=1)[:, 0]
        long = np.diff(law_edges) > SLOW_START_RATIO * trajectory.duration
        rests = (speeds.max(axis=1) <= self.rest_speed) & long
        positions, rates = trajectory.at(best), trajectory.at(best, 1) * ~rests[:, None]

        def motion(t: float) -> tuple[Array, Array]:
            k = bisect_right(law_edges, t) - 1
            return positions[k], rates[k]

        return motion


def _exact_zeros(
    zeros: Sequence[float], speed: Callable[[Array], Array], rest_speed: float, trajectory: Trajectory
) -> list[float]:
    """Zeros of a speed within the motion; where it stops at the end of a polynomial, that end.

    A motion stops with zero acceleration: several zeros in one, which are found to 1e-8 to 1e-5 of the duration only.
    """
    found = np.array([t for t in zeros if 0 < t < trajectory.duration])
    edges = trajectory.pieces.x
    right = np.searchsorted(edges, found).clip(1, len(edges) - 1)
    ends = np.where(found - edges[right - 1] < edges[right] - found, edges[right - 1], edges[right])
    stops = (np.abs(ends - found) <= SAME_CUT_RATIO * trajectory.duration) & (np.abs(speed(ends)) <= rest_speed)
    exact: list[float] = np.where(stops, ends, found).tolist()
    return exact


def _inner_times(edges: Sequence[float]) -> Array:
    """Times within every interval between edges, (intervals, times)."""
    return np.linspace(edges[:-1], edges[1:], INTERVAL_CHECK_TIMES + 2, axis=1)[:, 1:-1]


def _reversal_times(
    speed: Callable[[Array], Array], least: float, zeros: Sequence[float], fixed: Sequence[float]
) -> Iterator[float]:
    """Zeros of a speed at which its sign changes, and those at both ends of a rest.

    Where a motion begins or ends, rounding makes zeros of its own; so soon nothing rests or turns round.
    """
    duration, direction, last_end = fixed[-1] - fixed[0], 0.0, 0.0
    edges = sorted({*zeros, *fixed})
    times = _inner_times(edges)
    all_speeds = speed(times.ravel()).reshape(times.shape)
    for (first, last), speeds in zip(pairwise(edges), all_speeds, strict=True):
        peak = float(speeds[np.abs(speeds).argmax()])
        if first in fixed:
            direction, last_end = 0.0, first
        if abs(peak) > least:
            if first - last_end > SLOW_START_RATIO * duration:
                yield from (last_end, first)
            elif direction * peak < 0:
                yield last_end
            direction, last_end = peak, last
        elif last in fixed and last - last_end > SLOW_START_RATIO * duration:
            yield last_end


def _speed_along_constant_row(
    trajectory: Trajectory, mech: Mechanism, line: Line
) -> tuple[Callable[[Array], Array], list[float]]:
    """The speed along a constant row, and the zeros of its polynomials."""
    from scipy.interpolate import PPoly

    rate = trajectory.pieces.derivative()
    along = PPoly(sum(float(factor) * rate.c[..., index] for index, factor in line.terms), rate.x)
    roots = along.roots(extrapolate=False)
    return along, roots[np.isfinite(roots)].tolist()


def is_at_rest(t: Array, speeds: Array, fastest: float, duration: float) -> bool:
    """Whether all speeds (T, n) of a smooth segment with times t are zero up to rounding of the fastest.

    A motion that has just started is as slow, but only for a short time.
    """
    return bool(t[-1] - t[0] > SLOW_START_RATIO * duration) and bool(
        np.abs(speeds).max(initial=0.0) <= REST_SPEED_RATIO * fastest
    )


def _speed_along_coordinate(
    trajectory: Trajectory, mech: Mechanism, line: Line
) -> tuple[Callable[[Array], Array], list[float]]:
    """The speed along a coordinate, and its zeros between samples where its sign changes."""
    from scipy.optimize import brentq

    def speed(t: float) -> float:
        q, v = (trajectory.at(t, k).tolist() for k in range(2))
        return float(line.placed_in(SharedKinematics(mech, q, v, FLOATS, t)).speed(v))

    times = np.linspace(0.0, trajectory.duration, REVERSAL_INTERVALS + 1)
    signs = np.sign([speed(t) for t in times.tolist()])
    brackets = [(times[k], times[k + 1]) for k in range(REVERSAL_INTERVALS) if signs[k] * signs[k + 1] < 0]
    crossings = [
        float(times[k]) for k in range(1, REVERSAL_INTERVALS) if signs[k] == 0 and signs[k - 1] * signs[k + 1] < 0
    ]
    zeros = crossings + [float(brentq(speed, a, b, xtol=1e-14)) for a, b in brackets]
    return lambda t: np.array([speed(time) for time in t.tolist()]), zeros
