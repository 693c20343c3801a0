"""Forward dynamics: accelerations for given forces, by articulated bodies extended by wheels, or by elimination.

Featherstone's articulated-body algorithm takes a number of steps proportional to the number of links: an acceleration A
of a link's frame requires the wrench I A + p on the link with all bodies beyond it, whose joints are free. A joint with
speeds a, motion axes S, and wheels (inertia J, coupling Jc, rate b . a, axis e) on its own link or its parent adds to
Gauss' function

    1/2 (A + S a)' I (A + S a) + p . (A + S a) + sum 1/2 J (b . a)^2 + Jc (b . a) e . alpha_carrier - right . a,

so that, with V = I S + Jc e b' of the wheels on the link and U = V + Jc e b' of those on the parent,

    D = S' V + J b b' + Jc b (e . S)'        of the wheels on the link,
    a = D^-1 (right - S' p - U' A),    I' = I - U D^-1 U',    p' = p + U D^-1 (right - S' p).

A rotor that the parent carries couples a to A by U only. A shaft alone is a joint without a link, S = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from gearwright.algebra import ZERO, Inertia, Rot, Scalar, Tensor, Vec
from gearwright.dynamics.elimination import factorise_symmetric, solve_by_elimination, solve_factorised
from gearwright.dynamics.inverse_dynamics import Wrenches, inverse_dynamics
from gearwright.dynamics.kinematics import BASE_AT_REST, BaseMotion
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import BASE
from gearwright.mechanism.articulation import ArticulationNode

# Articulated bodies


class SpatialVector:
    """An angular and a linear vector: an acceleration of a frame, or a moment about its origin and a force."""

    __slots__ = ("angular", "linear")

    def __init__(self, angular: Vec, linear: Vec) -> None:
        self.angular, self.linear = angular, linear

    def __add__(self, other: SpatialVector) -> SpatialVector:
        return SpatialVector(self.angular + other.angular, self.linear + other.linear)

    def __sub__(self, other: SpatialVector) -> SpatialVector:
        return SpatialVector(self.angular - other.angular, self.linear - other.linear)

    def __mul__(self, factor: Scalar) -> SpatialVector:
        return SpatialVector(self.angular * factor, self.linear * factor)

    def dot(self, other: SpatialVector) -> Scalar:
        """Return the power of a wrench on a motion."""
        return self.angular.dot(other.angular) + self.linear.dot(other.linear)


NO_MOTION = SpatialVector(ZERO, ZERO)


class ArticulatedInertia:
    """Moment N alpha + H a and force H' alpha + M a of a frame that accelerates with alpha and a: 21 scalars."""

    __slots__ = ("H", "M", "N")

    def __init__(self, N: Tensor, H: Rot, M: Tensor) -> None:
        self.N, self.H, self.M = N, H, M

    @staticmethod
    def from_inertia(inertia: Inertia) -> ArticulatedInertia:
        """Return the articulated inertia of a rigid body."""
        m = inertia.mass
        return ArticulatedInertia(inertia.tensor, Rot.cross_matrix(inertia.moment), Tensor.diagonal(m, m, m))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.N + other.N, self.H + other.H, self.M + other.M)

    def __matmul__(self, A: SpatialVector) -> SpatialVector:
        return SpatialVector(self.N @ A.angular + self.H @ A.linear, self.H.T @ A.angular + self.M @ A.linear)

    def minus_dyad(self, U: SpatialVector, inverse: Scalar) -> ArticulatedInertia:
        """Return the inertia reduced by the free motion of a joint, U U' / D."""
        n, f, s = U.angular, U.linear, U.angular * inverse
        H = Rot(f * s.x, f * s.y, f * s.z)
        return ArticulatedInertia(self.N - Tensor.dyad(n, inverse), self.H - H, self.M - Tensor.dyad(f, inverse))

    def transformed_by(self, R: Rot, r: Vec) -> ArticulatedInertia:
        """Return it in a frame in which its own has rotation R and origin r: K = H + r x M, N + r x K' + (r x H')'."""
        M = self.M.rotated_by(R)
        H = R.after(R.after(self.H).T).T
        m = M.full_matrix()
        K = H + Rot(r.cross(m.a), r.cross(m.b), r.cross(m.c)).T
        x, y, z = r.cross(K.a), r.cross(K.b), r.cross(K.c)
        u, v, w = r.cross(H.a), r.cross(H.b), r.cross(H.c)
        shift_terms = Tensor(x.x + u.x, y.x + u.y, z.x + u.z, y.y + v.y, z.y + v.z, z.z + w.z)
        return ArticulatedInertia(self.N.rotated_by(R) + shift_terms, K, M)


class EliminatedSpeed(NamedTuple):
    """One speed after elimination: a = (right - U . A - sum of row times the accelerations eliminated later) / D."""

    speed: int
    motion: SpatialVector
    U: SpatialVector
    right: Scalar
    row: dict[int, Scalar]
    inverse: Scalar


class JointEquations(NamedTuple):
    """The equations of a node before elimination, per speed: axis S, coupling U, right-hand side; and D."""

    motions: dict[int, SpatialVector]
    U: dict[int, SpatialVector]
    right: dict[int, Scalar]
    D: dict[tuple[int, int], Scalar]


def solve_by_links(pose: Pose, right: Sequence[Scalar]) -> list[Scalar]:
    """Solve M a = `right` for the accelerations of a machine with an `articulation`."""
    mech = pose.mech
    nodes = mech.articulation or ()
    inertias = [ArticulatedInertia.from_inertia(body.about_origin) for body in mech.bodies]
    pushes = [NO_MOTION] * len(inertias)
    eliminated_nodes: list[list[EliminatedSpeed]] = []
    for node in reversed(nodes):
        inertia, push = (None, NO_MOTION) if node.body is None else (inertias[node.body], pushes[node.body])
        joint = _joint_equations(pose, node, inertia, push, right)
        eliminated_speeds = _eliminate_speeds(joint, node.speeds)
        eliminated_nodes.append(eliminated_speeds)
        if node.host == BASE:
            continue
        apparent_inertia, push = _apparent_inertia_and_push(inertia, push, eliminated_speeds)
        if node.body is not None:
            apparent_inertia, push = (
                apparent_inertia.transformed_by(pose.turn[node.body], pose.shift[node.body]),
                _wrench_on_parent(pose, node.body, push),
            )
        inertias[node.host], pushes[node.host] = inertias[node.host] + apparent_inertia, pushes[node.host] + push
    return _solve_accelerations(pose, nodes, eliminated_nodes[::-1])


def _joint_equations(
    pose: Pose, node: ArticulationNode, inertia: ArticulatedInertia | None, push: SpatialVector, right: Sequence[Scalar]
) -> JointEquations:
    """Return the equations of the node's speeds."""
    motions = _speed_motions(pose, node)
    U = {k: NO_MOTION if inertia is None else inertia @ S for k, S in motions.items()}
    on_host = dict.fromkeys(node.speeds, ZERO)
    D: dict[tuple[int, int], Scalar] = {}
    for spin in node.spins:
        for k, b in spin.terms:
            if spin.carrier == BASE:
                continue
            moment = spin.axis * (spin.coupling_inertia * b)
            if spin.carrier == node.body:
                U[k] = SpatialVector(U[k].angular + moment, U[k].linear)
                for j, S in motions.items():
                    D[k, j] = D.get((k, j), 0.0) + moment.dot(S.angular)
            else:
                on_host[k] = on_host[k] + moment
        for k, b_k in spin.terms:
            for j, b_j in spin.terms:
                D[k, j] = D.get((k, j), 0.0) + spin.inertia * b_k * b_j
    for k, S in motions.items():
        for j in motions:
            D[k, j] = D.get((k, j), 0.0) + S.dot(U[j])
    for k, moment in on_host.items():
        moment_on_body = moment if node.body is None else pose.turn[node.body].T @ moment
        U[k] = SpatialVector(U[k].angular + moment_on_body, U[k].linear)
    return JointEquations(motions, U, {k: right[k] - S.dot(push) for k, S in motions.items()}, D)


def _speed_motions(pose: Pose, node: ArticulationNode) -> dict[int, SpatialVector]:
    """Return per speed the motion of the body relative to its parent, body axes; shafts have none."""
    motions = dict.fromkeys(node.speeds, NO_MOTION)
    for dof in () if node.body is None else pose.dofs[node.body]:
        axis = dof.axis * dof.times_factor(1.0)
        motions[dof.speed] = motions[dof.speed] + (
            SpatialVector(axis, ZERO) if dof.angular else SpatialVector(ZERO, axis)
        )
    return motions


def _eliminate_speeds(joint: JointEquations, speeds: Sequence[int]) -> list[EliminatedSpeed]:
    """Eliminate the node's speeds in sequence, each from the equations of the following ones."""
    eliminated_speeds = []
    U, right, D = dict(joint.U), dict(joint.right), dict(joint.D)
    for place, k in enumerate(speeds):
        inverse, later = 1 / D[k, k], [j for j in speeds[place + 1 :] if (k, j) in D]
        eliminated_speeds.append(
            EliminatedSpeed(k, joint.motions[k], U[k], right[k], {j: D[k, j] for j in later}, inverse)
        )
        for j in later:
            factor = D[k, j] * inverse
            U[j], right[j] = U[j] - U[k] * factor, right[j] - right[k] * factor
            for i in later:
                D[j, i] = D.get((j, i), 0.0) - factor * D[k, i]
    return eliminated_speeds


def _apparent_inertia_and_push(
    inertia: ArticulatedInertia | None, push: SpatialVector, eliminated_speeds: Sequence[EliminatedSpeed]
) -> tuple[ArticulatedInertia, SpatialVector]:
    """Return the articulated inertia I' and bias wrench p' of the node on its host, in the node's frame."""
    apparent_inertia = ArticulatedInertia(
        Tensor.diagonal(0.0, 0.0, 0.0), Rot.cross_matrix(ZERO), Tensor.diagonal(0.0, 0.0, 0.0)
    )
    apparent_inertia = apparent_inertia if inertia is None else inertia
    for eliminated_speed in eliminated_speeds:
        apparent_inertia, push = (
            apparent_inertia.minus_dyad(eliminated_speed.U, eliminated_speed.inverse),
            push + eliminated_speed.U * (eliminated_speed.right * eliminated_speed.inverse),
        )
    return apparent_inertia, push


def _wrench_on_parent(pose: Pose, i: int, wrench: SpatialVector) -> SpatialVector:
    """Return a wrench on body i about its parent's origin, parent's axes."""
    force = pose.turn[i] @ wrench.linear
    return SpatialVector(pose.turn[i] @ wrench.angular + pose.shift[i].cross(force), force)


def _solve_accelerations(
    pose: Pose, nodes: Sequence[ArticulationNode], eliminated_nodes: Sequence[Sequence[EliminatedSpeed]]
) -> list[Scalar]:
    """Return the accelerations of all nodes in the outward pass, from those of their hosts."""
    a: list[Scalar] = [0.0] * pose.mech.n
    moving = [NO_MOTION] * (len(pose.mech.bodies) + 1)
    for node, eliminated_speeds in zip(nodes, eliminated_nodes, strict=True):
        A = moving[node.host]
        if node.body is not None and node.host != BASE:
            back, r = pose.turn[node.body].T, pose.shift[node.body]
            A = SpatialVector(back @ A.angular, back @ (A.linear + A.angular.cross(r)))
        for eliminated_speed in reversed(eliminated_speeds):
            left = eliminated_speed.right if node.host == BASE else eliminated_speed.right - eliminated_speed.U.dot(A)
            for j, factor in eliminated_speed.row.items():
                left = left - factor * a[j]
            a[eliminated_speed.speed] = left * eliminated_speed.inverse
        if node.body is not None:
            for eliminated_speed in eliminated_speeds:
                A = A + eliminated_speed.motion * a[eliminated_speed.speed]
            moving[node.body] = A
    return a


# Accelerations


def bias(
    pose: Pose, v: Sequence[Scalar], wrenches: Wrenches | None = None, base: BaseMotion = BASE_AT_REST
) -> list[Scalar]:
    """Return C v + g + springs and dampers - J' wrenches: the generalized forces at zero acceleration."""
    return inverse_dynamics(pose, v, [0.0] * pose.mech.n, wrenches, base)


def forward_dynamics(
    pose: Pose,
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = BASE_AT_REST,
) -> list[Scalar]:
    """Solve M a + bias = tau for a, by articulated bodies where that is cheaper, otherwise by elimination.

    The order of elimination is chosen from the tree and the ratio rows.
    """
    mech = pose.mech
    right = [force - bias_force for force, bias_force in zip(tau, bias(pose, v, wrenches, base), strict=True)]
    if mech.solved_by_links:
        return solve_by_links(pose, right)
    return solve_by_elimination(
        mass_matrix(pose), mech.couplings, mech.elimination_order, right
    )  # Vukobratovic (20.61)


def inertia_solver(pose: Pose) -> Callable[[Sequence[Scalar]], list[Scalar]]:
    """Return a function that solves M x = right for any number of right-hand sides."""
    mech = pose.mech
    if mech.solved_by_links:
        return partial(solve_by_links, pose)
    return partial(solve_factorised, factorise_symmetric(mass_matrix(pose), mech.couplings, mech.elimination_order))
