"""Integration of the motion of a shaft behind a nonlinear spring, part by part."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import ARRAYS, FLOATS, Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import StepState
from gearwright.errors import InputError
from gearwright.forces.branch_points import BranchRecorder
from gearwright.functions import inverse_dynamics
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.motion_segments.smooth_spans import with_extra_times
from gearwright.motion_demands.shaft_motion.motion_segments import JointState, ShaftPart
from gearwright.motion_demands.shaft_motion.nonlinear_springs import NonlinearShaft
from gearwright.system.kernels.traced_laws import require_traceable
from gearwright.system.vector_program import NoKernelError, compile_program, vector_program

MIN_PART_SAMPLES = 12
"""Least number of times of a smooth part."""
SETTLING_TIMES = (*(0.25 * k for k in range(1, 25)), 7.0, 8.0, 10.0, 12.0, 15.0)
"""Sampling times after a branch point, in time constants of the damper, for the transient of the shaft."""
DISTINCT_BRANCH_RATIO = 1e-9
"""Distance relative to a part's duration below which two branch points are identical."""


class FollowedPart(NamedTuple):
    """A part of a motion with the motion of one shaft.

    Args:
        part: the part without the motion of the shaft.
        parts: the part with the shaft, split at branch points.
        solution: the shaft's coordinate and the states of the laws at a time or at times, (1 + states, T).
        time_constant: time constant of the damper [s]; 0 without a damper.
    """

    part: ShaftPart
    parts: list[ShaftPart]
    solution: Any
    time_constant: float

    @property
    def end_state(self) -> Array:
        """Initial values of the next part."""
        return np.asarray(self.solution(self.part.t[-1]))


def inside_times(t: Array) -> Array:
    """Return the times of a part, with its ends inside both branch points."""
    inside, least = t.copy(), 1e-10 * (t[-1] - t[0])
    inside[0], inside[-1] = t[0] + least, t[-1] - least
    return inside


def follow_shaft(
    shaft: NonlinearShaft, part: ShaftPart, previous: Array | None, first: Sequence[float]
) -> FollowedPart:
    """Return a part with a shaft's motion, split at branch points of the laws.

    Args:
        shaft: the shaft.
        part: the motion without the shaft.
        previous: its initial coordinate and states of the laws; None: in equilibrium with the spring.
        first: the states in equilibrium.
    """
    follower = _ShaftFollower(shaft, part)
    start = follower.joint_state(part.t[0])
    angle, *states = [start.q[shaft.equation], *first] if previous is None else previous.tolist()
    angle, states, speed = shaft.initial_motion(start, previous is None, angle, states)
    time_constant = shaft.time_constant(start, angle, speed, states)
    solution = follower.integrate_shaft([angle, *states], time_constant)
    edges = [part.t[0], *follower.branch_times(solution, time_constant), part.t[-1]]
    return FollowedPart(
        part, [follower.smooth_part(solution, time_constant, a, b) for a, b in pairwise(edges)], solution, time_constant
    )


EVALUATIONS_PER_CHECK = 20_000
"""Rates between two checks of the progress of a multistep method."""
LEAST_PROGRESS = 0.01
"""Share of a part of a motion below which a multistep method is stalled between two checks: at a jump of stiffness its
steps may stay as short as rounding makes them, on some processors."""


class _StepsTooShortError(Exception):
    """A multistep method makes no progress."""


class _SplineWithDerivatives:
    """A spline and its first derivatives at one time, by one product with the coefficients of its piece.

    Args:
        spline: piecewise polynomial or B-spline.
        count: number of derivatives, with the spline itself.
    """

    def __init__(self, spline: Any, count: int) -> None:
        from scipy.interpolate import BSpline, PPoly

        polynomial = PPoly.from_spline(spline) if isinstance(spline, BSpline) else spline
        order = polynomial.c.shape[0]
        parts = [polynomial, *(polynomial.derivative(k) for k in range(1, count))]
        padded = [np.concatenate([np.zeros((order - len(x.c), *x.c.shape[1:])), x.c]) for x in parts]
        long = np.diff(polynomial.x) > 0  # the end knots of a B-spline are repeated
        pieces = np.moveaxis(np.stack(padded, axis=2), 1, 0)[long]
        self._coefficients = pieces.reshape(len(pieces), order, -1)
        self._shape = (count, *polynomial.c.shape[2:])
        self._edges = [*polynomial.x[:-1][long].tolist(), float(polynomial.x[-1])]
        self._powers = np.arange(order - 1, -1, -1)

    def __call__(self, t: float) -> Array:
        """Return the values, (count, ...)."""
        piece = min(max(bisect_right(self._edges, t) - 1, 0), len(self._coefficients) - 1)
        values: Array = (t - self._edges[piece]) ** self._powers @ self._coefficients[piece]
        return values.reshape(self._shape)


class _ProgressCheck:
    """Raises an error if an integration is stalled.

    Args:
        start: time at its beginning [s].
        least: time by which it must advance between two checks [s].
    """

    def __init__(self, start: float, least: float) -> None:
        self.reached, self.least, self.calls = start, least, 0

    def add_evaluation(self, t: float) -> None:
        """Count an evaluation at a time."""
        self.calls += 1
        if self.calls % EVALUATIONS_PER_CHECK == 0:
            if t - self.reached < self.least:
                raise _StepsTooShortError
            self.reached = t


class _ShaftFollower:
    """A shaft along one part of a motion."""

    def __init__(self, shaft: NonlinearShaft, part: ShaftPart) -> None:
        self.shaft, self.part = shaft, part

    @cached_property
    def _remaining_force(self) -> Any:
        """The required spring torque R over time as a spline."""
        from scipy.interpolate import make_interp_spline

        part, equation = self.part, self.shaft.equation
        q, v, a = (part.values[:, k] for k in range(3))
        forces = inverse_dynamics(self.shaft.system.mech, q, v, a)
        needed = forces[:, equation] - part.law_forces(part.t)[:, equation]
        return make_interp_spline(part.t, needed, k=min(5, len(part.t) - 1))

    def joint_state(self, t: Any) -> JointState:
        """Return the motion of the joints and R at a time or at times (T,)."""
        ops = ARRAYS if np.ndim(t) else FLOATS
        columns = [self.part.spline(t, k).T for k in range(3)]
        q, v, a = (list(x) if np.ndim(t) else x.tolist() for x in columns)
        force, rate = self._remaining_force(t), self._remaining_force(t, 1)
        force, rate = (force, rate) if np.ndim(t) else (float(force), float(rate))
        return JointState(t, q, v, a, force, rate, ops)

    def _rate_kernel(self, damped: bool) -> Callable[..., Any]:
        """Return the rates as a function of (y, q, v, a, R and its rate, t), compiled where the laws allow it."""
        n, size = self.shaft.system.mech.n, 1 + len(self.shaft.system.states)
        contents = {"y": size, "q": n, "v": n, "a": n, "rest": 2, "t": 1}

        def formula(mech: Mechanism, ops: Operations, values: Any) -> list[Scalar]:
            symbolic = replace(self.shaft, system=self.shaft.system.on_machine(mech))
            force, rate = values["rest"]
            state = JointState(values["t"][0], values["q"], values["v"], values["a"], force, rate, ops)
            return symbolic.shaft_rates(state, values["y"], damped)

        def in_python(y: Array, q: Array, v: Array, a: Array, remaining: Array, t: Array) -> Array:
            force, rate = remaining.tolist()
            state = JointState(float(t[0]), q.tolist(), v.tolist(), a.tolist(), force, rate, FLOATS)
            return np.array(self.shaft.shaft_rates(state, y.tolist(), damped))

        try:
            require_traceable(self.shaft.system)
            code = compile_program(vector_program("bent_shaft", contents, size, formula), self.shaft.system.mech)
        except NoKernelError:
            return in_python
        return code.python_builtin("bent_shaft", in_python)

    def integrate_shaft(self, start: Sequence[float], time_constant: float) -> Any:
        """Return the shaft's coordinate and the states of the laws as a function of time."""
        from scipy.integrate import solve_ivp

        rate_kernel, part, remaining = self._rate_kernel(time_constant > 0), self.part, self._remaining_force

        # The deflection between shaft and joint is a thousand times smaller than their motion, and of a small motion
        # its change is far smaller than the deflection under weight and friction: the change is integrated.
        first = np.array([start[0] - float(part.spline(part.t[0])[self.shaft.equation]), *start[1:]])
        span, unchanged = (float(part.t[0]), float(part.t[-1])), np.zeros(len(first))
        least = LEAST_PROGRESS * (span[1] - span[0]) if self.shaft.system.laws else 0.0  # linear springs have no jump
        progress = _ProgressCheck(span[0], least)

        motion_at = _SplineWithDerivatives(part.spline, 3)
        force_at = _SplineWithDerivatives(remaining, 2)

        def rates(t: float, change: Array) -> Array:
            motion, forces = motion_at(t), force_at(t)
            values: Array = rate_kernel(first + change, *motion, forces, np.array([t]))
            return values

        def checked_rates(t: float, change: Array) -> Array:
            progress.add_evaluation(t)
            return rates(t, change)

        tolerances = {"rtol": 1e-9, "atol": 1e-13}
        try:
            result = solve_ivp(checked_rates, span, unchanged, "LSODA", dense_output=True, **tolerances)
        except _StepsTooShortError:  # a one-step method starts afresh behind a jump of the stiffness
            method = "Radau" if time_constant > 0 else "DOP853"
            result = solve_ivp(rates, span, unchanged, method, dense_output=True, **tolerances)
        if not result.success:
            name = self.shaft.system.mech.speeds[self.shaft.shaft]
            raise InputError(f"demands: the integration of the motion of {name!r} failed: {result.message}")

        def solution(t: Any) -> Array:
            values: Array = (first + result.sol(t).T).T
            values[0] += part.spline(t).T[self.shaft.equation]
            return values

        return solution

    def branch_times(self, solution: Any, time_constant: float) -> list[float]:
        """Return the times within a part at which a law passes a branch point."""
        from scipy.optimize import brentq

        def branch_levels(t: Array) -> list[Array]:
            state, (angle, *states) = self.joint_state(t), solution(t)
            speed = self.shaft.shaft_speed(state, angle, states, time_constant > 0)
            x = StepState(
                self.shaft.with_shaft_value(state.q, angle), self.shaft.with_shaft_value(state.v, speed), states
            )
            recorder = BranchRecorder(state.ops)
            situations = self.shaft.system.law_situations(recorder, t, x, self.shaft.system.initial_inputs)
            for law, mode, level in zip(self.shaft.system.laws, self.shaft.system.first_modes, situations, strict=True):
                law.act(mode, level)  # branch points of state rates alone leave the acceleration continuous
            return recorder.branch_levels

        part = self.part
        values = branch_levels(part.t)
        times: list[float] = []
        for k, level in enumerate(values):
            if sum(np.array_equal(level, other_level) for other_level in values) > 1:
                continue  # a dead band of zero width has no branch point
            for i in np.flatnonzero(level[1:] * level[:-1] < 0):
                times.append(float(brentq(lambda t, k=k: branch_levels(np.array([t]))[k][0], part.t[i], part.t[i + 1])))
        least = DISTINCT_BRANCH_RATIO * (part.t[-1] - part.t[0])
        apart = [t for t in sorted(times) if part.t[0] + least < t < part.t[-1] - least]
        return [t for k, t in enumerate(apart) if not k or t - apart[k - 1] > least]

    def smooth_part(self, solution: Any, time_constant: float, a: float, b: float) -> ShaftPart:
        """Return the motion with the shaft between two branch points."""
        from scipy.interpolate import make_interp_spline

        part, shaft = self.part, self.shaft.shaft
        inner = part.t[(part.t > a) & (part.t < b)]
        settling = [a + time_constant * x for x in SETTLING_TIMES if a + time_constant * x < b]
        t = with_extra_times(np.linspace(a, b, MIN_PART_SAMPLES), [*inner, *settling])
        inside = inside_times(t)
        angle, *states = solution(inside)
        state = self.joint_state(inside)
        speed = self.shaft.shaft_speed(state, angle, states, time_constant > 0)
        if not np.isfinite(speed).all():
            raise self.shaft.slack_error()
        values = part.motion_at(t)
        values[:, 0, shaft], values[:, 1, shaft] = solution(t)[0], speed
        values[:, 2, shaft] = make_interp_spline(t, speed, k=min(5, len(t) - 1))(t, 1)
        before = part.settling_times[(part.settling_times > a) & (part.settling_times < b)]
        return ShaftPart(t, values, part.law_forces, np.concatenate([before, settling]))
