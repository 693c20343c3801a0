"""Surfaces that a point of a robot can touch: planes, spheres, cylinders."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any, TypeAlias

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.arguments import number
from gearwright.errors import PartError

Numbers: TypeAlias = tuple[float, float, float]

POLAR = 0.9
"""Where the normal of a sphere has more than this along z, its tangents are counted about x."""


@dataclass(frozen=True)
class Plane:
    """A plane; the free side is where its normal points.

    Args:
        point: a point of it [m].
        normal: made a unit vector.

    >>> Plane((0, 0, 0.2), (0, 0, 2)).normal
    (0.0, 0.0, 1.0)
    """

    point: Any = (0.0, 0.0, 0.0)
    normal: Any = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _three("plane", "point", self.point))
        object.__setattr__(self, "normal", _unit("plane", "normal", self.normal))

    def gap(self, p: Vec, ops: Operations) -> Scalar:
        """How far a point is from it [m], positive on the free side."""
        return (p - Vec(*self.point)).dot(Vec(*self.normal))

    @property
    def tangents(self) -> tuple[Numbers, Numbers]:
        """Two axes in it that are at right angles."""
        n = Vec(*self.normal)
        least = min(range(3), key=lambda k: abs(self.normal[k]))
        first = n.cross(Vec(*(float(k == least) for k in range(3))))
        first = first * (1.0 / sqrt(first.dot(first)))
        return _numbers(first), _numbers(n.cross(first))

    def tangents_at(self, p: Vec, ops: Operations) -> tuple[Vec, Vec]:
        """Two unit vectors along it at a point, at right angles: everywhere the same."""
        first, second = self.tangents
        return Vec(*first), Vec(*second)


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

    centre: Any
    radius: float
    hollow: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _three("sphere", "centre", self.centre))
        number("sphere", "radius", self.radius, above=0.0, unit="m")

    def gap(self, p: Vec, ops: Operations) -> Scalar:
        """How far a point is from it [m], positive on the free side."""
        apart = p - Vec(*self.centre)
        outside = ops.sqrt(apart.dot(apart)) - self.radius
        return -outside if self.hollow else outside

    def tangents_at(self, p: Vec, ops: Operations) -> tuple[Vec, Vec]:
        """Two unit vectors along it at a point, at right angles: along circles about z, about x near the poles."""
        apart = p - Vec(*self.centre)
        n = apart * (1.0 / ops.sqrt(apart.dot(apart)))
        polar = ops.absolute(n.z) > POLAR
        pole = Vec(ops.where(polar, 1.0, 0.0), 0.0, ops.where(polar, 0.0, 1.0))
        first = pole.cross(n)
        first = first * (1.0 / ops.sqrt(first.dot(first)))
        return first, n.cross(first)


@dataclass(frozen=True)
class Cylinder:
    """A cylinder without ends; the free side is outside, or inside for a hollow one (a hole).

    Args:
        point: a point of its axis [m].
        axis: made a unit vector.
        radius: [m].
        hollow: whether it is touched from inside.

    >>> Cylinder((0, 0, 0), (0, 0, 3), 0.1).axis
    (0.0, 0.0, 1.0)
    """

    point: Any
    axis: Any
    radius: float
    hollow: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", _three("cylinder", "point", self.point))
        object.__setattr__(self, "axis", _unit("cylinder", "axis", self.axis))
        number("cylinder", "radius", self.radius, above=0.0, unit="m")

    def gap(self, p: Vec, ops: Operations) -> Scalar:
        """How far a point is from it [m], positive on the free side."""
        apart, axis = p - Vec(*self.point), Vec(*self.axis)
        across = apart - axis * apart.dot(axis)
        outside = ops.sqrt(across.dot(across)) - self.radius
        return -outside if self.hollow else outside

    def tangents_at(self, p: Vec, ops: Operations) -> tuple[Vec, Vec]:
        """Two unit vectors along it at a point: its axis, and round it."""
        apart, axis = p - Vec(*self.point), Vec(*self.axis)
        across = apart - axis * apart.dot(axis)
        return axis, axis.cross(across * (1.0 / ops.sqrt(across.dot(across))))


Surface: TypeAlias = Plane | Sphere | Cylinder


def _three(owner: str, what: str, values: Any) -> Numbers:
    try:
        x, y, z = (float(value) for value in values)
    except (TypeError, ValueError):
        raise PartError(f"{owner}: its {what} {values!r} is not a vector. Give three numbers.") from None
    if not all(isfinite(value) for value in (x, y, z)):
        raise PartError(f"{owner}: its {what} {values!r} is not finite. Give three numbers.")
    return x, y, z


def _unit(owner: str, what: str, values: Any) -> Numbers:
    x, y, z = _three(owner, what, values)
    size = sqrt(x * x + y * y + z * z)
    if not size > 0:
        raise PartError(f"{owner}: its {what} {values!r} has no direction. Give one that is not zero.")
    return x / size, y / size, z / size


def _numbers(v: Vec) -> Numbers:
    return float(v.x), float(v.y), float(v.z)
