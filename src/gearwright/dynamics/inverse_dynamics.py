"""Inverse dynamics: the recursive Newton-Euler equations of augmented links and spins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gearwright.algebra import MassMoments, Scalar, Vec
from gearwright.dynamics.kinematics import BASE_AT_REST, BaseMotion, BodyAcceleration, body_accelerations
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import add_springs
from gearwright.mechanism import BASE, Spin, row_dot
from gearwright.mechanism.joints.dofs import Dof


class BodyWrench(NamedTuple):
    """A force and a moment about the body origin."""

    force: Vec
    moment: Vec


Wrenches = Mapping[int, BodyWrench]
"""External wrenches per body index, in world axes, acting on the body."""


def inverse_dynamics(
    pose: Pose,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = BASE_AT_REST,
) -> list[Scalar]:
    """Generalized forces for a motion: M a + C v + g + springs - J' wrenches.

    The inward recursion of Sciavicco, Siciliano and Villani (eqs 36 to 39, corrected) for trees, with any wheel as a
    spin: tau = sum_j b_j (J sd + Jc e . wd) + the projections of the wrenches that the joints transmit.
    """
    mech, root = pose.mech, BodyAcceleration.of_base(pose.mech.gravity, base)
    tau: list[Scalar] = [0.0] * mech.n
    needed = []
    for i, moving in enumerate(body_accelerations(pose, v, a, root)):
        needed.append(required_wrench(pose, i, moving, v, a, wrenches))
        _turn_wheels(mech.spins_by_carrier[i], moving.alpha, a, tau)
    _turn_wheels(mech.spins_by_carrier[BASE], base.alpha, a, tau)
    for dofs, wrench in zip(pose.dofs, accumulate_wrenches(pose, needed), strict=True):
        add_joint_forces(dofs, wrench, tau)
    return add_springs(pose, v, tau)


def _turn_wheels(spins: Sequence[Spin], alpha: Vec, a: Sequence[Scalar], tau: list[Scalar]) -> None:
    """Add the torques that accelerate the wheels of a carrier with angular acceleration alpha.

    The last term of eq. (39) of Sciavicco, Siciliano and Villani; (89) of Fernini with every planet counted.
    """
    for spin in spins:
        # Sciavicco (39), (45), Fernini (88)-(89)
        torque = spin.inertia * row_dot(spin.terms, a) + spin.coupling_inertia * alpha.dot(spin.axis)
        for index, ratio in spin.terms:
            tau[index] = tau[index] + ratio * torque


def gravity(pose: Pose) -> list[Scalar]:
    """Return the generalized forces that balance gravity: the inward recursion at rest, without springs."""
    mech, root = pose.mech, BodyAcceleration.of_base(pose.mech.gravity, BASE_AT_REST)
    zero_speeds = [0.0] * mech.n
    tau: list[Scalar] = [0.0] * mech.n
    weights = []
    for body, (_, _, a, _) in zip(mech.bodies, body_accelerations(pose, zero_speeds, zero_speeds, root), strict=True):
        weights.append(BodyWrench(a * body.about_origin.mass, body.about_origin.moment.cross(a)))  # Sciavicco (18)
    for dofs, wrench in zip(pose.dofs, accumulate_wrenches(pose, weights), strict=True):
        add_joint_forces(dofs, wrench, tau)
    return tau


def reactions(
    pose: Pose,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = BASE_AT_REST,
) -> list[BodyWrench]:
    """Total wrench from parent to body across every joint, about the joint origin in body axes."""
    moving = body_accelerations(pose, v, a, BodyAcceleration.of_base(pose.mech.gravity, base))
    return accumulate_wrenches(pose, [required_wrench(pose, i, x, v, a, wrenches) for i, x in enumerate(moving)])


def required_wrench(
    pose: Pose,
    i: int,
    moving: BodyAcceleration,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None,
) -> BodyWrench:
    """Return the inertial wrench of body i and its wheels minus the external one."""
    body = pose.mech.bodies[i]
    # Sciavicco (35), (44), Fernini (69)-(74), Vukobratovic (20.13)-(20.16)
    force, moment = MassMoments.from_inertia(body.about_origin).field_wrench(moving.field, moving.linear)
    for spin in pose.mech.spins_by_carrier[i]:
        rate, acceleration_of_rate = row_dot(spin.terms, v), row_dot(spin.terms, a)
        e = spin.axis * spin.coupling_inertia
        # Sciavicco (37)-(38), Fernini (70), (75)-(77), corrected
        moment = moment + e * acceleration_of_rate + moving.omega.cross(e * rate)  # d/dt of its momentum
    if wrenches and i in wrenches:
        back = pose.world_placements[i][0].T
        force, moment = force - back @ wrenches[i].force, moment - back @ wrenches[i].moment
    return BodyWrench(force, moment)


def accumulate_wrenches(pose: Pose, needed: Sequence[BodyWrench]) -> list[BodyWrench]:
    """Sum wrenches from the leaves to the base, each shifted to its parent's origin."""
    total = list(needed)
    for i in reversed(range(len(total))):
        parent = pose.mech.parent_of(i)
        if parent != BASE:
            force, moment = pose.turn[i] @ total[i].force, pose.turn[i] @ total[i].moment
            parent_wrench = total[parent]
            # Sciavicco (35)-(36), Fernini (86)-(87), (90)
            total[parent] = BodyWrench(
                parent_wrench.force + force, parent_wrench.moment + moment + pose.shift[i].cross(force)
            )
    return total


def add_joint_forces(dofs: Sequence[Dof], wrench: BodyWrench, tau: list[Scalar]) -> None:
    """Add the projection of a wrench on a joint's speeds to the generalized forces."""
    for dof in dofs:
        share = dof.axis.dot(wrench.moment if dof.angular else wrench.force)
        tau[dof.speed] = tau[dof.speed] + dof.times_factor(share)
