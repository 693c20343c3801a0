"""Following a shaft behind a spring of any form along a motion, part by part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.branch_points import Watching
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.motion_segments.smooth_segments import with_others
from gearwright.motion_demands.shaft_motion.motion_segments import Known, Part
from gearwright.motion_demands.shaft_motion.nonlinear_springs import BentShaft
from gearwright.system.kernels.traced_laws import require_traceable
from gearwright.system.vector_program import NoKernelError, kernel, vector_program

LEAST = 12
"""Times that a smooth part has at least."""
SETTLING = (*(0.25 * k for k in range(1, 25)), 7.0, 8.0, 10.0, 12.0, 15.0)
"""Where to look after a bend, in time constants of the damper: there the shaft settles anew."""
APART = 1e-9
"""Share of a part's duration by which two bends must lie apart."""


class Followed(NamedTuple):
    """A part of a motion with a shaft's.

    Args:
        part: before the shaft was known.
        parts: with the shaft, cut where it bends.
        solution: the shaft's coordinate and the states of the laws at a time or at times, (1 + states, T).
        pace: time constant of the damper [s]; 0: there is none.
    """

    part: Part
    parts: list[Part]
    solution: Any
    pace: float

    @property
    def end(self) -> Array:
        """What the next part begins with."""
        return np.asarray(self.solution(self.part.t[-1]))


def within(t: Array) -> Array:
    """Times of a part, its ends on this side of both bends."""
    inside, least = t.copy(), 1e-10 * (t[-1] - t[0])
    inside[0], inside[-1] = t[0] + least, t[-1] - least
    return inside


def follow(shaft: BentShaft, part: Part, memory: Array | None, first: Sequence[float]) -> Followed:
    """A part with a shaft's motion, cut where it bends.

    Args:
        shaft: the shaft.
        part: the motion before it is known.
        memory: its coordinate and the states of the laws at the start; None: at rest upon the spring.
        first: the states where it rests.
    """
    one = _Follower(shaft, part)
    begin = one.known(part.t[0])
    angle, *states = [begin.q[shaft.equation], *first] if memory is None else memory.tolist()
    angle, states, speed = shaft.begin(begin, memory is None, angle, states)
    pace = shaft.time_constant(begin, angle, speed, states)
    solution = one.integrated([angle, *states], pace)
    edges = [part.t[0], *one.bends(solution, pace), part.t[-1]]
    return Followed(part, [one.smooth_part(solution, pace, a, b) for a, b in pairwise(edges)], solution, pace)


class _Follower:
    """A shaft along one part of a motion."""

    def __init__(self, shaft: BentShaft, part: Part) -> None:
        self.shaft, self.part = shaft, part

    @cached_property
    def _rest(self) -> Any:
        """R over time as a spline."""
        from scipy.interpolate import make_interp_spline

        part, equation = self.part, self.shaft.equation
        q, v, a = (part.values[:, k] for k in range(3))
        forces = inverse_dynamics(self.shaft.system.mech, q, v, a)
        needed = forces[:, equation] - part.law_forces(part.t)[:, equation]
        return make_interp_spline(part.t, needed, k=min(5, len(part.t) - 1))

    def known(self, t: Any) -> Known:
        """What is known at a time or at times (T,)."""
        ops = ARRAYS if np.ndim(t) else FLOATS
        columns = [self.part.curve(t, k).T for k in range(3)]
        q, v, a = (list(x) if np.ndim(t) else x.tolist() for x in columns)
        force, rate = self._rest(t), self._rest(t, 1)
        force, rate = (force, rate) if np.ndim(t) else (float(force), float(rate))
        return Known(t, q, v, a, force, rate, ops)

    def _kernel(self, damped: bool) -> Callable[..., Any]:
        """The rates of (y, q, v, a, R and its rate, t) in machine code; in Python where a law does not let itself."""
        n, size = self.shaft.system.mech.n, 1 + len(self.shaft.system.states)
        contents = {"y": size, "q": n, "v": n, "a": n, "rest": 2, "t": 1}

        def formula(mech: Mechanism, ops: Operations, given: Any) -> list[Scalar]:
            here = replace(self.shaft, system=self.shaft.system.on(mech))
            force, rate = given["rest"]
            known = Known(given["t"][0], given["q"], given["v"], given["a"], force, rate, ops)
            return here.rates(known, given["y"], damped)

        def slowly(y: Array, q: Array, v: Array, a: Array, rest: Array, t: Array) -> Array:
            force, rate = rest.tolist()
            known = Known(float(t[0]), q.tolist(), v.tolist(), a.tolist(), force, rate, FLOATS)
            return np.array(self.shaft.rates(known, y.tolist(), damped))

        try:
            require_traceable(self.shaft.system)
            code = kernel(vector_program("bent_shaft", contents, size, formula), self.shaft.system.mech)
        except NoKernelError:
            return slowly
        return code.builtin("bent_shaft", slowly)

    def integrated(self, start: Sequence[float], pace: float) -> Any:
        """The shaft's coordinate and the states of the laws as a function of time."""
        from scipy.integrate import solve_ivp

        quick, part, rest = self._kernel(pace > 0), self.part, self._rest

        def rates(t: float, y: Array) -> Array:
            motion = (part.curve(t, k) for k in range(3))
            found: Array = quick(y, *motion, np.array([rest(t), rest(t, 1)]), np.array([t]))
            return found

        # How far the shaft is ahead of its joint is a thousand times smaller than the way of both.
        ahead = [start[0] - float(part.curve(part.t[0])[self.shaft.equation]), *start[1:]]
        span = (float(part.t[0]), float(part.t[-1]))
        done = solve_ivp(rates, span, ahead, "LSODA", dense_output=True, rtol=1e-9, atol=1e-13)
        if not done.success:
            name = self.shaft.system.mech.speeds[self.shaft.shaft]
            raise InputError(f"demands: the motion of {name!r} cannot be followed: {done.message}")

        def solution(t: Any) -> Array:
            found: Array = done.sol(t)
            found[0] += part.curve(t).T[self.shaft.equation]
            return found

        return solution

    def bends(self, solution: Any, pace: float) -> list[float]:
        """Times within a part at which a law bends."""
        from scipy.optimize import brentq

        def kinks(t: Array) -> list[Array]:
            known, (angle, *states) = self.known(t), solution(t)
            speed = self.shaft.speed(known, angle, states, pace > 0)
            x = Moving(self.shaft.with_shaft(known.q, angle), self.shaft.with_shaft(known.v, speed), states)
            watch = Watching(known.ops)
            situations = self.shaft.system.situations(watch, t, x, self.shaft.system.first_inputs)
            for law, mode, one in zip(self.shaft.system.laws, self.shaft.system.first_modes, situations, strict=True):
                law.act(mode, one)  # what bends in the rates of states alone leaves the acceleration continuous
            return watch.kinks

        part = self.part
        values = kinks(part.t)
        found: list[float] = []
        for k, one in enumerate(values):
            if sum(np.array_equal(one, other) for other in values) > 1:
                continue  # a dead band of no width does not bend
            for i in np.flatnonzero(one[1:] * one[:-1] < 0):
                found.append(float(brentq(lambda t, k=k: kinks(np.array([t]))[k][0], part.t[i], part.t[i + 1])))
        least = APART * (part.t[-1] - part.t[0])
        apart = [t for t in sorted(found) if part.t[0] + least < t < part.t[-1] - least]
        return [t for k, t in enumerate(apart) if not k or t - apart[k - 1] > least]

    def smooth_part(self, solution: Any, pace: float, a: float, b: float) -> Part:
        """The motion with the shaft's between two bends."""
        from scipy.interpolate import make_interp_spline

        part, own = self.part, self.shaft.shaft
        inner = part.t[(part.t > a) & (part.t < b)]
        settling = [a + pace * x for x in SETTLING if a + pace * x < b]
        t = with_others(np.linspace(a, b, LEAST), [*inner, *settling])
        inside = within(t)
        angle, *states = solution(inside)
        known = self.known(inside)
        speed = self.shaft.speed(known, angle, states, pace > 0)
        if not np.isfinite(speed).all():
            raise self.shaft.slack()
        values = part.at(t)
        values[:, 0, own], values[:, 1, own] = solution(t)[0], speed
        values[:, 2, own] = make_interp_spline(t, speed, k=min(5, len(t) - 1))(t, 1)
        before = part.settling[(part.settling > a) & (part.settling < b)]
        return Part(t, values, part.law_forces, np.concatenate([before, settling]))
