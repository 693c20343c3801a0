"""Positions of the shafts of elastic drives at given joint positions: springs unloaded, or statically loaded."""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.dynamics.elastic_drives import first_shaft
from gearwright.errors import InputError
from gearwright.functions.elastic.shaft_equations import unloaded_shafts
from gearwright.mechanism import Mechanism
from gearwright.system.constraints.projection import PositionConstraints
from gearwright.system.evaluation import situations_at
from gearwright.system.system import Modes, System

MAX_STATIC_STEPS = 50
"""Largest number of Newton steps; linear springs need one."""
STATIC_BALANCE_TOLERANCE = 1e-9
"""Residual of the force balance, relative to the largest force, that counts as rounding."""
SHAFT_PROBE_ANGLE = 1e-6
"""Rotation of a shaft [rad, m] for the finite difference of its spring forces."""
IDLE_DIRECTION_RATIO = 1e-10
"""Relative singular value of directions in which neither springs nor motors act."""


def following_directions(mech: Mechanism) -> Array:
    """All speeds per unit speed of each joint at constant spring deflections, (n, joints)."""
    return np.vstack([np.eye(first_shaft(mech)), unloaded_shafts(mech)[0]])


def with_unloaded_shafts(system: System, x: Array) -> Array:
    """The state with relaxed springs, shafts turning with their joints."""
    mech, unloaded = system.mech, x.copy()
    first, coordinates = first_shaft(mech), np.array(mech.layout.coordinate_of)
    follow, rest_positions = unloaded_shafts(mech)
    has_coordinate = coordinates[:first] >= 0  # springs do not act along the others
    q, v = unloaded[system.q], unloaded[system.v]
    q[coordinates[first:]] = rest_positions + follow[:, has_coordinate] @ q[coordinates[:first][has_coordinate]]
    v[first:] = follow @ v[:first]
    unloaded[system.q], unloaded[system.v] = q, v
    return unloaded


def with_static_shafts(constraints: PositionConstraints, t: float, x: Array, u: Array, modes: Modes) -> Array:
    """The state with shafts in static balance of springs, motors, constraints and loads at these joint positions.

    The constraint forces are those of least norm: springs and motors carry what they can.
    """
    system, mech, balanced_state = constraints.system, constraints.system.mech, x.copy()
    first = first_shaft(mech)
    shafts = system.q.start + np.array(mech.layout.coordinate_of)[first:]
    motor_columns = np.array([actuator.row for actuator in mech.actuators], dtype=float).reshape(-1, mech.n).T
    W = constraints.constraint_rows(t, x).T
    for _ in range(MAX_STATIC_STEPS):
        forces_at_rest, responses = _forces_at_rest(system, t, balanced_state, u, modes), []
        for shaft in shafts:
            probed = balanced_state.copy()
            probed[shaft] += SHAFT_PROBE_ANGLE
            responses.append((_forces_at_rest(system, t, probed, u, modes) - forces_at_rest) / SHAFT_PROBE_ANGLE)
        support = np.hstack([np.array(responses).T, motor_columns])
        support = support / np.maximum(np.abs(support).max(axis=0), 1e-300)
        sizes = np.maximum(np.abs(np.array(responses)).max(axis=1), 1e-300)
        idle = _idle_combinations(support)
        multipliers = np.linalg.lstsq(idle.T @ W, -idle.T @ forces_at_rest, rcond=IDLE_DIRECTION_RATIO)[0]
        remainder = -forces_at_rest - W @ multipliers
        loads = np.linalg.lstsq(support, remainder, rcond=IDLE_DIRECTION_RATIO)[0]
        imbalance = np.abs(remainder - support @ loads)
        if imbalance.max() > STATIC_BALANCE_TOLERANCE * max(1.0, float(np.abs(forces_at_rest).max())):
            raise InputError(
                f"project: at rest no spring, motor or constraint carries {imbalance.max():.3g} (Nm or N) at "
                f"{mech.speeds[int(np.argmax(imbalance))]!r}, so there is no static equilibrium. Use motors='unloaded'."
            )
        step = loads[: len(shafts)] / sizes
        balanced_state[shafts] += step
        if np.abs(step * sizes).max() <= STATIC_BALANCE_TOLERANCE * max(1.0, float(np.abs(forces_at_rest).max())):
            return balanced_state
    raise InputError("project: no static equilibrium of the motors was found. Use motors='unloaded'.")


def _forces_at_rest(system: System, t: float, x: Array, u: Array, modes: Modes) -> Array:
    """Generalised forces (n,) of gravity, springs and laws at rest, without constraint forces."""
    resting_state = x.copy()
    resting_state[system.v] = 0.0
    actions = system.law_actions(modes, situations_at(system, t, resting_state, u))
    law_forces = np.array(system.generalized_forces(u.tolist(), actions), dtype=float)
    return law_forces - np.asarray(
        system.compiled_machine.bias_forces(resting_state[system.q], resting_state[system.v])
    )


def _idle_combinations(support: Array) -> Array:
    """Combinations of equations (n, k) in which neither springs of shafts nor motors act."""
    vectors, sizes, _ = np.linalg.svd(support)
    rank = int((sizes > IDLE_DIRECTION_RATIO * sizes[0]).sum())
    return np.asarray(vectors[:, rank:])
