"""The length of a tendon or cord over points, pulleys, and cylinders or spheres that it may touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import Protocol, Self

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.errors import InputError
from gearwright.forces.coordinates.angles_and_distances import (
    Point,
    PointLike,
    checked_anchor,
    three_numbers,
    unit_axis,
)
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.mechanism import Mechanism, RobotOrMech, tree_of

# Tendons

UNWRAP_ANGLE = 0.25 * pi
"""Angle [rad] by which a lifted tendon may pass the axis before it counts as wrapped from the other side."""


@check_arguments
@dataclass(frozen=True)
class Pulley:
    r"""A pulley over which a tendon runs without losses; the pulley has no inertia.

    The tendon meets the pulley along a tangent from the point before it, wraps it over the angle

    $\theta = \psi - \arccos(r/d_1) - \arccos(r/d_2)$

    and leaves along the other tangent; $\psi$ is the angle from the point before to the point after it as seen from the
    axis, in the pulley's sense of rotation, $d_1$ and $d_2$ are their distances from the axis. Where $\theta$ would be
    negative the tendon has lifted off and runs straight. Points at different heights along the axis make it a helix.
    The positions of the points do not determine the number of turns: $\psi$ is from $-\pi/4$ to $7\pi/4$.

    Args:
        frame: the body or frame that carries it.
        radius: r [m].
        centre: a point of its axis, in the frame's axes [m].
        axis: its axis, in the frame's axes; the tendon wraps about it by the right-hand rule. Reverse the axis for the
            other direction.

    >>> Pulley("proximal", 0.01, axis=(0, 0, -1)).radius
    0.01
    """

    frame: Anchor
    radius: float
    centre: Sequence[float] = (0.0, 0.0, 0.0)
    axis: Sequence[float] = (0.0, 0.0, 1.0)

    def with_checked_values(self, owner: str, mech: Mechanism) -> Self:
        """The pulley with checked names and numbers."""
        real_number(owner, "radius", self.radius, above=0.0, unit="m", example=0.01)
        frame, centre = checked_anchor(owner, mech, self.frame), three_numbers(owner, "a centre", self.centre)
        return type(self)(frame, float(self.radius), centre, unit_axis(owner, self.axis))

    def length(self, configuration: Configuration, before: Vec, behind: Vec) -> Scalar:
        """The length of the tendon between the points before and after it [m]."""
        ops, e = configuration.ops, Vec.from_values(self.axis)
        rays = [
            configuration.point_in_frame(self.frame, point) - Vec.from_values(self.centre) for point in (before, behind)
        ]
        heights = [ray.dot(e) for ray in rays]
        a, b = (ray - e * height for ray, height in zip(rays, heights, strict=True))
        free_lengths = [ops.sqrt(ray.dot(ray) - self.radius * self.radius) for ray in (a, b)]
        angle = _unwrapped_angle(ops.arctan2(e.dot(a.cross(b)), a.dot(b)), configuration)
        wrap_angle = angle - ops.arctan2(free_lengths[0], self.radius) - ops.arctan2(free_lengths[1], self.radius)
        rise, straight_line = heights[1] - heights[0], behind - before
        planar_length = free_lengths[0] + free_lengths[1] + self.radius * wrap_angle
        wrapped_length = ops.sqrt(planar_length * planar_length + rise * rise)
        return ops.where(wrap_angle > 0.0, wrapped_length, ops.sqrt(straight_line.dot(straight_line)))


def _unwrapped_angle(angle: Scalar, configuration: Configuration) -> Scalar:
    """An angle from -`UNWRAP_ANGLE`, a quarter of pi, to 2 pi - `UNWRAP_ANGLE`."""
    return configuration.ops.where(angle < -UNWRAP_ANGLE, angle + 2.0 * pi, angle)


class CordGuide(Protocol):
    """A pulley or roller between two points of a tendon."""

    def length(self, configuration: Configuration, before: Vec, behind: Vec) -> Scalar:
        """The length of the tendon between the points before and after it [m]."""


@dataclass(frozen=True)
class TendonRoute:
    """The route of a tendon from its first to its last point."""

    stations: tuple[Point | CordGuide, ...]

    def __call__(self, configuration: Configuration) -> Scalar:
        """Its length [m]."""
        places = [x.world_position(configuration) if isinstance(x, Point) else None for x in self.stations]
        total: Scalar = 0.0
        for k, station in enumerate(self.stations):
            if not isinstance(station, Point):
                total = total + station.length(configuration, places[k - 1], places[k + 1])  # type: ignore[arg-type]
        for before, behind in pairwise(places):
            if before is not None and behind is not None:
                straight = behind - before
                total = total + configuration.ops.sqrt(straight.dot(straight))
        return total


@check_arguments
def tendon(mech: RobotOrMech, route: Sequence[PointLike | Pulley], name: str | None = None) -> Coordinate:
    """Return the length of a tendon [m] that runs through points and over pulleys.

    A force of -T along it is a tension T: the tendon pulls and does not push. `compliant_stops` with an upper end makes
    it an elastic cord that may be slack, `DryFriction` adds friction along it, a `LinearActuator` winds it up.

    Args:
        mech: the machine.
        route: points (bodies or frames, or (body or frame, position)) and pulleys (`Pulley`), from end to end; a
            pulley has a point on either side.
        name: the coordinate's name.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> cord = tendon(arm, [("base", (0.3, 0.1, 0.2)), Pulley(1, 0.05), (2, (0.2, 0.0, 0.0))], name="flexor")
    >>> cord.name
    'flexor'
    """
    machine, owner = tree_of("tendon", mech), "tendon" if name is None else f"tendon {name!r}"
    stations = tuple(
        x.with_checked_values(owner, machine) if isinstance(x, Pulley) else Point.from_user(owner, machine, x)
        for x in route
    )
    _require_points_between(owner, stations)
    return Coordinate.for_machine(machine, name or "tendon", TendonRoute(stations))


def _require_points_between(owner: str, stations: Sequence[Point | Pulley]) -> None:
    if len(stations) < 2:
        raise InputError(f"{owner}: {len(stations)} points do not define a tendon. Give at least its two ends.")
    for end in (stations[0], stations[-1]):
        if isinstance(end, Pulley):
            raise InputError(f"{owner}: it begins or ends on a pulley. Give its two attachment points.")
    for station, following in pairwise(stations):
        if isinstance(station, Pulley) and isinstance(following, Pulley):
            raise InputError(f"{owner}: two pulleys are adjacent. Give a guide point between them.")


# Rollers

LEAST_FREE_SQUARE = 1e-12
"""The least square [m2] of a free length that is differentiated; below it the point is inside and the cord straight."""

COINCIDENT_SQUARE = 1e-30
"""The square [m2] of a straight length below which its two points coincide and the length is constant."""


@dataclass(frozen=True)
class WrapSurface:
    r"""A roller between two points of a cord: a cylinder about `axis`, or a sphere without an axis.

    With the points at a and b from its centre (across the axis), $\psi$ the angle between them and
    $\alpha_i = \arccos(r/d_i)$, the cord wraps it over $\theta = \psi - \alpha_1 - \alpha_2$. Its length is
    $\sqrt{d_1^2 - r^2} + \sqrt{d_2^2 - r^2} + r\theta$; it is straight where $\theta$ would be negative. With a `side`
    the cord runs from a past the side to b, each part by the shorter route: $\psi$ is the magnitude of the sum of both
    angles and may be up to $2\pi$. This is the shortest taut cord on that side, and the rule of MuJoCo 4. The cord
    jumps to the other side when a or b passes the ray opposite the side.
    """

    frame: Anchor
    radius: float
    centre: tuple[float, ...]
    axis: tuple[float, ...] | None = None
    side: tuple[float, ...] | None = None

    def length(self, configuration: Configuration, before: Vec, behind: Vec) -> Scalar:
        """The length of the cord between the points before and after it [m]."""
        ops = configuration.ops
        rays = [
            configuration.point_in_frame(self.frame, point) - Vec.from_values(self.centre) for point in (before, behind)
        ]
        a, b, rise = self._planar_points(rays)
        r2 = self.radius * self.radius
        free_squares = [ray.dot(ray) - r2 for ray in (a, b)]
        free_lengths = [ops.sqrt(ops.maximum(x, LEAST_FREE_SQUARE)) for x in free_squares]
        alphas = ops.arctan2(free_lengths[0], self.radius) + ops.arctan2(free_lengths[1], self.radius)
        theta = self._wrap_angle(a, b, ops) - alphas
        planar_length = free_lengths[0] + free_lengths[1] + self.radius * theta
        wrapped_length = ops.sqrt(planar_length * planar_length + rise * rise)
        straight = ops.sqrt(ops.maximum((behind - before).dot(behind - before), COINCIDENT_SQUARE))
        is_outside = ops.minimum(free_squares[0], free_squares[1]) > LEAST_FREE_SQUARE
        return ops.where(is_outside, ops.where(theta > 0.0, wrapped_length, straight), straight)

    def _planar_points(self, rays: list[Vec]) -> tuple[Vec, Vec, Scalar]:
        """The points in the plane across the axis, and their distance along it."""
        if self.axis is None:
            return rays[0], rays[1], 0.0
        e = Vec.from_values(self.axis)
        heights = [ray.dot(e) for ray in rays]
        a, b = (ray - e * height for ray, height in zip(rays, heights, strict=True))
        return a, b, heights[1] - heights[0]

    def _wrap_angle(self, a: Vec, b: Vec, ops: Operations) -> Scalar:
        """The angle from a to b along the cord: the smaller one, or past the side."""
        if self.side is None and self.axis is None:
            across = a.cross(b)
            return ops.arctan2(ops.sqrt(across.dot(across)), a.dot(b))
        n = Vec.from_values(self.axis) if self.axis is not None else _unit_vector(a.cross(b), ops)
        if self.side is None:
            return ops.absolute(_signed_angle(a, b, n, ops))
        side = Vec.from_values(self.side) - Vec.from_values(self.centre)
        return ops.absolute(_signed_angle(a, side, n, ops) + _signed_angle(side, b, n, ops))


def _unit_vector(vector: Vec, ops: Operations) -> Vec:
    return vector * (1.0 / ops.sqrt(vector.dot(vector)))


def _signed_angle(first: Vec, second: Vec, n: Vec, ops: Operations) -> Scalar:
    """The angle from one vector to the other about n, from -pi to pi; at least one of them lies across n."""
    return ops.arctan2(n.dot(first.cross(second)), first.dot(second))
