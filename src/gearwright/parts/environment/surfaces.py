"""Surfaces that a point of a robot can touch: planes, spheres, cylinders."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any, TypeAlias

from gearwright.algebra import Operations, Scalar, Vec, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import PartError

Point3: TypeAlias = tuple[float, float, float]

POLE_NORMAL_LIMIT = 0.9
"""If the z component of a sphere's normal exceeds this [1], its tangents are taken about x."""


@check_arguments
@dataclass(frozen=True)
class Plane:
    """A plane; the free side is where its normal points.

    Args:
        point: a point of it [m].
        normal: normalised to unit length.

    >>> Plane((0, 0, 0.2), (0, 0, 2)).normal
    (0.0, 0.0, 1.0)
    """

    point: VectorLike = (0.0, 0.0, 0.0)
    normal: VectorLike = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _checked_vector("plane", "point", self.point))
        object.__setattr__(self, "normal", _checked_unit_vector("plane", "normal", self.normal))

    def gap(self, p: Vec, ops: Operations) -> Scalar:
        """Signed distance of a point from the surface [m], positive on the free side."""
        return (p - Vec(*self.point)).dot(Vec(*self.normal))

    @property
    def tangent_axes(self) -> tuple[Point3, Point3]:
        """Two orthogonal axes in the plane."""
        n = Vec(*self.normal)
        least = min(range(3), key=lambda k: abs(self.normal[k]))
        first = n.cross(Vec(*(float(k == least) for k in range(3))))
        first = first * (1.0 / sqrt(first.dot(first)))
        return _as_floats(first), _as_floats(n.cross(first))

    def tangents_at(self, p: Vec, ops: Operations) -> tuple[Vec, Vec]:
        """Two orthogonal unit tangents at a point; the same at every point."""
        first, second = self.tangent_axes
        return Vec(*first), Vec(*second)


@check_arguments
@dataclass(frozen=True)
class Sphere:
    """A sphere; the free side is outside, or inside for a hollow one.

    Args:
        centre: its centre [m].
        radius: [m].
        hollow: whether it is touched from inside.

    >>> Sphere((0, 0, 0), 0.1).radius
    0.1
    """

    centre: VectorLike
    radius: float
    hollow: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _checked_vector("sphere", "centre", self.centre))
        real_number("sphere", "radius", self.radius, above=0.0, unit="m")

    def gap(self, p: Vec, ops: Operations) -> Scalar:
        """Signed distance of a point from the surface [m], positive on the free side."""
        apart = p - Vec(*self.centre)
        outside = ops.sqrt(apart.dot(apart)) - self.radius
        return -outside if self.hollow else outside

    def tangents_at(self, p: Vec, ops: Operations) -> tuple[Vec, Vec]:
        """Two orthogonal unit tangents at a point: along circles about z, near the poles about x."""
        apart = p - Vec(*self.centre)
        n = apart * (1.0 / ops.sqrt(apart.dot(apart)))
        polar = ops.absolute(n.z) > POLE_NORMAL_LIMIT
        pole = Vec(ops.where(polar, 1.0, 0.0), 0.0, ops.where(polar, 0.0, 1.0))
        first = pole.cross(n)
        first = first * (1.0 / ops.sqrt(first.dot(first)))
        return first, n.cross(first)


@check_arguments
@dataclass(frozen=True)
class Cylinder:
    """A cylinder without ends; the free side is outside, or inside for a hollow one (a hole).

    Args:
        point: a point of its axis [m].
        axis: normalised to unit length.
        radius: [m].
        hollow: whether it is touched from inside.

    >>> Cylinder((0, 0, 0), (0, 0, 3), 0.1).axis
    (0.0, 0.0, 1.0)
    """

    point: VectorLike
    axis: VectorLike
    radius: float
    hollow: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _checked_vector("cylinder", "point", self.point))
        object.__setattr__(self, "axis", _checked_unit_vector("cylinder", "axis", self.axis))
        real_number("cylinder", "radius", self.radius, above=0.0, unit="m")

    def gap(self, p: Vec, ops: Operations) -> Scalar:
        """Signed distance of a point from the surface [m], positive on the free side."""
        apart, axis = p - Vec(*self.point), Vec(*self.axis)
        across = apart - axis * apart.dot(axis)
        outside = ops.sqrt(across.dot(across)) - self.radius
        return -outside if self.hollow else outside

    def tangents_at(self, p: Vec, ops: Operations) -> tuple[Vec, Vec]:
        """Two unit tangents at a point: along the axis, and in the circumferential direction."""
        apart, axis = p - Vec(*self.point), Vec(*self.axis)
        across = apart - axis * apart.dot(axis)
        return axis, axis.cross(across * (1.0 / ops.sqrt(across.dot(across))))


Surface: TypeAlias = Plane | Sphere | Cylinder


def _checked_vector(owner: str, field: str, values: Any) -> Point3:
    try:
        x, y, z = (float(value) for value in values)
    except (TypeError, ValueError):
        raise PartError(f"{owner}: its {field} {values!r} is not a vector. Give three numbers.") from None
    if not all(isfinite(value) for value in (x, y, z)):
        raise PartError(f"{owner}: its {field} {values!r} is not finite. Give three numbers.")
    return x, y, z


def _checked_unit_vector(owner: str, field: str, values: Any) -> Point3:
    x, y, z = _checked_vector(owner, field, values)
    size = sqrt(x * x + y * y + z * z)
    if not size > 0:
        raise PartError(f"{owner}: its {field} {values!r} is zero. Give a vector of non-zero length.")
    return x / size, y / size, z / size


def _as_floats(v: Vec) -> Point3:
    return float(v.x), float(v.y), float(v.z)
