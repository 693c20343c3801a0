"""Machines with elastic drives: their stiffness, and the motor motion behind a link motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.algebra.differentiation.dual_numbers import (
    VariedOperations,
    coefficient,
    cut,
    derivatives_of,
    rate_of,
    series_of,
)
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.dynamics.elimination import solve
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import place
from gearwright.mechanism import Mechanism

ACCELERATION = 2
"""The highest derivative of a coordinate in the equations of motion."""


def first_shaft(mech: Mechanism) -> int:
    """The index of the first shaft among the speeds; before it come the joints."""
    return mech.n - len(mech.shafts)


LawForces: TypeAlias = Callable[[Sequence[Scalar], Sequence[Scalar]], Sequence[Scalar]]
"""Series of all coordinates, and of what the machine itself needs -> generalized forces that act beside its own."""


class SpringMatrices(NamedTuple):
    """K_e and D_e (n x n) and preload (n): the springs push with K_e q + D_e v - preload."""

    stiffness: Matrix
    damping: Matrix
    preload: list[Scalar]


def spring_matrices(mech: Mechanism) -> SpringMatrices:
    """K_e = sum k row row', D_e = sum d row row', preload = sum k rest row."""
    K: Matrix = [[0.0] * mech.n for _ in range(mech.n)]
    D: Matrix = [[0.0] * mech.n for _ in range(mech.n)]
    preload: list[Scalar] = [0.0] * mech.n
    for spring in mech.springs:
        for i, x in spring.terms:
            preload[i] = preload[i] + spring.stiffness * spring.rest * x
            for j, y in spring.terms:
                K[i][j] = K[i][j] + spring.stiffness * x * y
                D[i][j] = D[i][j] + spring.damping * x * y
    return SpringMatrices(K, D, preload)


@dataclass(frozen=True)
class Step:
    """Shafts whose motion follows together from equations without a motor.

    Args:
        equations: speeds whose equations of motion hold without any outside force.
        shafts: the shafts that they decide, through springs alone; as many.
        order: the highest derivative of the shafts' motion that is asked for.
    """

    equations: tuple[int, ...]
    shafts: tuple[int, ...]
    order: int = ACCELERATION


def whole_series(
    mech: Mechanism,
    steps: Sequence[Step],
    derivatives: Sequence[Sequence[Scalar]],
    ops: Operations,
    spare: int = 0,
    law_forces: LawForces | None = None,
) -> list[Scalar]:
    """The motion of the whole machine as series of time, for a motion of its joints; arguments as of `motor_motion`.

    `law_forces` gives generalized forces beside the machine's own (friction at joints behind springs, forces that close
    loops) from a motion and what it needs.
    """
    joints = first_shaft(mech)
    motion: list[Scalar] = [Taylor.of_derivatives([x[i] for x in derivatives]) for i in range(joints)]
    motion += [Taylor([0.0] * len(derivatives))] * (mech.n - joints)
    springs = spring_matrices(mech)
    for step in steps:
        length = step.order + spare + ACCELERATION + 1
        so_far = [cut(x, length) for x in motion]
        missing = _forces(mech, so_far, VariedOperations(TaylorOperations(ops)))
        known = [0.0] * mech.n if law_forces is None else law_forces(so_far, missing)
        lacking = [missing[e] - known[e] for e in step.equations]
        powers = range(length - ACCELERATION)
        found = _stretched(springs, step, [[coefficient(x, k) for k in powers] for x in lacking])
        for shaft, *coefficients in zip(step.shafts, *found, strict=True):
            motion[shaft] = cut(series_of(coefficients), len(derivatives))
    return motion


def motor_motion(
    mech: Mechanism, steps: Sequence[Step], derivatives: Sequence[Sequence[Scalar]], ops: Operations, spare: int = 0
) -> list[list[Scalar]]:
    """[q, v, a, tau] of the whole machine for a motion of its joints.

    An equation without a motor says how far the springs at its speed must be stretched: K theta = -(M a + C v + g).
    What stands on the right may contain other shafts' accelerations, so it is run over Taylor series of time, step by
    step. Dampers add D theta' on the left: found is the motion that remains when their transient has died out.

    Args:
        mech: the machine.
        steps: which equations decide which shafts, in an order in which each needs only what is known.
        derivatives: the joints' coordinates, then their time derivatives.
        ops: sine and cosine of the scalars.
        spare: how many more derivatives came than the steps ask for; they make what dampers leave more exact.
    """
    motion = whole_series(mech, steps, derivatives, ops, spare)
    q, v, a = (list(column) for column in zip(*(derivatives_of(x, 3) for x in motion), strict=True))
    tau = inverse_dynamics(place(mech, q, ops), v, a)
    for equation in (k for step in steps for k in step.equations):
        tau[equation] = 0.0  # what is left of an equation that was solved is rounding
    return [q, v, a, tau]


def _forces(mech: Mechanism, motion: Sequence[Scalar], ops: Operations) -> list[Scalar]:
    """The forces of a motion as series."""
    rates = [rate_of(x) for x in motion]
    return inverse_dynamics(place(mech, motion, ops), rates, [rate_of(x) for x in rates])


def _stretched(springs: SpringMatrices, step: Step, missing: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Coefficients of theta, those of each power for all shafts of a step, from K theta + D theta' = -missing.

    From the highest power down, K c_k = -missing_k - (k + 1) D c_{k+1}: what is neglected above it shrinks with D/K at
    every power, and without dampers nothing is.
    """
    K, D = ([[matrix[e][s] for s in step.shafts] for e in step.equations] for matrix in springs[:2])
    size = range(len(K))
    found: list[list[Scalar]] = []
    above: list[Scalar] = [0.0 for _ in size]
    for k in reversed(range(len(missing[0]))):
        pull = [sum((D[i][j] * above[j] for j in size if not is_zero(D[i][j])), 0.0) for i in size]
        above = _solved(K, [-missing[i][k] - (k + 1) * pull[i] for i in size])
        found.append(above)
    return found[::-1]


def _solved(K: Matrix, right: Sequence[Scalar]) -> list[Scalar]:
    """X of K x = right; K need not be symmetric, K'K is."""
    if len(K) == 1:
        return [right[0] / K[0][0]]
    size = range(len(K))
    normal = [[sum(K[k][i] * K[k][j] for k in size) for j in size] for i in size]
    projected = [sum((right[k] * K[k][i] for k in size), 0.0) for i in size]
    return solve(normal, [frozenset(size) - {i} for i in size], list(size), projected)
