"""Smooth segments of a prescribed motion, split where it or the friction is not smooth, with states and inputs.

Along a line a segment has a coordinate, its time derivatives, and the row along which a force acts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import ARRAYS, FLOATS, Operations, Scalar
from gearwright.algebra.differentiation.dual_arrays import (
    array_columns,
    array_item,
    broadcast_array,
    concatenate_arrays,
    stack_arrays,
)
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    map_linear,
    series_from_derivatives,
    time_derivative,
    time_derivatives,
)
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import StepState
from gearwright.errors import InputError
from gearwright.forces.line import ConstantLine, Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import dense_row
from gearwright.motion import Motion, Trajectory
from gearwright.motion_demands.motion_segments.law_states import law_state_series, law_states_along
from gearwright.motion_demands.motion_segments.smooth_spans import TIME_ROUNDING_RATIO, smooth_spans
from gearwright.system.inputs import InputSignals
from gearwright.system.system import Modes, System

STANDSTILL_SPEED = 1e-12
"""Speed [rad/s, m/s] below which it is a rounding error."""


class SegmentInstant(NamedTuple):
    """Time, state, inputs and accelerations at one or several times: numbers, arrays or series of time."""

    t: Scalar
    x: StepState
    u: Sequence[Scalar]
    a: Sequence[Scalar]


@dataclass(frozen=True)
class SmoothSegment:
    """A smooth segment of a motion; all but its times may depend on parameters (`Dual`).

    Args:
        system: the machine with its laws.
        t: times (T,).
        motion: q and its derivatives, each (T, n).
        states: states of the laws, (T, states).
        inputs: inputs and their derivatives, each (T, inputs).
        is_smooth: whether no speed changes its sign within it; not known for the rows of a recording.
        is_at_rest: whether all speeds are zero up to rounding, as in the computed motion of shafts.
        moving: per law a position and speeds with the direction of its motion, if its line determines it.
    """

    system: System
    t: Array
    motion: Sequence[Scalar]
    states: Scalar
    inputs: Sequence[Array]
    is_smooth: bool = True
    is_at_rest: bool = False
    moving: tuple[tuple[Array, Array] | None, ...] = ()

    def samples_at(self, indices: Sequence[int], length: int = 1) -> SegmentSamples:
        """Return some of its times, with series of a given length."""
        return SegmentSamples(self, tuple(indices), length)

    def part(self, indices: Any) -> SmoothSegment:
        """Return some of its times alone, by a NumPy index."""
        motion = [array_item(x, indices) for x in self.motion]
        states, inputs = array_item(self.states, indices), [x[indices] for x in self.inputs]
        return replace(self, t=self.t[indices], motion=motion, states=states, inputs=inputs)

    @property
    def first_modes(self) -> list[Modes]:
        """Return the initial guess of the laws' modes at each time; within a smooth segment all are the same."""
        if self.is_smooth:
            return [self.likely_modes] * len(self.t)
        moments = (self.samples_at([k]).values for k in range(len(self.t)))
        return [self._modes_for_speeds(now, now.x.v) for now in moments]

    @property
    def likely_modes(self) -> Modes:
        """The initial guess of the modes within a smooth segment, from the directions of motion in it.

        Only directions count: shortly after the start all speeds are small, although the machine is not at rest.
        """
        middle = self.samples_at([len(self.t) // 2]).values
        modes = list(
            self._modes_for_speeds(
                middle, _directions([0.0 * w for w in middle.x.v] if self.is_at_rest else middle.x.v)
            )
        )
        for k, moving in enumerate(self.moving):
            if moving is not None:
                q, v = (x.tolist() for x in moving)
                modes[k] = self._modes_for_speeds(middle._replace(x=middle.x._replace(q=q)), _directions(v))[k]
        return tuple(modes)

    def _modes_for_speeds(self, now: SegmentInstant, v: Sequence[Scalar]) -> Modes:
        situations = self.system.law_situations(FLOATS, now.t, now.x._replace(v=v), now.u)
        return tuple(law.initial_mode(situation) for law, situation in zip(self.system.laws, situations, strict=True))


def all_samples(segments: Sequence[SmoothSegment]) -> SmoothSegment:
    """Return the samples of all segments of a motion together, so that equations are evaluated once for all."""
    if len(segments) == 1:
        return segments[0]
    motion = [concatenate_arrays(x) for x in zip(*(segment.motion for segment in segments), strict=True)]
    inputs = [np.concatenate(x) for x in zip(*(segment.inputs for segment in segments), strict=True)]
    t, states = np.concatenate([x.t for x in segments]), concatenate_arrays([x.states for x in segments])
    return SmoothSegment(segments[0].system, t, motion, states, inputs, is_smooth=False)


def times_by_modes(indices: Iterable[int], modes: Sequence[Modes]) -> dict[Modes, list[int]]:
    """Group times by their modes."""
    groups: dict[Modes, list[int]] = {}
    for k in indices:
        groups.setdefault(modes[k], []).append(k)
    return groups


def segment_slices(segments: Sequence[SmoothSegment]) -> list[slice]:
    """Return the place of each segment among all samples."""
    ends = np.cumsum([0, *(len(segment.t) for segment in segments)]).tolist()
    return [slice(*pair) for pair in pairwise(ends)]


def _directions(v: Sequence[Scalar]) -> Sequence[Scalar]:
    largest = max(map(abs, v), default=0.0)
    return [w / largest for w in v] if largest > STANDSTILL_SPEED else v


@dataclass(frozen=True)
class SegmentSamples:
    """Some times of a segment, as values and as series of time: arrays, or plain numbers for one time."""

    segment: SmoothSegment
    indices: tuple[int, ...]
    length: int

    @property
    def ops(self) -> Operations:
        """The operations of the values."""
        return FLOATS if len(self.indices) == 1 else ARRAYS

    @cached_property
    def values(self) -> SegmentInstant:
        """The values, numbers or arrays (samples,)."""
        segment = self.segment
        q, v, a = (self._sample_columns(x) for x in segment.motion[:3])
        return SegmentInstant(
            self._sample_values(segment.t),
            StepState(q, v, self._sample_columns(segment.states)),
            self._sample_columns(segment.inputs[0]),
            a,
        )

    @property
    def series_ops(self) -> Operations:
        """The operations of the series, which may have partial derivatives by parameters."""
        return DualOperations(TaylorOperations(self.ops))

    @cached_property
    def time_series(self) -> SegmentInstant:
        """The series of time."""
        segment, length = self.segment, self.length
        q, v, a = (self._column_series(segment.motion[first : first + length]) for first in range(3))
        t, u = (
            Taylor([self._sample_values(segment.t), 1.0]).truncated_to(length),
            self._column_series(segment.inputs[:length]),
        )
        values = StepState(q, v, self._sample_columns(segment.states))
        return SegmentInstant(
            t, StepState(q, v, law_state_series(segment.system, self.series_ops, t, values, u, a)), u, a
        )

    def _sample_values(self, values: Scalar) -> Scalar:
        """Return the values of these samples."""
        alone = len(self.indices) == 1
        return map_linear(lambda x: float(x[self.indices[0]]) if alone else x[self._index], values)

    @cached_property
    def _index(self) -> NDArray[np.intp]:
        return np.array(self.indices, dtype=np.intp)

    def _sample_columns(self, values: Scalar) -> list[Scalar]:
        return [self._sample_values(column) for column in array_columns(values)]

    def _column_series(self, derivatives: Sequence[Scalar]) -> list[Scalar]:
        """Return per column the series with these derivatives."""
        columns = zip(*(self._sample_columns(x) for x in derivatives), strict=True)
        return [series_from_derivatives(column) for column in columns]


def cut_into_segments(
    system: System,
    trajectory: Trajectory,
    inputs: InputSignals,
    start: Sequence[float],
    order: int,
    samples: int,
    extra_times: Sequence[float] = (),
) -> Iterator[SmoothSegment]:
    """Split a motion where it, the friction or an input is not smooth.

    Args:
        system: the machine with its laws.
        trajectory: the motion of all speeds.
        inputs: inputs of the laws over time.
        start: initial states of the laws.
        order: number of derivatives of forces.
        samples: least number of times.
        extra_times: further sampling times.
    """
    for t, motion, resting, moving in smooth_spans(
        trajectory, system, order + 2, samples, inputs.break_times, extra_times
    ):
        states = law_states_along(system, trajectory, t, start, inputs)
        start = states[-1].tolist()
        yield SmoothSegment(
            system, t, motion, states, _input_derivatives(inputs, t, order), is_at_rest=resting, moving=moving
        )


def recorded_segment(system: System, motion: Motion, inputs: InputSignals, start: Sequence[float]) -> SmoothSegment:
    """Return a recording unchanged, every row with its own speeds and accelerations, without a spline."""
    t = motion.t
    if not len(t):
        raise InputError("demands: the motion has no samples. Give at least one time.")
    states = law_states_along(system, _RowInterpolation(motion), t, start, inputs)
    input_values = np.array([inputs.values_at(now) for now in t.tolist()])
    return SmoothSegment(system, t, [motion.q, motion.v, motion.a], states, [input_values], is_smooth=False)


class _RowInterpolation:
    """A recording interpolated between its rows, column by column."""

    def __init__(self, motion: Motion) -> None:
        from scipy.interpolate import make_interp_spline

        order = min(3, len(motion.t) - 1)
        columns = (motion.q, motion.v, motion.a)
        self._curves = [make_interp_spline(motion.t, x, k=order) for x in columns] if order else []

    def at(self, t: float, derivative: int = 0) -> Array:
        values: Array = self._curves[derivative](t)
        return values


def _input_derivatives(inputs: InputSignals, t: Array, order: int) -> list[Array]:
    """Return the inputs and their derivatives at times of a smooth segment, by a spline."""
    from scipy.interpolate import make_interp_spline

    inside = t.copy()
    if len(t) > 1:  # an input may be discontinuous at the ends (up to rounding), not inside
        inside[[0, -1]] = t[0] * (1 + 2 * TIME_ROUNDING_RATIO), t[-1] * (1 - 2 * TIME_ROUNDING_RATIO)
    values = np.array([inputs.values_at(now) for now in inside.tolist()])
    if inputs.is_constant or not order:
        return [values, *[np.zeros_like(values)] * order]
    curve = make_interp_spline(t, values, k=min(7, len(t) - 1))
    return [values, *(curve.derivative(k)(t) for k in range(1, order + 1))]


# Motion along a line


def line_motion(line: Line, segment: SmoothSegment) -> list[Scalar]:
    """Return the coordinate along a line and its time derivatives up to the order of the motion, each (T,)."""
    if isinstance(line, ConstantLine):
        speeds = [_at_all_times(line.speed(array_columns(x)), segment) for x in segment.motion[1:]]
        place = line.position(array_columns(segment.motion[0])) if -1 not in line.coordinate_indices else 0.0
        return [_at_all_times(place, segment), *speeds]
    if not segment.system.mech.speeds_are_rates:
        return _line_motion_by_speeds(line, segment)
    length = len(segment.motion)
    q = [series_from_derivatives(column) for column in zip(*map(array_columns, segment.motion), strict=True)]
    ops, t = DualOperations(TaylorOperations(ARRAYS)), Taylor([segment.t, 1.0]).truncated_to(length)
    kinematics = SharedKinematics(segment.system.mech, q, [time_derivative(x) for x in q], ops, t)
    return [_at_all_times(x, segment) for x in time_derivatives(line.placed_in(kinematics).position(q), length)]


def line_rows(line: Line, segment: SmoothSegment) -> Scalar:
    """Return the row of a line at every time, (T, n)."""
    q, v = (array_columns(x) for x in segment.motion[:2])
    terms = line.placed_in(SharedKinematics(segment.system.mech, q, v, DualOperations(ARRAYS), segment.t)).terms
    return stack_arrays(dense_row(terms, segment.system.mech.n), segment.t.shape)


def _line_motion_by_speeds(line: Line, segment: SmoothSegment) -> list[Scalar]:
    """Return position, speed and acceleration along a line where speeds are not the rates of coordinates."""
    q, v, a = (array_columns(x) for x in segment.motion[:3])
    placed = line.placed_in(SharedKinematics(segment.system.mech, q, v, DualOperations(ARRAYS), segment.t))
    return [_at_all_times(x, segment) for x in (placed.position(q), placed.speed(v), placed.acceleration(a))]


def _at_all_times(value: Scalar, segment: SmoothSegment) -> Scalar:
    return broadcast_array(value, segment.t.shape)
