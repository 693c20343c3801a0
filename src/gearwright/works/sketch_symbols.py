"""Symbols of mechanical sketches: ground, springs, dampers, blocks, jointed arms, angles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.plots.sketch import Area, Arrow, Disc, Item, Label, Stroke

INK, FREE, HELD, SPRING, GROUND = 0, 2, 1, 4, 7
"""Colours of the palette: what is drawn, what is free, what is held, what gives way, what stands still."""

Place = Sequence[float]


def flat(points: ArrayLike) -> Array:
    """Points of the plane as points in space.

    >>> flat([(1, 2)])
    array([[1., 2., 0.]])
    """
    plane = np.asarray(points, dtype=float)
    return np.concatenate([plane, np.zeros((*plane.shape[:-1], 1))], axis=-1)


def sheet(low: Place, high: Place) -> list[Item]:
    """Nothing to see between two corners: sketches on sheets of one size have one scale."""
    return [Stroke(flat([low, high]), INK, 0.0)]


def ground(start: Place, end: Place, hatches: int = 8, depth: float = 0.07) -> list[Item]:
    """What stands still: a line with hatches to the right of the way from start to end."""
    along, across = _directions(start, end)
    line: list[Item] = [Stroke(flat([start, end]), GROUND, 1.8)]
    for share in (np.arange(hatches) + 0.7) / hatches:
        foot = np.asarray(start) + share * along
        line.append(
            Stroke(flat([foot, foot - depth * across - 0.7 * depth * along / np.linalg.norm(along)]), GROUND, 0.9)
        )
    return line


def spring(start: Place, end: Place, label: str = "", width: float = 0.06, turns: int = 4) -> list[Item]:
    """A zigzag between two points."""
    along, across = _directions(start, end)
    shares = np.linspace(0.2, 0.8, 2 * turns + 1)
    sides = np.array([0.0, *([1.0, -1.0] * turns)[: 2 * turns - 1], 0.0])
    bends = np.asarray(start) + np.outer(shares, along) + width * np.outer(sides, across)
    return [Stroke(flat([start, *bends, end]), SPRING, 1.5), *_beside(start, end, width, label)]


def damper(start: Place, end: Place, label: str = "", width: float = 0.06) -> list[Item]:
    """A piston, on the rod from the start, in a cup that stands on the end."""
    along, across = _directions(start, end)

    def at(share: float, side: float) -> Array:
        place: Array = np.asarray(start) + share * along + side * width * across
        return place

    cup = [at(0.35, 1), at(0.7, 1), at(0.7, -1), at(0.35, -1)]
    strokes: list[Any] = [[start, at(0.5, 0)], [at(0.5, 0.75), at(0.5, -0.75)], cup, [at(0.7, 0), end]]
    return [*(Stroke(flat(points), SPRING, 1.5) for points in strokes), *_beside(start, end, width, label)]


def block(low: Place, high: Place, label: str = "") -> list[Item]:
    """A mass: a rectangle between two corners, its name in it."""
    corners = flat([low, (high[0], low[1]), high, (low[0], high[1])])
    middle = corners.mean(axis=0) + np.array([-0.09, 0.07, 0.0])
    return [Area(corners, GROUND), *([Label(middle, label)] if label else [])]


def arm(points: Sequence[Place], radius: float = 0.045) -> list[Item]:
    """Links from point to point, a joint at each but the last, which is the tip."""
    items: list[Item] = [Disc(place, (0, 0, 1), radius, FREE) for place in flat(points[:-1])]
    for k, (start, end) in enumerate(pairwise(points)):
        along, _ = _directions(start, end)
        gap = radius * along / np.linalg.norm(along)
        last = k == len(points) - 2
        items.append(Stroke(flat([start + gap, np.asarray(end) - (0 if last else gap)]), INK, 3.0))
    return items


def angle(
    centre: ArrayLike, first: ArrayLike, axis: ArrayLike, turn: float, label: str, colour: int, out: float = 1.0
) -> list[Item]:
    """The way of a point turned about the axis [rad], an arrow at its end, its name `out` radii from the centre."""
    start, e = np.asarray(first, dtype=float), np.asarray(axis, dtype=float)
    e = e / np.linalg.norm(e)
    middle = turn / 2 if turn < np.pi else turn / 2 + np.pi  # in the gap of a long way
    turns = np.array([*np.linspace(0, turn, 41), middle])[:, None]
    ring = np.cos(turns) * start + (1 - np.cos(turns)) * (start @ e) * e + np.sin(turns) * np.cross(e, start)
    ring[-1] *= out
    *points, name = np.asarray(centre, dtype=float) + ring
    head = Arrow(points[-4], points[-1] - points[-4], "", colour)
    return [Stroke(points, colour, 1.3), head, Label(name, label, colour)]


def _directions(start: Place, end: Place) -> tuple[Array, Array]:
    """The way from start to end, and the unit vector to the left of it."""
    along = np.asarray(end, dtype=float) - np.asarray(start, dtype=float)
    return along, np.array([-along[1], along[0]]) / np.linalg.norm(along)


def _beside(start: Place, end: Place, width: float, label: str) -> list[Item]:
    """A name to the right of the middle of a symbol that stands upright."""
    middle = (np.asarray(start) + np.asarray(end)) / 2 + [width, 0.04]
    return [Label(flat(middle), label, SPRING)] if label else []
