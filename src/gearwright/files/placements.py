"""Frames in frames: the arithmetic that turns the words of a file into joint placements."""

from __future__ import annotations

from math import cos, sin
from typing import NamedTuple

from gearwright.algebra import IDENTITY, ZERO, Rot, Tensor, Vec

X, Y, Z = Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0)


class Placement(NamedTuple):
    """A frame in another one: `rotation` turns vectors from it into the other, `position` is its origin there."""

    rotation: Rot = IDENTITY
    position: Vec = ZERO

    def then(self, inner: Placement) -> Placement:
        """The placement of a frame that is given in this frame.

        >>> Placement(position=Vec(0, 0, 1)).then(Placement(position=Vec(1, 0, 0))).position
        Vec(1.0, 0.0, 1.0)
        """
        if self is HERE:
            return inner
        return Placement(self.rotation.after(inner.rotation), self.point(inner.position))

    def point(self, p: Vec) -> Vec:
        """A point of this frame in the other one."""
        return p if self is HERE else self.rotation @ p + self.position

    def direction(self, e: Vec) -> Vec:
        """A direction of this frame in the other one."""
        return e if self is HERE else self.rotation @ e

    def tensor(self, inertia: Tensor) -> Tensor:
        """A tensor about any point of this frame in the other one's axes."""
        return inertia if self is HERE else inertia.rotated(self.rotation)


HERE = Placement()
"""The frame itself: whatever is stated in it stays as it is, to the last bit."""


def turned(axis: Vec, angle: float) -> Rot:
    """The rotation about a unit axis; an angle of zero is no rotation, to the last bit."""
    return IDENTITY if angle == 0 else Rot.about(axis, cos(angle), sin(angle))


def of_rpy(roll: float, pitch: float, yaw: float) -> Rot:
    """Fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    return turned(Z, yaw).after(turned(Y, pitch)).after(turned(X, roll))


def of_quaternion(w: float, x: float, y: float, z: float) -> Rot:
    """The rotation of a quaternion of any length but zero."""
    return Rot.of_quaternion(w, x, y, z)
