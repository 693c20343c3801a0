"""Rollers: how long a cord is that may touch a cylinder or a sphere between two points."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.algebra import Operations, Scalar, Vec
from gearwright.forces.configuration import Anchor, Configuration

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
