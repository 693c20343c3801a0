"""The motion of shafts behind springs that are not linear, for a motion of the joints.

The equation of a joint without a motor says what its spring must give, R(t) = M a + C v + g - f. With the torque T of
the spring over its twist x, damping d and hysteresis z

    T(x) + d x' + k z = -R(t),    z' = rate(x', z)

is integrated for the shaft, one shaft after the other; without damping the derivative of this equation is. What bends
(pieces of stiffness, a loop that turns round) ends a smooth part, so that it is met exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import VariedOperations, coefficient, series_of, value_of
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.dynamics.elastic_drives import spring_matrices
from gearwright.dynamics.integration_steps import Moving
from gearwright.errors import InputError
from gearwright.motion_demands.motion_segments.law_states import state_rates
from gearwright.motion_demands.shaft_motion.motion_segments import Known
from gearwright.system.system import System
from gearwright.text import listed

UNDAMPED = 1e-7
"""Time constant [s] of a damper below which it counts as none."""
NEWTON = 3
"""Steps of Newton's method for the shaft's speed."""
PROBE = 1e-4
"""Speed [rad/s] over which the slope is taken."""


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
    def _linear(self) -> tuple[Scalar, Scalar]:
        """What the machine's own springs and dampers make of the shaft's coordinate and speed in the equation."""
        K, D, _ = spring_matrices(self.system.mech)
        return K[self.equation][self.shaft], D[self.equation][self.shaft]

    def begin(
        self, begin: Known, rests: bool, angle: Scalar, states: list[Scalar]
    ) -> tuple[Scalar, list[Scalar], Scalar]:
        """Coordinate, states and speed of the shaft at the start of a part.

        Args:
            begin: what is known there.
            rests: whether the shaft rests upon its spring there; else it comes from a part before.
            angle: its coordinate, or nearly so where it rests.
            states: those of the laws.
        """
        speed: Scalar = 0.0
        for _ in range(4 if rests else 1):  # the damper's share of the torque shifts the coordinate
            if rests or not self.time_constant(begin, angle, 0.0, states):
                angle = self._resting(begin, angle, speed, states)
            speed = self._drifting(begin, angle, states)
        return angle, states, speed

    def _resting(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> Scalar:
        """The shaft's coordinate at which the spring gives what is missing."""
        return self._zero(lambda x: self._balance(known, x, speed, states), angle, 1e-7)

    def _drifting(self, known: Known, angle: Scalar, states: Sequence[Scalar]) -> Scalar:
        """The shaft's speed at which the spring goes on giving it."""
        return self._zero(lambda w: self._balance_rate(known, angle, w, states), 0.0, PROBE)

    def time_constant(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> float:
        """Damping over stiffness [s], 0 for no damping."""
        here = self._balance(known, angle, speed, states)
        stiffness = value_of(self._balance(known, angle + 1e-7, speed, states) - here) / 1e-7
        damping = value_of(self._balance(known, angle, speed + 1.0, states) - here)
        pace = abs(damping / stiffness) if stiffness else np.inf
        return 0.0 if pace < UNDAMPED else pace

    def _balance(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> Scalar:
        """What is missing in the equation, R + K theta + D theta' - force of the laws."""
        q, v = self.with_shaft(known.q, angle), self.with_shaft(known.v, speed)
        stiffness, damping = self._linear
        return known.rest + stiffness * angle + damping * speed - self._force(known.ops, known.t, q, v, states)

    def _balance_rate(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> Scalar:
        """Its rate, where the shaft does not accelerate."""
        rates = self._state_rates(known, angle, speed, states)
        q = [series_of(pair) for pair in zip(known.q, known.v, strict=True)]
        v = [series_of(pair) for pair in zip(known.v, known.a, strict=True)]
        q, v = self.with_shaft(q, series_of([angle, speed])), self.with_shaft(v, series_of([speed, 0.0]))
        series = [series_of(pair) for pair in zip(states, rates, strict=True)]
        force = self._force(TaylorOperations(known.ops), Taylor([known.t, 1.0]), q, v, series)
        return known.rest_rate + self._linear[0] * speed - coefficient(force, 1)

    def with_shaft(self, values: Sequence[Any], own: Any) -> list[Any]:
        """Values of all speeds or coordinates, with another for the shaft."""
        found = list(values)
        found[self.shaft] = own
        return found

    def _force(self, ops: Operations, t: Any, q: Sequence[Any], v: Sequence[Any], states: Sequence[Any]) -> Scalar:
        """What the laws push with in the equation."""
        system, u = self.system, self.system.first_inputs
        situations = system.situations(VariedOperations(ops), t, Moving(q, v, states), u)
        return system.forces(u, system.actions(system.first_modes, situations))[self.equation]

    def _state_rates(self, known: Known, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> list[Scalar]:
        q, v = self.with_shaft(known.q, angle), self.with_shaft(known.v, speed)
        x = Moving(q, v, states)
        return state_rates(self.system, VariedOperations(known.ops), known.t, x, self.system.first_inputs, known.a)

    def speed(self, known: Known, angle: Scalar, states: Sequence[Scalar], damped: bool) -> Scalar:
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

    def _zero(self, f: Callable[[Scalar], Scalar], x: Scalar, step: float) -> Scalar:
        """Where a growing or falling function of straight or bent pieces is zero, by Newton's method."""
        for _ in range(50):
            value = f(x)
            slope = value_of(f(x + step) - value) / step
            if not slope:
                raise self.slack()
            x = x - value / slope
            if abs(value_of(value)) <= 1e-12 * abs(slope) * (1e-3 + abs(value_of(x))):
                break
        return x

    def slack(self) -> InputError:
        """What to say where the spring gives no torque."""
        mech = self.system.mech
        return InputError(
            f"demands: {listed(law.name for law in self.system.laws)} gives no torque over part of its twist, so that "
            f"the motion of {mech.speeds[self.shaft]!r} does not follow from that of its joint. Give the motion of all "
            f"{mech.n} coordinates, or leave the gap out."
        )

    def rates(self, known: Known, y: Sequence[Scalar], damped: bool) -> list[Scalar]:
        """Rates of how far the shaft is ahead of its joint, and of the states of the laws."""
        angle, states = y[0] + known.q[self.equation], list(y[1:])
        speed = self.speed(known, angle, states, damped)
        return [speed - known.v[self.equation], *self._state_rates(known, angle, speed, states)]
