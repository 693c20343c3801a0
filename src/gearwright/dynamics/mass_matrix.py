"""The mass matrix: composite bodies, plus what every spin adds."""

from __future__ import annotations

from gearwright.algebra import Moments, Scalar
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import Spin

Matrix = list[list[Scalar]]


def mass_matrix(pose: Pose) -> Matrix:
    """M = M_links + sum_j J b b' + Jc (b h' + h b'), h the axial rate of the carrier per unit speed."""
    M: Matrix = [[0.0] * pose.mech.n for _ in range(pose.mech.n)]
    _add_links(pose, M)
    for spin in pose.mech.spins:
        add_spin(pose, spin, M)
    return M


def composite_inertias(pose: Pose) -> list[Moments]:
    """Per body the inertia of itself and everything beyond it, in its own frame."""
    mech = pose.mech
    total = [Moments.of(body.about_origin) for body in mech.bodies]
    for i in reversed(range(len(total))):
        parent = mech.parent(i)
        if parent >= 0:
            total[parent] = total[parent] + total[i].moved(pose.turn[i], pose.shift[i])
    return total


def axial_rates(pose: Pose, spin: Spin) -> dict[int, Scalar]:
    """h: the rate of the spin's carrier about the spin's axis per unit of each speed, e . z_r along the path."""
    mech = pose.mech
    h: dict[int, Scalar] = {}
    if spin.carrier == -1:
        return h
    e = spin.axis
    for i in mech.paths[int(spin.carrier)]:
        for dof in mech.joints[i].dofs:
            if dof.angular:
                h[dof.speed] = h.get(dof.speed, 0.0) + dof.scaled(e.dot(dof.axis))
        e = pose.turn[i] @ e
    return h


def _add_links(pose: Pose, M: Matrix) -> None:
    """For every dof the wrench that accelerates the composite body beyond it, projected on the dofs of its path."""
    mech = pose.mech
    composite = composite_inertias(pose)
    for i, joint in enumerate(mech.joints):
        for column, dof in enumerate(joint.dofs):
            body = composite[i]
            if dof.angular:
                force, moment = dof.axis.cross(body.first), body.turned_by(dof.axis)
            else:
                force, moment = dof.axis * body.mass, body.first.cross(dof.axis)
            for k in mech.paths[i]:
                for row, other in enumerate(mech.joints[k].dofs):
                    if k == i and row < column:  # the pair was met already
                        continue
                    share = dof.scaled(other.scaled(other.axis.dot(moment if other.angular else force)))
                    same = k == i and row == column
                    _add_pair(M, dof.speed, other.speed, share, same)
                force, moment = pose.turn[k] @ force, pose.turn[k] @ moment
                moment = moment + pose.shift[k].cross(force)


def _add_pair(M: Matrix, i: int, j: int, share: Scalar, same: bool) -> None:
    """Add an entry and its mirror image; two dofs of one speed (a follower and its leader) count twice."""
    if same:
        M[i][i] = M[i][i] + share
    elif i == j:
        M[i][i] = M[i][i] + 2 * share
    else:
        M[i][j] = M[i][j] + share
        M[j][i] = M[i][j]


def add_spin(pose: Pose, spin: Spin, M: Matrix) -> None:
    """Add what one spin contributes, J b b' + Jc (b h' + h b')."""
    h = axial_rates(pose, spin)
    for i, b_i in spin.terms:
        for j, b_j in spin.terms:
            if j <= i:
                _add_symmetric(M, i, j, spin.inertia * b_i * b_j)
        for r, h_r in h.items():
            share = spin.coupled * b_i * h_r
            _add_symmetric(M, i, r, 2 * share if r == i else share)


def _add_symmetric(M: Matrix, i: int, j: int, share: Scalar) -> None:
    M[i][j] = M[i][j] + share
    if i != j:
        M[j][i] = M[i][j]
