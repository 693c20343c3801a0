"""Generated triangle meshes: tubes, wheels, cylinders, boxes, spheres, rods, bodies of revolution."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.arrays import Array
from gearwright.parts.structure.frame_changes import matrix_rows
from gearwright.scene.tooth_profiles import circle_outline


class Triangles(NamedTuple):
    """A mesh: vertices (V, 3) [m] and vertex indices of triangles, counter-clockwise from outside, (F, 3)."""

    vertices: Array
    faces: NDArray[np.int64]

    def with_pose(self, rotation: ArrayLike, position: ArrayLike) -> Triangles:
        """The rotated and shifted mesh."""
        return Triangles(self.vertices @ np.asarray(rotation).T + np.asarray(position), self.faces)

    @property
    def volume(self) -> float:
        """Volume of a closed mesh [m3].

        >>> round(box_mesh(1.0, 2.0, 3.0).volume, 12)
        6.0
        """
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def join_meshes(meshes: Sequence[Triangles]) -> Triangles:
    """Several meshes as one."""
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Triangles(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]),
    )


def tube_mesh(inner: Array, outer: Array, width: float, taper: float = 1.0) -> Triangles:
    """The solid between two outlines with equal numbers of points, with thickness `width` about z = 0.

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
    current = np.arange(count)
    after = np.roll(current, -1)
    inside, outside, inside_top, outside_top = (k * count for k in range(4))
    quads = [
        (outside + current, outside + after, outside_top + after, outside_top + current),
        (inside + after, inside + current, inside_top + current, inside_top + after),
        (outside_top + current, outside_top + after, inside_top + after, inside_top + current),
        (outside + after, outside + current, inside + current, inside + after),
    ]
    faces = [np.column_stack(three) for a, b, c, d in quads for three in ((a, b, c), (a, c, d))]
    return Triangles(np.concatenate(rings), np.concatenate(faces))


def closed_loops_mesh(loops: Sequence[Array]) -> Triangles:
    """The solid whose section runs through loops with equal numbers of points, (K, 3) [m] each, and back to the first.

    The section is passed from the bore outwards and upwards, for triangles that face outwards.
    """
    count = len(loops[0])
    current = np.arange(count)
    after = np.roll(current, -1)
    faces = []
    for k in range(len(loops)):
        low, high = k * count, (k + 1) % len(loops) * count
        faces += [
            np.column_stack([low + current, low + after, high + after]),
            np.column_stack([low + current, high + after, high + current]),
        ]
    return Triangles(np.concatenate(loops), np.concatenate(faces))


def wheel_mesh(outline: Array, bore: float, width: float, taper: float = 1.0) -> Triangles:
    """A wheel with an outline and a round bore; the points of the bore are numbered like those of the outline."""
    angle = np.arctan2(outline[:, 1], outline[:, 0])
    return tube_mesh(bore * np.column_stack([np.cos(angle), np.sin(angle)]), outline, width, taper)


def ring_mesh(hole: Array, radius: float, width: float) -> Triangles:
    """A ring with an outline of its hole: an internal gear."""
    angle = np.arctan2(hole[:, 1], hole[:, 0])
    return tube_mesh(hole, radius * np.column_stack([np.cos(angle), np.sin(angle)]), width)


def cylinder_mesh(radius: float, width: float, bore: float = 0.0) -> Triangles:
    """A cylinder about z."""
    return wheel_mesh(circle_outline(radius), max(bore, 1e-3 * radius), width)


def box_mesh(x: float, y: float, z: float) -> Triangles:
    """A box with these edges about the origin."""
    corners = np.array([(i, j, k) for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)]) * (x, y, z)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return Triangles(corners, np.array([three for a, b, c, d in quads for three in ((a, b, c), (a, c, d))]))


def sphere_mesh(radius: float, rows: int = 12) -> Triangles:
    """A sphere about the origin."""
    heights = np.linspace(0.0, pi, rows + 1)
    return revolution_mesh(np.column_stack([radius * np.sin(heights), -radius * np.cos(heights)]))


def rod_mesh(end: ArrayLike, radius: float, thin: float = 0.7) -> Triangles:
    """A rod with round ends from the origin to a point, its far end thinner."""
    axis = np.asarray(end, dtype=float)
    length = float(np.linalg.norm(axis))
    angle = np.linspace(0.0, pi / 2, 5)
    far = thin * radius
    start = np.column_stack([radius * np.sin(angle), -radius * np.cos(angle)])
    finish = np.column_stack([far * np.cos(angle), length + far * np.sin(angle)])
    return revolution_mesh(np.concatenate([start, finish])).with_pose(rotation_towards(axis), (0.0, 0.0, 0.0))


def revolution_mesh(profile: Array, points: int = 24) -> Triangles:
    """A body of revolution about z from a profile of (radius, height) in upward direction, (K, 2) [m]."""
    angle = 2 * pi * np.arange(points) / points
    around = np.column_stack([np.cos(angle), np.sin(angle)])
    vertices = np.concatenate([np.hstack([r * around, np.full((points, 1), z)]) for r, z in profile])
    current = np.arange(points)
    after = np.roll(current, -1)
    faces = []
    for k in range(len(profile) - 1):
        low, high = k * points, (k + 1) * points
        faces += [
            np.column_stack([low + current, low + after, high + after]),
            np.column_stack([low + current, high + after, high + current]),
        ]
    return Triangles(vertices, np.concatenate(faces))


def rotation_towards(direction: ArrayLike, first: ArrayLike | None = None) -> Array:
    """A rotation (3, 3) that turns z into a direction and x as close as possible to another one.

    >>> rotation_towards((0, 1, 0)).round(12) @ (0, 0, 1)
    array([0., 1., 0.])
    """
    z = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    x = np.eye(3)[0 if abs(z[0]) < 0.9 else 1] if first is None else np.asarray(first, dtype=float)
    x = x - z * (z @ x)
    if np.linalg.norm(x) < 1e-9:
        return rotation_towards(direction)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def as_vector(values: Any) -> Array:
    """Three numbers of any kind as an array, (3,)."""
    return np.array([float(x) for x in values])


def as_matrix(values: Any) -> Array:
    """Three rows of any kind as an array, (3, 3)."""
    return np.array([[float(x) for x in row] for row in matrix_rows(values)])
