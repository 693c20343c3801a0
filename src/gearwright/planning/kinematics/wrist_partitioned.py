"""All configurations of a wrist-partitioned arm of six revolute joints in closed form, from the axes of its joints.

The last three axes meet in one point, the wrist; the second and third are parallel. With $e_i$ the turn of joint i
about its axis at rest, the frame is moved by $E = e_1 e_2 e_3 e_4 e_5 e_6$, and the wrist c, which the last three leave
where it is, by $E c = e_1 e_2 e_3 c$ (Pieper). Three equations of the form a cos x + b sin x = c have two solutions
each: shoulder, elbow, wrist, eight configurations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import acos, atan2, cos, sin

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Scalar
from gearwright.arrays import Array
from gearwright.functions.dynamics import placement
from gearwright.planning.kinematics.descent import Descent
from gearwright.planning.kinematics.poses import placed

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


PARALLEL = 1e-9
"""Sine of an angle, or distance as a share of the arm's size, below which axes are parallel or meet."""
CROSSED = 0.999
"""Cosine between the first two axes above which the first does not choose a shoulder."""
EDGE = 1e-9
"""Beyond the reach by less than this share counts as stretched out."""


@dataclass(frozen=True)
class WristPartitioned:
    """Such an arm.

    Args:
        arm: its axes.
        wrist: where the last three meet while all joints are at zero [m], (3,).
    """

    arm: ArmAxes
    wrist: Array

    @property
    def axes(self) -> Array:
        """Directions of the axes, (6, 3)."""
        return self.arm.axes

    def configurations(self, pose: Array) -> Array:
        """All angles (up to 8, 6) that bring the frame to a flat pose (12,), in -pi to pi or beyond by a turn."""
        R, p = placed(pose)
        E = R @ self.arm.rotation.T
        wrist = p + E @ (self.wrist - self.arm.position)
        found = [
            [*arm, *turned] for arm in self._arms(wrist) for turned in self._wrists(self._turn(arm, (0, 1, 2)).T @ E)
        ]
        return np.array(found).reshape(-1, 6)

    def _turn(self, angles: tuple[float, ...], joints: tuple[int, ...]) -> Array:
        """The product of turns of some joints."""
        R = np.eye(3)
        for k, angle in zip(joints, angles, strict=True):
            R = R @ turn(self.axes[k], angle)
        return R

    def _arms(self, wrist: Array) -> Iterator[tuple[float, float, float]]:
        """The first three angles for a place of the wrist."""
        h, k, o = self.axes[0], self.axes[1], self.arm.points
        u = wrist - o[0]
        along = float(h @ u)
        # Joints 2 and 3 do not move the wrist along their own direction: k . (e1^-1 w) = k . c.
        a, b = k @ u - (k @ h) * along, -k @ np.cross(h, u)
        for first in angles(a, b, k @ (self.wrist - o[0]) - (k @ h) * along):
            here = o[0] + turn(h, -first) @ u - o[1]
            upper, fore, here = (_across(x, k) for x in (o[2] - o[1], self.wrist - o[2], here))
            sense = float(np.sign(self.axes[2] @ k))
            reach = (here @ here - upper @ upper - fore @ fore) / 2
            for elbow in angles(upper @ fore, upper @ np.cross(k, fore), reach):
                bent = upper + turn(k, elbow) @ fore
                yield first, angle_between(bent, here, k), sense * elbow

    def _wrists(self, W: Array) -> Iterator[tuple[float, float, float]]:
        """The last three angles for their product W = R4 R5 R6; at a singularity the fourth is zero."""
        k4, k5, k6 = self.axes[3:]
        middle = (k4 @ k5) * (k5 @ k6)
        for bend in angles(k4 @ k6 - middle, k4 @ np.cross(k5, k6), k4 @ W @ k6 - middle):
            R5 = turn(k5, bend)
            first = angle_between(_across(R5 @ k6, k4), _across(W @ k6, k4), k4)
            side = np.cross(k6, k5 if abs(k5 @ k6) < 0.9 else k4)
            rest = (turn(k4, first) @ R5).T @ W
            yield first, bend, angle_between(side, rest @ side, k6)


def wrist_partitioned(arm: ArmAxes) -> WristPartitioned | None:
    """The closed form of an arm, if it has this one."""
    axes, points = arm.axes, arm.points
    size = float(np.linalg.norm(np.diff(points, axis=0), axis=1).max())
    wrist = _meeting(axes[3:], points[3:], PARALLEL * size)
    parallel = np.linalg.norm(np.cross(axes[1], axes[2])) <= PARALLEL and abs(axes[0] @ axes[1]) < CROSSED
    return WristPartitioned(arm, wrist) if wrist is not None and parallel else None


def _meeting(axes: Array, points: Array, least: float) -> Array | None:
    """The point in which three axes meet, or None."""
    across = np.array([np.eye(3) - np.outer(k, k) for k in axes])
    left, right = across.sum(axis=0), np.einsum("kij,kj->i", across, points)
    if np.linalg.cond(left) > 1e9:
        return None
    found: Array = np.linalg.solve(left, right)
    apart = np.linalg.norm(np.einsum("kij,kj->ki", across, found - points), axis=1)
    return found if apart.max() <= max(least, 1e-12) else None


def angles(a: Scalar, b: Scalar, c: Scalar) -> tuple[float, ...]:
    """All x with a cos x + b sin x = c: two, one where they meet, or none.

    >>> [round(x, 6) for x in angles(0.0, 1.0, 0.5)]
    [2.617994, 0.523599]
    """
    size = float(np.hypot(a, b))
    if size < 1e-12:
        return (0.0,) if abs(c) < 1e-12 else ()
    share = float(c) / size
    if abs(share) > 1 + EDGE:
        return ()
    middle, half = atan2(b, a), acos(max(-1.0, min(1.0, share)))
    return (middle + half, middle - half) if half > 0 else (middle,)


def angle_between(start: Array, end: Array, axis: Array) -> float:
    """The turn about a unit axis from one vector across it to another."""
    return atan2(float(axis @ np.cross(start, end)), float(start @ end))


def _across(x: Array, axis: Array) -> Array:
    """What of a vector is across a unit axis."""
    return x - (x @ axis) * axis
