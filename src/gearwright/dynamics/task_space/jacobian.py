"""The Jacobian of a point on a body or a wheel and its rate, in world or body axes.

A wheel turns about its axis e at the rate b v relative to its carrier: its Jacobian is that of the carrier at the same
point, and for every speed of its ratio row b_k e x r and b_k e, with r from its centre to the point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import ZERO, Rot, Scalar, Vec
from gearwright.dynamics.kinematics import body_velocities
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.mechanism import Spin
from gearwright.mechanism.joints.dofs import later_angular_velocity


class JacobianPoint(NamedTuple):
    """A point of a body, frame or wheel, and the axes of its Jacobian.

    Args:
        body: index of the body; for a wheel that of its carrier.
        point: the point in the frame of that body.
        axes: rotation of the axes of the result on that body; None: world axes.
        spin: the wheel; None for a body or frame.
        centre: centre of the wheel in the frame of its carrier.
    """

    body: int
    point: Vec
    axes: Rot | None = None
    spin: Spin | None = None
    centre: Vec = ZERO


Columns = list[list[Vec]]
"""Per speed the velocity of the point and the angular velocity."""


def jacobian(pose: Pose, body: int, point: Vec) -> Matrix:
    """(6, n): velocity of the point, then angular velocity, world axes, per unit of each speed."""
    return _jacobian_rows(_body_columns(pose, body, point))


def jacobian_rate(pose: Pose, v: Sequence[Scalar], body: int, point: Vec) -> Matrix:
    """(6, n): time derivative of the Jacobian; the point's acceleration is J a + dJ/dt v."""
    return _jacobian_rows(_body_column_rates(pose, v, body, point, None))


def point_jacobian(pose: Pose, place: JacobianPoint) -> Matrix:
    """(6, n): velocity of a point of a body or wheel, then angular velocity, in the axes of the place."""
    return _jacobian_rows(_in_axes(pose, place, _point_columns(pose, place)))


def point_jacobian_rate(pose: Pose, v: Sequence[Scalar], place: JacobianPoint) -> Matrix:
    """(6, n): time derivative of `point_jacobian`; the point moves with its body or wheel."""
    R, _ = pose.world_placements[place.body]
    w = R @ body_velocities(pose, v)[place.body].omega
    if place.spin is None:
        columns = _body_column_rates(pose, v, place.body, place.point, None)
    else:
        e, arm = R @ place.spin.axis, R @ (place.point - place.centre)
        rate: Scalar = 0.0
        for speed, ratio in place.spin.terms:
            rate = rate + ratio * v[speed]
        slip = e.cross(arm) * rate
        columns = _body_column_rates(pose, v, place.body, place.point, slip)
        turning = w.cross(e)
        _add_wheel(columns, place.spin, turning.cross(arm) + e.cross(w.cross(arm) + slip), turning)
    if place.axes is not None:  # d(R' J)/dt = R' (dJ/dt - w x J)
        fixed = _point_columns(pose, place)
        columns = [
            [rate - w.cross(x) for rate, x in zip(*pair, strict=True)] for pair in zip(columns, fixed, strict=True)
        ]
    return _jacobian_rows(_in_axes(pose, place, columns))


def _point_columns(pose: Pose, place: JacobianPoint) -> Columns:
    columns = _body_columns(pose, place.body, place.point)
    if place.spin is not None:
        R, _ = pose.world_placements[place.body]
        e = R @ place.spin.axis
        _add_wheel(columns, place.spin, e.cross(R @ (place.point - place.centre)), e)  # Sciavicco (10)-(12)
    return columns


def _add_wheel(columns: Columns, spin: Spin, linear: Vec, angular: Vec) -> None:
    for speed, ratio in spin.terms:
        column = columns[speed]
        column[0], column[1] = column[0] + linear * ratio, column[1] + angular * ratio


def _in_axes(pose: Pose, place: JacobianPoint, columns: Columns) -> Columns:
    if place.axes is None:
        return columns
    back = pose.world_placements[place.body][0].after(place.axes).T
    return [[back @ linear, back @ angular] for linear, angular in columns]


def _body_columns(pose: Pose, body: int, point: Vec) -> Columns:
    columns = [[ZERO, ZERO] for _ in range(pose.mech.n)]
    R, p = pose.world_placements[body]
    tip = R @ point + p
    for i in pose.mech.body_paths[body]:
        R, p = pose.world_placements[i]
        for dof in pose.dofs[i]:
            z = R @ (dof.axis * dof.factor)
            column = columns[dof.speed]
            if dof.angular:
                # Sciavicco (6)-(8), Chen (3), (7)-(8), Melhem (5)-(7)
                column[0], column[1] = column[0] + z.cross(tip - p), column[1] + z
            else:
                column[0] = column[0] + z
    return columns


def _body_column_rates(pose: Pose, v: Sequence[Scalar], body: int, point: Vec, slip: Vec | None) -> Columns:
    """Rates of `_body_columns`; `slip` is the velocity of the point relative to the body, world axes."""
    moving = body_velocities(pose, v)
    columns = [[ZERO, ZERO] for _ in range(pose.mech.n)]
    R, p = pose.world_placements[body]
    w, linear = (R @ x for x in moving[body])
    tip = R @ point + p
    tip_rate = linear + w.cross(tip - p)
    if slip is not None:
        tip_rate = tip_rate + slip
    for i in pose.mech.body_paths[body]:
        R, p = pose.world_placements[i]
        w, linear = (R @ x for x in moving[i])
        for dof in pose.dofs[i]:
            z = R @ (dof.axis * dof.factor)
            later = later_angular_velocity(pose.dofs[i], dof.stage, v)
            dz = w.cross(z) if later is None else (w - R @ later).cross(z)
            column = columns[dof.speed]
            if dof.angular:
                column[0] = column[0] + dz.cross(tip - p) + z.cross(tip_rate - linear)
                column[1] = column[1] + dz
            else:
                column[0] = column[0] + dz
    return columns


def _jacobian_rows(columns: Sequence[Sequence[Vec]]) -> Matrix:
    flat = [[*linear, *angular] for linear, angular in columns]
    return [[column[k] for column in flat] for k in range(6)]  # six rows even for a machine without speeds
