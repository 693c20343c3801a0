"""Where the shafts of elastic drives are while the joints stand still: springs unloaded, or loaded statically."""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.functions.elastic.shaft_equations import unloaded_shafts
from gearwright.mechanism import Mechanism
from gearwright.system.constraints.projection import HeldPlaces
from gearwright.system.evaluation import situations_at
from gearwright.system.system import Modes, System

TRIES = 50
"""Newton steps at most; linear springs need one."""
BALANCED = 1e-9
"""Of the largest force: what is left of a balance is rounding."""
TWIST = 1e-6
"""By how much [rad, m] a shaft is turned to see what its springs answer."""
DEPENDENT = 1e-10
"""Relative size of directions in which neither springs nor motors act."""


def following_ways(mech: Mechanism) -> Array:
    """Speeds of all per unit speed of each joint while springs keep their deflection, (n, joints)."""
    return np.vstack([np.eye(first_shaft(mech)), unloaded_shafts(mech)[0]])


def with_unloaded_shafts(system: System, x: Array) -> Array:
    """The state with every shaft where its springs are relaxed, turning with its joints."""
    mech, out = system.mech, x.copy()
    first, where = first_shaft(mech), np.array(mech.layout.coordinate_of)
    follow, rest = unloaded_shafts(mech)
    straight = where[:first] >= 0  # springs do not act along the others
    q, v = out[system.q], out[system.v]
    q[where[first:]] = rest + follow[:, straight] @ q[where[:first][straight]]
    v[first:] = follow @ v[:first]
    out[system.q], out[system.v] = q, v
    return out


def with_static_shafts(held: HeldPlaces, t: float, x: Array, u: Array, modes: Modes) -> Array:
    """The state with shafts where springs, motors and constraints balance all that acts at rest at these joints.

    Of all forces of the constraints the least are taken: what springs and motors can carry, they carry.
    """
    system, mech, out = held.system, held.system.mech, x.copy()
    first = first_shaft(mech)
    shafts = system.q.start + np.array(mech.layout.coordinate_of)[first:]
    driven = np.array([actuator.row for actuator in mech.actuators], dtype=float).reshape(-1, mech.n).T
    W = held.rows(t, x).T
    for _ in range(TRIES):
        acting, forces = _acting(system, t, out, u, modes), []
        for place in shafts:
            turned = out.copy()
            turned[place] += TWIST
            forces.append((_acting(system, t, turned, u, modes) - acting) / TWIST)
        carrying = np.hstack([np.array(forces).T, driven])
        carrying = carrying / np.maximum(np.abs(carrying).max(axis=0), 1e-300)
        sizes = np.maximum(np.abs(np.array(forces)).max(axis=1), 1e-300)
        idle = _idle(carrying)
        multipliers = np.linalg.lstsq(idle.T @ W, -idle.T @ acting, rcond=DEPENDENT)[0]
        left = -acting - W @ multipliers
        found = np.linalg.lstsq(carrying, left, rcond=DEPENDENT)[0]
        missing = np.abs(left - carrying @ found)
        if missing.max() > BALANCED * max(1.0, float(np.abs(acting).max())):
            raise InputError(
                f"project: at rest {missing.max():.3g} (Nm or N) at {mech.speeds[int(np.argmax(missing))]!r} are "
                "carried by no spring, motor or constraint: there is no static position. Use motors='unloaded'."
            )
        step = found[: len(shafts)] / sizes
        out[shafts] += step
        if np.abs(step * sizes).max() <= BALANCED * max(1.0, float(np.abs(acting).max())):
            return out
    raise InputError("project: no static position of the motors was found. Use motors='unloaded'.")


def _acting(system: System, t: float, x: Array, u: Array, modes: Modes) -> Array:
    """Generalized forces (n,) of gravity, springs and laws at rest, without those of holds."""
    still = x.copy()
    still[system.v] = 0.0
    actions = system.actions(modes, situations_at(system, t, still, u))
    law_forces = np.array(system.forces(u.tolist(), actions), dtype=float)
    return law_forces - np.asarray(system.compiled.bias(still[system.q], still[system.v]))


def _idle(carrying: Array) -> Array:
    """Combinations of equations (n, k) in which neither springs of shafts nor motors act."""
    left, sizes, _ = np.linalg.svd(carrying)
    rank = int((sizes > DEPENDENT * sizes[0]).sum())
    return np.asarray(left[:, rank:])
