"""The axes of an arm of six revolute joints: all that a closed form of its inverse kinematics needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.functions.functions import placement
from gearwright.planning.descent import Descent

SAME = 1e-9
"""How far the frame may be from where the axes put it [m, rad]."""


@dataclass(frozen=True)
class ArmAxes:
    """Axes and frame where the six joints are at zero, in the world: the frame moves by the product of their turns.

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

    def placed(self, angles: Array) -> tuple[Array, Array]:
        """Rotation and position of the frame."""
        R, p = np.array(self.rotation), np.array(self.position)
        for axis, point, angle in reversed(list(zip(self.axes, self.points, angles, strict=True))):
            step = turn(axis, angle)
            R, p = step @ R, point + step @ (p - point)
        return R, p


def arm_axes(descent: Descent, base: Array) -> ArmAxes | None:
    """The axes of the joints that move a frame, if these are six and plain; `base` says where all others are."""
    where = descent.joints.coordinates[descent.moving]
    if len(where) != 6 or (where < 0).any() or not (descent.task > 0).all():
        return None
    rest = np.array(base)
    rest[where] = 0.0
    R, p = placement(descent.joints.mech, rest, descent.frame)
    J = descent.jacobian(np.ascontiguousarray(rest))[:, descent.moving]
    speeds, axes = J[:3].T, J[3:].T
    if np.abs(np.linalg.norm(axes, axis=1) - 1).max() > SAME:
        return None
    found = ArmAxes(axes, p - np.cross(speeds, axes), R, p)
    return found if _moves_so(found, descent, rest, where) else None


def _moves_so(arm: ArmAxes, descent: Descent, rest: Array, where: NDArray[np.int_]) -> bool:
    """Whether the frame moves as the axes say: joints with followers, for one, do more."""
    q, tried = np.array(rest), np.array([0.3, -0.7, 1.1, 0.5, 0.9, -1.3])
    q[where] = tried
    true, found = placement(descent.joints.mech, q, descent.frame), arm.placed(tried)
    return all(float(np.abs(x - y).max()) < SAME for x, y in zip(true, found, strict=True))


def turn(axis: Array, angle: float) -> Array:
    """The rotation about a unit axis (Rodrigues), (3, 3)."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + sin(angle) * K + (1 - cos(angle)) * (K @ K)
