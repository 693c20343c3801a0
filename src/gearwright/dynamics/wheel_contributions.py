"""Contributions of the wheels' rotation to the equations of motion (Chen and Wang, eqs 16 to 21)."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar
from gearwright.dynamics.coriolis import add_spin as add_to_coriolis
from gearwright.dynamics.mass_matrix import Matrix, axial_rates
from gearwright.dynamics.mass_matrix import add_spin as add_to_mass
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import BASE, Spin, row_dot


def wheel_mass_matrix(pose: Pose, spin: Spin) -> Matrix:
    """M_j/i = J b b' + Jc (b h' + h b'), the share of one wheel in the mass matrix."""
    M: Matrix = [[0.0] * pose.mech.n for _ in range(pose.mech.n)]
    add_to_mass(pose, spin, M)  # Chen (18), (31)-(32), (35), (39)
    return M


def wheel_coriolis(pose: Pose, spin: Spin) -> list[Matrix]:
    """C_j/i,r for every speed r: the symmetric matrices with v' C_j/i,r v the wheel's velocity force on r."""
    n = pose.mech.n
    by_speed: list[Matrix] = []
    for h in range(n):
        C: Matrix = [[0.0] * n for _ in range(n)]
        if spin.carrier != BASE:
            add_to_coriolis(pose, spin, [1.0 if k == h else 0.0 for k in range(n)], C)
        by_speed.append(C)
    # Chen (19)-(20), (33)-(34), (36)-(38), (40)-(42)
    return [[[by_speed[h][r][k] for k in range(n)] for h in range(n)] for r in range(n)]


def wheel_forces(pose: Pose, spin: Spin, v: Sequence[Scalar], a: Sequence[Scalar]) -> list[list[Scalar]]:
    """The wheel's share of every generalized force in three parts.

    Inertia J b (b . a), coupling with its carrier Jc (b (h . a) + h (b . a)), gyroscopic C_j v.
    """
    n, h = pose.mech.n, axial_rates(pose, spin)
    inertia, coupling = ([0.0] * n for _ in range(2))
    wheel_acceleration = row_dot(spin.terms, a)  # Chen (16)-(17)
    carrier_acceleration = row_dot(tuple(h.items()), a)
    for index, b in spin.terms:
        inertia[index] = inertia[index] + spin.inertia * b * wheel_acceleration
        coupling[index] = coupling[index] + spin.coupling_inertia * b * carrier_acceleration
    for index, h_r in h.items():
        coupling[index] = coupling[index] + spin.coupling_inertia * h_r * wheel_acceleration
    C: Matrix = [[0.0] * n for _ in range(n)]
    if spin.carrier != BASE:
        add_to_coriolis(pose, spin, v, C)
    gyroscopic = [row_dot(tuple(enumerate(row)), v) for row in C]
    return [inertia, coupling, gyroscopic]
