"""The rates for integrators: from one kernel if all laws can be compiled, else law by law."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.event_tolerances import LARGEST_SPEED
from gearwright.simulation.integrators.integrate_to_event import JacobianAt, RatesAt
from gearwright.simulation.integrators.stiffness_detection import forward_differences
from gearwright.system.evaluation import evaluate_system, state_vector_rates
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.system import Modes, System

InputsAt = Callable[[float, Array], tuple[Array, Array]]
"""(t, state vector) -> all inputs, and the rates of the controller's states."""


def is_diverged(system: System, x: Array) -> bool:
    """Whether a state is not finite, or exceeds the largest speed."""
    v = x[system.v]
    return not (x.dot(x) < np.inf and v.dot(v) <= LARGEST_SPEED**2)


def rates_by_laws(system: System, modes: Modes, inputs: InputsAt) -> RatesAt:
    """The rates of the state vector in given modes, law by law."""

    def by_laws(t: float, x: Array) -> Array:
        if is_diverged(system, x):  # a trial step went too far: the integrator shortens it
            return np.full_like(x, np.nan)
        u, controlled = inputs(t, x)
        return state_vector_rates(system, x, u, evaluate_system(system, t, x, u, modes), controlled)

    return by_laws


def rates_by_kernel(system: System, modes: Modes, inputs: InputsAt, motion: MotionRates) -> RatesAt:
    """The same from one kernel; the controller's states come after those of the laws and before the work."""
    end, work_slice, idle = system.law_slice.stop, system.supplied_index, np.zeros(len(system.controller_states))
    clock = np.empty(1)

    def by_laws(x: Array, now: Array, u: Array) -> Array:
        kernel_state = np.concatenate((x, idle, [0.0, 0.0]))
        rates = rates_by_laws(system, modes, lambda *_: (u, idle))(float(now[0]), kernel_state)
        return np.concatenate((rates[:end], rates[work_slice:]))

    compiled_rates = motion.compiled_rates(by_laws)

    def by_kernel(t: float, x: Array) -> Array:
        if is_diverged(system, x):
            return np.full_like(x, np.nan)
        u, controlled = inputs(t, x)
        clock[0] = t
        rates = compiled_rates(x[:end], clock, u)
        return np.concatenate((rates[:end], controlled, rates[end:])) if controlled.size else rates

    return by_kernel


def exact_jacobian(system: System, inputs: InputsAt, motion: MotionRates, plain: RatesAt) -> JacobianAt:
    """The exact Jacobian of the rates by the state vector, for inputs that do not depend on it."""
    end = system.law_slice.stop

    def jacobian(t: float, x: Array) -> Array:
        out = np.zeros((system.size, system.size))
        out[:, :end] = motion.state_derivative(x[:end], t, inputs(t, x)[0])
        return out if np.isfinite(out).all() else forward_differences(lambda y: plain(t, y), x)

    return jacobian
