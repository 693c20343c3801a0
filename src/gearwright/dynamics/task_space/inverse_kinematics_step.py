"""One step of inverse kinematics: damped least squares towards a pose, within the joint limits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gearwright.algebra import Operations, Rot, Scalar, Vec
from gearwright.algebra.quaternion import quaternion_logarithm
from gearwright.dynamics.configuration import integrate
from gearwright.dynamics.elimination import solve_by_elimination
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.dynamics.task_space.external_coordinates import BodyPlace, quaternion_from_rotation
from gearwright.dynamics.task_space.jacobian import jacobian
from gearwright.mechanism import Mechanism

MIN_IK_DAMPING = 1e-12
"""Lower bound of the damping, which is proportional to the squared error: full Newton steps near the goal."""
MAX_IK_STEP = 0.5
"""Largest change of a coordinate in one step [rad, m], within the validity of the linearisation."""


class PoseTarget(NamedTuple):
    """The target pose, weights and limits of a step.

    Args:
        rotation: target rotation of the frame.
        position: target position of the frame.
        task: six weights of the error: x, y, z, then about x, y, z of the world; zero: free.
        mobility: weight of each speed; zero: fixed.
        lower: lower limit of the coordinate per speed.
        upper: upper limit of the coordinate per speed.
        damping: factor c of the squared error.
    """

    rotation: Rot
    position: Vec
    task: Sequence[Scalar]
    mobility: Sequence[Scalar]
    lower: Sequence[Scalar]
    upper: Sequence[Scalar]
    damping: Scalar


def pose_error(pose: Pose, ops: Operations, spot: BodyPlace, wish: PoseTarget) -> list[Scalar]:
    """Return the position error [m], then the rotation vector of the error [rad], world axes, weighted by the task."""
    R, p = spot.world_placement(pose)
    turn = quaternion_logarithm(quaternion_from_rotation(wish.rotation.after(R.T), ops), ops)
    return [weight * x for weight, x in zip(wish.task, [*(wish.position - p), *turn], strict=True)]


def inverse_kinematics_step(
    mech: Mechanism, ops: Operations, q: Sequence[Scalar], spot: BodyPlace, wish: PoseTarget
) -> list[Scalar]:
    """Return the next configuration (nq), and the squared errors of position and rotation at the current one (2).

        dq = W J' (J W J' + (c |e|^2 + 1e-12) 1)^-1 e

    A joint at a limit that the step would move outwards is excluded, and the other joints compensate.
    """
    pose = place_machine(mech, q, ops)
    error = pose_error(pose, ops, spot, wish)
    columns = _weighted_columns(pose, spot, wish.task)
    W = _free_mobilities(mech, ops, q, wish, {k: _dot_product(column, error) for k, column in columns.items()})
    size = _dot_product(error, error)
    A = [[_sum_terms(W[k] * (c[i] * c[j]) for k, c in columns.items()) for j in range(6)] for i in range(6)]
    for i in range(6):
        A[i][i] = A[i][i] + (wish.damping * size + MIN_IK_DAMPING)
    y = solve_by_elimination(A, [set(range(6)) - {i} for i in range(6)], range(6), error)
    change = {k: W[k] * _dot_product(column, y) for k, column in columns.items()}
    largest: Scalar = MAX_IK_STEP
    for x in change.values():
        largest = ops.maximum(largest, ops.absolute(x))
    change = {k: x * (MAX_IK_STEP / largest) for k, x in change.items()}
    next_configuration = _clip_to_limits(
        mech, ops, integrate(mech, q, [change.get(k, 0.0) for k in range(mech.n)], ops), wish, change
    )
    return [*next_configuration, _dot_product(error[:3], error[:3]), _dot_product(error[3:], error[3:])]


def _weighted_columns(pose: Pose, spot: BodyPlace, task: Sequence[Scalar]) -> dict[int, list[Scalar]]:
    """Return the columns of the weighted Jacobian for the speeds that move the frame."""
    J = jacobian(pose, spot.body, spot.position)
    moving = {dof.speed for i in pose.mech.body_paths[spot.body] for dof in pose.mech.joints[i].dofs}
    return {k: [weight * row[k] for weight, row in zip(task, J, strict=True)] for k in sorted(moving)}


def _free_mobilities(
    mech: Mechanism, ops: Operations, q: Sequence[Scalar], wish: PoseTarget, slope: dict[int, Scalar]
) -> dict[int, Scalar]:
    """Return the weights of the speeds, zero for joints that would exceed a limit."""
    mobilities = {}
    for k, push in slope.items():
        coordinate, free = mech.layout.coordinate_of[k], wish.mobility[k]
        if coordinate >= 0:
            free = ops.where(q[coordinate] >= wish.upper[k], ops.where(push > 0, 0.0, free), free)
            free = ops.where(q[coordinate] <= wish.lower[k], ops.where(push < 0, 0.0, free), free)
        mobilities[k] = free
    return mobilities


def _clip_to_limits(
    mech: Mechanism, ops: Operations, q: Sequence[Scalar], wish: PoseTarget, changes: dict[int, Scalar]
) -> list[Scalar]:
    clipped = list(q)
    for k in changes:
        coordinate = mech.layout.coordinate_of[k]
        if coordinate >= 0:
            clipped[coordinate] = ops.minimum(ops.maximum(clipped[coordinate], wish.lower[k]), wish.upper[k])
    return clipped


def _dot_product(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    return _sum_terms(a * b for a, b in zip(x, y, strict=True))


def _sum_terms(terms: Iterable[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total
