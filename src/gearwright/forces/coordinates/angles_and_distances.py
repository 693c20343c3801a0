"""Ready-made coordinates of a machine: distance, displacement, angle; `forces.cords.tendon_length` has the tendon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import TypeAlias

from gearwright.algebra import Scalar, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.coordinates.configuration import Anchor, Configuration, MovingFrame
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.mechanism import BASE, Mechanism, RobotOrMech, machine_of

Numbers: TypeAlias = tuple[float, float, float]

Where: TypeAlias = Anchor | tuple[Anchor, Sequence[float]]
"""A point: the origin of a body or frame, or (body or frame, position in its axes [m])."""


@dataclass(frozen=True)
class Point:
    """A point fixed in a body or frame; `position` in its axes [m]."""

    anchor: Anchor
    position: Numbers = (0.0, 0.0, 0.0)

    @staticmethod
    def of(owner: str, mech: Mechanism, where: Where | Point) -> Point:
        """From what a user gives, with every name checked."""
        if isinstance(where, Point):
            return Point.of(owner, mech, (where.anchor, where.position))
        anchor, position = where if isinstance(where, tuple) else (where, (0.0, 0.0, 0.0))
        return Point(checked_anchor(owner, mech, anchor), three_numbers(owner, "a position", position))

    def at(self, configuration: Configuration) -> Vec:
        """Where it is in the world [m]."""
        return configuration.point(self.anchor, self.position)


@dataclass(frozen=True)
class Distance:
    """The distance of two points."""

    one: Point
    other: Point

    def __call__(self, configuration: Configuration) -> Scalar:
        """The distance [m]."""
        apart = self.other.at(configuration) - self.one.at(configuration)
        return configuration.ops.sqrt(apart.dot(apart))


@dataclass(frozen=True)
class Displacement:
    """The place of a point along an axis of a frame."""

    point: Point
    relative_to: Anchor
    axis: Numbers

    def __call__(self, configuration: Configuration) -> Scalar:
        """The place along the axis [m]."""
        return configuration.seen_from(self.relative_to, self.point.at(configuration)).dot(Vec(*self.axis))


@dataclass(frozen=True)
class Angle:
    """The angle by which a frame is turned about an axis of another."""

    frame: Anchor
    relative_to: Anchor
    axis: Numbers

    def __call__(self, configuration: Configuration) -> Scalar:
        """The angle [rad]."""
        R, e = configuration.turn_between(self.frame, self.relative_to), Vec(*self.axis)
        across = Vec(R.c.y - R.b.z, R.a.z - R.c.x, R.b.x - R.a.y)
        trace = R.a.x + R.b.y + R.c.z
        return configuration.ops.arctan2(e.dot(across), trace - e.dot(R @ e))


@check_arguments
def distance(mech: RobotOrMech, one: Where, other: Where, name: str | None = None) -> Coordinate:
    """The distance of two points [m]: the length of a cylinder, a strut or a straight cord between them.

    Args:
        mech: the machine.
        one: a point: a body or frame (its origin), "base", or (body or frame, position in its axes).
        other: the other point.
        name: what the coordinate is called.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> strut = distance(arm, ("base", (0.3, 0.0, 0.0)), (1, (0.1, 0.0, 0.0)))
    """
    machine = machine_of("distance", mech)
    a, b = (Point.of("distance", machine, x) for x in (one, other))
    return Coordinate.of(machine, name or f"distance {titled(a.anchor)} to {titled(b.anchor)}", Distance(a, b))


@check_arguments
def displacement(
    mech: RobotOrMech,
    point: Where,
    relative_to: Anchor = "base",
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    name: str | None = None,
) -> Coordinate:
    """The place of a point along an axis of a frame [m].

    Args:
        mech: the machine.
        point: a body or frame (its origin), or (body or frame, position in its axes).
        relative_to: a body or frame, "base", or a `MovingFrame`, from whose origin the place is counted.
        axis: in the axes of `relative_to`, made a unit vector.
        name: what the coordinate is called.

    >>> import gearwright as gw
    >>> height = displacement(gw.assemble(gw.load("elbow")), 2)
    """
    machine = machine_of("displacement", mech)
    place, frame = Point.of("displacement", machine, point), checked_anchor("displacement", machine, relative_to)
    title = name or f"displacement of {titled(place.anchor)} in {titled(frame)}"
    return Coordinate.of(machine, title, Displacement(place, frame, unit_axis("displacement", axis)))


@check_arguments
def angle(
    mech: RobotOrMech,
    frame: Anchor,
    relative_to: Anchor = "base",
    axis: Sequence[float] = (0.0, 0.0, 1.0),
    name: str | None = None,
) -> Coordinate:
    """The angle by which a frame is turned about an axis of another, -pi to pi [rad].

    Of a rotation that is not one about this axis, it is the angle of the rotation about the axis that comes closest.

    Args:
        mech: the machine.
        frame: a body or frame.
        relative_to: a body or frame, "base", or a `MovingFrame`.
        axis: in the axes of `relative_to`, made a unit vector.
        name: what the coordinate is called.

    >>> import gearwright as gw
    >>> lean = angle(gw.assemble(gw.load("elbow")), 2, axis=(0, 1, 0))
    """
    machine = machine_of("angle", mech)
    one, other = (checked_anchor("angle", machine, x) for x in (frame, relative_to))
    title = name or f"angle of {titled(one)} in {titled(other)}"
    return Coordinate.of(machine, title, Angle(one, other, unit_axis("angle", axis)))


def checked_anchor(owner: str, mech: Mechanism, anchor: Anchor) -> Anchor:
    """A body or frame by its name, the base, or a frame that moves by itself."""
    if isinstance(anchor, MovingFrame) or anchor in (BASE, "base"):
        return anchor
    if not isinstance(anchor, str | int):
        raise InputError(
            f"{owner}: {anchor!r} is not a body or frame. Give its name, 'base', a MovingFrame, or for a point a pair "
            "of one of these and a position (x, y, z)."
        )
    return mech.name_of(anchor)


def three_numbers(owner: str, what: str, values: Sequence[float]) -> Numbers:
    """Three finite numbers."""
    try:
        x, y, z = values
    except (TypeError, ValueError):
        raise InputError(f"{owner}: {what} {values!r} is not a vector. Give three numbers.") from None
    return tuple(float(number(owner, what, value)) for value in (x, y, z))  # type: ignore[return-value]


def unit_axis(owner: str, values: Sequence[float]) -> Numbers:
    """Three numbers as a unit vector."""
    x, y, z = three_numbers(owner, "an axis", values)
    size = sqrt(x * x + y * y + z * z)
    if not size > 0 or not isfinite(size):
        raise InputError(f"{owner}: the axis {tuple(values)!r} has no direction. Give one that is not zero.")
    return x / size, y / size, z / size


def titled(anchor: Anchor) -> str:
    """What an anchor is called."""
    return anchor.name if isinstance(anchor, MovingFrame) else "base" if anchor == BASE else str(anchor)
