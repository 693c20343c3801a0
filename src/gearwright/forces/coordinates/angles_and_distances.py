"""Coordinates of a machine: distance, displacement, angle; the tendon is in `forces.cords.tendon_length`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TypeAlias

from gearwright.algebra import Scalar, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.coordinates.configuration import Anchor, Configuration, MovingFrame
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.mechanism import BASE, Mechanism, RobotOrMech, tree_of

Triple: TypeAlias = tuple[float, float, float]

PointLike: TypeAlias = Anchor | tuple[Anchor, Sequence[float]]
"""A point: the origin of a body or frame, or (body or frame, position in its axes [m])."""


@dataclass(frozen=True)
class Point:
    """A point fixed in a body or frame; `position` in its axes [m]."""

    anchor: Anchor
    position: Triple = (0.0, 0.0, 0.0)

    @staticmethod
    def from_user(owner: str, mech: Mechanism, point_like: PointLike | Point) -> Point:
        """The point of a user's argument, with checked names."""
        if isinstance(point_like, Point):
            return Point.from_user(owner, mech, (point_like.anchor, point_like.position))
        anchor, position = point_like if isinstance(point_like, tuple) else (point_like, (0.0, 0.0, 0.0))
        return Point(checked_anchor(owner, mech, anchor), three_numbers(owner, "a position", position))

    def world_position(self, configuration: Configuration) -> Vec:
        """Its position in the world [m]."""
        return configuration.point(self.anchor, self.position)


@dataclass(frozen=True)
class Distance:
    """The distance between two points."""

    first: Point
    second: Point

    def __call__(self, configuration: Configuration) -> Scalar:
        """The distance [m]."""
        separation = self.second.world_position(configuration) - self.first.world_position(configuration)
        return configuration.ops.sqrt(separation.dot(separation))


@dataclass(frozen=True)
class Displacement:
    """The position of a point along an axis of a frame."""

    point: Point
    relative_to: Anchor
    axis: Triple

    def __call__(self, configuration: Configuration) -> Scalar:
        """The position along the axis [m]."""
        return configuration.point_in_frame(self.relative_to, self.point.world_position(configuration)).dot(
            Vec(*self.axis)
        )


@dataclass(frozen=True)
class Angle:
    """The angle by which a frame is turned about an axis of another."""

    frame: Anchor
    relative_to: Anchor
    axis: Triple

    def __call__(self, configuration: Configuration) -> Scalar:
        """The angle [rad]."""
        R, e = configuration.relative_rotation(self.frame, self.relative_to), Vec(*self.axis)
        antisymmetric = Vec(R.c.y - R.b.z, R.a.z - R.c.x, R.b.x - R.a.y)
        trace = R.a.x + R.b.y + R.c.z
        return configuration.ops.arctan2(e.dot(antisymmetric), trace - e.dot(R @ e))


@check_arguments
def distance(mech: RobotOrMech, first: PointLike, second: PointLike, name: str | None = None) -> Coordinate:
    """Return the distance between two points [m]: the length of a cylinder, a strut or a straight cord.

    Args:
        mech: the machine.
        first: a point: a body or frame (its origin), "base", or (body or frame, position in its axes).
        second: the other point.
        name: the coordinate's name.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> strut = distance(arm, ("base", (0.3, 0.0, 0.0)), (1, (0.1, 0.0, 0.0)))
    """
    machine = tree_of("distance", mech)
    first_point, second_point = (Point.from_user("distance", machine, point_like) for point_like in (first, second))
    return Coordinate.for_machine(
        machine,
        name or f"distance {anchor_name(first_point.anchor)} to {anchor_name(second_point.anchor)}",
        Distance(first_point, second_point),
    )


@check_arguments
def displacement(
    mech: RobotOrMech,
    point: PointLike,
    relative_to: Anchor = "base",
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    name: str | None = None,
) -> Coordinate:
    """Return the position of a point along an axis of a frame [m].

    Args:
        mech: the machine.
        point: a body or frame (its origin), or (body or frame, position in its axes).
        relative_to: a body or frame, "base", or a `MovingFrame`; the position is relative to its origin.
        axis: in the axes of `relative_to`, normalised.
        name: the coordinate's name.

    >>> import gearwright as gw
    >>> height = displacement(gw.assemble(gw.load("elbow")), 2)
    """
    machine = tree_of("displacement", mech)
    checked_point, reference_frame = (
        Point.from_user("displacement", machine, point),
        checked_anchor("displacement", machine, relative_to),
    )
    title = name or f"displacement of {anchor_name(checked_point.anchor)} in {anchor_name(reference_frame)}"
    return Coordinate.for_machine(
        machine, title, Displacement(checked_point, reference_frame, unit_axis("displacement", axis))
    )


@check_arguments
def angle(
    mech: RobotOrMech,
    frame: Anchor,
    relative_to: Anchor = "base",
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    name: str | None = None,
) -> Coordinate:
    """Return the angle by which a frame is turned about an axis of another, -pi to pi [rad].

    For a general rotation it is the angle of the closest rotation about this axis.

    Args:
        mech: the machine.
        frame: a body or frame.
        relative_to: a body or frame, "base", or a `MovingFrame`.
        axis: in the axes of `relative_to`, normalised.
        name: the coordinate's name.

    >>> import gearwright as gw
    >>> lean = angle(gw.assemble(gw.load("elbow")), 2, axis=(0, 1, 0))
    """
    machine = tree_of("angle", mech)
    turned_frame, reference_frame = (checked_anchor("angle", machine, x) for x in (frame, relative_to))
    title = name or f"angle of {anchor_name(turned_frame)} in {anchor_name(reference_frame)}"
    return Coordinate.for_machine(machine, title, Angle(turned_frame, reference_frame, unit_axis("angle", axis)))


def checked_anchor(owner: str, mech: Mechanism, anchor: Anchor) -> Anchor:
    """A checked body or frame, the base, or a frame with prescribed motion."""
    if isinstance(anchor, MovingFrame) or anchor in (BASE, "base"):
        return anchor
    if not isinstance(anchor, str | int):
        raise InputError(
            f"{owner}: {anchor!r} is not a body or frame. Give its name, 'base' or a MovingFrame; for a point also a "
            "pair (body or frame, position (x, y, z))."
        )
    return mech.name_of(anchor)


def three_numbers(owner: str, quantity: str, values: Sequence[float]) -> Triple:
    """Three finite numbers."""
    try:
        x, y, z = values
    except (TypeError, ValueError):
        raise InputError(f"{owner}: {quantity} {values!r} is not a vector. Give three numbers.") from None
    return tuple(float(real_number(owner, quantity, value)) for value in (x, y, z))  # type: ignore[return-value]


def unit_axis(owner: str, values: Sequence[float]) -> Triple:
    """Three numbers as a unit vector."""
    x, y, z = three_numbers(owner, "an axis", values)
    size = sqrt(x * x + y * y + z * z)
    if not size > 0 or not isfinite(size):
        raise InputError(f"{owner}: the axis {tuple(values)!r} has length zero. Give a non-zero vector.")
    return x / size, y / size, z / size


def anchor_name(anchor: Anchor) -> str:
    """The name of an anchor."""
    return anchor.name if isinstance(anchor, MovingFrame) else "base" if anchor == BASE else str(anchor)
