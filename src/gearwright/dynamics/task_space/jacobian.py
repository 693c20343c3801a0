"""The Jacobian of a point on a body, and its rate."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.dynamics.kinematics import body_velocities
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.mechanism.joints.dofs import later_angular_velocity


def jacobian(pose: Pose, body: int, point: Vec) -> Matrix:
    """(6, n): velocity of the point, then angular velocity, world axes, per unit of each speed."""
    columns = [[ZERO, ZERO] for _ in range(pose.mech.n)]
    R, p = pose.world_placements[body]
    tip = R @ point + p
    for i in pose.mech.body_paths[body]:
        R, p = pose.world_placements[i]
        for dof in pose.dofs[i]:
            z = R @ (dof.axis * dof.factor)
            column = columns[dof.speed]
            if dof.angular:
                # Sciavicco (6)-(8), (10)-(12), Chen (3), (7)-(8), Melhem (5)-(7)
                column[0], column[1] = column[0] + z.cross(tip - p), column[1] + z
            else:
                column[0] = column[0] + z
    return _jacobian_rows(columns)


def jacobian_rate(pose: Pose, v: Sequence[Scalar], body: int, point: Vec) -> Matrix:
    """(6, n): time derivative of the Jacobian; the point's acceleration is J a + dJ/dt v."""
    moving = body_velocities(pose, v)
    columns = [[ZERO, ZERO] for _ in range(pose.mech.n)]
    R, p = pose.world_placements[body]
    w, linear = (R @ x for x in moving[body])
    tip = R @ point + p
    tip_rate = linear + w.cross(tip - p)
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
    return _jacobian_rows(columns)


def _jacobian_rows(columns: Sequence[Sequence[Vec]]) -> Matrix:
    flat = [[*linear, *angular] for linear, angular in columns]
    return [[column[k] for column in flat] for k in range(6)]  # six rows even for a machine without speeds
