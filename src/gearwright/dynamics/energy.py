"""Energies, momentum and centre of mass of a machine, wheels included.

The energies are also given by link, wheel, coupling and spring, and as linear functions of the parameters (Sciavicco,
Siciliano and Villani, eqs (23), (24) and (30)).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.dynamics.kinematics import body_velocities
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import spring_deflection
from gearwright.mechanism import Spin, row_dot


def kinetic_energy(pose: Pose, v: Sequence[Scalar]) -> Scalar:
    """T = sum of the bodies' energies + sum 1/2 J s^2 + Jc s (e . w)."""
    mech = pose.mech
    moving = body_velocities(pose, v)
    total: Scalar = 0.0
    for body, (w, linear) in zip(mech.bodies, moving, strict=False):
        momentum, angular = body.about_origin.inertia_wrench(w, linear)
        total = total + 0.5 * (linear.dot(momentum) + w.dot(angular))  # Sciavicco (5), (13), Melhem (2)-(3)
    for spin in mech.spins:
        rate = row_dot(spin.terms, v)  # Sciavicco (1)-(2), Chen (11), Fernini (11)-(15)
        spin_energy, coupling_energy = wheel_energies(spin, rate, moving[int(spin.carrier)].omega)
        total = total + spin_energy + coupling_energy
    return total


def wheel_energies(spin: Spin, rate: Scalar, omega: Vec) -> tuple[Scalar, Scalar]:
    """Return the energy of a wheel's rotation: 1/2 J s^2 relative to its carrier, and the coupling Jc s (e . w).

    The last two terms of eq. (23) of Sciavicco, Siciliano and Villani; (14) of Chen and Wang; (57) of Fernini.
    """
    # Sciavicco (9), (23), Chen (14), Fernini (26), (31), (36), (57)
    return 0.5 * spin.inertia * rate * rate, spin.coupling_inertia * rate * omega.dot(spin.axis)


def potential_energy(pose: Pose) -> Scalar:
    """V = - sum m g . c (zero at the base origin) + sum 1/2 k (row . q - rest)^2."""
    total = -(pose.mech.gravity.dot(first_moment(pose)))  # Sciavicco (15), Melhem (18)-(20), (24)-(25)
    for spring in pose.mech.springs:
        length = spring_deflection(pose, spring)
        total = total + 0.5 * spring.stiffness * length * length  # Melhem (22)
    return total


def first_moment(pose: Pose) -> Vec:
    """Sum of mass times position of the centre of mass, world axes, wheels at rest included."""
    total = ZERO
    for body, (R, p) in zip(pose.mech.bodies, pose.world_placements, strict=False):
        total = total + R @ body.about_origin.moment + p * body.mass
    return total


def centre_of_mass(pose: Pose) -> Vec:
    """The common centre of mass of all bodies, world axes."""
    mass = sum(body.mass for body in pose.mech.bodies)
    return first_moment(pose) * (1 / mass)


def momentum(pose: Pose, v: Sequence[Scalar]) -> tuple[Vec, Vec]:
    """Linear momentum, and angular momentum about the base origin, world axes, with the wheels' own momentum."""
    mech = pose.mech
    moving = body_velocities(pose, v)
    linear = angular = ZERO
    for i, (R, p) in enumerate(pose.world_placements):
        if i < len(mech.bodies):
            push, turn = mech.bodies[i].about_origin.inertia_wrench(*moving[i])
        else:  # the base itself: only its wheels move
            push, turn = ZERO, ZERO
        for spin in mech.spins_by_carrier[i]:
            turn = turn + spin.axis * (spin.coupling_inertia * row_dot(spin.terms, v))
        push = R @ push
        linear = linear + push
        angular = angular + R @ turn + p.cross(push)
    return linear, angular


class EnergyShares(NamedTuple):
    """Energies [J]: links with their wheels at rest, rotation of wheels, coupling of both, and potential energy."""

    translation: list[Scalar]
    rotation: list[Scalar]
    wheels: list[Scalar]
    couplings: list[Scalar]
    weights: list[Scalar]
    springs: list[Scalar]


def energy_shares(pose: Pose, v: Sequence[Scalar]) -> EnergyShares:
    """The four terms of eq. (23) for every augmented link and wheel, eq. (24), and the springs."""
    mech = pose.mech
    moving = body_velocities(pose, v)
    shares = EnergyShares([], [], [], [], [], [])
    for body, (w, linear), (R, p) in zip(mech.bodies, moving, pose.world_placements, strict=False):
        push, turn = body.about_origin.inertia_wrench(w, linear)
        # Sciavicco (22)-(23), Fernini (1)-(6), (16)-(20)
        translation = 0.5 * (linear + w.cross(body.com)).dot(push)  # push = m v_C
        shares.translation.append(translation)
        shares.rotation.append(0.5 * (linear.dot(push) + w.dot(turn)) - translation)
        shares.weights.append(-mech.gravity.dot(R @ body.about_origin.moment + p * body.mass))  # Sciavicco (24)
    for spin in mech.spins:
        spin_energy, coupling_energy = wheel_energies(spin, row_dot(spin.terms, v), moving[int(spin.carrier)].omega)
        shares.wheels.append(spin_energy)
        shares.couplings.append(coupling_energy)
    for spring in mech.springs:
        length = spring_deflection(pose, spring)
        shares.springs.append(0.5 * spring.stiffness * length * length)
    return shares


def energy_rows(pose: Pose, v: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """The rows beta_T and beta_U of eq. (30): T = beta_T . pi and U = beta_U . pi, pi in the order of `parameters`.

    The entry of a spin keeps coupling/inertia fixed.
    """
    mech = pose.mech
    moving = body_velocities(pose, v)
    kinetic: list[Scalar] = []
    potential: list[Scalar] = []
    for (w, linear), (R, p) in zip(moving[: len(mech.bodies)], pose.world_placements, strict=False):
        # Sciavicco (25)-(27), Fernini (55)-(62), corrected
        kinetic += [0.5 * linear.dot(linear), *linear.cross(w), *_energy_of_elements(w)]
        potential += [-mech.gravity.dot(p), *(R.T @ mech.gravity) * -1.0, *[0.0] * 6]  # Sciavicco (28)-(29)
    for spin in mech.spins:
        rate = row_dot(spin.terms, v)
        carried = moving[int(spin.carrier)].omega.dot(spin.axis)
        kinetic.append(rate * (0.5 * rate + spin.coupling_share * carried))
        potential.append(0.0)
    for spring in mech.springs:
        length = spring_deflection(pose, spring)
        kinetic += [0.0, 0.0]
        potential += [0.5 * length * length, 0.0]
    return kinetic, potential  # Sciavicco (30)


def _energy_of_elements(w: Vec) -> list[Scalar]:
    """1/2 w' I w per unit of Ixx, Ixy, Ixz, Iyy, Iyz, Izz."""
    return [0.5 * w.x * w.x, w.x * w.y, w.x * w.z, 0.5 * w.y * w.y, w.y * w.z, 0.5 * w.z * w.z]
