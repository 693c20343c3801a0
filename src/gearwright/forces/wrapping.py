"""Rollers: how long a cord is that may touch a cylinder or a sphere between two points."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.forces.configuration import Anchor, Configuration

OUTSIDE = 1e-12
"""The least square [m2] of a free length that is differentiated; below it a point is inside, and the cord straight."""


@dataclass(frozen=True)
class Wrap:
    r"""A round guide between two points of a cord: a cylinder about `axis`, or a sphere without one.

    With the points at a and b from its centre (across the axis), $\psi$ the angle between them and
    $\alpha_i = \arccos(r/d_i)$, the cord lies on it over $\theta = \psi - \alpha_1 - \alpha_2$ and is
    $\sqrt{d_1^2 - r^2} + \sqrt{d_2^2 - r^2} + r\theta$ long, and straight where $\theta$ would be negative. With a
    `side` the cord takes that of the two ways round whose middle points there, and runs straight where the straight
    line passes on that side and clear of it.
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
        normal = a.cross(b) if self.axis is None else Vec.of(self.axis)
        turn = _angle(a, b, normal, self.axis is None, ops)
        if self.side is None:
            theta, lies = _shorter(turn, alphas, ops)
        else:
            theta, lies = self._on_its_side(a, b, free, normal, turn, alphas, ops)
        lying = free[0] + free[1] + self.radius * theta
        straight = behind - before
        over = ops.sqrt(lying * lying + rise * rise)
        outside = ops.minimum(left[0], left[1]) > OUTSIDE
        found = ops.where(lies > 0.0, over, ops.sqrt(straight.dot(straight)))
        return ops.where(outside, found, ops.sqrt(straight.dot(straight)))

    def _across(self, rays: list[Vec]) -> tuple[Vec, Vec, Scalar]:
        """The points in the plane across the axis, and how far apart they are along it."""
        if self.axis is None:
            return rays[0], rays[1], 0.0
        e = Vec.of(self.axis)
        heights = [ray.dot(e) for ray in rays]
        a, b = (ray - e * height for ray, height in zip(rays, heights, strict=True))
        return a, b, heights[1] - heights[0]

    def _on_its_side(
        self, a: Vec, b: Vec, free: list[Scalar], normal: Vec, turn: Scalar, alphas: Scalar, ops: Operations
    ) -> tuple[Scalar, Scalar]:
        """The angle on the roller, and a number that is positive where the cord lies on it."""
        n = normal * (1.0 / ops.sqrt(normal.dot(normal)))
        side = Vec.of(self.side) - Vec.of(self.centre)  # type: ignore[arg-type]
        side = side - n * side.dot(n)
        ways = []
        for sense in (1.0, -1.0):
            middle = self._touching(a, free[0], n, sense) + self._touching(b, free[1], n, -sense)
            good = middle.dot(side) / ops.sqrt(middle.dot(middle))
            theta = _once_round(sense * turn, ops) - alphas
            ways.append((ops.where(theta < 0.0, -1e9, good), theta))
        theta = ops.where(ways[0][0] >= ways[1][0], ways[0][1], ways[1][1])
        apart = b - a
        share = ops.minimum(ops.maximum(-1.0 * a.dot(apart) / apart.dot(apart), 0.0), 1.0)
        nearest = a + apart * share
        meets = self.radius * self.radius - nearest.dot(nearest)
        return theta, ops.maximum(meets, -1.0 * nearest.dot(side))

    def _touching(self, ray: Vec, free: Scalar, n: Vec, sense: float) -> Vec:
        """Where a tangent from a point touches: the ray turned about n in that sense."""
        r = self.radius
        return (ray * (r * r) + n.cross(ray) * (sense * r * free)) * (1.0 / ray.dot(ray))


def _angle(a: Vec, b: Vec, normal: Vec, plain: bool, ops: Operations) -> Scalar:
    """The angle from a to b about the normal, from -pi to pi; about a normal of their own from 0 to pi."""
    across = ops.sqrt(normal.dot(normal)) if plain else normal.dot(a.cross(b))
    return ops.arctan2(across, a.dot(b))


def _once_round(angle: Scalar, ops: Operations) -> Scalar:
    """An angle from 0 to 2 pi."""
    return ops.where(angle < 0.0, angle + 2.0 * pi, angle)


def _shorter(turn: Scalar, alphas: Scalar, ops: Operations) -> tuple[Scalar, Scalar]:
    """The angle on the roller the shorter way round, twice: where it is negative, the cord runs straight."""
    theta = ops.absolute(turn) - alphas
    return theta, theta
