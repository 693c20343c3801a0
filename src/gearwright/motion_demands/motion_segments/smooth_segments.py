"""Smooth pieces of a prescribed motion, with the states and inputs of laws along them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.algebra.taylor import Taylor, TaylorOperations
from gearwright.algebra.variations import linear, series_of_derivatives
from gearwright.algebra.varied import VariedOperations
from gearwright.algebra.varied_arrays import columns_of
from gearwright.arrays import Array
from gearwright.dynamics.fixed_steps import Moving
from gearwright.errors import InputError
from gearwright.motion import Motion, Trajectory
from gearwright.system.law_states import state_series, states_along
from gearwright.system.signals import Inputs
from gearwright.system.smooth_pieces import ROUNDING, rests, smooth_pieces
from gearwright.system.system import Modes, System

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
