"""Rotations as files state them, and the placements they make."""

from __future__ import annotations

from math import cos, sin

from gearwright.algebra import IDENTITY, Rot, Vec
from gearwright.parts.placing import HERE, Placement

__all__ = ["HERE", "Placement", "X", "Y", "Z", "of_rpy", "turned"]

X, Y, Z = Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0)


def turned(axis: Vec, angle: float) -> Rot:
    """The rotation about a unit axis; an angle of zero is no rotation, to the last bit."""
    return IDENTITY if angle == 0 else Rot.about(axis, cos(angle), sin(angle))


def of_rpy(roll: float, pitch: float, yaw: float) -> Rot:
    """Fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    return turned(Z, yaw).after(turned(Y, pitch)).after(turned(X, roll))
