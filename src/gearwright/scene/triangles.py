"""Triangle meshes made of numbers: tubes, wheels, cylinders, boxes, spheres, rods, bodies of revolution."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.arrays import Array
from gearwright.parts.structure.frame_changes import rows
from gearwright.scene.tooth_profiles import circle


class Triangles(NamedTuple):
    """A mesh: vertices (V, 3) [m] and per triangle three of them, counter-clockwise from outside, (F, 3)."""

    vertices: Array
    faces: NDArray[np.int64]

    def moved(self, rotation: ArrayLike, position: ArrayLike) -> Triangles:
        """The mesh turned and shifted."""
        return Triangles(self.vertices @ np.asarray(rotation).T + np.asarray(position), self.faces)

    @property
    def volume(self) -> float:
        """What a closed mesh encloses [m3].

        >>> round(box(1.0, 2.0, 3.0).volume, 12)
        6.0
        """
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def joined(meshes: Sequence[Triangles]) -> Triangles:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Triangles(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]),
    )


def tube(inner: Array, outer: Array, width: float, taper: float = 1.0) -> Triangles:
    """What lies between two outlines of equally many points, as thick as `width` about z = 0.

    Args:
        inner: outline of the hole, (K, 2) [m]; point k belongs to point k of the outer one.
        outer: outline, (K, 2) [m], counter-clockwise.
        width: along z [m].
        taper: size of the upper end relative to the lower one: a bevel gear.
    """
    count = len(outer)
    low, high = np.full((count, 1), -width / 2), np.full((count, 1), width / 2)
    rings = [np.hstack([inner, low]), np.hstack([outer, low])]
    rings += [np.hstack([inner * taper, high]), np.hstack([outer * taper, high])]
    this = np.arange(count)
    after = np.roll(this, -1)
    inside, outside, inside_top, outside_top = (k * count for k in range(4))
    quads = [
        (outside + this, outside + after, outside_top + after, outside_top + this),
        (inside + after, inside + this, inside_top + this, inside_top + after),
        (outside_top + this, outside_top + after, inside_top + after, inside_top + this),
        (outside + after, outside + this, inside + this, inside + after),
    ]
    faces = [np.column_stack(three) for a, b, c, d in quads for three in ((a, b, c), (a, c, d))]
    return Triangles(np.concatenate(rings), np.concatenate(faces))


def wheel(outline: Array, bore: float, width: float, taper: float = 1.0) -> Triangles:
    """A wheel of an outline with a round bore; the bore's points are numbered like the outline's."""
    angle = np.arctan2(outline[:, 1], outline[:, 0])
    return tube(bore * np.column_stack([np.cos(angle), np.sin(angle)]), outline, width, taper)


def ring(hole: Array, radius: float, width: float) -> Triangles:
    """A ring whose hole has an outline: an internal gear."""
    angle = np.arctan2(hole[:, 1], hole[:, 0])
    return tube(hole, radius * np.column_stack([np.cos(angle), np.sin(angle)]), width)


def cylinder(radius: float, width: float, bore: float = 0.0) -> Triangles:
    """A cylinder about z."""
    return wheel(circle(radius), max(bore, 1e-3 * radius), width)


def box(x: float, y: float, z: float) -> Triangles:
    """A box of these edges about the origin."""
    corners = np.array([(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]) * (x, y, z)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Triangles(corners, np.array([three for a, b, c, d in quads for three in ((a, b, c), (a, c, d))]))


def sphere(radius: float, rows: int = 12) -> Triangles:
    """A sphere about the origin."""
    heights = np.linspace(0.0, pi, rows + 1)
    return turned(np.column_stack([radius * np.sin(heights), -radius * np.cos(heights)]))


def rod(end: ArrayLike, radius: float, thin: float = 0.7) -> Triangles:
    """A rod with round ends from the origin to a point, its far end thinner."""
    along = np.asarray(end, dtype=float)
    length = float(np.linalg.norm(along))
    angle = np.linspace(0.0, pi / 2, 5)
    far = thin * radius
    start = np.column_stack([radius * np.sin(angle), -radius * np.cos(angle)])
    finish = np.column_stack([far * np.cos(angle), length + far * np.sin(angle)])
    return turned(np.concatenate([start, finish])).moved(towards(along), (0.0, 0.0, 0.0))


def turned(profile: Array, points: int = 24) -> Triangles:
    """A body of revolution about z of a profile of (radius, height) from below to above, (K, 2) [m]."""
    angle = 2 * pi * np.arange(points) / points
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = np.concatenate([np.hstack([r * around, np.full((points, 1), z)]) for r, z in profile])
    this = np.arange(points)
    after = np.roll(this, -1)
    faces = []
    for k in range(len(profile) - 1):
        low, high = k * points, (k + 1) * points
        faces += [
            np.column_stack([low + this, low + after, high + after]),
            np.column_stack([low + this, high + after, high + this]),
        ]
    return Triangles(vertices, np.concatenate(faces))


def towards(direction: ArrayLike, first: ArrayLike | None = None) -> Array:
    """A rotation (3, 3) that turns z into a direction and x as near as can be to another one.

    >>> towards((0, 1, 0)).round(12) @ (0, 0, 1)
    array([0., 1., 0.])
    """
    z = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    x = np.eye(3)[0 if abs(z[0]) < 0.9 else 1] if first is None else np.asarray(first, dtype=float)
    x = x - z * (z @ x)
    if np.linalg.norm(x) < 1e-9:
        return towards(direction)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def vector(values: Any) -> Array:
    """Three numbers of any kind as an array, (3,)."""
    return np.array([float(x) for x in values])


def matrix(values: Any) -> Array:
    """Three rows of any kind as an array, (3, 3)."""
    return np.array([[float(x) for x in row] for row in rows(values)])
