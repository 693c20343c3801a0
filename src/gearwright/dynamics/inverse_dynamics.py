"""Inverse dynamics: the recursive Newton-Euler equations of augmented links and spins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gearwright.algebra import Moments, Scalar, Vec
from gearwright.dynamics.kinematics import AT_REST, Acceleration, BaseMotion, accelerations
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import add_springs
from gearwright.mechanism.layout import Dof
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
    mech = pose.mech
    moving = accelerations(pose, v, a, mech.gravity, base)
    tau: list[Scalar] = [0.0] * mech.n
    for joint, wrench in zip(mech.joints, transmitted(pose, moving, v, a, wrenches), strict=True):
        project(joint.dofs, wrench, tau)
    for spin in mech.spins:
        turning = moving[int(spin.carrier)].alpha.dot(spin.axis)
        torque = spin.inertia * along(spin.terms, a) + spin.coupled * turning
        for index, ratio in spin.terms:
            tau[index] = tau[index] + ratio * torque
    return add_springs(pose, v, tau)


def gravity(pose: Pose) -> list[Scalar]:
    """Generalized forces that hold the machine against gravity: the inward recursion at rest, springs left out."""
    mech = pose.mech
    rest = [0.0] * mech.n
    moving = accelerations(pose, rest, rest, mech.gravity)
    tau: list[Scalar] = [0.0] * mech.n
    weights = [
        Wrench(a * body.about_origin.mass, body.about_origin.moment.cross(a))
        for body, (_, _, a, _) in zip(mech.bodies, moving, strict=False)
    ]
    for joint, wrench in zip(mech.joints, gathered(pose, weights), strict=True):
        project(joint.dofs, wrench, tau)
    return tau


def reactions(
    pose: Pose,
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None = None,
    base: BaseMotion = AT_REST,
) -> list[Wrench]:
    """Total wrench from parent to body across every joint, about the joint origin in body axes."""
    moving = accelerations(pose, v, a, pose.mech.gravity, base)
    return transmitted(pose, moving, v, a, wrenches)


def transmitted(
    pose: Pose,
    moving: Sequence[Acceleration],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    wrenches: Wrenches | None,
) -> list[Wrench]:
    """The wrench each joint must transmit to give the bodies beyond it their accelerations."""
    mech = pose.mech
    needed = []
    for i, body in enumerate(mech.bodies):
        force, moment = Moments.of(body.about_origin).pulled_by(moving[i].field, moving[i].linear)
        for spin in mech.wheels[i]:
            rate, acceleration_of_rate = along(spin.terms, v), along(spin.terms, a)
            e = spin.axis * spin.coupled
            moment = moment + e * acceleration_of_rate + moving[i].omega.cross(e * rate)  # d/dt of its momentum
        if wrenches and i in wrenches:
            back = pose.world[i][0].T
            force, moment = force - back @ wrenches[i].force, moment - back @ wrenches[i].moment
        needed.append(Wrench(force, moment))
    return gathered(pose, needed)


def gathered(pose: Pose, needed: Sequence[Wrench]) -> list[Wrench]:
    """Sum wrenches from the leaves to the base, each shifted to its parent's origin."""
    total = list(needed)
    for i in reversed(range(len(total))):
        parent = pose.mech.parent(i)
        if parent >= 0:
            force, moment = pose.turn[i] @ total[i].force, pose.turn[i] @ total[i].moment
            known = total[parent]
            total[parent] = Wrench(known.force + force, known.moment + moment + pose.shift[i].cross(force))
    return total


def project(dofs: Sequence[Dof], wrench: Wrench, tau: list[Scalar]) -> None:
    """Add the part of a wrench that works on a joint's speeds to the generalized forces."""
    for dof in dofs:
        share = dof.axis.dot(wrench.moment if dof.angular else wrench.force)
        tau[dof.speed] = tau[dof.speed] + dof.scaled(share)
