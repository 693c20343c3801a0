"""Machines with elastic drives: their stiffness, and the motor motion for a link motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.algebra.differentiation.dual_numbers import (
    DualOperations,
    series_from_coefficients,
    time_coefficient,
    time_derivative,
    time_derivatives,
    truncated_series,
)
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.dynamics.closed_loops.closed_dynamics import placed_machine
from gearwright.dynamics.closed_loops.embedding import LoopSolver
from gearwright.dynamics.elimination import solve_by_elimination
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import place_machine
from gearwright.mechanism import Mechanism

ACCELERATION_ORDER = 2
"""The highest derivative of a coordinate in the equations of motion."""


def first_shaft(mech: Mechanism) -> int:
    """Return the index of the first shaft among the speeds, after all joints; of closed loops, the independent ones."""
    return mech.n - len(mech.shafts)


LawForces: TypeAlias = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[Scalar]]
"""Series of all coordinates, and of the forces the machine requires -> additional generalized forces."""


class SpringMatrices(NamedTuple):
    """K_e and D_e (n x n) and preload (n) of the spring forces K_e q + D_e v - preload."""

    stiffness: Matrix
    damping: Matrix
    preload: list[Scalar]


def spring_matrices(mech: Mechanism) -> SpringMatrices:
    """K_e = sum k row row', D_e = sum d row row', preload = sum k rest row.

    With closed loops they are over the independent speeds, without the springs on dependent ones.
    """
    K: Matrix = [[0.0] * mech.n for _ in range(mech.n)]
    D: Matrix = [[0.0] * mech.n for _ in range(mech.n)]
    preload: list[Scalar] = [0.0] * mech.n
    place = {k: k for k in range(mech.n)}
    if mech.closure is not None:
        place = {speed: k for k, speed in enumerate(mech.closure.independent)}
    for spring in mech.springs:
        if not all(k in place for k, _ in spring.terms):
            continue
        terms = [(place[k], x) for k, x in spring.terms]
        for i, x in terms:
            preload[i] = preload[i] + spring.stiffness * spring.rest * x
            for j, y in terms:
                K[i][j] = K[i][j] + spring.stiffness * x * y
                D[i][j] = D[i][j] + spring.damping * x * y
    return SpringMatrices(K, D, preload)


def closed_series(mech: Mechanism, motion: Sequence[Scalar], near: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """Return the coordinates of the open tree as series of time, for those of the independent speeds.

    Newton's method over series: every step doubles the number of correct coefficients.

    Args:
        mech: a machine with closed loops; the speeds are the rates of its tree's coordinates.
        motion: series of the independent coordinates.
        near: the whole configuration at the start, which closes the loops.
        ops: operations on the series.
    """
    closure = mech.closure
    if closure is None:
        return list(motion)
    length = max((len(x.c) for x in motion if isinstance(x, Taylor)), default=1)
    independent = dict(zip(closure.independent, motion, strict=True))
    q = [independent.get(k, truncated_series(x, length)) for k, x in enumerate(near)]
    correct = 1
    while correct < length:
        step = LoopSolver(closure, closure.equations(place_machine(mech.tree, q, ops)), ops).closing_step()
        q = [x if is_zero(dx) else x + dx for x, dx in zip(q, step, strict=True)]
        correct *= 2
    return q


@dataclass(frozen=True)
class ShaftStep:
    """Shafts whose motion is determined simultaneously by equations without a motor.

    Args:
        equations: speeds whose equations of motion have no external force.
        shafts: the shafts that they determine through springs; as many as equations.
        order: the highest required derivative of the shafts' motion.
    """

    equations: tuple[int, ...]
    shafts: tuple[int, ...]
    order: int = ACCELERATION_ORDER


def solve_motion_series(
    mech: Mechanism,
    steps: Sequence[ShaftStep],
    derivatives: Sequence[Sequence[Scalar]],
    ops: Operations,
    spare: int = 0,
    law_forces: LawForces | None = None,
    near: Sequence[Scalar] = (),
) -> list[Scalar]:
    """Return the motion of the whole machine as series of time for a motion of its joints; see `motor_motion`.

    With closed loops it is that of the independent speeds; `near` is the whole configuration at the start.

    `law_forces` returns additional generalized forces (friction at joints behind springs, loop forces) from a motion
    and the forces it requires.
    """
    joints = first_shaft(mech)
    motion: list[Scalar] = [Taylor.of_derivatives([x[i] for x in derivatives]) for i in range(joints)]
    motion += [Taylor([0.0] * len(derivatives))] * (mech.n - joints)
    springs = spring_matrices(mech)
    for step in steps:
        length = step.order + spare + ACCELERATION_ORDER + 1
        truncated_motion = [truncated_series(x, length) for x in motion]
        needed_forces = force_series(mech, truncated_motion, DualOperations(TaylorOperations(ops)), near)
        acting_forces = [0.0] * mech.n if law_forces is None else law_forces(truncated_motion, needed_forces)
        force_deficits = [needed_forces[e] - acting_forces[e] for e in step.equations]
        powers = range(length - ACCELERATION_ORDER)
        shaft_coefficients = _shaft_coefficients(
            springs, step, [[time_coefficient(x, k) for k in powers] for x in force_deficits]
        )
        for shaft, *coefficients in zip(step.shafts, *shaft_coefficients, strict=True):
            motion[shaft] = truncated_series(series_from_coefficients(coefficients), len(derivatives))
    return motion


def motor_motion(
    mech: Mechanism,
    steps: Sequence[ShaftStep],
    derivatives: Sequence[Sequence[Scalar]],
    ops: Operations,
    spare: int = 0,
    near: Sequence[Scalar] = (),
) -> list[list[Scalar]]:
    """Return [q, v, a, tau] of the whole machine for a motion of its joints.

    With closed loops all are those of the independent speeds.

    An equation without a motor determines the deflection of the springs at its speed: K theta = -(M a + C v + g). The
    right-hand side may contain other shafts' accelerations, so it is evaluated with Taylor series of time, step by
    step. Dampers add D theta' on the left; the result is the motion after the decay of their transient.

    Args:
        mech: the machine.
        steps: equations and the shafts they determine, in an order in which each depends only on earlier ones.
        derivatives: the joints' coordinates, then their time derivatives.
        ops: sine and cosine of the scalars.
        spare: number of derivatives beyond those that the steps require; they reduce the error due to dampers.
        near: with closed loops, the whole configuration at the start, with any coordinates of the shafts.
    """
    motion = solve_motion_series(mech, steps, derivatives, ops, spare, near=near)
    q, v, a = (list(column) for column in zip(*(time_derivatives(x, 3) for x in motion), strict=True))
    short = [truncated_series(x, ACCELERATION_ORDER + 1) for x in motion]
    tau = (
        [time_coefficient(x, 0) for x in force_series(mech, short, DualOperations(TaylorOperations(ops)), near)]
        if mech.closure is not None
        else inverse_dynamics(place_machine(mech, q, ops), v, a)
    )
    for equation in (k for step in steps for k in step.equations):
        tau[equation] = 0.0  # the residual of a solved equation is rounding
    return [q, v, a, tau]


def force_series(
    mech: Mechanism, motion: Sequence[Scalar], ops: Operations, near: Sequence[Scalar] = ()
) -> list[Scalar]:
    """Return the forces of a motion as series."""
    q = closed_series(mech, motion, near, ops)
    rates = [time_derivative(x) for x in q]
    pose, speed_map = placed_machine(mech, q, ops)
    return list(speed_map.forces(inverse_dynamics(pose, rates, [time_derivative(x) for x in rates])))


def _shaft_coefficients(
    springs: SpringMatrices, step: ShaftStep, force_deficits: Sequence[Sequence[Scalar]]
) -> list[list[Scalar]]:
    """Solve K theta + D theta' = -missing for the coefficients of theta, by power, for all shafts of a step.

    From the highest power down, K c_k = -missing_k - (k + 1) D c_{k+1}: the truncation error decreases with D/K at
    every power, and is zero without dampers.
    """
    K, D = ([[matrix[e][s] for s in step.shafts] for e in step.equations] for matrix in springs[:2])
    size = range(len(K))
    coefficients: list[list[Scalar]] = []
    above: list[Scalar] = [0.0 for _ in size]
    for k in reversed(range(len(force_deficits[0]))):
        pull = [sum((D[i][j] * above[j] for j in size if not is_zero(D[i][j])), 0.0) for i in size]
        above = _solve_stiffness(K, [-force_deficits[i][k] - (k + 1) * pull[i] for i in size])
        coefficients.append(above)
    return coefficients[::-1]


def _solve_stiffness(K: Matrix, right: Sequence[Scalar]) -> list[Scalar]:
    """Solve K x = right by K'K, for K that need not be symmetric."""
    if len(K) == 1:
        return [right[0] / K[0][0]]
    size = range(len(K))
    normal = [[sum(K[k][i] * K[k][j] for k in size) for j in size] for i in size]
    projected = [sum((right[k] * K[k][i] for k in size), 0.0) for i in size]
    return solve_by_elimination(normal, [frozenset(size) - {i} for i in size], list(size), projected)
