"""Symbols of mechanical sketches: ground, springs, dampers, blocks, jointed arms, angles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.plots.sketch import Area, Arrow, Disc, Label, SketchItem, Stroke

INK_COLOUR, FREE_COLOUR, HELD_COLOUR, SPRING_COLOUR, GROUND_COLOUR = 0, 2, 1, 4, 7
"""Colours of the palette: links, free, constrained, compliant and fixed parts."""

PlanePoint = Sequence[float]


def points_in_space(points: ArrayLike) -> Array:
    """Return points of the plane as points in space.

    >>> points_in_space([(1, 2)])
    array([[1., 2., 0.]])
    """
    plane = np.asarray(points, dtype=float)
    return np.concatenate([plane, np.zeros((*plane.shape[:-1], 1))], axis=-1)


def blank_sheet(low: PlanePoint, high: PlanePoint) -> list[SketchItem]:
    """An invisible frame between two corners, which gives several sketches the same scale."""
    return [Stroke(points_in_space([low, high]), INK_COLOUR, 0.0)]


def ground_symbol(start: PlanePoint, end: PlanePoint, hatches: int = 8, depth: float = 0.07) -> list[SketchItem]:
    """Ground: a line with hatching on the right side from start to end."""
    along, across = _along_and_across(start, end)
    line: list[SketchItem] = [Stroke(points_in_space([start, end]), GROUND_COLOUR, 1.8)]
    for share in (np.arange(hatches) + 0.7) / hatches:
        foot = np.asarray(start) + share * along
        line.append(
            Stroke(
                points_in_space([foot, foot - depth * across - 0.7 * depth * along / np.linalg.norm(along)]),
                GROUND_COLOUR,
                0.9,
            )
        )
    return line


def spring_symbol(
    start: PlanePoint, end: PlanePoint, label: str = "", width: float = 0.06, turns: int = 4
) -> list[SketchItem]:
    """A zigzag between two points."""
    along, across = _along_and_across(start, end)
    shares = np.linspace(0.2, 0.8, 2 * turns + 1)
    sides = np.array([0.0, *([1.0, -1.0] * turns)[: 2 * turns - 1], 0.0])
    bends = np.asarray(start) + np.outer(shares, along) + width * np.outer(sides, across)
    return [Stroke(points_in_space([start, *bends, end]), SPRING_COLOUR, 1.5), *_label_beside(start, end, width, label)]


def damper_symbol(start: PlanePoint, end: PlanePoint, label: str = "", width: float = 0.06) -> list[SketchItem]:
    """A damper: a piston on the rod from the start, in a cylinder at the end."""
    along, across = _along_and_across(start, end)

    def point_at(share: float, side: float) -> Array:
        place: Array = np.asarray(start) + share * along + side * width * across
        return place

    cup = [point_at(0.35, 1), point_at(0.7, 1), point_at(0.7, -1), point_at(0.35, -1)]
    strokes: list[Any] = [
        [start, point_at(0.5, 0)],
        [point_at(0.5, 0.75), point_at(0.5, -0.75)],
        cup,
        [point_at(0.7, 0), end],
    ]
    return [
        *(Stroke(points_in_space(points), SPRING_COLOUR, 1.5) for points in strokes),
        *_label_beside(start, end, width, label),
    ]


def mass_block(low: PlanePoint, high: PlanePoint, label: str = "") -> list[SketchItem]:
    """A mass: a rectangle between two corners, its name in it."""
    corners = points_in_space([low, (high[0], low[1]), high, (low[0], high[1])])
    middle = corners.mean(axis=0) + np.array([-0.09, 0.07, 0.0])
    return [Area(corners, GROUND_COLOUR), *([Label(middle, label)] if label else [])]


def signal_block(centre: PlanePoint, label: str, half: PlanePoint = (0.42, 0.2)) -> list[SketchItem]:
    """A block of a block diagram, its name in it."""
    x, y = centre
    corners = points_in_space([(x + a * half[0], y + b * half[1]) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))])
    return [Area(corners, GROUND_COLOUR), Label(points_in_space((x - 0.8 * half[0], y + 0.17)), label)]


def signal_sum(centre: PlanePoint, signs: Sequence[tuple[PlanePoint, str]]) -> list[SketchItem]:
    """A summing point of a block diagram, with the signs of its inputs beside it."""
    items: list[SketchItem] = [Disc(points_in_space(centre), (0, 0, 1), 0.09, FREE_COLOUR)]
    places = [(points_in_space(np.asarray(centre) + np.asarray(shift)), sign) for shift, sign in signs]
    return items + [Label(place, sign) for place, sign in places]


def signal_path(points: Sequence[PlanePoint], label: str = "", at: PlanePoint | None = None) -> list[SketchItem]:
    """A signal of a block diagram: a line through points that ends in an arrow, with its name at a place."""
    *before, start, end = (np.asarray(point, dtype=float) for point in points)
    items: list[SketchItem] = [Stroke(points_in_space([*before, start]), INK_COLOUR, 1.3)] if before else []
    items.append(Arrow(points_in_space(start), points_in_space(end - start), "", INK_COLOUR))
    return [*items, Label(points_in_space(start if at is None else at), label)] if label else items


def arm_symbol(points: Sequence[PlanePoint], radius: float = 0.045) -> list[SketchItem]:
    """Links from point to point, with a joint at each point except the last, the tip."""
    items: list[SketchItem] = [Disc(place, (0, 0, 1), radius, FREE_COLOUR) for place in points_in_space(points[:-1])]
    for k, (start, end) in enumerate(pairwise(points)):
        along, _ = _along_and_across(start, end)
        gap = radius * along / np.linalg.norm(along)
        last = k == len(points) - 2
        items.append(Stroke(points_in_space([start + gap, np.asarray(end) - (0 if last else gap)]), INK_COLOUR, 3.0))
    return items


def angle_arc(
    centre: ArrayLike, first: ArrayLike, axis: ArrayLike, turn: float, label: str, colour: int, out: float = 1.0
) -> list[SketchItem]:
    """An arc about the axis [rad] with an arrowhead, its name `out` radii from the centre."""
    start, e = np.asarray(first, dtype=float), np.asarray(axis, dtype=float)
    e = e / np.linalg.norm(e)
    middle = turn / 2 if turn < np.pi else turn / 2 + np.pi  # in the gap of a long arc
    turns = np.array([*np.linspace(0, turn, 41), middle])[:, None]
    ring = np.cos(turns) * start + (1 - np.cos(turns)) * (start @ e) * e + np.sin(turns) * np.cross(e, start)
    ring[-1] *= out
    *points, name = np.asarray(centre, dtype=float) + ring
    head = Arrow(points[-4], points[-1] - points[-4], "", colour)
    return [Stroke(points, colour, 1.3), head, Label(name, label, colour)]


def _along_and_across(start: PlanePoint, end: PlanePoint) -> tuple[Array, Array]:
    """The vector from start to end, and the unit normal to its left."""
    along = np.asarray(end, dtype=float) - np.asarray(start, dtype=float)
    return along, np.array([-along[1], along[0]]) / np.linalg.norm(along)


def _label_beside(start: PlanePoint, end: PlanePoint, width: float, label: str) -> list[SketchItem]:
    """A name to the right of the middle of a vertical symbol."""
    middle = (np.asarray(start) + np.asarray(end)) / 2 + [width, 0.04]
    return [Label(points_in_space(middle), label, SPRING_COLOUR)] if label else []
