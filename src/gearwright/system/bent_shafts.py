"""The motion of shafts behind springs that are not linear, for a motion of the joints.

The equation of a joint without a motor says what its spring must give, R(t) = M a + C v + g - f. With the torque T of
the spring over its twist x, damping d and hysteresis z

    T(x) + d x' + k z = -R(t),    z' = rate(x', z)

is integrated for the shaft, one shaft after the other; without damping the derivative of this equation is. What bends
(pieces of stiffness, a loop that turns round) ends a smooth part, so that it is met exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.algebra.taylor import Taylor, TaylorOperations
from gearwright.arrays import Array
from gearwright.dynamics.fixed_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.kinks import Watching
from gearwright.functions.elastic_plan import stiffness_and_damping
from gearwright.functions.functions import inverse_dynamics
from gearwright.mechanism import Mechanism
from gearwright.system.law_kernels import require_traceable
from gearwright.system.law_states import state_rates
from gearwright.system.motion_parts import Known, Part
from gearwright.system.smooth_pieces import with_others
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError, kernel, vector_program
from gearwright.text import listed

LEAST = 12
"""Times that a smooth part has at least."""
SETTLING = (*(0.25 * k for k in range(1, 25)), 7.0, 8.0, 10.0, 12.0, 15.0)
"""Where to look after a bend, in time constants of the damper: there the shaft settles anew."""
UNDAMPED = 1e-7
"""Time constant [s] of a damper below which it counts as none."""
NEWTON = 3
"""Steps of Newton's method for the shaft's speed."""
PROBE = 1e-4
"""Speed [rad/s] over which the slope is taken."""
APART = 1e-9
"""Share of a part's duration by which two bends must lie apart."""


@dataclass(frozen=True)
class BentShaft:
    """A shaft that follows from the equation of one joint through a spring of any form.

    Args:
        system: the machine with those laws alone that act on the equation and depend on shafts.
        equation: index of the joint's speed.
        shaft: index of the shaft's speed.
    """

    system: System
    equation: int
    shaft: int

    @cached_property
    def _linear(self) -> tuple[float, float]:
        """What the machine's own springs and dampers make of the shaft's coordinate and speed in the equation."""
        K, D = stiffness_and_damping(self.system.mech)
        return float(K[self.equation, self.shaft]), float(D[self.equation, self.shaft])

    def follow(self, part: Part, memory: Array | None, first: Sequence[float]) -> tuple[list[Part], Array]:
        """A part with the shaft's motion, cut where it bends, and what to begin the next part with.

        `memory` is the shaft's coordinate and the states of the laws at its start; None: at rest upon the spring, with
        the states `first`.
        """
        rest = self._rest(part)
        begin = self._known(part, rest, part.t[0])
        angle, states, speed = self._begin(begin, memory, first)
        pace = self._time_constant(begin, angle, speed, states)
        solution = self._integrated(part, rest, [angle, *states], pace)
        edges = [part.t[0], *self._bends(part, rest, solution, pace), part.t[-1]]
        found = [self._smooth_part(part, rest, solution, pace, a, b) for a, b in pairwise(edges)]
        return found, np.asarray(solution(part.t[-1]))

    def _rest(self, part: Part) -> Any:
        """R over time as a spline."""
        from scipy.interpolate import make_interp_spline

        q, v, a = (part.values[:, k] for k in range(3))
        forces = inverse_dynamics(self.system.mech, q, v, a)
        needed = forces[:, self.equation] - part.law_forces(part.t)[:, self.equation]
        return make_interp_spline(part.t, needed, k=min(5, len(part.t) - 1))

    def _known(self, part: Part, rest: Any, t: Any) -> Known:
        """What is known at a time or at times (T,)."""
        ops = ARRAYS if np.ndim(t) else FLOATS
        columns = [part.curve(t, k).T for k in range(3)]
        q, v, a = (list(x) if np.ndim(t) else x.tolist() for x in columns)
        force, rate = rest(t), rest(t, 1)
        force, rate = (force, rate) if np.ndim(t) else (float(force), float(rate))
        return Known(t, q, v, a, force, rate, ops)

    def _begin(self, begin: Known, memory: Array | None, first: Sequence[float]) -> tuple[float, list[float], float]:
        """Coordinate, states and speed of the shaft at the start of a part."""
        angle, *states = memory.tolist() if memory is not None else [begin.q[self.equation], *first]
        speed = 0.0
        for _ in range(1 if memory is not None else 4):  # the damper's share of the torque shifts the coordinate
            if memory is None or not self._time_constant(begin, angle, 0.0, states):
                angle = self._resting(begin, angle, speed, states)
            speed = self._drifting(begin, angle, states)
        return angle, states, speed

    def _resting(self, known: Known, angle: float, speed: float, states: Sequence[float]) -> float:
        """The shaft's coordinate at which the spring gives what is missing."""
        return self._zero(lambda x: self._balance(known, x, speed, states), angle, 1e-7)

    def _drifting(self, known: Known, angle: float, states: Sequence[float]) -> float:
        """The shaft's speed at which the spring goes on giving it."""
        return self._zero(lambda w: self._balance_rate(known, angle, w, states), 0.0, PROBE)

    def _time_constant(self, known: Known, angle: float, speed: float, states: Sequence[float]) -> float:
        """Damping over stiffness [s], 0 for no damping."""
        here = self._balance(known, angle, speed, states)
        stiffness = (self._balance(known, angle + 1e-7, speed, states) - here) / 1e-7
        damping = self._balance(known, angle, speed + 1.0, states) - here
        pace = abs(damping / stiffness) if stiffness else np.inf
        return 0.0 if pace < UNDAMPED else pace

    def _balance(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> Scalar:
        """What is missing in the equation, R + K theta + D theta' - force of the laws."""
        q, v = self._with_shaft(known.q, angle), self._with_shaft(known.v, speed)
        stiffness, damping = self._linear
        return known.rest + stiffness * angle + damping * speed - self._force(known.ops, known.t, q, v, states)

    def _balance_rate(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> Scalar:
        """Its rate, where the shaft does not accelerate."""
        rates = self._state_rates(known, angle, speed, states)
        q = [Taylor([x, w]) for x, w in zip(known.q, known.v, strict=True)]
        v = [Taylor([x, w]) for x, w in zip(known.v, known.a, strict=True)]
        q, v = self._with_shaft(q, Taylor([angle, speed])), self._with_shaft(v, Taylor([speed, 0.0]))
        series = [Taylor([x, w]) for x, w in zip(states, rates, strict=True)]
        force = self._force(TaylorOperations(known.ops), Taylor([known.t, 1.0]), q, v, series)
        pulled = force.c[1] if isinstance(force, Taylor) else 0.0
        return known.rest_rate + self._linear[0] * speed - pulled

    def _with_shaft(self, values: Sequence[Any], own: Any) -> list[Any]:
        found = list(values)
        found[self.shaft] = own
        return found

    def _force(self, ops: Operations, t: Any, q: Sequence[Any], v: Sequence[Any], states: Sequence[Any]) -> Scalar:
        """What the laws push with in the equation."""
        system, u = self.system, self.system.first_inputs
        situations = system.situations(ops, t, Moving(q, v, states), u)
        return system.forces(u, system.actions(system.first_modes, situations))[self.equation]

    def _state_rates(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> list[Scalar]:
        q, v = self._with_shaft(known.q, angle), self._with_shaft(known.v, speed)
        x = Moving(q, v, states)
        return state_rates(self.system, known.ops, known.t, x, self.system.first_inputs, known.a)

    def _speed(self, known: Known, angle: Scalar, states: Sequence[Scalar], damped: bool) -> Scalar:
        """The shaft's speed: what the damper lets through, or what keeps the balance; over scalars of any kind.

        The balance is straight in the speed, or of two straight lines where hysteresis turns round: Newton's method
        then ends in two steps.
        """
        missing = self._balance if damped else self._balance_rate
        speed: Scalar = 0.0 * angle
        for _ in range(NEWTON):
            value = missing(known, angle, speed, states)
            speed = speed - value * PROBE / (missing(known, angle, speed + PROBE, states) - value)
        return speed

    def _zero(self, f: Callable[[float], Any], x: float, step: float) -> float:
        """Where a growing or falling function of straight or bent pieces is zero, by Newton's method."""
        for _ in range(50):
            value = f(x)
            slope = (f(x + step) - value) / step
            if not slope:
                raise self._slack()
            x = x - value / slope
            if abs(value) <= 1e-12 * abs(slope) * (1e-3 + abs(x)):
                break
        return x

    def _slack(self) -> InputError:
        mech = self.system.mech
        return InputError(
            f"demands: {listed(law.name for law in self.system.laws)} gives no torque over part of its twist, so that "
            f"the motion of {mech.speeds[self.shaft]!r} does not follow from that of its joint. Give the motion of all "
            f"{mech.n} coordinates, or leave the gap out."
        )

    def _rates(self, known: Known, y: Sequence[Scalar], damped: bool) -> list[Scalar]:
        """Rates of how far the shaft is ahead of its joint, and of the states of the laws."""
        angle, states = y[0] + known.q[self.equation], list(y[1:])
        speed = self._speed(known, angle, states, damped)
        return [speed - known.v[self.equation], *self._state_rates(known, angle, speed, states)]

    def _kernel(self, damped: bool) -> Callable[..., Any]:
        """The rates of (y, q, v, a, R and its rate, t) in machine code; in Python where a law does not let itself."""
        n, size = self.system.mech.n, 1 + len(self.system.states)
        contents = {"y": size, "q": n, "v": n, "a": n, "rest": 2, "t": 1}

        def formula(mech: Mechanism, ops: Operations, given: Any) -> list[Scalar]:
            here = replace(self, system=self.system.on(mech))
            force, rate = given["rest"]
            known = Known(given["t"][0], given["q"], given["v"], given["a"], force, rate, ops)
            return here._rates(known, given["y"], damped)

        def slowly(y: Array, q: Array, v: Array, a: Array, rest: Array, t: Array) -> Array:
            force, rate = rest.tolist()
            known = Known(float(t[0]), q.tolist(), v.tolist(), a.tolist(), force, rate, FLOATS)
            return np.array(self._rates(known, y.tolist(), damped))

        try:
            require_traceable(self.system)
            code = kernel(vector_program("bent_shaft", contents, size, formula), self.system.mech)
        except NoKernelError:
            return slowly
        return code.builtin("bent_shaft", slowly)

    def _integrated(self, part: Part, rest: Any, start: Sequence[float], pace: float) -> Any:
        """The shaft's coordinate and the states of the laws as a function of time."""
        from scipy.integrate import solve_ivp

        quick = self._kernel(pace > 0)

        def rates(t: float, y: Array) -> Array:
            motion = (part.curve(t, k) for k in range(3))
            found: Array = quick(y, *motion, np.array([rest(t), rest(t, 1)]), np.array([t]))
            return found

        # How far the shaft is ahead of its joint is a thousand times smaller than the way of both.
        ahead = [start[0] - float(part.curve(part.t[0])[self.equation]), *start[1:]]
        span = (float(part.t[0]), float(part.t[-1]))
        done = solve_ivp(rates, span, ahead, "LSODA", dense_output=True, rtol=1e-9, atol=1e-13)
        if not done.success:
            raise InputError(
                f"demands: the motion of {self.system.mech.speeds[self.shaft]!r} cannot be followed: {done.message}"
            )

        def solution(t: Any) -> Array:
            found: Array = done.sol(t)
            found[0] += part.curve(t).T[self.equation]
            return found

        return solution

    def _bends(self, part: Part, rest: Any, solution: Any, pace: float) -> list[float]:
        """Times within a part at which a law bends."""
        from scipy.optimize import brentq

        def kinks(t: Array) -> list[Array]:
            known, (angle, *states) = self._known(part, rest, t), solution(t)
            speed = self._speed(known, angle, states, pace > 0)
            x = Moving(self._with_shaft(known.q, angle), self._with_shaft(known.v, speed), states)
            watch = Watching(known.ops)
            situations = self.system.situations(watch, t, x, self.system.first_inputs)
            for law, mode, one in zip(self.system.laws, self.system.first_modes, situations, strict=True):
                law.act(mode, one)  # what bends in the rates of states alone leaves the acceleration continuous
            return watch.kinks

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

    def _smooth_part(self, part: Part, rest: Any, solution: Any, pace: float, a: float, b: float) -> Part:
        """The motion with the shaft's between two bends."""
        from scipy.interpolate import make_interp_spline

        inner = part.t[(part.t > a) & (part.t < b)]
        settling = [a + pace * x for x in SETTLING if a + pace * x < b]
        t = with_others(np.linspace(a, b, LEAST), [*inner, *settling])
        inside = t.copy()
        inside[0], inside[-1] = a + 1e-10 * (b - a), b - 1e-10 * (b - a)  # on this side of both bends
        angle, *states = solution(inside)
        known = self._known(part, rest, inside)
        speed = self._speed(known, angle, states, pace > 0)
        if not np.isfinite(speed).all():
            raise self._slack()
        values = part.at(t)
        values[:, 0, self.shaft], values[:, 1, self.shaft] = solution(t)[0], speed
        values[:, 2, self.shaft] = make_interp_spline(t, speed, k=min(5, len(t) - 1))(t, 1)
        before = part.settling[(part.settling > a) & (part.settling < b)]
        return Part(t, values, part.law_forces, np.concatenate([before, settling]))
