"""Accelerations, signals and energies of a recorded motion, all samples at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gearwright.algebra import ARRAYS
from gearwright.arrays import Array
from gearwright.functions import forward_dynamics
from gearwright.system.kernels.motion_rates import force_actions, law_outcomes
from gearwright.system.system import System


class Observation(NamedTuple):
    """Accelerations (N, n), signals of the laws by name (N,), and the energy stored in the laws (N,)."""

    a: Array
    signals: Mapping[str, Array]
    stored: Array


def observe_states(system: System, x: Array, inputs: Array, t: Array) -> Observation:
    """The observation at states x (N, nx) with inputs (N, nu) and times t (N,), for laws that act by forces only."""
    u, motion = list(np.ascontiguousarray(inputs.T)), system.motion_of(list(np.ascontiguousarray(x.T)))
    situations = system.law_situations(ARRAYS, t, motion, u)
    tau = np.empty((len(x), system.mech.n))
    actions = force_actions(system, situations)
    for k, force in enumerate(system.generalized_forces(u, actions)):
        tau[:, k] = force
    a = forward_dynamics(system.mech, x[:, system.q], x[:, system.v], tau)
    outcomes = law_outcomes(system, situations, actions, list(a.T))
    values = {name: value for outcome in outcomes for name, value in outcome.signals.items()}
    signals = {name: np.broadcast_to(np.asarray(values[name], dtype=np.float64), len(x)) for name in system.signals}
    return Observation(a, signals, np.zeros(len(x)) + sum(outcome.stored for outcome in outcomes))
