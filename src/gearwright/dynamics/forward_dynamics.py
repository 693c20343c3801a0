"""Forward dynamics: accelerations for given forces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from gearwright.algebra import Scalar
from gearwright.dynamics.articulated import solve_by_links
from gearwright.dynamics.elimination import eliminated, solve, substituted
from gearwright.dynamics.inverse_dynamics import Wrenches, inverse_dynamics
from gearwright.dynamics.kinematics import AT_REST, BaseMotion
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose


def bias(pose: Pose, v: Sequence[Scalar], wrenches: Wrenches | None = None, base: BaseMotion = AT_REST) -> list[Scalar]:
    """C v + g + springs and dampers - J' wrenches: the forces that hold v constant."""
    return inverse_dynamics(pose, v, [0.0] * pose.mech.n, wrenches, base)


def forward_dynamics(
    pose: Pose,
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = AT_REST,
) -> list[Scalar]:
    """A of M a + bias = tau, link by link where that is cheaper, otherwise by elimination.

    The elimination goes in the order that the tree and the ratio rows ask for.
    """
    mech = pose.mech
    right = [force - known for force, known in zip(tau, bias(pose, v, wrenches, base), strict=True)]
    if mech.solved_by_links:
        return solve_by_links(pose, right)
    return solve(mass_matrix(pose), mech.couplings, mech.elimination, right)  # Vukobratovic (20.61)


def inertia_solver(pose: Pose) -> Callable[[Sequence[Scalar]], list[Scalar]]:
    """A function that gives x of M x = right, for as many right-hand sides as there are."""
    mech = pose.mech
    if mech.solved_by_links:
        return partial(solve_by_links, pose)
    return partial(substituted, eliminated(mass_matrix(pose), mech.couplings, mech.elimination))
