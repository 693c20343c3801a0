"""The motion of shafts behind nonlinear springs, for a motion of the joints.

The equation of a joint without a motor determines the required spring torque R(t) = M a + C v + g - f. With the torque
T of the spring over its deflection x, damping d and hysteresis z

    T(x) + d x' + k z = -R(t),    z' = rate(x', z)

is integrated for each shaft in sequence; without damping, the time derivative of this equation is integrated. A branch
point of a law (segments of stiffness, a hysteresis loop that reverses) ends a smooth part and is located exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    primal_value,
    series_from_coefficients,
    time_coefficient,
)
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.dynamics.elastic_drives import spring_matrices
from gearwright.dynamics.integration_steps import StepState
from gearwright.errors import InputError
from gearwright.motion_demands.motion_segments.law_states import law_state_rates
from gearwright.motion_demands.shaft_motion.motion_segments import JointState
from gearwright.system.system import System
from gearwright.text import listed_names

UNDAMPED_TIME_CONSTANT = 1e-7
"""Time constant [s] of a damper below which it is neglected."""
SPEED_NEWTON_STEPS = 3
"""Iterations of Newton's method for the shaft's speed."""
SPEED_PROBE = 1e-4
"""Speed step [rad/s] of the difference quotient."""


@dataclass(frozen=True)
class NonlinearShaft:
    """A shaft determined by the equation of one joint through a nonlinear spring.

    Args:
        system: the machine with only those laws that act on the equation and depend on shafts.
        equation: index of the joint's speed.
        shaft: index of the shaft's speed.
    """

    system: System
    equation: int
    shaft: int

    @cached_property
    def _linear_coefficients(self) -> tuple[Scalar, Scalar]:
        """Return the stiffness and damping of the machine's own springs for the shaft in the equation."""
        K, D, _ = spring_matrices(self.system.mech)
        return K[self.equation][self.shaft], D[self.equation][self.shaft]

    def initial_motion(
        self, state: JointState, rests: bool, angle: Scalar, states: list[Scalar]
    ) -> tuple[Scalar, list[Scalar], Scalar]:
        """Return coordinate, states and speed of the shaft at the start of a part.

        Args:
            state: motion of the joints there.
            rests: whether the shaft is in equilibrium with its spring; otherwise a previous part determines it.
            angle: its coordinate, or an estimate of the equilibrium.
            states: states of the laws.
        """
        speed: Scalar = 0.0
        for _ in range(4 if rests else 1):  # the damper's share of the torque shifts the coordinate
            if rests or not self.time_constant(state, angle, 0.0, states):
                angle = self._balanced_angle(state, angle, speed, states)
            speed = self._balanced_speed(state, angle, states)
        return angle, states, speed

    def _balanced_angle(self, state: JointState, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> Scalar:
        """Return the shaft's coordinate at which the spring produces the required torque."""
        return self._newton_root(lambda x: self._torque_residual(state, x, speed, states), angle, 1e-7)

    def _balanced_speed(self, state: JointState, angle: Scalar, states: Sequence[Scalar]) -> Scalar:
        """Return the shaft's speed at which the spring continues to produce the required torque."""
        return self._newton_root(lambda w: self._torque_residual_rate(state, angle, w, states), 0.0, SPEED_PROBE)

    def time_constant(self, state: JointState, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> float:
        """Damping over stiffness [s], 0 for no damping."""
        residual = self._torque_residual(state, angle, speed, states)
        stiffness = primal_value(self._torque_residual(state, angle + 1e-7, speed, states) - residual) / 1e-7
        damping = primal_value(self._torque_residual(state, angle, speed + 1.0, states) - residual)
        ratio = abs(damping / stiffness) if stiffness else np.inf
        return 0.0 if ratio < UNDAMPED_TIME_CONSTANT else ratio

    def _torque_residual(self, state: JointState, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> Scalar:
        """Return the residual of the equation, R + K theta + D theta' - force of the laws."""
        q, v = self.with_shaft_value(state.q, angle), self.with_shaft_value(state.v, speed)
        stiffness, damping = self._linear_coefficients
        return (
            state.remaining_force
            + stiffness * angle
            + damping * speed
            - self._law_force(state.ops, state.t, q, v, states)
        )

    def _torque_residual_rate(
        self, state: JointState, angle: Scalar, speed: Scalar, states: Sequence[Scalar]
    ) -> Scalar:
        """Return the rate of the residual without acceleration of the shaft."""
        rates = self._state_rates(state, angle, speed, states)
        q = [series_from_coefficients(pair) for pair in zip(state.q, state.v, strict=True)]
        v = [series_from_coefficients(pair) for pair in zip(state.v, state.a, strict=True)]
        q, v = (
            self.with_shaft_value(q, series_from_coefficients([angle, speed])),
            self.with_shaft_value(v, series_from_coefficients([speed, 0.0])),
        )
        series = [series_from_coefficients(pair) for pair in zip(states, rates, strict=True)]
        force = self._law_force(TaylorOperations(state.ops), Taylor([state.t, 1.0]), q, v, series)
        return state.remaining_force_rate + self._linear_coefficients[0] * speed - time_coefficient(force, 1)

    def with_shaft_value(self, values: Sequence[Any], value: Any) -> list[Any]:
        """Return the values of all speeds or coordinates, with that of the shaft replaced."""
        result = list(values)
        result[self.shaft] = value
        return result

    def _law_force(self, ops: Operations, t: Any, q: Sequence[Any], v: Sequence[Any], states: Sequence[Any]) -> Scalar:
        """Return the force of the laws in the equation."""
        system, u = self.system, self.system.initial_inputs
        situations = system.law_situations(DualOperations(ops), t, StepState(q, v, states), u)
        return system.generalized_forces(u, system.law_actions(system.first_modes, situations))[self.equation]

    def _state_rates(self, state: JointState, angle: Scalar, speed: Scalar, states: Sequence[Scalar]) -> list[Scalar]:
        q, v = self.with_shaft_value(state.q, angle), self.with_shaft_value(state.v, speed)
        x = StepState(q, v, states)
        return law_state_rates(self.system, DualOperations(state.ops), state.t, x, self.system.initial_inputs, state.a)

    def shaft_speed(self, state: JointState, angle: Scalar, states: Sequence[Scalar], damped: bool) -> Scalar:
        """Return the shaft's speed from the damper or, without one, from the rate of the balance; for any scalar type.

        The balance is linear in the speed, or piecewise linear with two segments where hysteresis reverses: Newton's
        method then converges in two iterations.
        """
        residual = self._torque_residual if damped else self._torque_residual_rate
        speed: Scalar = 0.0 * angle
        for _ in range(SPEED_NEWTON_STEPS):
            value = residual(state, angle, speed, states)
            speed = speed - value * SPEED_PROBE / (residual(state, angle, speed + SPEED_PROBE, states) - value)
        return speed

    def _newton_root(self, f: Callable[[Scalar], Scalar], x: Scalar, step: float) -> Scalar:
        """Return the zero of a monotonic piecewise smooth function by Newton's method."""
        for _ in range(50):
            value = f(x)
            slope = primal_value(f(x + step) - value) / step
            if not slope:
                raise self.slack_error()
            x = x - value / slope
            if abs(primal_value(value)) <= 1e-12 * abs(slope) * (1e-3 + abs(primal_value(x))):
                break
        return x

    def slack_error(self) -> InputError:
        """Return the error for a spring without torque over part of its deflection."""
        mech = self.system.mech
        return InputError(
            f"demands: {listed_names(law.name for law in self.system.laws)} produces no torque over part of its "
            f"deflection, so the joint motion does not determine the motion of {mech.speeds[self.shaft]!r}. Give the "
            f"motion of all {mech.n} coordinates, or exclude the gap."
        )

    def shaft_rates(self, state: JointState, y: Sequence[Scalar], damped: bool) -> list[Scalar]:
        """Return the rates of the shaft's deflection from its joint and of the laws' states."""
        angle, states = y[0] + state.q[self.equation], list(y[1:])
        speed = self.shaft_speed(state, angle, states, damped)
        return [speed - state.v[self.equation], *self._state_rates(state, angle, speed, states)]
