"""Smooth segments of a prescribed motion, cut where it or the friction is not smooth, with states and inputs of laws.

Along a line a segment gives the coordinate, its time derivatives, and the row along which a force acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_arrays import columns_of, full, stacked
from gearwright.algebra.differentiation.dual_numbers import (
    VariedOperations,
    derivatives_of,
    linear,
    rate_of,
    series_of_derivatives,
)
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.line import ConstantLine, Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.motion_segments.law_states import state_series, states_along
from gearwright.system.inputs import Inputs
from gearwright.system.system import Modes, System

# Cuts

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


# Segments

STANDING = 1e-12
"""Speeds [rad/s, m/s] that are rounding."""


class Moment(NamedTuple):
    """Time, state, inputs and accelerations at one time or at several: numbers or arrays, or series of time of them."""

    t: Scalar
    x: Moving
    u: Sequence[Scalar]
    a: Sequence[Scalar]


@dataclass(frozen=True)
class Piece:
    """A smooth piece of motion; all but its times may depend on parameters (`Varied`).

    Args:
        system: the machine with its laws.
        t: times (T,).
        motion: q and its derivatives, each (T, n).
        states: states of the laws, (T, states).
        inputs: inputs and their derivatives, each (T, inputs).
        smooth: whether nothing turns round within it; rows of a recording know only their own instants.
        rests: whether nothing moves in it but for rounding, which the computed motion of shafts has.
    """

    system: System
    t: Array
    motion: Sequence[Scalar]
    states: Scalar
    inputs: Sequence[Array]
    smooth: bool = True
    rests: bool = False

    def some(self, which: Sequence[int], length: int = 1) -> Samples:
        """Some of its times, with series of a length."""
        return Samples(self, tuple(which), length)

    @property
    def first_modes(self) -> list[Modes]:
        """The modes that laws try first at each of its times; within a smooth piece they are the same everywhere."""
        if self.smooth:
            return [self.likely_modes] * len(self.t)
        moments = (self.some([k]).numbers for k in range(len(self.t)))
        return [self._modes(now, now.x.v) for now in moments]

    @property
    def likely_modes(self) -> Modes:
        """The modes that laws try first within a smooth piece, by the way in which things move in its middle.

        Short after the start all speeds are small, and nothing rests all the same: only their directions count.
        """
        middle = self.some([len(self.t) // 2]).numbers
        if self.rests:
            return self._modes(middle, [0.0] * self.system.mech.n)
        largest = max(map(abs, middle.x.v), default=0.0)
        return self._modes(middle, [w / largest for w in middle.x.v] if largest > STANDING else middle.x.v)

    def _modes(self, now: Moment, v: Sequence[Scalar]) -> Modes:
        situations = self.system.situations(FLOATS, now.t, now.x._replace(v=v), now.u)
        return tuple(law.start(one) for law, one in zip(self.system.laws, situations, strict=True))


@dataclass(frozen=True)
class Samples:
    """Some times of a piece, in numbers and as series of time: several as arrays, one alone as plain numbers."""

    piece: Piece
    which: tuple[int, ...]
    length: int

    @property
    def ops(self) -> Operations:
        """The operations of its scalars."""
        return FLOATS if len(self.which) == 1 else ARRAYS

    @cached_property
    def numbers(self) -> Moment:
        """In numbers, or arrays (samples,)."""
        piece = self.piece
        q, v, a = (self._columns(x) for x in piece.motion[:3])
        return Moment(self._of(piece.t), Moving(q, v, self._columns(piece.states)), self._columns(piece.inputs[0]), a)

    @property
    def series_ops(self) -> Operations:
        """The operations of their series, which may depend on parameters."""
        return VariedOperations(TaylorOperations(self.ops))

    @cached_property
    def series(self) -> Moment:
        """As series of time."""
        piece, length = self.piece, self.length
        q, v, a = (self._series(piece.motion[first : first + length]) for first in range(3))
        t, u = Taylor([self._of(piece.t), 1.0]).cut(length), self._series(piece.inputs[:length])
        values = Moving(q, v, self._columns(piece.states))
        return Moment(t, Moving(q, v, state_series(piece.system, self.series_ops, t, values, u, a)), u, a)

    def _of(self, values: Scalar) -> Scalar:
        """The values of these samples."""
        alone = len(self.which) == 1
        return linear(lambda x: float(x[self.which[0]]) if alone else x[self._index], values)

    @cached_property
    def _index(self) -> NDArray[np.intp]:
        return np.array(self.which, dtype=np.intp)

    def _columns(self, values: Scalar) -> list[Scalar]:
        return [self._of(column) for column in columns_of(values)]

    def _series(self, derivatives: Sequence[Scalar]) -> list[Scalar]:
        """Per column the series with these derivatives."""
        columns = zip(*(self._columns(x) for x in derivatives), strict=True)
        return [series_of_derivatives(column) for column in columns]


def pieces_of(
    system: System,
    trajectory: Trajectory,
    inputs: Inputs,
    start: Sequence[float],
    order: int,
    samples: int,
    also: Sequence[float] = (),
) -> Iterator[Piece]:
    """A motion cut where it, the friction or an input is not smooth.

    Args:
        system: the machine with its laws.
        trajectory: the motion of all speeds.
        inputs: inputs of the laws over time.
        start: states of the laws at the start.
        order: how many derivatives of forces are wanted.
        samples: how many times at least.
        also: further times that are looked at.
    """
    for t, motion in smooth_pieces(trajectory, system, order + 2, samples, inputs.breaks, also):
        states = states_along(system, trajectory, t, start, inputs)
        start = states[-1].tolist()
        yield Piece(system, t, motion, states, _derivatives(inputs, t, order), rests=rests(trajectory, t, motion[1]))


def rows_of(system: System, motion: Motion, inputs: Inputs, start: Sequence[float]) -> Piece:
    """A recording as it is, every row with its own speeds and accelerations, which no spline changes."""
    t = motion.t
    if not len(t):
        raise InputError("demands: the motion has no sample. Give one with at least one time.")
    states = states_along(system, _Rows(motion), t, start, inputs)
    given = np.array([inputs.at(now) for now in t.tolist()])
    return Piece(system, t, [motion.q, motion.v, motion.a], states, [given], smooth=False)


class _Rows:
    """A recording between its rows, each column joined by itself."""

    def __init__(self, motion: Motion) -> None:
        from scipy.interpolate import make_interp_spline

        order = min(3, len(motion.t) - 1)
        columns = (motion.q, motion.v, motion.a)
        self._curves = [make_interp_spline(motion.t, x, k=order) for x in columns] if order else []

    def at(self, t: float, derivative: int = 0) -> Array:
        found: Array = self._curves[derivative](t)
        return found


def _derivatives(inputs: Inputs, t: Array, order: int) -> list[Array]:
    """The inputs and their derivatives at times of a smooth piece, through a spline."""
    from scipy.interpolate import make_interp_spline

    inside = t.copy()
    if len(t) > 1:  # an input that jumps at an end, or at what rounding made of it, does so outside
        inside[[0, -1]] = t[0] * (1 + 2 * ROUNDING), t[-1] * (1 - 2 * ROUNDING)
    values = np.array([inputs.at(now) for now in inside.tolist()])
    if inputs.constant or not order:
        return [values, *[np.zeros_like(values)] * order]
    curve = make_interp_spline(t, values, k=min(7, len(t) - 1))
    return [values, *(curve.derivative(k)(t) for k in range(1, order + 1))]


# Motion along a line


def motion_along(line: Line, piece: Piece) -> list[Scalar]:
    """The coordinate along a line and as many of its time derivatives as the motion has, each (T,)."""
    if isinstance(line, ConstantLine):
        speeds = [_full(line.speed(columns_of(x)), piece) for x in piece.motion[1:]]
        place = line.position(columns_of(piece.motion[0])) if -1 not in line.places else 0.0
        return [_full(place, piece), *speeds]
    if not piece.system.mech.straight:
        return _instants(line, piece)
    length = len(piece.motion)
    q = [series_of_derivatives(column) for column in zip(*map(columns_of, piece.motion), strict=True)]
    ops, t = VariedOperations(TaylorOperations(ARRAYS)), Taylor([piece.t, 1.0]).cut(length)
    scene = Scene(piece.system.mech, q, [rate_of(x) for x in q], ops, t)
    return [_full(x, piece) for x in derivatives_of(line.placed(scene).position(q), length)]


def row_along(line: Line, piece: Piece) -> Scalar:
    """The row of a line at every time, (T, n)."""
    q, v = (columns_of(x) for x in piece.motion[:2])
    terms = line.placed(Scene(piece.system.mech, q, v, VariedOperations(ARRAYS), piece.t)).terms
    return stacked(spread(terms, piece.system.mech.n), piece.t.shape)


def _instants(line: Line, piece: Piece) -> list[Scalar]:
    """Position, speed and acceleration of a motion whose speeds are not the rates of its coordinates."""
    q, v, a = (columns_of(x) for x in piece.motion[:3])
    placed = line.placed(Scene(piece.system.mech, q, v, VariedOperations(ARRAYS), piece.t))
    return [_full(x, piece) for x in (placed.position(q), placed.speed(v), placed.acceleration(a))]


def _full(value: Scalar, piece: Piece) -> Scalar:
    return full(value, piece.t.shape)
