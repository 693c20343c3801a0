"""All configurations of a wrist-partitioned arm of six revolute joints in closed form, from the axes of its joints.

The last three axes intersect in one point, the wrist; the second and third are parallel. With $e_i$ the rotation of
joint i about its axis in the zero configuration, the frame moves by $E = e_1 e_2 e_3 e_4 e_5 e_6$, and the wrist c,
which the last three do not move, by $E c = e_1 e_2 e_3 c$ (Pieper). Three equations of the form a cos x + b sin x = c
have two solutions each: shoulder, elbow, wrist, eight configurations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import acos, atan2, cos, sin

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Scalar
from gearwright.arrays import Array
from gearwright.functions import placement
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.poses import unflatten_poses

AXES_TOLERANCE = 1e-9
"""Largest deviation of the frame from the product of the joint rotations [m, rad]."""


@dataclass(frozen=True)
class ArmAxes:
    """Axes and frame with the six joints at zero, in the world: the frame moves by the product of their rotations.

    Args:
        axes: directions, (6, 3).
        points: a point of each axis [m], (6, 3).
        rotation: of the frame, (3, 3).
        position: of the frame [m], (3,).
    """

    axes: Array
    points: Array
    rotation: Array
    position: Array

    def frame_placement(self, angles: Array) -> tuple[Array, Array]:
        """Return rotation and position of the frame."""
        R, p = np.array(self.rotation), np.array(self.position)
        for axis, point, angle in reversed(list(zip(self.axes, self.points, angles, strict=True))):
            step = rotation_about(axis, angle)
            R, p = step @ R, point + step @ (p - point)
        return R, p


def arm_axes(descent: PoseDescent, base: Array) -> ArmAxes | None:
    """Return the axes of the joints that move a frame, if these are six revolute ones; `base` has the others."""
    indices = descent.joints.coordinate_indices[descent.moving_speeds]
    if len(indices) != 6 or (indices < 0).any() or not (descent.task > 0).all():
        return None
    zero_configuration = np.array(base)
    zero_configuration[indices] = 0.0
    R, p = placement(descent.joints.mech, zero_configuration, descent.frame)
    J = descent.jacobian(np.ascontiguousarray(zero_configuration))[:, descent.moving_speeds]
    speeds, axes = J[:3].T, J[3:].T
    if np.abs(np.linalg.norm(axes, axis=1) - 1).max() > AXES_TOLERANCE:
        return None
    arm = ArmAxes(axes, p - np.cross(speeds, axes), R, p)
    return arm if _matches_placement(arm, descent, zero_configuration, indices) else None


def _matches_placement(
    arm: ArmAxes, descent: PoseDescent, zero_configuration: Array, indices: NDArray[np.int_]
) -> bool:
    """Whether the frame moves by the product of the rotations; joints with mimic joints do not."""
    q, trial_angles = np.array(zero_configuration), np.array([0.3, -0.7, 1.1, 0.5, 0.9, -1.3])
    q[indices] = trial_angles
    expected, computed = placement(descent.joints.mech, q, descent.frame), arm.frame_placement(trial_angles)
    return all(float(np.abs(x - y).max()) < AXES_TOLERANCE for x, y in zip(expected, computed, strict=True))


def rotation_about(axis: Array, angle: float) -> Array:
    """Return the rotation about a unit axis (Rodrigues), (3, 3)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + sin(angle) * K + (1 - cos(angle)) * (K @ K)


PARALLEL_SINE = 1e-9
"""Sine of an angle, or distance as a share of the arm's size, below which axes are parallel or intersect."""
MAX_SHOULDER_COSINE = 0.999
"""Cosine between the first two axes above which the first does not determine the shoulder."""
REACH_TOLERANCE = 1e-9
"""Excess over the reach, as a share of it, that counts as a stretched arm."""


@dataclass(frozen=True)
class WristPartitionedArm:
    """A wrist-partitioned arm.

    Args:
        arm: its axes.
        wrist: intersection of the last three axes with all joints at zero [m], (3,).
    """

    arm: ArmAxes
    wrist: Array

    @property
    def axes(self) -> Array:
        """Directions of the axes, (6, 3)."""
        return self.arm.axes

    def pose_configurations(self, pose: Array) -> Array:
        """Return all joint angles (up to 8, 6) for a flat pose (12,), in -pi to pi or a turn beyond."""
        R, p = unflatten_poses(pose)
        E = R @ self.arm.rotation.T
        wrist = p + E @ (self.wrist - self.arm.position)
        solutions = [
            [*arm, *wrist_angles]
            for arm in self._arm_angles(wrist)
            for wrist_angles in self._wrist_angles(self._joint_rotation(arm, (0, 1, 2)).T @ E)
        ]
        return np.array(solutions).reshape(-1, 6)

    def _joint_rotation(self, angles: tuple[float, ...], joints: tuple[int, ...]) -> Array:
        """Return the product of rotations of some joints."""
        R = np.eye(3)
        for k, angle in zip(joints, angles, strict=True):
            R = R @ rotation_about(self.axes[k], angle)
        return R

    def _arm_angles(self, wrist: Array) -> Iterator[tuple[float, float, float]]:
        """Yield the first three angles for a position of the wrist."""
        h, k, o = self.axes[0], self.axes[1], self.arm.points
        u = wrist - o[0]
        along = float(h @ u)
        # Joints 2 and 3 do not move the wrist along their own direction: k . (e1^-1 w) = k . c.
        a, b = k @ u - (k @ h) * along, -k @ np.cross(h, u)
        for first in solve_cos_sin(a, b, k @ (self.wrist - o[0]) - (k @ h) * along):
            wrist_offset = o[0] + rotation_about(h, -first) @ u - o[1]
            upper, fore, wrist_offset = (
                _perpendicular_part(x, k) for x in (o[2] - o[1], self.wrist - o[2], wrist_offset)
            )
            sense = float(np.sign(self.axes[2] @ k))
            reach = (wrist_offset @ wrist_offset - upper @ upper - fore @ fore) / 2
            for elbow in solve_cos_sin(upper @ fore, upper @ np.cross(k, fore), reach):
                forearm = upper + rotation_about(k, elbow) @ fore
                yield first, angle_between(forearm, wrist_offset, k), sense * elbow

    def _wrist_angles(self, W: Array) -> Iterator[tuple[float, float, float]]:
        """Yield the last three angles for their product W = R4 R5 R6; at a singularity the fourth is zero."""
        k4, k5, k6 = self.axes[3:]
        middle = (k4 @ k5) * (k5 @ k6)
        for bend in solve_cos_sin(k4 @ k6 - middle, k4 @ np.cross(k5, k6), k4 @ W @ k6 - middle):
            R5 = rotation_about(k5, bend)
            first = angle_between(_perpendicular_part(R5 @ k6, k4), _perpendicular_part(W @ k6, k4), k4)
            side = np.cross(k6, k5 if abs(k5 @ k6) < 0.9 else k4)
            remaining = (rotation_about(k4, first) @ R5).T @ W
            yield first, bend, angle_between(side, remaining @ side, k6)


def wrist_partitioned_arm(arm: ArmAxes) -> WristPartitionedArm | None:
    """Return the closed form of an arm if it is wrist-partitioned."""
    axes, points = arm.axes, arm.points
    size = float(np.linalg.norm(np.diff(points, axis=0), axis=1).max())
    wrist = _axes_intersection(axes[3:], points[3:], PARALLEL_SINE * size)
    parallel = (
        np.linalg.norm(np.cross(axes[1], axes[2])) <= PARALLEL_SINE and abs(axes[0] @ axes[1]) < MAX_SHOULDER_COSINE
    )
    return WristPartitionedArm(arm, wrist) if wrist is not None and parallel else None


def _axes_intersection(axes: Array, points: Array, least: float) -> Array | None:
    """Return the intersection point of three axes, or None."""
    across = np.array([np.eye(3) - np.outer(k, k) for k in axes])
    left, right = across.sum(axis=0), np.einsum("kij,kj->i", across, points)
    if np.linalg.cond(left) > 1e9:
        return None
    point: Array = np.linalg.solve(left, right)
    distances = np.linalg.norm(np.einsum("kij,kj->ki", across, point - points), axis=1)
    return point if distances.max() <= max(least, 1e-12) else None


def solve_cos_sin(a: Scalar, b: Scalar, c: Scalar) -> tuple[float, ...]:
    """Return all x with a cos x + b sin x = c: two, a double one, or none.

    >>> [round(x, 6) for x in solve_cos_sin(0.0, 1.0, 0.5)]
    [2.617994, 0.523599]
    """
    size = float(np.hypot(a, b))
    if size < 1e-12:
        return (0.0,) if abs(c) < 1e-12 else ()
    share = float(c) / size
    if abs(share) > 1 + REACH_TOLERANCE:
        return ()
    middle, half = atan2(b, a), acos(max(-1.0, min(1.0, share)))
    return (middle + half, middle - half) if half > 0 else (middle,)


def angle_between(start: Array, end: Array, axis: Array) -> float:
    """Return the angle about a unit axis from one vector normal to it to another."""
    return atan2(float(axis @ np.cross(start, end)), float(start @ end))


def _perpendicular_part(x: Array, axis: Array) -> Array:
    """Return the part of a vector normal to a unit axis."""
    return x - (x @ axis) * axis
