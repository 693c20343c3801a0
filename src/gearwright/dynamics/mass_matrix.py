"""The mass matrix by composite rigid bodies, plus the terms of the spins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gearwright.algebra import MassMoments, Scalar, Vec, is_number
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import BASE, Spin

Matrix = list[list[Scalar]]

CarrierMoments = dict[tuple[int, int], Vec]
"""A moment on the carrier by carrier and speed."""


def mass_matrix(pose: Pose) -> Matrix:
    """M = M_links + sum_j J b b' + Jc (b h' + h b'), h the axial rate of the carrier per unit speed."""
    M: Matrix = [[0.0] * pose.mech.n for _ in range(pose.mech.n)]
    left = wheel_moments(pose.mech.spins)
    _add_link_entries(pose, M, left)
    for place, push in left.items():
        _add_wheel_moment(pose, place, push, M)
    for spin in pose.mech.spins:
        _add_wheel_inertia(spin, M)
    return M


def wheel_moments(spins: Sequence[Spin]) -> CarrierMoments:
    """Return the moments of the wheels on their carriers per unit acceleration of each speed, Jc b e."""
    pushes: CarrierMoments = {}
    for spin in spins:
        for speed, ratio in spin.terms if spin.carrier != BASE else ():
            push = spin.axis * (spin.coupling_inertia * ratio)
            place = int(spin.carrier), speed
            pushes[place] = pushes[place] + push if place in pushes else push
    return pushes


def composite_moments(pose: Pose) -> Iterator[tuple[int, MassMoments]]:
    """Yield every body with the composite moments of itself and all bodies beyond it, from the leaves to the base."""
    mech = pose.mech
    total = [MassMoments.from_inertia(body.about_origin) for body in mech.bodies]
    for i in reversed(range(len(total))):
        yield i, total[i]
        parent = mech.parent_of(i)
        if parent != BASE:
            total[parent] = total[parent] + total[i].transformed_by(pose.turn[i], pose.shift[i])


def axial_rates(pose: Pose, spin: Spin) -> dict[int, Scalar]:
    """h: the rate of the spin's carrier about the spin's axis per unit of each speed, e . z_r along the path."""
    mech = pose.mech
    h: dict[int, Scalar] = {}
    e = spin.axis
    for i in mech.body_paths[int(spin.carrier)]:
        for dof in pose.dofs[i]:
            if dof.angular:
                h[dof.speed] = h.get(dof.speed, 0.0) + dof.times_factor(e.dot(dof.axis))  # Sciavicco (12), Chen (15)
        e = pose.turn[i] @ e
    return h


def _add_link_entries(pose: Pose, M: Matrix, pushes: CarrierMoments) -> None:
    """Add for every dof the wrench that accelerates the composite body beyond it, projected on the dofs of its path.

    Where the path reaches a carrier of wheels that the dof's speed drives, their moment is added and removed from the
    list.
    """
    mech = pose.mech
    for i, body in composite_moments(pose):
        for column, dof in enumerate(pose.dofs[i]):
            if dof.angular:
                force, moment = dof.axis.cross(body.first), body.angular_moment(dof.axis)
            else:
                force, moment = dof.axis * body.mass, body.first.cross(dof.axis)
            for k in mech.body_paths[i]:
                if k != i and is_number(dof.factor) and dof.factor == 1.0 and (k, dof.speed) in pushes:
                    moment = moment + pushes.pop((k, dof.speed))
                for row, path_dof in enumerate(pose.dofs[k]):
                    if k == i and row < column:  # the pair was already added
                        continue
                    share = dof.times_factor(
                        path_dof.times_factor(path_dof.axis.dot(moment if path_dof.angular else force))
                    )
                    same = k == i and row == column
                    # Sciavicco (13)-(14), Vukobratovic (20.21)-(20.22)
                    _add_pair(M, dof.speed, path_dof.speed, share, same)
                force, moment = pose.turn[k] @ force, pose.turn[k] @ moment
                moment = moment + pose.shift[k].cross(force)


def _add_pair(M: Matrix, i: int, j: int, share: Scalar, same: bool) -> None:
    """Add an entry and its transpose; two dofs of one speed (a mimic joint, a screw) count twice."""
    if same:
        M[i][i] = M[i][i] + share
    elif i == j:
        M[i][i] = M[i][i] + 2 * share
    else:
        M[i][j] = M[i][j] + share
        M[j][i] = M[i][j]


def add_spin(pose: Pose, spin: Spin, M: Matrix) -> None:
    """Add the contribution of one spin, J b b' + Jc (b h' + h b')."""
    for place, push in wheel_moments([spin]).items():
        _add_wheel_moment(pose, place, push, M)
    _add_wheel_inertia(spin, M)


def _add_wheel_moment(pose: Pose, place: tuple[int, int], push: Vec, M: Matrix) -> None:
    """Project the moment of a speed's wheels on the rotations of their carrier's path."""
    mech, (carrier, speed) = pose.mech, place
    for k in mech.body_paths[carrier]:
        for dof in pose.dofs[k]:
            if dof.angular:
                _add_pair(M, speed, dof.speed, dof.times_factor(dof.axis.dot(push)), same=False)
        push = pose.turn[k] @ push


def _add_wheel_inertia(spin: Spin, M: Matrix) -> None:
    for i, b_i in spin.terms:
        for j, b_j in spin.terms:
            if j <= i:
                _add_pair(M, i, j, spin.inertia * b_i * b_j, same=i == j)  # Chen (18), Sciavicco (14)
