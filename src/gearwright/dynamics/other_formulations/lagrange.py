"""The Lagrange form by Jacobians: an independent derivation of the same equations, for teaching and checks.

Sciavicco, Siciliano and Villani, eqs (14) to (19), with the wheels as spins. For joints and shafts whose speeds are the
rates of coordinates; quasi-velocities of free, spherical and planar joints have no Lagrange equations of this form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import ZERO, Scalar, Tensor, Vec
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.errors import JointError
from gearwright.mechanism import BASE, Mechanism, Spin


class LagrangeForm(NamedTuple):
    """B(q) qdd + H(q, qd) qd + g(q) = tau, without springs."""

    B: Matrix
    H: Matrix
    g: list[Scalar]


class EnergyTerm(NamedTuple):
    """One summand 1/2 x . (W x) of the kinetic energy: x = sum_r column_r qd_r, with dcolumn_r/dq_k beside it."""

    columns: dict[int, Vec]
    slopes: dict[tuple[int, int], Vec]
    weight: Tensor


def lagrange_form(pose: Pose, v: Sequence[Scalar]) -> LagrangeForm:
    """B = sum J' W J, h_ijk = db_ij/dq_k - 1/2 db_jk/dq_i made symmetric (Christoffel), g = dU/dq."""
    _refuse_quasi_velocities(pose.mech)
    n = pose.mech.n
    B: Matrix = [[0.0] * n for _ in range(n)]
    H: Matrix = [[0.0] * n for _ in range(n)]
    for term in _energy_terms(pose):
        _add_term_inertia(term, B)
        _add_christoffel(term, v, H)
    return LagrangeForm(B, H, _gravity_forces(pose))  # Sciavicco (3)-(4), (16), (19)


def _refuse_quasi_velocities(mech: Mechanism) -> None:
    for body in mech.bodies:
        if not body.kind.space.speeds_are_rates:
            raise JointError(
                f"body {body.name!r} has a {body.joint} joint: its speeds are not rates of coordinates, so it has no "
                "Lagrange equations of this form. Use inverse_dynamics or recursive_form."
            )


def _add_term_inertia(term: EnergyTerm, B: Matrix) -> None:
    for i, x in term.columns.items():
        weighted = term.weight @ x
        for j, y in term.columns.items():
            B[i][j] = B[i][j] + y.dot(weighted)  # Sciavicco (14)


def _add_christoffel(term: EnergyTerm, v: Sequence[Scalar], H: Matrix) -> None:
    """h_ij += 1/2 sum_k (db_ij/dq_k + db_ik/dq_j - db_jk/dq_i) qd_k, with b_ij = x_i . W x_j.

    W is constant in the axes in which the columns are given.
    """
    slope = {key: term.weight @ dx for key, dx in term.slopes.items()}

    def inertia_slope(i: int, j: int, k: int) -> Scalar:
        total: Scalar = 0.0
        if (i, k) in slope:
            total = total + slope[i, k].dot(term.columns[j])
        if (j, k) in slope:
            total = total + slope[j, k].dot(term.columns[i])
        return total

    for i in term.columns:
        for j in term.columns:
            for k in term.columns:
                H[i][j] = (
                    H[i][j] + 0.5 * (inertia_slope(i, j, k) + inertia_slope(i, k, j) - inertia_slope(j, k, i)) * v[k]
                )  # Sciavicco (17)


def _energy_terms(pose: Pose) -> list[EnergyTerm]:
    """Return translation and rotation of every link without its wheels, and the absolute axial rate of every wheel.

    T = 1/2 sum m |J_P qd|^2 + 1/2 sum (J_O qd) . I- (J_O qd) + 1/2 sum J (y . qd)^2, y = b + (Jc/J) h, where I- is the
    link's tensor minus (Jc^2/J) e e' of its wheels.
    """
    mech = pose.mech
    terms = []
    for i, body in enumerate(mech.bodies):
        tensor = body.inertia
        for spin in mech.spins_by_carrier[i]:
            tensor = tensor - Tensor.dyad(spin.axis, spin.coupling_inertia * spin.coupling_share)
        terms.append(_translation_term(pose, i, body.com, body.mass))
        columns, slopes = _rotation_columns(pose, i)
        terms.append(EnergyTerm(columns, slopes, tensor))
    return terms + [_wheel_term(pose, spin) for spin in mech.spins]


def _path_axes(pose: Pose, body: int) -> list[tuple[tuple[int, int], bool, int, Vec, Vec]]:
    """Return the joints from base to body: order (body, stage), is rotation, speed, axis and origin, world axes."""
    mech = pose.mech
    axes = []
    for i in reversed(mech.body_paths[body]):
        R, p = pose.world_placements[i]
        for dof in pose.dofs[i]:
            axes.append(((i, dof.stage), dof.angular, dof.speed, R @ (dof.axis * dof.factor), p))
    return axes


def _translation_term(pose: Pose, body: int, com: Vec, mass: Scalar) -> EnergyTerm:
    """J_P of the centre of mass in world axes, eqs (6), (7), with its derivatives."""
    R, p = pose.world_placements[body]
    point = R @ com + p
    columns: dict[int, Vec] = {}
    slopes: dict[tuple[int, int], Vec] = {}
    axes = _path_axes(pose, body)
    for i, turning, r, z, origin in axes:
        column = z.cross(point - origin) if turning else z
        columns[r] = columns.get(r, ZERO) + column
        for before, k_turning, k, z_k, origin_k in axes:
            # d2p/dq_r dq_k: the inner rotation rotates the outer column.
            inner_turns = k_turning if before <= i else turning
            if inner_turns:
                inner, outer = (z_k, column) if before <= i else (z, z_k.cross(point - origin_k) if k_turning else z_k)
                slopes[r, k] = slopes.get((r, k), ZERO) + inner.cross(outer)
    return EnergyTerm(columns, slopes, Tensor.diagonal(mass, mass, mass))


def _rotation_columns(pose: Pose, body: int) -> tuple[dict[int, Vec], dict[tuple[int, int], Vec]]:
    """Return J_O in body axes, in which the tensor is constant: d z_r/dq_k = z_r x z_k for k beyond r, else 0."""
    back = pose.world_placements[body][0].T
    axes = [(i, r, back @ z) for i, turning, r, z, _ in _path_axes(pose, body) if turning]
    columns: dict[int, Vec] = {}
    slopes: dict[tuple[int, int], Vec] = {}
    for i, r, z in axes:
        columns[r] = columns.get(r, ZERO) + z
        for beyond, k, z_k in axes:
            if beyond > i:
                slopes[r, k] = slopes.get((r, k), ZERO) + z.cross(z_k)
    return columns, slopes


def _wheel_term(pose: Pose, spin: Spin) -> EnergyTerm:
    """The absolute axial rate y . qd of a wheel as a vector along x: y = b + (Jc/J) h."""
    columns: dict[int, Vec] = {}
    slopes: dict[tuple[int, int], Vec] = {}
    share, x = spin.coupling_share, Vec(1.0, 0.0, 0.0)
    if spin.carrier != BASE:
        rotation_columns, rotation_slopes = _rotation_columns(pose, int(spin.carrier))
        columns = {r: x * (share * spin.axis.dot(z)) for r, z in rotation_columns.items()}
        slopes = {key: x * (share * spin.axis.dot(dz)) for key, dz in rotation_slopes.items()}
    for index, ratio in spin.terms:
        columns[index] = columns.get(index, ZERO) + x * ratio
    return EnergyTerm(columns, slopes, Tensor.diagonal(spin.inertia, spin.inertia, spin.inertia))


def _gravity_forces(pose: Pose) -> list[Scalar]:
    """g_i = - sum_j m_j g0 . J_P^(j)_i, eq. (18) corrected."""
    mech = pose.mech
    g: list[Scalar] = [0.0] * mech.n
    for i, body in enumerate(mech.bodies):
        for r, column in _translation_term(pose, i, body.com, body.mass).columns.items():
            g[r] = g[r] - body.mass * mech.gravity.dot(column)
    return g
