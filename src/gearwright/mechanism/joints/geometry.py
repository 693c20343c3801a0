"""Geometry of joints: a turn about an axis, the two axes of a plane, and the numbers that a kind needs."""

from __future__ import annotations

from math import sqrt
from typing import Any

from gearwright.algebra import Hinge, Rot, Scalar, Vec, is_number, is_zero
from gearwright.algebra.hinge import rotated
from gearwright.errors import JointError

Z = Vec(0.0, 0.0, 1.0)


def turned(fixed: Rot, axis: Vec, cos: Scalar, sin: Scalar) -> Rot:
    """The fixed rotation of a joint after its turn about the axis (Rodrigues' formula)."""
    if axis == Z and is_zero(fixed.a.z):  # fixed = Rx(tilt) Rz(start)
        return Hinge(rotated((fixed.a.x, -fixed.a.y), cos, sin), (fixed.c.z, -fixed.b.z))
    return fixed.after(Rot.about(axis, cos, sin))


def in_plane(normal: Vec) -> tuple[Vec, Vec]:
    """The x and y of a plane, a right-handed triad with its unit normal: x, y for z; y, z for x; z, x for y.

    For any other normal, the x of the nearest of these three, turned into the plane. Needs numbers, or a normal along
    an axis of the frame.

    >>> in_plane(Vec(1.0, 0.0, 0.0))
    (Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
    """
    parts = list(normal)
    along = [k for k, part in enumerate(parts) if not is_zero(part)]
    if len(along) > 1 and not all(map(is_number, parts)):
        raise JointError(f"the normal {normal} of a planar joint is a symbol. Give numbers, or an axis of the frame.")
    largest = along[0] if len(along) == 1 else max(range(3), key=lambda k: abs(parts[k]))
    first = Vec(*(1.0 if k == (largest + 1) % 3 else 0.0 for k in range(3)))
    if len(along) > 1:
        first = first - normal * normal.dot(first)
        first = first * (1 / sqrt(first.dot(first)))
    return first, normal.cross(first)


def require_crossing(owner: str, axis: Vec, axis2: Vec) -> None:
    """Refuse two axes of a universal joint that are parallel: it would turn about one direction only."""
    if not all(map(is_number, (*axis, *axis2))):
        return
    across = axis.cross(axis2)
    if across.dot(across) < 1e-12:
        raise JointError(
            f"{owner}: axis2 {_shown(axis2)} is parallel to axis {_shown(axis)}. Give it another direction."
        )


def require_pitch(owner: str, pitch: Any) -> None:
    """Refuse a screw that does not slide."""
    if is_zero(pitch):
        raise JointError(
            f"{owner}: its pitch is 0 m/rad, so it never slides. Make the joint revolute, or give a pitch."
        )


def _shown(v: Vec) -> str:
    return "[" + ", ".join(f"{x:g}" for x in v) + "]"
