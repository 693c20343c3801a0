"""Velocities and accelerations of all bodies, each in its own axes.

Lists over bodies have one more entry, that of the base, at index -1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gearwright.algebra import ZERO, Rot, Scalar, Vec
from gearwright.dynamics.pose import Pose
from gearwright.mechanism.joints.dofs import Dof, axis_acceleration


class BaseMotion(NamedTuple):
    """Motion of the base in base axes: angular velocity, angular acceleration, acceleration of its origin."""

    omega: Vec = ZERO
    alpha: Vec = ZERO
    acceleration: Vec = ZERO


BASE_AT_REST = BaseMotion()


class BodyVelocity(NamedTuple):
    """Angular velocity and velocity of the body origin, body axes."""

    omega: Vec
    linear: Vec


class BodyAcceleration(NamedTuple):
    """Angular velocity, angular acceleration and acceleration of the body origin less gravity, body axes.

    `field` U: a point of the body at r has the acceleration linear + U r, with U r = alpha x r + omega x (omega x r).
    """

    omega: Vec
    alpha: Vec
    linear: Vec
    field: Rot

    @staticmethod
    def from_vectors(omega: Vec, alpha: Vec, linear: Vec) -> BodyAcceleration:
        """Return an acceleration with the field of the angular velocity and acceleration."""
        return BodyAcceleration(omega, alpha, linear, Rot.acceleration_field(omega, alpha))

    @staticmethod
    def of_base(gravity: Vec, motion: BaseMotion) -> BodyAcceleration:
        """Return the acceleration of the base with gravity as an upward acceleration."""
        return BodyAcceleration.from_vectors(motion.omega, motion.alpha, motion.acceleration - gravity)


WEIGHTLESS_BASE = BodyAcceleration.of_base(ZERO, BASE_AT_REST)
"""A base at rest without gravity."""


def joint_motion(dofs: Sequence[Dof], x: Sequence[Scalar]) -> tuple[Vec | None, Vec | None]:
    """Return the joint's angular and linear motion, sum of axis times rate; None if the joint has none."""
    angular: Vec | None = None
    linear: Vec | None = None
    for dof in dofs:
        share = dof.axis * dof.times_factor(x[dof.speed])
        if dof.angular:
            angular = share if angular is None else angular + share
        else:
            linear = share if linear is None else linear + share
    return angular, linear


def body_velocities(pose: Pose, v: Sequence[Scalar]) -> list[BodyVelocity]:
    """Velocities of all bodies: w_i = w_k + om, v_i = v_k + w_k x r + vl."""
    mech = pose.mech
    moving = [BodyVelocity(ZERO, ZERO)] * (len(mech.bodies) + 1)
    for i, dofs in enumerate(pose.dofs):
        parent, back = moving[mech.parent_of(i)], pose.turn[i].T
        omega = back @ parent.omega  # Sciavicco (40), Chen (1), Melhem (4), Vukobratovic (20.23)
        linear = back @ (parent.linear + parent.omega.cross(pose.shift[i]))  # Sciavicco (41), Chen (2)
        turning, sliding = joint_motion(dofs, v)
        moving[i] = BodyVelocity(_optional_sum(omega, turning), _optional_sum(linear, sliding))
    return moving


def body_accelerations(
    pose: Pose, v: Sequence[Scalar], a: Sequence[Scalar], base: BodyAcceleration
) -> Iterator[BodyAcceleration]:
    """Yield the accelerations of all bodies in sequence by the outward recursion from the base.

        w  = w_k + om
        wd = wd_k + omd + w_k x om
        a  = a_k + wd_k x r + w_k x (w_k x r) + vld + om x vl + 2 w_k x vl

    with om, vl the joint's relative rates in body axes: eqs (40)-(44) of Sciavicco, Siciliano and Villani corrected,
    and the same for joints of several speeds; omd contains the drift of axes of a joint due to its other
    speeds. The accelerations are yielded one by one, so forces can be computed at once with few live values; compiled
    code keeps that order.
    """
    mech = pose.mech
    moving = [base] * (len(mech.bodies) + 1)
    for i, dofs in enumerate(pose.dofs):
        w_k, wd_k, a_k, U_k = moving[mech.parent_of(i)]
        back, r = pose.turn[i].T, pose.shift[i]
        w, wd = back @ w_k, back @ wd_k
        linear = back @ (a_k + U_k @ r)  # Sciavicco (43), Fernini (84)-(85), Vukobratovic (20.31)
        turning, sliding = joint_motion(dofs, v)
        turning_rate, sliding_rate = joint_motion(dofs, a)
        if sliding is not None and sliding_rate is not None:
            linear = linear + sliding_rate + (w * 2).cross(sliding)  # Sciavicco (43), prismatic, corrected
            if turning is not None:
                linear = linear + turning.cross(sliding)
        if turning is not None and turning_rate is not None:
            wd = _optional_sum(
                wd + turning_rate + w.cross(turning), axis_acceleration(dofs, v)
            )  # Sciavicco (42), Fernini (78)-(83)
            w = w + turning
        moving[i] = BodyAcceleration.from_vectors(w, wd, linear)
        yield moving[i]


def axial_drifts(pose: Pose, v: Sequence[Scalar]) -> list[Scalar]:
    """Return per spin the acceleration of its carrier about its axis at a = 0, dh/dt . v = e . wd."""
    still = [0.0] * pose.mech.n
    coasting = [*body_accelerations(pose, v, still, WEIGHTLESS_BASE), WEIGHTLESS_BASE]
    return [spin.axis.dot(coasting[int(spin.carrier)].alpha) for spin in pose.mech.spins]


def _optional_sum(total: Vec, more: Vec | None) -> Vec:
    return total if more is None else total + more
