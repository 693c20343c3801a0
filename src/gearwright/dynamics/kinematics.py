"""Velocities and accelerations of all bodies, each in its own axes.

Lists over bodies carry one entry more, the base's, which index -1 finds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gearwright.algebra import ZERO, Rot, Scalar, Vec
from gearwright.dynamics.pose import Pose
from gearwright.mechanism.joints.dofs import Dof, axes_drift


class BaseMotion(NamedTuple):
    """Motion of the base in base axes: angular velocity, angular acceleration, acceleration of its origin."""

    omega: Vec = ZERO
    alpha: Vec = ZERO
    acceleration: Vec = ZERO


AT_REST = BaseMotion()


class Velocity(NamedTuple):
    """Angular velocity and velocity of the body origin, body axes."""

    omega: Vec
    linear: Vec


class Acceleration(NamedTuple):
    """Angular velocity, angular acceleration and acceleration of the body origin less gravity, body axes.

    `field` U: a point of the body at r has the acceleration linear + U r, with U r = alpha x r + omega x (omega x r).
    """

    omega: Vec
    alpha: Vec
    linear: Vec
    field: Rot

    @staticmethod
    def of(omega: Vec, alpha: Vec, linear: Vec) -> Acceleration:
        """With the field that belongs to the angular velocity and acceleration."""
        return Acceleration(omega, alpha, linear, Rot.field(omega, alpha))

    @staticmethod
    def of_base(gravity: Vec, motion: BaseMotion) -> Acceleration:
        """The base in a machine that feels gravity: it accelerates upwards."""
        return Acceleration.of(motion.omega, motion.alpha, motion.acceleration - gravity)


AT_BASE = Acceleration.of_base(ZERO, AT_REST)
"""A base at rest where nothing weighs anything."""


def relative(dofs: Sequence[Dof], x: Sequence[Scalar]) -> tuple[Vec | None, Vec | None]:
    """The joint's share of an angular and a linear motion, sum of axis times rate; None where there is none."""
    angular: Vec | None = None
    linear: Vec | None = None
    for dof in dofs:
        share = dof.axis * dof.scaled(x[dof.speed])
        if dof.angular:
            angular = share if angular is None else angular + share
        else:
            linear = share if linear is None else linear + share
    return angular, linear


def velocities(pose: Pose, v: Sequence[Scalar]) -> list[Velocity]:
    """Velocities of all bodies: w_i = w_k + om, v_i = v_k + w_k x r + vl."""
    mech = pose.mech
    moving = [Velocity(ZERO, ZERO)] * (len(mech.bodies) + 1)
    for i, dofs in enumerate(pose.dofs):
        parent, back = moving[mech.parent(i)], pose.turn[i].T
        omega = back @ parent.omega  # Sciavicco (40), Chen (1), Melhem (4), Vukobratovic (20.23)
        linear = back @ (parent.linear + parent.omega.cross(pose.shift[i]))  # Sciavicco (41), Chen (2)
        turning, sliding = relative(dofs, v)
        moving[i] = Velocity(_plus(omega, turning), _plus(linear, sliding))
    return moving


def accelerations(pose: Pose, v: Sequence[Scalar], a: Sequence[Scalar], base: Acceleration) -> Iterator[Acceleration]:
    """Accelerations of all bodies by the outward recursion, one after the other, from that of the base.

        w  = w_k + om
        wd = wd_k + omd + w_k x om
        a  = a_k + wd_k x r + w_k x (w_k x r) + vld + om x vl + 2 w_k x vl

    with om, vl the joint's relative rates in body axes: eqs (40)-(44) of Sciavicco, Siciliano and Villani corrected,
    and the same for joints of several speeds; omd contains the drift of axes that one speed of a joint turns for
    another. Whoever needs an acceleration for a force computes it at once, so that
    few numbers wait at any time; machine code made from the recursion keeps that order.
    """
    mech = pose.mech
    moving = [base] * (len(mech.bodies) + 1)
    for i, dofs in enumerate(pose.dofs):
        w_k, wd_k, a_k, U_k = moving[mech.parent(i)]
        back, r = pose.turn[i].T, pose.shift[i]
        w, wd = back @ w_k, back @ wd_k
        linear = back @ (a_k + U_k @ r)  # Sciavicco (43), Fernini (84)-(85), Vukobratovic (20.31)
        turning, sliding = relative(dofs, v)
        turning_rate, sliding_rate = relative(dofs, a)
        if sliding is not None and sliding_rate is not None:
            linear = linear + sliding_rate + (w * 2).cross(sliding)  # Sciavicco (43), prismatic, corrected
            if turning is not None:
                linear = linear + turning.cross(sliding)
        if turning is not None and turning_rate is not None:
            wd = _plus(wd + turning_rate + w.cross(turning), axes_drift(dofs, v))  # Sciavicco (42), Fernini (78)-(83)
            w = w + turning
        moving[i] = Acceleration.of(w, wd, linear)
        yield moving[i]


def axial_drifts(pose: Pose, v: Sequence[Scalar]) -> list[Scalar]:
    """Per spin the acceleration of its carrier about its axis that speeds alone bring, dh/dt . v = e . wd at a = 0."""
    still = [0.0] * pose.mech.n
    coasting = [*accelerations(pose, v, still, AT_BASE), AT_BASE]
    return [spin.axis.dot(coasting[int(spin.carrier)].alpha) for spin in pose.mech.spins]


def _plus(known: Vec, more: Vec | None) -> Vec:
    return known if more is None else known + more
