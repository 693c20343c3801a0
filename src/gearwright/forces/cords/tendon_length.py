"""The length of a tendon or cord over points, pulleys, and cylinders or spheres that it may touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import pi
from typing import Protocol, Self

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.errors import InputError
from gearwright.forces.coordinates.angles_and_distances import Point, Where, checked_anchor, three_numbers, unit_axis
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.mechanism import Mechanism, RobotOrMech, machine_of

# Tendons

PASSED = 0.25 * pi
"""How far [rad] a tendon that has come off may run past the axis before it counts as wrapped round from behind."""


@dataclass(frozen=True)
class Pulley:
    r"""A round guide over which a tendon runs without slip losses and without inertia of its own.

    The tendon leaves the point before it along a tangent, lies on the pulley over the angle

    $\theta = \psi - \arccos(r/d_1) - \arccos(r/d_2)$

    and goes on along the other tangent; $\psi$ is the angle from the point before to the point behind as seen from the
    axis, in the pulley's sense, $d_1$ and $d_2$ are their distances from it. Where $\theta$ would be negative the
    tendon has come off and runs straight. Points at different heights along the axis make it a helix. Where the points
    are does not say how many turns lie on the pulley: $\psi$ is from $-\pi/4$ to $7\pi/4$.

    Args:
        frame: the body or frame that carries it.
        radius: r [m].
        centre: a point of its axis, in the frame's axes [m].
        axis: its axis, in the frame's axes; the tendon turns about it by the right-hand rule, the other way about the
            opposite axis.

    >>> Pulley("proximal", 0.01, axis=(0, 0, -1)).radius
    0.01
    """

    frame: Anchor
    radius: float
    centre: Sequence[float] = (0.0, 0.0, 0.0)
    axis: Sequence[float] = (0.0, 0.0, 1.0)

    def checked(self, owner: str, mech: Mechanism) -> Self:
        """The same with every name and number checked."""
        number(owner, "radius", self.radius, above=0.0, unit="m", example=0.01)
        frame, centre = checked_anchor(owner, mech, self.frame), three_numbers(owner, "a centre", self.centre)
        return type(self)(frame, float(self.radius), centre, unit_axis(owner, self.axis))

    def length(self, configuration: Configuration, before: Vec, behind: Vec) -> Scalar:
        """The length of the tendon between the points before and behind it [m]."""
        ops, e = configuration.ops, Vec.of(self.axis)
        rays = [configuration.seen_from(self.frame, point) - Vec.of(self.centre) for point in (before, behind)]
        heights = [ray.dot(e) for ray in rays]
        a, b = (ray - e * height for ray, height in zip(rays, heights, strict=True))
        free = [ops.sqrt(ray.dot(ray) - self.radius * self.radius) for ray in (a, b)]
        angle = _from_quarter_back(ops.arctan2(e.dot(a.cross(b)), a.dot(b)), configuration)
        wrapped = angle - ops.arctan2(free[0], self.radius) - ops.arctan2(free[1], self.radius)
        rise, straight = heights[1] - heights[0], behind - before
        lying = free[0] + free[1] + self.radius * wrapped
        over = ops.sqrt(lying * lying + rise * rise)
        return ops.where(wrapped > 0.0, over, ops.sqrt(straight.dot(straight)))


def _from_quarter_back(angle: Scalar, configuration: Configuration) -> Scalar:
    """An angle from -PASSED, a quarter of pi, to 2 pi - PASSED."""
    return configuration.ops.where(angle < -PASSED, angle + 2.0 * pi, angle)


class Guide(Protocol):
    """Something round between two points of a tendon."""

    def length(self, configuration: Configuration, before: Vec, behind: Vec) -> Scalar:
        """The length of the tendon between the points before and behind it [m]."""


@dataclass(frozen=True)
class Course:
    """The way of a tendon from its first to its last point."""

    stations: tuple[Point | Guide, ...]

    def __call__(self, configuration: Configuration) -> Scalar:
        """Its length [m]."""
        places = [x.at(configuration) if isinstance(x, Point) else None for x in self.stations]
        total: Scalar = 0.0
        for k, station in enumerate(self.stations):
            if not isinstance(station, Point):
                total = total + station.length(configuration, places[k - 1], places[k + 1])  # type: ignore[arg-type]
        for one, other in pairwise(places):
            if one is not None and other is not None:
                straight = other - one
                total = total + configuration.ops.sqrt(straight.dot(straight))
        return total


@check_arguments
def tendon(mech: RobotOrMech, course: Sequence[Where | Pulley], name: str | None = None) -> Coordinate:
    """The length of a tendon [m] that runs through points and over pulleys.

    A force of -T along it is a tension T: the tendon pulls, it does not push. `compliant_stops` with an upper end makes
    it an elastic cord that may be slack, `DryFriction` rubs along it, a `LinearActuator` winds it up.

    Args:
        mech: the machine.
        course: points (bodies or frames, or (body or frame, position)) and pulleys (`Pulley`), from end to end; a
            pulley has a point on either side.
        name: what the coordinate is called.

    >>> import gearwright as gw
    >>> arm = gw.assemble(gw.load("elbow"))
    >>> cord = tendon(arm, [("base", (0.3, 0.1, 0.2)), Pulley(1, 0.05), (2, (0.2, 0.0, 0.0))], name="flexor")
    >>> cord.name
    'flexor'
    """
    machine, owner = machine_of("tendon", mech), "tendon" if name is None else f"tendon {name!r}"
    stations = tuple(
        x.checked(owner, machine) if isinstance(x, Pulley) else Point.of(owner, machine, x) for x in course
    )
    _require_points_between(owner, stations)
    return Coordinate.of(machine, name or "tendon", Course(stations))


def _require_points_between(owner: str, stations: Sequence[Point | Pulley]) -> None:
    if len(stations) < 2:
        raise InputError(f"{owner}: a tendon of {len(stations)} points has no length. Give at least its two ends.")
    for ends in (stations[0], stations[-1]):
        if isinstance(ends, Pulley):
            raise InputError(f"{owner}: it begins or ends on a pulley. Give the points where it is fastened.")
    for one, other in pairwise(stations):
        if isinstance(one, Pulley) and isinstance(other, Pulley):
            raise InputError(f"{owner}: two pulleys follow each other. Give a point between them that guides it.")


# Rollers

OUTSIDE = 1e-12
"""The least square [m2] of a free length that is differentiated; below it a point is inside, and the cord straight."""

COINCIDENT = 1e-30
"""The square [m2] of a straight length below which its two points are one, and it does not change."""


@dataclass(frozen=True)
class Wrap:
    r"""A round guide between two points of a cord: a cylinder about `axis`, or a sphere without one.

    With the points at a and b from its centre (across the axis), $\psi$ the angle between them and
    $\alpha_i = \arccos(r/d_i)$, the cord lies on it over $\theta = \psi - \alpha_1 - \alpha_2$ and is
    $\sqrt{d_1^2 - r^2} + \sqrt{d_2^2 - r^2} + r\theta$ long, and straight where $\theta$ would be negative. With a
    `side` the cord goes round the way that leads from a by the side to b, each part the shorter way: $\psi$ is the size
    of the sum of both angles and may be up to $2\pi$. This is the shortest cord that can be pulled tight from there,
    and the rule of MuJoCo 4; the cord snaps round when a or b passes the ray opposite the side.
    """

    frame: Anchor
    radius: float
    centre: tuple[float, ...]
    axis: tuple[float, ...] | None = None
    side: tuple[float, ...] | None = None

    def length(self, configuration: Configuration, before: Vec, behind: Vec) -> Scalar:
        """The length of the cord between the points before and behind it [m]."""
        ops = configuration.ops
        rays = [configuration.seen_from(self.frame, point) - Vec.of(self.centre) for point in (before, behind)]
        a, b, rise = self._across(rays)
        r2 = self.radius * self.radius
        left = [ray.dot(ray) - r2 for ray in (a, b)]
        free = [ops.sqrt(ops.maximum(x, OUTSIDE)) for x in left]
        alphas = ops.arctan2(free[0], self.radius) + ops.arctan2(free[1], self.radius)
        theta = self._turn(a, b, ops) - alphas
        lying = free[0] + free[1] + self.radius * theta
        over = ops.sqrt(lying * lying + rise * rise)
        straight = ops.sqrt(ops.maximum((behind - before).dot(behind - before), COINCIDENT))
        outside = ops.minimum(left[0], left[1]) > OUTSIDE
        return ops.where(outside, ops.where(theta > 0.0, over, straight), straight)

    def _across(self, rays: list[Vec]) -> tuple[Vec, Vec, Scalar]:
        """The points in the plane across the axis, and how far apart they are along it."""
        if self.axis is None:
            return rays[0], rays[1], 0.0
        e = Vec.of(self.axis)
        heights = [ray.dot(e) for ray in rays]
        a, b = (ray - e * height for ray, height in zip(rays, heights, strict=True))
        return a, b, heights[1] - heights[0]

    def _turn(self, a: Vec, b: Vec, ops: Operations) -> Scalar:
        """The angle from a to b that the cord goes round: the shorter way, or by the side."""
        if self.side is None and self.axis is None:
            across = a.cross(b)
            return ops.arctan2(ops.sqrt(across.dot(across)), a.dot(b))
        n = Vec.of(self.axis) if self.axis is not None else _unit(a.cross(b), ops)
        if self.side is None:
            return ops.absolute(_angle(a, b, n, ops))
        side = Vec.of(self.side) - Vec.of(self.centre)
        return ops.absolute(_angle(a, side, n, ops) + _angle(side, b, n, ops))


def _unit(vector: Vec, ops: Operations) -> Vec:
    return vector * (1.0 / ops.sqrt(vector.dot(vector)))


def _angle(one: Vec, other: Vec, n: Vec, ops: Operations) -> Scalar:
    """The angle from one to the other about n, from -pi to pi, where at least one of them lies across n."""
    return ops.arctan2(n.dot(one.cross(other)), one.dot(other))
