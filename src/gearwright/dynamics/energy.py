"""Energies, momentum and the centre of mass, wheels included."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.dynamics.kinematics import velocities
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import stretch
from gearwright.mechanism import Spin
from gearwright.mechanism.rows import along


def kinetic_energy(pose: Pose, v: Sequence[Scalar]) -> Scalar:
    """T = sum of the bodies' energies + sum 1/2 J s^2 + Jc s (e . w)."""
    mech = pose.mech
    moving = velocities(pose, v)
    total: Scalar = 0.0
    for body, (w, linear) in zip(mech.bodies, moving, strict=False):
        momentum, angular = body.about_origin.wrench(w, linear)
        total = total + 0.5 * (linear.dot(momentum) + w.dot(angular))  # Sciavicco (5), (13), Melhem (2)-(3)
    for spin in mech.spins:
        rate = along(spin.terms, v)  # Sciavicco (1)-(2), Chen (11), Fernini (11)-(15)
        own, shared = wheel_energies(spin, rate, moving[int(spin.carrier)].omega)
        total = total + own + shared
    return total


def wheel_energies(spin: Spin, rate: Scalar, omega: Vec) -> tuple[Scalar, Scalar]:
    """What a wheel adds by turning: 1/2 J s^2 with its carrier at rest, and Jc s (e . w) with it.

    The last two terms of eq. (23) of Sciavicco, Siciliano and Villani; (14) of Chen and Wang; (57) of Fernini.
    """
    # Sciavicco (9), (23), Chen (14), Fernini (26), (31), (36), (57)
    return 0.5 * spin.inertia * rate * rate, spin.coupled * rate * omega.dot(spin.axis)


def potential_energy(pose: Pose) -> Scalar:
    """V = - sum m g . c (zero at the base origin) + sum 1/2 k (row . q - rest)^2."""
    total = -(pose.mech.gravity.dot(first_moment(pose)))  # Sciavicco (15), Melhem (18)-(20), (24)-(25)
    for spring in pose.mech.springs:
        length = stretch(pose, spring)
        total = total + 0.5 * spring.stiffness * length * length  # Melhem (22)
    return total


def first_moment(pose: Pose) -> Vec:
    """Sum of mass times position of the centre of mass, world axes, wheels at rest included."""
    total = ZERO
    for body, (R, p) in zip(pose.mech.bodies, pose.world, strict=False):
        total = total + R @ body.about_origin.moment + p * body.mass
    return total


def centre_of_mass(pose: Pose) -> Vec:
    """The common centre of mass of all bodies, world axes."""
    mass = sum(body.mass for body in pose.mech.bodies)
    return first_moment(pose) * (1 / mass)


def momentum(pose: Pose, v: Sequence[Scalar]) -> tuple[Vec, Vec]:
    """Linear momentum, and angular momentum about the base origin, world axes, with the wheels' own momentum."""
    mech = pose.mech
    moving = velocities(pose, v)
    linear = angular = ZERO
    for i, (R, p) in enumerate(pose.world):
        if i < len(mech.bodies):
            push, turn = mech.bodies[i].about_origin.wrench(*moving[i])
        else:  # the base itself: only its wheels turn
            push, turn = ZERO, ZERO
        for spin in mech.wheels[i]:
            turn = turn + spin.axis * (spin.coupled * along(spin.terms, v))
        push = R @ push
        linear = linear + push
        angular = angular + R @ turn + p.cross(push)
    return linear, angular
