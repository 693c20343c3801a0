"""Forward dynamics: accelerations for given forces, by articulated bodies extended by wheels, or by elimination.

Featherstone's articulated bodies take steps proportional to the number of links: a link with everything beyond it
answers an acceleration A of its frame with the wrench I A + p, where all joints beyond are free to move. A joint with
speeds a, motion axes S, and wheels (inertia J, coupling Jc, rate b . a, axis e) that its own link or its parent carries
adds to Gauss' function

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
from gearwright.dynamics.elimination import eliminated, solve, substituted
from gearwright.dynamics.inverse_dynamics import Wrenches, inverse_dynamics
from gearwright.dynamics.kinematics import AT_REST, BaseMotion
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import BASE
from gearwright.mechanism.articulation import Node

# Articulated bodies


class Spatial:
    """An angular and a linear vector: an acceleration of a frame, or a moment about its origin and a force."""

    __slots__ = ("angular", "linear")

    def __init__(self, angular: Vec, linear: Vec) -> None:
        self.angular, self.linear = angular, linear

    def __add__(self, other: Spatial) -> Spatial:
        return Spatial(self.angular + other.angular, self.linear + other.linear)

    def __sub__(self, other: Spatial) -> Spatial:
        return Spatial(self.angular - other.angular, self.linear - other.linear)

    def __mul__(self, factor: Scalar) -> Spatial:
        return Spatial(self.angular * factor, self.linear * factor)

    def dot(self, other: Spatial) -> Scalar:
        """The power of a wrench on a motion, per unit of each."""
        return self.angular.dot(other.angular) + self.linear.dot(other.linear)


NO_MOTION = Spatial(ZERO, ZERO)


class ArticulatedInertia:
    """Moment N alpha + H a and force H' alpha + M a of a frame that accelerates with alpha and a: 21 scalars."""

    __slots__ = ("H", "M", "N")

    def __init__(self, N: Tensor, H: Rot, M: Tensor) -> None:
        self.N, self.H, self.M = N, H, M

    @staticmethod
    def of(inertia: Inertia) -> ArticulatedInertia:
        """Of a rigid body."""
        m = inertia.mass
        return ArticulatedInertia(inertia.tensor, Rot.cross(inertia.moment), Tensor.diagonal(m, m, m))

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.N + other.N, self.H + other.H, self.M + other.M)

    def __matmul__(self, A: Spatial) -> Spatial:
        return Spatial(self.N @ A.angular + self.H @ A.linear, self.H.T @ A.angular + self.M @ A.linear)

    def less(self, U: Spatial, inverse: Scalar) -> ArticulatedInertia:
        """Without what gives way, U U' / D."""
        n, f, s = U.angular, U.linear, U.angular * inverse
        H = Rot(f * s.x, f * s.y, f * s.z)
        return ArticulatedInertia(self.N - Tensor.dyad(n, inverse), self.H - H, self.M - Tensor.dyad(f, inverse))

    def moved(self, R: Rot, r: Vec) -> ArticulatedInertia:
        """The same in a frame in which its own lies turned by R at r: K = H + r x M, N + r x K' + (r x H')'."""
        M = self.M.rotated(R)
        H = R.after(R.after(self.H).T).T
        m = M.matrix()
        K = H + Rot(r.cross(m.a), r.cross(m.b), r.cross(m.c)).T
        x, y, z = r.cross(K.a), r.cross(K.b), r.cross(K.c)
        u, v, w = r.cross(H.a), r.cross(H.b), r.cross(H.c)
        more = Tensor(x.x + u.x, y.x + u.y, z.x + u.z, y.y + v.y, z.y + v.z, z.z + w.z)
        return ArticulatedInertia(self.N.rotated(R) + more, K, M)


class Eliminated(NamedTuple):
    """One speed after elimination: a = (right - U . A - sum of row times the accelerations eliminated later) / D."""

    speed: int
    motion: Spatial
    U: Spatial
    right: Scalar
    row: dict[int, Scalar]
    inverse: Scalar


class Joint(NamedTuple):
    """The equations of a node before elimination, per speed: axis S, coupling U, right-hand side; and D."""

    motions: dict[int, Spatial]
    U: dict[int, Spatial]
    right: dict[int, Scalar]
    D: dict[tuple[int, int], Scalar]


def solve_by_links(pose: Pose, right: Sequence[Scalar]) -> list[Scalar]:
    """The accelerations a of M a = `right`; the machine has an `articulation`."""
    mech = pose.mech
    nodes = mech.articulation or ()
    inertias = [ArticulatedInertia.of(body.about_origin) for body in mech.bodies]
    pushes = [NO_MOTION] * len(inertias)
    solved: list[list[Eliminated]] = []
    for node in reversed(nodes):
        inertia, push = (None, NO_MOTION) if node.body is None else (inertias[node.body], pushes[node.body])
        joint = _joint(pose, node, inertia, push, right)
        known = _eliminated(joint, node.speeds)
        solved.append(known)
        if node.host == BASE:
            continue
        rest, push = _giving_way(inertia, push, known)
        if node.body is not None:
            rest, push = rest.moved(pose.turn[node.body], pose.shift[node.body]), _moved(pose, node.body, push)
        inertias[node.host], pushes[node.host] = inertias[node.host] + rest, pushes[node.host] + push
    return _accelerations(pose, nodes, solved[::-1])


def _joint(pose: Pose, node: Node, inertia: ArticulatedInertia | None, push: Spatial, right: Sequence[Scalar]) -> Joint:
    """The equations of the node's speeds."""
    motions = _motions(pose, node)
    U = {k: NO_MOTION if inertia is None else inertia @ S for k, S in motions.items()}
    on_host = dict.fromkeys(node.speeds, ZERO)
    D: dict[tuple[int, int], Scalar] = {}
    for spin in node.spins:
        for k, b in spin.terms:
            if spin.carrier == BASE:
                continue
            moment = spin.axis * (spin.coupled * b)
            if spin.carrier == node.body:
                U[k] = Spatial(U[k].angular + moment, U[k].linear)
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
        turned = moment if node.body is None else pose.turn[node.body].T @ moment
        U[k] = Spatial(U[k].angular + turned, U[k].linear)
    return Joint(motions, U, {k: right[k] - S.dot(push) for k, S in motions.items()}, D)


def _motions(pose: Pose, node: Node) -> dict[int, Spatial]:
    """Per speed how it moves the body on its parent, body axes; a shaft moves none."""
    motions = dict.fromkeys(node.speeds, NO_MOTION)
    for dof in () if node.body is None else pose.dofs[node.body]:
        axis = dof.axis * dof.scaled(1.0)
        motions[dof.speed] = motions[dof.speed] + (Spatial(axis, ZERO) if dof.angular else Spatial(ZERO, axis))
    return motions


def _eliminated(joint: Joint, speeds: Sequence[int]) -> list[Eliminated]:
    """The node's speeds one after the other, each taken out of the equations of those that follow."""
    known = []
    U, right, D = dict(joint.U), dict(joint.right), dict(joint.D)
    for place, k in enumerate(speeds):
        inverse, later = 1 / D[k, k], [j for j in speeds[place + 1 :] if (k, j) in D]
        known.append(Eliminated(k, joint.motions[k], U[k], right[k], {j: D[k, j] for j in later}, inverse))
        for j in later:
            factor = D[k, j] * inverse
            U[j], right[j] = U[j] - U[k] * factor, right[j] - right[k] * factor
            for i in later:
                D[j, i] = D.get((j, i), 0.0) - factor * D[k, i]
    return known


def _giving_way(
    inertia: ArticulatedInertia | None, push: Spatial, known: Sequence[Eliminated]
) -> tuple[ArticulatedInertia, Spatial]:
    """What the host feels of the node, in the node's frame: I' and p'."""
    rest = ArticulatedInertia(Tensor.diagonal(0.0, 0.0, 0.0), Rot.cross(ZERO), Tensor.diagonal(0.0, 0.0, 0.0))
    rest = rest if inertia is None else inertia
    for one in known:
        rest, push = rest.less(one.U, one.inverse), push + one.U * (one.right * one.inverse)
    return rest, push


def _moved(pose: Pose, i: int, wrench: Spatial) -> Spatial:
    """A wrench on body i about its parent's origin, parent's axes."""
    force = pose.turn[i] @ wrench.linear
    return Spatial(pose.turn[i] @ wrench.angular + pose.shift[i].cross(force), force)


def _accelerations(pose: Pose, nodes: Sequence[Node], solved: Sequence[Sequence[Eliminated]]) -> list[Scalar]:
    """Back from the base: what every node answers to the acceleration of its host."""
    a: list[Scalar] = [0.0] * pose.mech.n
    moving = [NO_MOTION] * (len(pose.mech.bodies) + 1)
    for node, known in zip(nodes, solved, strict=True):
        A = moving[node.host]
        if node.body is not None and node.host != BASE:
            back, r = pose.turn[node.body].T, pose.shift[node.body]
            A = Spatial(back @ A.angular, back @ (A.linear + A.angular.cross(r)))
        for one in reversed(known):
            left = one.right if node.host == BASE else one.right - one.U.dot(A)
            for j, factor in one.row.items():
                left = left - factor * a[j]
            a[one.speed] = left * one.inverse
        if node.body is not None:
            for one in known:
                A = A + one.motion * a[one.speed]
            moving[node.body] = A
    return a


# Accelerations


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
