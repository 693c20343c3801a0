"""Inverse dynamics: the recursive Newton-Euler equations of augmented links and spins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gearwright.algebra import Moments, Scalar, Vec
from gearwright.dynamics.kinematics import AT_REST, Acceleration, BaseMotion, accelerations
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import add_springs
from gearwright.mechanism import BASE, Spin
from gearwright.mechanism.joints.dofs import Dof
from gearwright.mechanism.rows import along


class Wrench(NamedTuple):
    """A force and a moment about the body origin."""

    force: Vec
    moment: Vec


Wrenches = Mapping[int, Wrench]
"""External wrenches per body index, in world axes, acting on the body."""


def inverse_dynamics(
    pose: Pose,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = AT_REST,
) -> list[Scalar]:
    """Generalized forces for a motion: M a + C v + g + springs - J' wrenches.

    The inward recursion of Sciavicco, Siciliano and Villani (eqs 36 to 39, corrected) for trees, with any wheel as a
    spin: tau = sum_j b_j (J sd + Jc e . wd) + the projections of the wrenches that the joints transmit.
    """
    mech, root = pose.mech, Acceleration.of_base(pose.mech.gravity, base)
    tau: list[Scalar] = [0.0] * mech.n
    needed = []
    for i, moving in enumerate(accelerations(pose, v, a, root)):
        needed.append(needed_wrench(pose, i, moving, v, a, wrenches))
        _turn_wheels(mech.wheels[i], moving.alpha, a, tau)
    _turn_wheels(mech.wheels[BASE], base.alpha, a, tau)
    for dofs, wrench in zip(pose.dofs, gathered(pose, needed), strict=True):
        project(dofs, wrench, tau)
    return add_springs(pose, v, tau)


def _turn_wheels(spins: Sequence[Spin], alpha: Vec, a: Sequence[Scalar], tau: list[Scalar]) -> None:
    """Add the torques that accelerate the wheels of a carrier with angular acceleration alpha.

    The last term of eq. (39) of Sciavicco, Siciliano and Villani; (89) of Fernini with every planet counted.
    """
    for spin in spins:
        # Sciavicco (39), (45), Fernini (88)-(89)
        torque = spin.inertia * along(spin.terms, a) + spin.coupled * alpha.dot(spin.axis)
        for index, ratio in spin.terms:
            tau[index] = tau[index] + ratio * torque


def gravity(pose: Pose) -> list[Scalar]:
    """Generalized forces that hold the machine against gravity: the inward recursion at rest, springs left out."""
    mech, root = pose.mech, Acceleration.of_base(pose.mech.gravity, AT_REST)
    rest = [0.0] * mech.n
    tau: list[Scalar] = [0.0] * mech.n
    weights = []
    for body, (_, _, a, _) in zip(mech.bodies, accelerations(pose, rest, rest, root), strict=True):
        weights.append(Wrench(a * body.about_origin.mass, body.about_origin.moment.cross(a)))  # Sciavicco (18)
    for dofs, wrench in zip(pose.dofs, gathered(pose, weights), strict=True):
        project(dofs, wrench, tau)
    return tau


def reactions(
    pose: Pose,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = AT_REST,
) -> list[Wrench]:
    """Total wrench from parent to body across every joint, about the joint origin in body axes."""
    moving = accelerations(pose, v, a, Acceleration.of_base(pose.mech.gravity, base))
    return gathered(pose, [needed_wrench(pose, i, x, v, a, wrenches) for i, x in enumerate(moving)])


def needed_wrench(
    pose: Pose,
    i: int,
    moving: Acceleration,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None,
) -> Wrench:
    """The wrench that gives body i and its wheels their accelerations, less the external one."""
    body = pose.mech.bodies[i]
    # Sciavicco (35), (44), Fernini (69)-(74), Vukobratovic (20.13)-(20.16)
    force, moment = Moments.of(body.about_origin).pulled_by(moving.field, moving.linear)
    for spin in pose.mech.wheels[i]:
        rate, acceleration_of_rate = along(spin.terms, v), along(spin.terms, a)
        e = spin.axis * spin.coupled
        # Sciavicco (37)-(38), Fernini (70), (75)-(77), corrected
        moment = moment + e * acceleration_of_rate + moving.omega.cross(e * rate)  # d/dt of its momentum
    if wrenches and i in wrenches:
        back = pose.world[i][0].T
        force, moment = force - back @ wrenches[i].force, moment - back @ wrenches[i].moment
    return Wrench(force, moment)


def gathered(pose: Pose, needed: Sequence[Wrench]) -> list[Wrench]:
    """Sum wrenches from the leaves to the base, each shifted to its parent's origin."""
    total = list(needed)
    for i in reversed(range(len(total))):
        parent = pose.mech.parent(i)
        if parent >= 0:
            force, moment = pose.turn[i] @ total[i].force, pose.turn[i] @ total[i].moment
            known = total[parent]
            # Sciavicco (35)-(36), Fernini (86)-(87), (90)
            total[parent] = Wrench(known.force + force, known.moment + moment + pose.shift[i].cross(force))
    return total


def project(dofs: Sequence[Dof], wrench: Wrench, tau: list[Scalar]) -> None:
    """Add the part of a wrench that works on a joint's speeds to the generalized forces."""
    for dof in dofs:
        share = dof.axis.dot(wrench.moment if dof.angular else wrench.force)
        tau[dof.speed] = tau[dof.speed] + dof.scaled(share)
