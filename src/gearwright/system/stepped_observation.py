"""What is seen of a machine that moves by time stepping: energies at its states, and what its laws feel there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.operations import ARRAYS
from gearwright.arrays import Array
from gearwright.dynamics.energy import kinetic_energy, potential_energy
from gearwright.dynamics.fixed_steps import Moving
from gearwright.dynamics.pose import place
from gearwright.system.observation import Observation
from gearwright.system.stepped_motion import acting_over, moreau_step
from gearwright.system.system import System


def observe_stepped(system: System, sweeps: int, h: float, x: Array, inputs: Array, t: Array) -> Observation:
    """What is seen at states x (N, nx) with inputs (N, nu) at times t (N,): means over the step of h [s] that follows.

    Positions and stored energies are those of the states themselves.
    """
    u, at = list(np.ascontiguousarray(inputs.T)), system.moving(list(np.ascontiguousarray(x.T)))
    step = moreau_step(system, sweeps, ARRAYS, t, h, at, u)
    situations = system.situations(ARRAYS, t, at, u)
    asked = zip(step.acting, situations, step.reactions, strict=True)
    outcomes = [one.outcome(situation, felt) for one, situation, felt in asked]
    values = {name: value for outcome in outcomes for name, value in outcome.signals.items()}
    signals = {name: np.broadcast_to(np.asarray(values[name], dtype=np.float64), len(x)) for name in system.signals}
    a = np.stack([np.broadcast_to(one, len(x)) for one in step.a], axis=-1)
    return Observation(a, signals, np.zeros(len(x)) + sum(outcome.stored for outcome in outcomes))


def whole_energy(system: System, ops: Operations, t: Scalar, h: Scalar, x: Moving, u: Sequence[Scalar]) -> Scalar:
    """Kinetic and potential energy of the machine, and what its laws store [J]."""
    pose = place(system.mech, x.q, ops)
    total = kinetic_energy(pose, x.v) + potential_energy(pose)
    situations = system.situations(ops, t, x, u)
    for one, situation in zip(acting_over(system, situations, h), situations, strict=True):
        total = total + one.outcome(situation, one.at_ease).stored
    return total
