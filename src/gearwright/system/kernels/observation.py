"""What a recorded motion shows beside its states, all samples at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.functions.dynamics import forward_dynamics
from gearwright.system.kernels.motion_rates import force_actions, outcomes_of
from gearwright.system.system import System


class Observation(NamedTuple):
    """Accelerations (N, n), signals of the laws by name (N,), and the energy stored in the laws (N,)."""

    a: Array
    signals: Mapping[str, Array]
    stored: Array


def observe(system: System, x: Array, inputs: Array, t: Array) -> Observation:
    """What is seen at states x (N, nx) with inputs (N, nu) at times t (N,) under laws that act by forces alone."""
    u, at = list(np.ascontiguousarray(inputs.T)), system.moving(list(np.ascontiguousarray(x.T)))
    situations = system.situations(ARRAYS, t, at, u)
    tau = np.empty((len(x), system.mech.n))
    actions = force_actions(system, situations)
    for k, force in enumerate(system.forces(u, actions)):
        tau[:, k] = force
    a = forward_dynamics(system.mech, x[:, system.q], x[:, system.v], tau)
    outcomes = outcomes_of(system, situations, actions, list(a.T))
    values = {name: value for outcome in outcomes for name, value in outcome.signals.items()}
    signals = {name: np.broadcast_to(np.asarray(values[name], dtype=np.float64), len(x)) for name in system.signals}
    return Observation(a, signals, np.zeros(len(x)) + sum(outcome.stored for outcome in outcomes))
