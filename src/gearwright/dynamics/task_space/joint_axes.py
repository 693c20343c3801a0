"""Axes of the joints in the frame of a link, and their partial derivatives."""

from __future__ import annotations

from gearwright.algebra import ZERO, Rot, Scalar, Vec
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose


def joint_axes(pose: Pose, body: int, rotation: Rot) -> Matrix:
    """(3, n): unit axis of each speed's joint in the axes of a frame; zero where the speed does not move the frame."""
    axes = [ZERO] * pose.mech.n
    for i, back in _rotations_into(pose, body, rotation):
        if pose.mech.bodies[i].follows is None:
            for dof in pose.dofs[i]:
                axes[dof.speed] = back @ dof.axis  # Chen Table 2(a)
    return [[tuple(axis)[k] for axis in axes] for k in range(3)]


def joint_axis_derivatives(pose: Pose, body: int, rotation: Rot) -> list[list[list[Scalar]]]:
    """(3, n, n): derivative of the axis of speed j with respect to the coordinate of speed k, dz_j/dq_k = z_j x z_k.

    It is zero unless joint k lies between joint j and the frame.
    """
    count = pose.mech.n
    derivatives = [[ZERO] * count for _ in range(count)]
    outer: list[tuple[int, Vec]] = []  # speeds and axes of the rotations between the current joint and the frame
    for i, back in _rotations_into(pose, body, rotation):
        turning = [dof for dof in pose.dofs[i] if dof.angular]
        for dof in pose.dofs[i] if pose.mech.bodies[i].follows is None else ():
            z = back @ dof.axis
            later = [(x.speed, back @ (x.axis * x.factor)) for x in turning if x.stage > dof.stage]
            row = [ZERO] * count
            for speed, axis in (*later, *outer):
                row[speed] = row[speed] + z.cross(axis)  # Chen Table 2(b)
            derivatives[dof.speed] = row
        outer += [(x.speed, back @ (x.axis * x.factor)) for x in turning]
    return [[[tuple(entry)[k] for entry in row] for row in derivatives] for k in range(3)]


def _rotations_into(pose: Pose, body: int, rotation: Rot) -> list[tuple[int, Rot]]:
    """Per body from the frame to the base its index and the rotation of its axes into those of the frame."""
    path, back = [], rotation.T
    for i in pose.mech.body_paths[body]:
        path.append((i, back))
        back = back.after(pose.turn[i].T)
    return path
