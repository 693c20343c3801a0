"""One step of inverse kinematics: damped least squares towards a pose, inside the limits of the joints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gearwright.algebra import Operations, Rot, Scalar, Vec
from gearwright.algebra.quaternion import logarithm
from gearwright.dynamics.configuration import integrate
from gearwright.dynamics.elimination import solve
from gearwright.dynamics.pose import Pose, place
from gearwright.dynamics.task_space.external_coordinates import Spot, quaternion_of
from gearwright.dynamics.task_space.jacobian import jacobian
from gearwright.mechanism import Mechanism

FLOOR = 1e-12
"""The damping is a share of the squared error, and at least so much: full Newton steps near the goal."""
STRIDE = 0.5
"""Largest change of a coordinate in one step [rad, m]: the Jacobian says little about more."""


class Wish(NamedTuple):
    """What is wanted of a step.

    Args:
        rotation: of the frame that is to be reached.
        position: of the frame.
        task: six weights of the error: x, y, z, then about x, y, z of the world; zero: free.
        mobility: per speed how willingly it moves; zero: held.
        lower: lowest coordinate per speed.
        upper: highest coordinate per speed.
        damping: share c of the squared error.
    """

    rotation: Rot
    position: Vec
    task: Sequence[Scalar]
    mobility: Sequence[Scalar]
    lower: Sequence[Scalar]
    upper: Sequence[Scalar]
    damping: Scalar


def pose_error(pose: Pose, ops: Operations, spot: Spot, wish: Wish) -> list[Scalar]:
    """Position still to go [m], then the rotation vector still to turn [rad], world axes, weighted by the task."""
    R, p = spot.placed(pose)
    turn = logarithm(quaternion_of(wish.rotation.after(R.T), ops), ops)
    return [weight * x for weight, x in zip(wish.task, [*(wish.position - p), *turn], strict=True)]


def reaching_step(mech: Mechanism, ops: Operations, q: Sequence[Scalar], spot: Spot, wish: Wish) -> list[Scalar]:
    """The next configuration (nq), and the squared errors of position and rotation at the present one (2).

        dq = W J' (J W J' + (c |e|^2 + 1e-12) 1)^-1 e

    A joint at a limit that the error pushes outwards is left out of the step, so that the others do its work.
    """
    pose = place(mech, q, ops)
    error = pose_error(pose, ops, spot, wish)
    columns = _columns(pose, spot, wish.task)
    W = _movable(mech, ops, q, wish, {k: _dot(column, error) for k, column in columns.items()})
    size = _dot(error, error)
    A = [[_total(W[k] * (c[i] * c[j]) for k, c in columns.items()) for j in range(6)] for i in range(6)]
    for i in range(6):
        A[i][i] = A[i][i] + (wish.damping * size + FLOOR)
    y = solve(A, [set(range(6)) - {i} for i in range(6)], range(6), error)
    change = {k: W[k] * _dot(column, y) for k, column in columns.items()}
    largest: Scalar = STRIDE
    for x in change.values():
        largest = ops.maximum(largest, ops.absolute(x))
    change = {k: x * (STRIDE / largest) for k, x in change.items()}
    there = _clipped(mech, ops, integrate(mech, q, [change.get(k, 0.0) for k in range(mech.n)], ops), wish, change)
    return [*there, _dot(error[:3], error[:3]), _dot(error[3:], error[3:])]


def _columns(pose: Pose, spot: Spot, task: Sequence[Scalar]) -> dict[int, list[Scalar]]:
    """The columns of the weighted Jacobian, of the speeds that move the frame."""
    J = jacobian(pose, spot.body, spot.position)
    moving = {dof.speed for i in pose.mech.paths[spot.body] for dof in pose.mech.joints[i].dofs}
    return {k: [weight * row[k] for weight, row in zip(task, J, strict=True)] for k in sorted(moving)}


def _movable(
    mech: Mechanism, ops: Operations, q: Sequence[Scalar], wish: Wish, slope: dict[int, Scalar]
) -> dict[int, Scalar]:
    """The mobilities, zero for joints that would be pushed through a limit."""
    found = {}
    for k, push in slope.items():
        where, free = mech.layout.coordinate_of[k], wish.mobility[k]
        if where >= 0:
            free = ops.where(q[where] >= wish.upper[k], ops.where(push > 0, 0.0, free), free)
            free = ops.where(q[where] <= wish.lower[k], ops.where(push < 0, 0.0, free), free)
        found[k] = free
    return found


def _clipped(
    mech: Mechanism, ops: Operations, q: Sequence[Scalar], wish: Wish, moved: dict[int, Scalar]
) -> list[Scalar]:
    out = list(q)
    for k in moved:
        where = mech.layout.coordinate_of[k]
        if where >= 0:
            out[where] = ops.minimum(ops.maximum(out[where], wish.lower[k]), wish.upper[k])
    return out


def _dot(x: Sequence[Scalar], y: Sequence[Scalar]) -> Scalar:
    return _total(a * b for a, b in zip(x, y, strict=True))


def _total(terms: Iterable[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for term in terms:
        total = total + term
    return total
