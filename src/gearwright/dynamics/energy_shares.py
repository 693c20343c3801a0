"""Where the energy is: per link, wheel, coupling and spring; and the energies as linear functions of the parameters.

Sciavicco, Siciliano and Villani, eqs (23), (24) and (30).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import Scalar, Vec
from gearwright.dynamics.energy import wheel_energies
from gearwright.dynamics.kinematics import velocities
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import stretch
from gearwright.mechanism.rows import along


class EnergyShares(NamedTuple):
    """Energies [J]: of the links with their wheels at rest, of the wheels' turning, of both together, and stored."""

    translation: list[Scalar]
    rotation: list[Scalar]
    wheels: list[Scalar]
    couplings: list[Scalar]
    weights: list[Scalar]
    springs: list[Scalar]


def energy_shares(pose: Pose, v: Sequence[Scalar]) -> EnergyShares:
    """The four terms of eq. (23) for every augmented link and wheel, eq. (24), and the springs."""
    mech = pose.mech
    moving = velocities(pose, v)
    shares = EnergyShares([], [], [], [], [], [])
    for body, (w, linear), (R, p) in zip(mech.bodies, moving, pose.world, strict=False):
        push, turn = body.about_origin.wrench(w, linear)
        # Sciavicco (22)-(23), Fernini (1)-(6), (16)-(20)
        translation = 0.5 * (linear + w.cross(body.com)).dot(push)  # push = m v_C
        shares.translation.append(translation)
        shares.rotation.append(0.5 * (linear.dot(push) + w.dot(turn)) - translation)
        shares.weights.append(-mech.gravity.dot(R @ body.about_origin.moment + p * body.mass))  # Sciavicco (24)
    for spin in mech.spins:
        own, shared = wheel_energies(spin, along(spin.terms, v), moving[int(spin.carrier)].omega)
        shares.wheels.append(own)
        shares.couplings.append(shared)
    for spring in mech.springs:
        length = stretch(pose, spring)
        shares.springs.append(0.5 * spring.stiffness * length * length)
    return shares


def energy_rows(pose: Pose, v: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """The rows beta_T and beta_U of eq. (30): T = beta_T . pi and U = beta_U . pi, pi in the order of `parameters`.

    The entry of a spin keeps coupling/inertia fixed.
    """
    mech = pose.mech
    moving = velocities(pose, v)
    kinetic: list[Scalar] = []
    potential: list[Scalar] = []
    for (w, linear), (R, p) in zip(moving[: len(mech.bodies)], pose.world, strict=False):
        # Sciavicco (25)-(27), Fernini (55)-(62), corrected
        kinetic += [0.5 * linear.dot(linear), *linear.cross(w), *_squares(w)]
        potential += [-mech.gravity.dot(p), *(R.T @ mech.gravity) * -1.0, *[0.0] * 6]  # Sciavicco (28)-(29)
    for spin in mech.spins:
        rate = along(spin.terms, v)
        carried = moving[int(spin.carrier)].omega.dot(spin.axis)
        kinetic.append(rate * (0.5 * rate + spin.coupling_share * carried))
        potential.append(0.0)
    for spring in mech.springs:
        length = stretch(pose, spring)
        kinetic += [0.0, 0.0]
        potential += [0.5 * length * length, 0.0]
    return kinetic, potential  # Sciavicco (30)


def _squares(w: Vec) -> list[Scalar]:
    """1/2 w' I w per unit of Ixx, Ixy, Ixz, Iyy, Iyz, Izz."""
    return [0.5 * w.x * w.x, w.x * w.y, w.x * w.z, 0.5 * w.y * w.y, w.y * w.z, 0.5 * w.z * w.z]
