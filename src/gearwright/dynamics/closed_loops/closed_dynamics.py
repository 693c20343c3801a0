"""The dynamics of machines with closed loops in independent speeds, from that of the open tree and the embedding."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.dynamics.closed_loops.closing import row_rates
from gearwright.dynamics.closed_loops.embedding import Embedding, OpenTree
from gearwright.dynamics.elimination import solve_by_elimination
from gearwright.dynamics.forward_dynamics import forward_dynamics as tree_forward_dynamics
from gearwright.dynamics.inverse_dynamics import Wrenches, inverse_dynamics
from gearwright.dynamics.kinematics import BASE_AT_REST, BaseMotion
from gearwright.dynamics.mass_matrix import Matrix, mass_matrix
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.mechanism import Mechanism
from gearwright.mechanism.articulation import elimination_order

SpeedMap = Embedding | OpenTree
"""The map between the speeds of a machine and those of its tree."""

OPEN_TREE = OpenTree()


def placed_machine(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> tuple[Pose, SpeedMap]:
    """Return the pose of the tree of a machine, and the map between its independent and all speeds.

    The pose is that of the equivalent tree in other frames, if the machine has one; loops are in the original frames.
    """
    pose = place_machine(mech.tree, q, ops)
    if mech.closure is None:
        return pose, OPEN_TREE
    embedding, equivalent = mech.closure.at_pose(pose, ops), mech.closure.equivalent_tree
    return (pose if equivalent is None else equivalent.placed_at(q, ops)), embedding


def tree_speeds(mech: Mechanism, q: Sequence[Scalar], v: Sequence[Scalar], ops: Operations) -> Sequence[Scalar]:
    """Return all speeds, of which only the independent ones of v are used; without loops v itself."""
    if mech.closure is None:
        return v
    embedding = mech.closure.at_pose(place_machine(mech.tree, q, ops), ops)
    return embedding.speeds([v[k] for k in mech.closure.independent])


def bias(
    pose: Pose,
    speed_map: SpeedMap,
    v: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = BASE_AT_REST,
) -> Sequence[Scalar]:
    """Return the forces along the independent speeds at zero independent accelerations, for all speeds v."""
    a = speed_map.accelerations(v, [0.0] * pose.mech.n)
    return speed_map.forces(inverse_dynamics(pose, v, a, wrenches, base))


def forward_dynamics(
    pose: Pose,
    speed_map: SpeedMap,
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = BASE_AT_REST,
) -> list[Scalar]:
    """Solve (G' M G) a + bias = tau for the independent accelerations a."""
    if isinstance(speed_map, OpenTree):
        return tree_forward_dynamics(pose, v, tau, wrenches, base)
    right = [x - y for x, y in zip(tau, bias(pose, speed_map, speed_map.speeds(v), wrenches, base), strict=True)]
    M = speed_map.congruent(mass_matrix(pose))
    couplings = [{j for j, x in enumerate(row) if j != i and not is_zero(x)} for i, row in enumerate(M)]
    return solve_by_elimination(M, couplings, elimination_order(couplings), right)


def direction_rates(embedding: Embedding, v: Sequence[Scalar], ops: Operations) -> Matrix:
    """Return dG/dt (n, f) along a motion with all speeds v."""
    return embedding.direction_rates(row_rates(embedding.closure, embedding.pose, v, ops))


def coriolis_in_independent_speeds(
    pose: Pose, speed_map: SpeedMap, v: Sequence[Scalar], tree_matrix: Matrix, ops: Operations
) -> Matrix:
    """Return G'(C G + M dG/dt) for all speeds v: with it dM_i/dt - 2 C_i is skew if that of the tree is."""
    if isinstance(speed_map, OpenTree):
        return tree_matrix
    return speed_map.rows(_columns_with_rates(speed_map, v, tree_matrix, mass_matrix(pose), ops))


def jacobian_rate_in_independent_speeds(
    speed_map: SpeedMap, v: Sequence[Scalar], J: Matrix, J_rate: Matrix, ops: Operations
) -> Matrix:
    """Return dJ/dt G + J dG/dt of a Jacobian (rows, n) and its rate, for all speeds v."""
    if isinstance(speed_map, OpenTree):
        return J_rate
    return _columns_with_rates(speed_map, v, J_rate, J, ops)


def _columns_with_rates(
    embedding: Embedding, v: Sequence[Scalar], first: Matrix, second: Matrix, ops: Operations
) -> Matrix:
    """Return first G + second dG/dt."""
    rates, out = direction_rates(embedding, v, ops), embedding.columns(first)
    for row, entries in zip(out, second, strict=True):
        for rate_row, entry in zip(rates, entries, strict=True):
            for k, x in enumerate(rate_row):
                if not is_zero(entry) and not is_zero(x):
                    row[k] = row[k] + entry * x
    return out
