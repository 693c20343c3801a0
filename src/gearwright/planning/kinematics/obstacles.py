"""Obstacles as spheres and capsules, and their distances to the links of an arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import PartError
from gearwright.functions import placement
from gearwright.mechanism import BASE, Mechanism, joint_kind
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.redundancy_criteria import Criterion


@check_arguments
@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of the segment from `start` to `end` [m], world axes."""

    start: Sequence[float]
    end: Sequence[float]
    radius: float

    def __post_init__(self) -> None:
        for name in ("start", "end"):
            point = number_array("capsule", name, getattr(self, name), axes=1)
            if point.shape != (3,):
                raise PartError(f"capsule: {name} has {len(point)} numbers. Give x, y, z in metres.")
            object.__setattr__(self, name, tuple(point.tolist()))
        object.__setattr__(self, "radius", real_number("capsule", "radius", self.radius, least=0.0, unit="metres"))


@check_arguments
def sphere(centre: Sequence[float], radius: float) -> Capsule:
    """Return a sphere: all points within `radius` of the centre [m], a capsule of zero length.

    >>> sphere((0, 0, 1), 0.2).radius
    0.2
    """
    return Capsule(centre, centre, radius)


@check_arguments
@dataclass(frozen=True)
class Obstacles(Criterion):
    """Keeps the links away from obstacles: h = sum over links and obstacles of (1 - d / margin)^2 / 2 where d < margin.

    Links are capsules between the origins of the bodies from base to frame.

    Args:
        gain: step along the negative gradient of the cost over a whole path.
        obstacles: spheres and capsules in the world.
        radius: of the links [m].
        margin: distance below which an obstacle contributes to the cost [m].
    """

    obstacles: tuple[Capsule, ...] = ()
    radius: float = 0.05
    margin: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        real_number("Obstacles", "radius", self.radius, least=0.0, unit="metres")
        real_number("Obstacles", "margin", self.margin, above=0.0, unit="metres")

    def distances(self, descent: PoseDescent, q: Array) -> Array:
        """Return distances between surfaces of links and obstacles [m], (..., links, obstacles); negative inside."""
        points = _link_points(descent, q)
        a, b = points[..., :-1, None, :], points[..., 1:, None, :]
        c, d = (np.array([getattr(x, end) for x in self.obstacles]).reshape(-1, 3) for end in ("start", "end"))
        return segment_distance(a, b, c, d) - self.radius - np.array([x.radius for x in self.obstacles])

    def clearance(self, descent: PoseDescent, q: Array) -> Array:
        """Return the smallest of these distances, (...)."""
        smallest: Array = self.distances(descent, q).min(axis=(-1, -2))
        return smallest

    def cost(self, descent: PoseDescent, q: Array) -> Array:
        """Return the cost h of configurations."""
        near = np.maximum(0.0, 1.0 - self.distances(descent, q) / self.margin)
        total: Array = 0.5 * np.square(near).sum(axis=(-1, -2))
        return total


def _link_points(descent: PoseDescent, q: Array) -> Array:
    """Return origins of the bodies from the base to the frame, and that of the frame, (..., points, 3)."""
    mech = descent.joints.mech
    bodies = [mech.bodies[i].name for i in reversed(mech.body_paths[descent.spot.body])]
    places = [placement(mech, q, name).position for name in (*bodies, descent.frame)]
    first = np.zeros_like(places[0]) if _starts_at_base(mech, descent) else places[0]
    return np.stack([first, *places], axis=-2)


def _starts_at_base(mech: Mechanism, descent: PoseDescent) -> bool:
    root = mech.body_paths[descent.spot.body][-1]
    return mech.parent_of(root) == BASE and not joint_kind(mech.bodies[root].joint).on_base


def segment_distance(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return distances between segments a b and c d, (..., 3) each; a segment may be a point.

    The nearest points of the two lines are clamped to the segments in sequence.

    >>> x = np.eye(3)
    >>> float(segment_distance(np.zeros(3), x[0], x[2], x[2] + x[1]))
    1.0
    """
    u, v, w = b - a, d - c, a - c
    uu, uv, vv, uw, vw = (np.einsum("...i,...i", x, y) for x, y in ((u, u), (u, v), (v, v), (u, w), (v, w)))
    determinant = uu * vv - uv * uv
    parallel = determinant <= 1e-12 * np.maximum(uu * vv, 1e-300)
    s = np.clip(np.where(parallel, 0.0, (uv * vw - vv * uw) / np.where(parallel, 1.0, determinant)), 0.0, 1.0)
    t = np.clip((uv * s + vw) / np.where(vv > 0, vv, 1.0), 0.0, 1.0)
    s = np.clip((uv * t - uw) / np.where(uu > 0, uu, 1.0), 0.0, 1.0)
    separation = w + s[..., None] * u - t[..., None] * v
    distance: Array = np.sqrt(np.einsum("...i,...i", separation, separation))
    return distance
