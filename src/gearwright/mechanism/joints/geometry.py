"""Geometry of joints: rotation about an axis, axes of a plane, and parameters of joint kinds."""

from __future__ import annotations

from math import sqrt
from typing import Any

from gearwright.algebra import Z_AXIS, Hinge, Rot, Scalar, Vec, is_number, is_zero
from gearwright.algebra.hinge import rotate_in_plane
from gearwright.errors import JointError


def rotation_after_turn(fixed: Rot, axis: Vec, cos: Scalar, sin: Scalar) -> Rot:
    """Return the fixed rotation of a joint followed by its rotation about the axis (Rodrigues' formula)."""
    if axis == Z_AXIS and is_zero(fixed.a.z):  # fixed = Rx(tilt) Rz(start)
        return Hinge(rotate_in_plane((fixed.a.x, -fixed.a.y), cos, sin), (fixed.c.z, -fixed.b.z))
    return fixed.after(Rot.about_axis(axis, cos, sin))


def plane_axes(normal: Vec) -> tuple[Vec, Vec]:
    """Return x and y of a plane, a right-handed triad with its unit normal: x, y for z; y, z for x; z, x for y.

    For any other normal, the x of the nearest of these three is rotated into the plane. The normal must be numeric, or
    along an axis of the frame.

    >>> plane_axes(Vec(1.0, 0.0, 0.0))
    (Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))
    """
    parts = list(normal)
    nonzero = [k for k, part in enumerate(parts) if not is_zero(part)]
    if len(nonzero) > 1 and not all(map(is_number, parts)):
        raise JointError(f"the normal {normal} of a planar joint is symbolic. Give numbers, or an axis of the frame.")
    largest = nonzero[0] if len(nonzero) == 1 else max(range(3), key=lambda k: abs(parts[k]))
    first = Vec(*(1.0 if k == (largest + 1) % 3 else 0.0 for k in range(3)))
    if len(nonzero) > 1:
        first = first - normal * normal.dot(first)
        first = first * (1 / sqrt(first.dot(first)))
    return first, normal.cross(first)


def require_crossing(owner: str, axis: Vec, axis2: Vec) -> None:
    """Raise an error if the two axes of a universal joint are parallel."""
    if not all(map(is_number, (*axis, *axis2))):
        return
    across = axis.cross(axis2)
    if across.dot(across) < 1e-12:
        raise JointError(
            f"{owner}: axis2 {_vector_text(axis2)} is parallel to axis {_vector_text(axis)}. Give it another direction."
        )


def require_pitch(owner: str, pitch: Any) -> None:
    """Raise an error if the pitch of a helical joint is zero."""
    if is_zero(pitch):
        raise JointError(f"{owner}: its pitch is 0 m/rad. Make the joint revolute, or give a nonzero pitch.")


def _vector_text(v: Vec) -> str:
    return "[" + ", ".join(f"{x:g}" for x in v) + "]"
