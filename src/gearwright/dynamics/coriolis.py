"""The Coriolis matrix by Christoffel symbols, without differentiation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import Rot, Scalar, Vec
from gearwright.dynamics.kinematics import BodyVelocity, body_velocities
from gearwright.dynamics.mass_matrix import Matrix, composite_moments
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import BASE, Spin, row_dot
from gearwright.mechanism.joints.dofs import Dof, later_angular_velocity


class Twist(NamedTuple):
    """Angular velocity, and velocity of the point at a frame's origin."""

    omega: Vec
    linear: Vec


class InertiaDrift(NamedTuple):
    """B = [[A, 0], [-S(f), 0]] acting on a twist [w; v]: moment A w, force -f x w.

    B = 1/2 (V x* I - I V x + bar(I V)) of a rigid body has this form, with f its linear momentum and
    A = 1/2 (S(w) I - I S(w) - S(I w)) - S(h) S(v).
    """

    A: Rot
    f: Vec

    def sum_with(self, other: InertiaDrift) -> InertiaDrift:
        """Return the sum of two bodies' drifts in one frame."""
        return InertiaDrift(self.A + other.A, self.f + other.f)

    def transformed_by(self, R: Rot, r: Vec) -> InertiaDrift:
        """Return the drift in the parent's frame."""
        f = R @ self.f
        return InertiaDrift(R.after(self.A).after(R.T) - Rot.cross_matrix(r).after(Rot.cross_matrix(f)), f)


def coriolis_matrix(pose: Pose, v: Sequence[Scalar]) -> Matrix:
    """C with C v the velocity forces and dM/dt - 2C skew: C = sum J'(I dJ + B J) over bodies, plus the spins' part."""
    C: Matrix = [[0.0] * pose.mech.n for _ in range(pose.mech.n)]
    _add_link_entries(pose, v, C)
    for spin in pose.mech.spins:
        if spin.carrier != BASE:  # Chen (19)-(20)
            add_spin(pose, spin, v, C)
    return C


def _add_link_entries(pose: Pose, v: Sequence[Scalar], C: Matrix) -> None:
    mech = pose.mech
    moving = body_velocities(pose, v)
    composite = dict(composite_moments(pose))
    drift = _composite_drifts(pose, moving)
    columns: list[list[tuple[Dof, Twist, Twist]]] = []
    for i, dofs in enumerate(pose.dofs):
        parent = mech.parent_of(i)
        inherited = (
            [(d, _twist_in_child(pose, i, S), _twist_in_child(pose, i, dS)) for d, S, dS in columns[parent]]
            if parent != BASE
            else []
        )
        own_columns = [(d, S := _unit_twist(d), _twist_rate(_axis_twist(moving[i], dofs, d, v), S)) for d in dofs]
        columns.append(inherited + own_columns)
        for dof, S, dS in own_columns:
            for other_dof, T, dT in inherited:
                _add_entry(C, dof, other_dof, S, composite[i].inertia_wrench(dT.omega, dT.linear), drift[i], T)
                _add_entry(C, other_dof, dof, T, composite[i].inertia_wrench(dS.omega, dS.linear), drift[i], S)
            for other_dof, T, dT in own_columns:
                _add_entry(C, dof, other_dof, S, composite[i].inertia_wrench(dT.omega, dT.linear), drift[i], T)


def _add_entry(
    C: Matrix, row: Dof, column: Dof, S: Twist, wrench: tuple[Vec, Vec], drift: InertiaDrift, T: Twist
) -> None:
    """C[row, column] += S . (I dT + B T)."""
    force, moment = wrench[0] - drift.f.cross(T.omega), wrench[1] + drift.A @ T.omega
    share = S.linear.dot(force) + S.omega.dot(moment)
    C[row.speed][column.speed] = C[row.speed][column.speed] + row.factor * column.factor * share


def _composite_drifts(pose: Pose, moving: Sequence[tuple[Vec, Vec]]) -> list[InertiaDrift]:
    mech = pose.mech
    total = []
    for i, body in enumerate(mech.bodies):
        w, linear = moving[i]
        tensor, h = body.about_origin.tensor, body.about_origin.moment
        f, _ = body.about_origin.inertia_wrench(w, linear)
        half = Rot.cross_matrix(w).after(tensor.full_matrix())
        A = (half + half.T - Rot.cross_matrix(tensor @ w)) * 0.5 - Rot.cross_matrix(h).after(Rot.cross_matrix(linear))
        total.append(InertiaDrift(A, f))
    for i in reversed(range(len(total))):
        parent = mech.parent_of(i)
        if parent != BASE:
            total[parent] = total[parent].sum_with(total[i].transformed_by(pose.turn[i], pose.shift[i]))
    return total


def _unit_twist(dof: Dof) -> Twist:
    zero = dof.axis * 0.0
    return Twist(dof.axis, zero) if dof.angular else Twist(zero, dof.axis)


def _axis_twist(body: BodyVelocity, dofs: Sequence[Dof], dof: Dof, v: Sequence[Scalar]) -> Twist:
    """Return the motion of the frame in which a dof's axis is fixed: the body, minus later stages of the joint."""
    later = later_angular_velocity(dofs, dof.stage, v)
    return Twist(body.omega if later is None else body.omega - later, body.linear)


def _twist_rate(V: Twist, S: Twist) -> Twist:
    """Return V x S, the rate of a twist fixed in a body that moves with V."""
    return Twist(V.omega.cross(S.omega), V.omega.cross(S.linear) + V.linear.cross(S.omega))


def _twist_in_child(pose: Pose, i: int, T: Twist) -> Twist:
    """Return a twist of the parent's frame in body i's frame."""
    back = pose.turn[i].T
    return Twist(back @ T.omega, back @ (T.linear + T.omega.cross(pose.shift[i])))


def add_spin(pose: Pose, spin: Spin, v: Sequence[Scalar], C: Matrix) -> None:
    """C_j = Jc/2 (b (P v)' + (N v) b' + s N), N_rk = e . (z_r x z_k) over the rotations on the carrier's path."""
    axes = _axes_on_path(pose, spin)
    half = 0.5 * spin.coupling_inertia
    rate = row_dot(spin.terms, v)
    for place_r, (joint_r, r, z_r) in enumerate(axes):
        Nv: Scalar = 0.0
        Pv: Scalar = 0.0
        for place_k, (joint_k, k, z_k) in enumerate(axes):
            if place_k == place_r:
                continue
            N = spin.axis.dot(z_r.cross(z_k)) * (r.factor * k.factor)
            C[r.speed][k.speed] = C[r.speed][k.speed] + half * rate * N
            Nv = Nv + N * v[k.speed]
            # P_rk = N taken from the inner to the outer rotation; within one stage of a joint it is -N.
            Pv = Pv + (N if joint_r < joint_k else -N) * v[k.speed]
        for index, b in spin.terms:
            C[index][r.speed] = C[index][r.speed] + half * b * Pv
            C[r.speed][index] = C[r.speed][index] + half * Nv * b


def _axes_on_path(pose: Pose, spin: Spin) -> list[tuple[tuple[int, int], Dof, Vec]]:
    """Return the rotations on the path from base to carrier: body and stage, dof, and axis in the carrier's axes."""
    mech = pose.mech
    axes: list[tuple[tuple[int, int], Dof, Vec]] = []
    turn: Rot | None = None
    for i in mech.body_paths[int(spin.carrier)]:
        for dof in pose.dofs[i]:
            if dof.angular:
                axes.append(((i, dof.stage), dof, dof.axis if turn is None else turn.T @ dof.axis))
        turn = pose.turn[i] if turn is None else pose.turn[i].after(turn)
    return axes
