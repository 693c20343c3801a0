"""Rotations as files state them, and the placements they make."""

from __future__ import annotations

from math import cos, pi, sin

from gearwright.algebra import IDENTITY, Rot, Vec
from gearwright.parts.placing import HERE, PartPlace

__all__ = ["HERE", "PartPlace", "X", "Y", "Z", "of_rpy", "turned"]

QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
"""Cosine and sine of 0, 90, 180 and 270 degrees."""

X, Y, Z = Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0)


def turned(axis: Vec, angle: float) -> Rot:
    """The rotation about a unit axis; whole quarter turns are exact, to the last bit.

    >>> turned(Vec(0.0, 0.0, 1.0), pi / 2) @ Vec(1.0, 0.0, 0.0)
    Vec(0.0, 1.0, 0.0)
    """
    quarters = round(angle / (pi / 2))
    if angle == quarters * (pi / 2):
        return IDENTITY if quarters % 4 == 0 else Rot.about(axis, *QUARTERS[quarters % 4])
    return Rot.about(axis, cos(angle), sin(angle))


def of_rpy(roll: float, pitch: float, yaw: float) -> Rot:
    """Fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    return turned(Z, yaw).after(turned(Y, pitch)).after(turned(X, roll))
