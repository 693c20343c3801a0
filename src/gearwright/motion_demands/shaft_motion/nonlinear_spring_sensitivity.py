"""How the motion of shafts behind bent springs was found, part by part, and how it depends on parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import columns_of, stacked
from gearwright.algebra.differentiation.dual_numbers import (
    VariedOperations,
    coefficient,
    linear,
    slopes_of,
    value_of,
    with_slopes,
)
from gearwright.algebra.differentiation.taylor_series import Taylor
from gearwright.algebra.differentiation.variational_equation import slopes_along
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.pose import place
from gearwright.functions.elastic.shaft_equations import Plan
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory
from gearwright.motion_demands.motion_segments.loop_forces import Loops
from gearwright.motion_demands.motion_segments.smooth_segments import Piece
from gearwright.motion_demands.shaft_motion.follow_nonlinear_spring import Followed, within
from gearwright.motion_demands.shaft_motion.linear_springs import outer_forces
from gearwright.motion_demands.shaft_motion.motion_segments import Known, Part
from gearwright.motion_demands.shaft_motion.nonlinear_springs import BentShaft
from gearwright.system.inputs import Inputs
from gearwright.system.system import System


@dataclass(frozen=True)
class ShaftCourse:
    """How one shaft was followed, part by part."""

    shaft: BentShaft
    parts: tuple[Followed, ...]


@dataclass(frozen=True)
class BentShafts:
    """How the motion of shafts behind springs that are not linear follows from that of the joints.

    Args:
        way: which equations give which shafts.
        joints: the motion of the joints; shafts stand still in it.
        inputs: inputs of the laws over time.
        pieces: the motion of the joints in smooth pieces, with the laws at them.
        loops: what closes the machine.
        courses: shaft by shaft how it was followed.
    """

    way: Plan
    joints: Trajectory
    inputs: Inputs
    pieces: tuple[Piece, ...]
    loops: Loops | None
    courses: tuple[ShaftCourse, ...]

    def first_parts(self) -> list[Part]:
        """The pieces before any shaft is known, with the forces of laws at the joints."""
        return [_first(piece, self.way, self.loops).part for piece in self.pieces]

    def slopes(self, system: System) -> list[tuple[Array, dict[str, Array]]]:
        """Per part of the whole motion its times and per parameter the slopes of q, v and a, (T, 3, n).

        Args:
            system: the machine that varies, with all its laws; the pieces are on it already.
        """
        parts = [_first(piece, self.way, self.loops) for piece in self.pieces]
        for course in self.courses:
            names = [law.name for law in course.shaft.system.laws]
            own = replace(system, laws=tuple(law for law in system.laws if law.name in names))
            parts = _followed(replace(course.shaft, system=own), course.parts, parts)
        return [(part.part.t, dict(part.slopes)) for part in parts]


@dataclass(frozen=True)
class VariedPart:
    """A part of a motion with its slopes.

    Args:
        part: the part.
        slopes: per parameter those of coordinates, speeds and accelerations, (T, 3, n).
        force_slopes: per parameter those of the forces of laws, (T,) -> (T, n).
    """

    part: Part
    slopes: Mapping[str, Array]
    force_slopes: Mapping[str, Callable[[Array], Array]]

    @cached_property
    def _curves(self) -> dict[str, Any]:
        return {name: replace(self.part, values=values).curve for name, values in self.slopes.items()}

    def motion(self, t: Any) -> list[list[Scalar]]:
        """Coordinates, speeds and accelerations at times."""
        found = []
        for k in range(3):
            slopes = {name: np.atleast_2d(curve(t, k)) for name, curve in self._curves.items()}
            found.append(columns_of(with_slopes(np.atleast_2d(self.part.curve(t, k)), slopes)))
        return found

    def needed(self, mech: Mechanism, equation: int) -> Callable[[Any, int], Scalar]:
        """What the equation of a joint needs beside its spring at times, or its rate."""
        from scipy.interpolate import make_interp_spline

        t = self.part.t
        q, v, a = self.motion(t)
        forces = with_slopes(self.part.law_forces(t), {name: curve(t) for name, curve in self.force_slopes.items()})
        pose = place(mech, q, VariedOperations(ARRAYS))
        rest = inverse_dynamics(pose, v, a)[equation] - columns_of(forces)[equation]
        whole = linear(lambda x: np.broadcast_to(x, t.shape), rest)
        curves = linear(lambda x: make_interp_spline(t, x, k=min(5, len(t) - 1)), whole)
        return lambda at, order: linear(lambda curve: curve(at, order), curves)

    def slopes_at(self, t: Array) -> dict[str, Array]:
        """The slopes at times, (T, 3, n)."""
        return {name: np.stack([curve(t, k) for k in range(3)], axis=1) for name, curve in self._curves.items()}


def _first(piece: Piece, way: Plan, loops: Loops | None) -> VariedPart:
    """A piece before its shafts are known, with the forces of laws at the joints."""
    from scipy.interpolate import make_interp_spline

    mech = piece.system.mech
    q = [Taylor.of_derivatives([x[:, k] for x in piece.motion]) for k in range(mech.n)]
    needed: list[Scalar] = []
    if loops is not None:
        at, v, a = (columns_of(x) for x in piece.motion[:3])
        needed = inverse_dynamics(place(mech, at, VariedOperations(ARRAYS)), v, a)
    forces = [coefficient(x, 0) for x in outer_forces(piece, way, loops)(q, needed)]
    degree = min(5, len(piece.t) - 1)
    curves = linear(lambda x: make_interp_spline(piece.t, x, k=degree), stacked(forces, piece.t.shape))
    part = Part(piece.t, np.stack(piece.motion[:3], axis=1), value_of(curves))
    return VariedPart(part, {}, slopes_of(curves))


def _followed(shaft: BentShaft, courses: Sequence[Followed], parts: Sequence[VariedPart]) -> list[VariedPart]:
    """The parts with the slopes of one more shaft."""
    found: list[VariedPart] = []
    ahead: dict[str, Array] | None = None
    for course, part in zip(courses, parts, strict=True):
        one = _ShaftSlopes(shaft, course, part)
        for smooth in course.parts:
            first = one.start(smooth.t[0], ahead)
            slopes = one.along(smooth.t, first)
            found.append(one.sloped(smooth, slopes))
            ahead = {name: x[-1] for name, x in slopes.items()}
    return found


class _ShaftSlopes:
    """The slopes of a shaft along a part of a motion."""

    def __init__(self, shaft: BentShaft, course: Followed, part: VariedPart) -> None:
        self.shaft, self.course, self.part = shaft, course, part
        self._rest = part.needed(shaft.system.mech, shaft.equation)

    def _known(self, t: Array) -> Known:
        q, v, a = self.part.motion(t)
        return Known(t, q, v, a, self._rest(t, 0), self._rest(t, 1), ARRAYS)

    def _at(self, t: float) -> Known:
        """What is known at one time, in plain numbers that may vary."""
        t_only = np.array([t])
        known = self._known(t_only)
        q, v, a = ([linear(lambda y: float(np.ravel(y)[0]), x) for x in part] for part in (known.q, known.v, known.a))
        rest, rate = (linear(lambda y: float(np.ravel(y)[0]), x) for x in (known.rest, known.rest_rate))
        return Known(t, q, v, a, rest, rate, FLOATS)

    def start(self, t: float, before: Mapping[str, Array] | None) -> dict[str, Array]:
        """Slopes of how far the shaft is ahead of its joint, and of the states of the laws, (1 + states,)."""
        angle, *states = np.asarray(self.course.solution(t)).tolist()
        known, shaft = self._at(t), self.shaft
        if before is None:
            memory = [one.initial for one in shaft.system.states.values()]
            found, memory, _ = shaft.begin(known, True, angle, memory)
        elif self.course.pace:
            return dict(before)
        else:
            moved = [with_slopes(x, {name: s[1 + k] for name, s in before.items()}) for k, x in enumerate(states)]
            found, memory, _ = shaft.begin(known, False, angle, moved)
        ahead = found - known.q[shaft.equation]
        names = {name: None for x in (ahead, *memory) for name in slopes_of(x)}
        return {name: np.array([float(slopes_of(x).get(name, 0.0)) for x in (ahead, *memory)]) for name in names}

    def along(self, t: Array, first: Mapping[str, Array]) -> dict[str, Array]:
        """The same at times of a smooth part, (T, 1 + states)."""
        shaft, damped = self.shaft, self.course.pace > 0
        inside = within(t)

        def rates(at: Array, y: list[Scalar]) -> list[Scalar]:
            return shaft.rates(self._known(np.clip(at, inside[0], inside[-1])), y, damped)

        def solution(at: Array) -> Array:
            values = np.asarray(self.course.solution(at))
            return np.concatenate([values[:1] - self.part.part.curve(at).T[shaft.equation], values[1:]]).T

        return slopes_along(rates, t, solution, first)

    def sloped(self, smooth: Part, slopes: Mapping[str, Array]) -> VariedPart:
        """A smooth part with the slopes of the shaft's coordinate, speed and acceleration."""
        from scipy.interpolate import make_interp_spline

        shaft, t = self.shaft, smooth.t
        inside = within(t)
        values = np.asarray(self.course.solution(inside))
        known = self._known(inside)
        own = [with_slopes(values[k], {name: x[:, k] for name, x in slopes.items()}) for k in range(len(values))]
        speed = shaft.speed(known, own[0], own[1:], self.course.pace > 0)
        degree = min(5, len(t) - 1)
        rate = linear(lambda x: make_interp_spline(t, np.broadcast_to(x, t.shape), k=degree)(t, 1), speed)
        found = self.part.slopes_at(t)
        for k, x in enumerate((own[0], speed, rate)):
            for name, slope in slopes_of(x).items():
                found.setdefault(name, np.zeros((len(t), 3, shaft.system.mech.n)))[:, k, shaft.shaft] = slope
        return VariedPart(smooth, found, self.part.force_slopes)
