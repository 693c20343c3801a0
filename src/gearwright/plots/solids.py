"""Solids in parallel projection: triangles shaded by their slope, near ones drawn over far ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import cos, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.plots.labels import plot_label as shown

LIGHT_DIRECTION = np.array([0.35, 0.25, 0.9])
"""Direction of the light in axes of the picture: right, up, towards the viewer."""
MIN_BRIGHTNESS = 0.45
"""Brightness of a triangle that faces away from the light."""
AXIS_COLOURS = {"x": "#c0392b", "y": "#2e8b57", "z": "#2b5ea7"}
FRAME_ARROW_STYLE = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0}
FRAME_ARROW_RATIO = 0.055
"""Length of the axes of frames, as part of the picture."""


@dataclass(frozen=True)
class Picture:
    """The content of a picture, in world coordinates.

    Args:
        corners: of all triangles [m], (F, 3, 3).
        colours: red, green, blue and opacity of each, 0 to 1, (F, 4).
        axes: of joints: name -> (point [m], direction).
        frames: name -> (rotation (3, 3), origin (3,) [m]).
        labels: name -> point [m].
    """

    corners: Array
    colours: Array
    axes: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    frames: Mapping[str, tuple[Array, Array]] = field(default_factory=dict)
    labels: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class Viewpoint:
    """The direction of view.

    Args:
        azimuth: about z from x [degrees].
        elevation: from above [degrees].
        points: points inside the picture [m], (P, 3).
    """

    azimuth: float
    elevation: float
    points: Array

    @cached_property
    def picture_axes(self) -> Array:
        """The rows of the picture's axes in the world: right, up, towards the viewer, (3, 3)."""
        a, e = radians(self.azimuth), radians(self.elevation)
        eye = np.array([cos(e) * cos(a), cos(e) * sin(a), sin(e)])
        right = np.array([-sin(a), cos(a), 0.0])
        return np.stack([right, np.cross(eye, right), eye])

    @cached_property
    def picture_edges(self) -> Array:
        """Left, right, bottom and top of the picture [m], with a margin."""
        flat = self.points @ self.picture_axes[:2].T
        margin = 0.06 * np.ptp(flat, axis=0).max()
        return np.array([flat.min(axis=0) - margin, flat.max(axis=0) + margin]).T.ravel()

    @property
    def aspect_ratio(self) -> float:
        """Height of the picture per width, within the limits of a page."""
        left, right, bottom, top = self.picture_edges.tolist()
        return min(1.6, max(0.45, (top - bottom) / (right - left)))


def solids_figure(picture: Picture, view: Viewpoint, title: str = "", size: float = 7.0) -> Any:
    """Return a matplotlib figure of a picture."""
    from matplotlib.figure import Figure

    page = Figure(figsize=(size, size * view.aspect_ratio), layout="constrained")
    axes = page.add_subplot()
    draw_solids(axes, picture, view)
    axes.set_title(shown(title), fontsize=11)
    return page


def draw_solids(axes: Any, picture: Picture, view: Viewpoint) -> None:
    """Draw a picture into axes of a figure, which are cleared first."""
    from matplotlib.collections import PolyCollection

    axes.clear()
    axes.set_axis_off()
    left, right, bottom, top = view.picture_edges
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    triangles, colours = _visible_triangles(picture, view)
    lines = np.where(colours[:, 3:] < 1, 0.0, colours)  # lines close the gaps between opaque triangles
    axes.add_collection(
        PolyCollection(list(triangles), facecolors=colours, edgecolors=lines, linewidths=0.25, rasterized=True)
    )
    length = FRAME_ARROW_RATIO * max(right - left, top - bottom)
    for point, direction in picture.axes.values():
        _draw_axis(axes, view, point - 1.2 * length * direction, point + 1.2 * length * direction)
    for rotation, origin in picture.frames.values():
        _draw_frame(axes, view, rotation, origin, length)
    for name, point in picture.labels.items():
        place = view.picture_axes[:2] @ point
        axes.annotate(shown(name), place, fontsize=7, textcoords="offset points", xytext=(5, 5), bbox=BEHIND_TEXT)


BEHIND_TEXT = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.65}


def _visible_triangles(picture: Picture, view: Viewpoint) -> tuple[Array, Array]:
    """Corners (F, 3, 2) and colours (F, 4) of the triangles that face the viewer, the farthest first."""
    turned = picture.corners @ view.picture_axes.T
    normals = np.cross(turned[:, 1] - turned[:, 0], turned[:, 2] - turned[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    facing = (normals[:, 2] > 0) & (sizes > 0)
    turned, normals, colours = turned[facing], normals[facing] / sizes[facing, None], picture.colours[facing].copy()
    bright = np.clip(normals @ (LIGHT_DIRECTION / np.linalg.norm(LIGHT_DIRECTION)), 0.0, 1.0)
    colours[:, :3] *= (MIN_BRIGHTNESS + (1 - MIN_BRIGHTNESS) * bright)[:, None]
    order: NDArray[np.intp] = np.argsort(turned[:, :, 2].mean(axis=1), kind="stable")
    return turned[order][:, :, :2], colours[order]


def _draw_axis(axes: Any, view: Viewpoint, start: Array, end: Array) -> None:
    flat = np.stack([start, end]) @ view.picture_axes[:2].T
    axes.plot(*flat.T, color="#1b1b1b", linewidth=0.8, linestyle=(0, (8, 2, 2, 2)), alpha=0.8)


def _draw_frame(axes: Any, view: Viewpoint, rotation: Array, origin: Array, length: float) -> None:
    start = view.picture_axes[:2] @ origin
    for column, colour in zip(rotation.T, AXIS_COLOURS.values(), strict=True):
        direction = view.picture_axes[:2] @ (length * column)
        axes.annotate("", start + direction, start, arrowprops={**FRAME_ARROW_STYLE, "color": colour})


def subdivide_triangles(corners: Array, longest: float) -> Array:
    """Return triangles (F, 3, 3) with long ones bisected, for a correct depth order of small ones."""
    whole = np.asarray(corners, dtype=float)
    done = []
    while len(whole):
        sides = np.linalg.norm(whole - np.roll(whole, -1, axis=1), axis=2)
        long = sides.max(axis=1) > longest
        done.append(whole[~long])
        longest_side = sides[long].argmax(axis=1)
        rows = np.arange(len(longest_side))
        a, b, c = (whole[long][rows, (longest_side + k) % 3] for k in range(3))
        middle = (a + b) / 2
        whole = np.concatenate([np.stack([a, middle, c], axis=1), np.stack([middle, b, c], axis=1)])
    return np.concatenate(done)
