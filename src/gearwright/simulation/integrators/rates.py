"""The rates that integrators ask for: from one kernel where all laws can be compiled, else law by law."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gearwright.arrays import Array
from gearwright.simulation.integrators.integrate_to_event import Rates, Slopes
from gearwright.simulation.integrators.stiffness_detection import differences
from gearwright.system.evaluation import evaluate, rates
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.system import Modes, System

LARGEST_SPEED = 1e6
"""Speeds that are larger have left every machine: the run has blown up."""

InputsAt = Callable[[float, Array], tuple[Array, Array]]
"""(t, state vector) -> all inputs, and the rates of the controller's states."""


def is_lost(system: System, x: Array) -> bool:
    """Whether a state is not finite, or faster than any machine."""
    v = x[system.v]
    return not (x.dot(x) < np.inf and v.dot(v) <= LARGEST_SPEED**2)


def rates_by_laws(system: System, modes: Modes, inputs: InputsAt) -> Rates:
    """The rates of the state vector in given modes, law by law."""

    def by_laws(t: float, x: Array) -> Array:
        if is_lost(system, x):  # a trial step went too far: the integrator takes a shorter one
            return np.full_like(x, np.nan)
        u, controlled = inputs(t, x)
        return rates(system, x, u, evaluate(system, t, x, u, modes), controlled)

    return by_laws


def rates_by_kernel(system: System, modes: Modes, inputs: InputsAt, motion: MotionRates) -> Rates:
    """The same from one kernel; the controller's states stand between those of the laws and the work."""
    end, works, idle = system.own.stop, system.supplied, np.zeros(len(system.controller_states))
    clock = np.empty(1)

    def slowly(x: Array, now: Array, u: Array) -> Array:
        whole = np.concatenate((x, idle, [0.0, 0.0]))
        found = rates_by_laws(system, modes, lambda *_: (u, idle))(float(now[0]), whole)
        return np.concatenate((found[:end], found[works:]))

    quick = motion.quick(slowly)

    def by_kernel(t: float, x: Array) -> Array:
        if is_lost(system, x):
            return np.full_like(x, np.nan)
        u, controlled = inputs(t, x)
        clock[0] = t
        found = quick(x[:end], clock, u)
        return np.concatenate((found[:end], controlled, found[end:])) if controlled.size else found

    return by_kernel


def exact_slopes(system: System, inputs: InputsAt, motion: MotionRates, plain: Rates) -> Slopes:
    """The exact derivative of the rates by the state vector, for inputs that do not depend on it."""
    end = system.own.stop

    def slopes(t: float, x: Array) -> Array:
        out = np.zeros((system.size, system.size))
        out[:, :end] = motion.slopes(x[:end], t, inputs(t, x)[0])
        return out if np.isfinite(out).all() else differences(lambda y: plain(t, y), x)

    return slopes
