"""Solids in parallel projection with a depth buffer: triangles shaded by their slope; labels that do not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


PICTURE_PIXELS = 900
"""Width of the image of solids; each pixel is the mean of four."""
FRAGMENTS_AT_ONCE = 2_000_000
PIXEL_SAMPLE = 0.5
"""Where a pixel is sampled, in its width and height."""


def solids_figure(picture: Picture, view: Viewpoint, title: str = "", size: float = 7.0) -> Any:
    """Return a matplotlib figure of a picture."""
    from matplotlib.figure import Figure

    page = Figure(figsize=(size, size * view.aspect_ratio), layout="constrained")
    axes = page.add_subplot()
    draw_solids(axes, picture, view, title=title)
    return page


def draw_solids(axes: Any, picture: Picture, view: Viewpoint, pixels: int = PICTURE_PIXELS, title: str = "") -> None:
    """Draw a picture into axes of a figure, which are cleared first."""
    axes.clear()
    axes.set_axis_off()
    axes.set_title(shown(title), fontsize=11)
    left, right, bottom, top = view.picture_edges
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    axes.imshow(solids_image(picture, view, pixels), extent=(left, right, bottom, top), interpolation="antialiased")
    length = FRAME_ARROW_RATIO * max(right - left, top - bottom)
    for point, direction in picture.axes.values():
        _draw_axis(axes, view, point - 1.2 * length * direction, point + 1.2 * length * direction)
    for rotation, origin in picture.frames.values():
        _draw_frame(axes, view, rotation, origin, length)
    draw_labels(axes, {shown(name): view.picture_axes[:2] @ point for name, point in picture.labels.items()}, view)


def solids_image(picture: Picture, view: Viewpoint, pixels: int) -> Array:
    """Red, green, blue and opacity of the solids, 0 to 1, (height, `pixels`, 4), the first row at the top.

    Each pixel shows the nearest opaque triangle, and over it the transparent ones from far to near.
    """
    left, right, bottom, top = view.picture_edges
    width = 2 * pixels
    scale = width / (right - left)
    height = 2 * max(1, round(scale * (top - bottom) / 2))
    turned, colours = _visible_triangles(picture, view)
    places = (turned - (left, top, 0.0)) * (scale, -scale, scale)
    image, depths = np.ones((height * width, 4)), np.full(height * width, -np.inf)
    image[:, 3] = 0.0
    opaque = colours[:, 3] >= 1
    shown_fragments = list(_fragments(places[opaque], width, height))
    for where, depth, _ in shown_fragments:
        np.maximum.at(depths, where, depth)
    for where, depth, source in shown_fragments:
        front = depth == depths[where]
        image[where[front]] = colours[opaque][source[front]]
    _add_transparent(image, depths, list(_fragments(places[~opaque], width, height)), colours[~opaque])
    fine = image.reshape(height // 2, 2, pixels, 2, 4)
    return np.asarray(fine.mean(axis=(1, 3)))


Fragments = tuple[NDArray[np.intp], Array, NDArray[np.intp]]
"""Pixels, depths towards the viewer, and the triangles that cover them there."""


def _add_transparent(image: Array, depths: Array, pieces: Sequence[Fragments], colours: Array) -> None:
    """Blend transparent triangles into an image, in every pixel from far to near."""
    if not pieces:
        return
    where, depth, source = (np.concatenate(parts) for parts in zip(*pieces, strict=True))
    front = depth > depths[where]
    where, depth, source = where[front], depth[front], source[front]
    order = np.lexsort((depth, where))
    where, source = where[order], source[order]
    rank = np.arange(len(where)) - np.searchsorted(where, where)
    for k in range(int(rank.max(initial=-1)) + 1):
        at, colour = where[rank == k], colours[source[rank == k]]
        share = colour[:, 3:]
        image[at, :3] = share * colour[:, :3] + (1 - share) * image[at, :3]
        image[at, 3:] = share + (1 - share) * image[at, 3:]


def _fragments(places: Array, width: int, height: int) -> Iterator[Fragments]:
    """The pixels that triangles (F, 3, 3) cover, in pixels from the upper left corner and depth.

    Row by row from edge to edge: a pixel belongs to a triangle if its sample is right of the left edge and not right of
    the right one, so that triangles with a common edge share no pixel and leave none out.
    """
    lowest, highest = places[:, :, 1].min(axis=1), places[:, :, 1].max(axis=1)
    first = np.maximum(np.ceil(lowest - PIXEL_SAMPLE), 0).astype(np.intp)
    rows = np.maximum(np.minimum(np.ceil(highest - PIXEL_SAMPLE), height).astype(np.intp) - first, 0)
    extent = rows * np.ceil(np.ptp(places[:, :, 0], axis=1) + 1)
    ends = np.flatnonzero(np.diff(np.cumsum(extent) // FRAGMENTS_AT_ONCE)) + 1
    for chosen in np.split(np.arange(len(places)), ends):
        source, row = _repeat_with_numbers(chosen, first[chosen], rows[chosen])
        corners, level = places[source], np.asarray(row + PIXEL_SAMPLE, dtype=float)
        left, right = _crossings(corners, level)
        start = np.maximum(np.ceil(left - PIXEL_SAMPLE), 0).astype(np.intp)
        count = np.maximum(np.minimum(np.ceil(right - PIXEL_SAMPLE), width).astype(np.intp) - start, 0)
        line, column = _repeat_with_numbers(np.arange(len(source)), start, count)
        yield (
            row[line] * width + column,
            _depths(corners, level, line, np.asarray(column + PIXEL_SAMPLE, dtype=float)),
            source[line],
        )


def _repeat_with_numbers(
    items: NDArray[np.intp], first: NDArray[np.intp], counts: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Every item as often as its count, with the numbers from its first one on."""
    past = np.cumsum(counts) - counts
    number = np.arange(int(counts.sum())) + np.repeat(first - past, counts)
    return np.repeat(items, counts), number


def _crossings(corners: Array, level: Array) -> tuple[Array, Array]:
    """Where the edges of triangles (K, 3, 3) cross a horizontal line each: left and right, (K,) each."""
    found = []
    for k in range(3):
        one, other = corners[:, k], corners[:, (k + 1) % 3]
        upward = one[:, 1] <= other[:, 1]  # the same numbers for both triangles of an edge
        low, high = np.where(upward[:, None], one, other), np.where(upward[:, None], other, one)
        crosses = (low[:, 1] <= level) & (level < high[:, 1])
        rise = np.where(crosses, high[:, 1] - low[:, 1], 1.0)
        at = low[:, 0] + (level - low[:, 1]) * (high[:, 0] - low[:, 0]) / rise
        found.append(np.where(crosses, at, np.nan))
    with np.errstate(invalid="ignore"):
        left, right = np.fmin.reduce(found), np.fmax.reduce(found)
    nowhere = np.isnan(left)
    return np.where(nowhere, 0.0, left), np.where(nowhere, 0.0, right)


def _depths(corners: Array, level: Array, line: NDArray[np.intp], across: Array) -> Array:
    """Depths of points of horizontal lines through triangles: on the plane of their corners."""
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    area = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
    area = np.where(area == 0, np.inf, area)  # seen from its edge
    slope = (ab[:, 2] * ac[:, 1] - ac[:, 2] * ab[:, 1]) / area
    fall = (ac[:, 2] * ab[:, 0] - ab[:, 2] * ac[:, 0]) / area
    begin = a[:, 2] + fall * (level - a[:, 1]) - slope * a[:, 0]
    return np.asarray(begin[line] + slope[line] * across)


def _visible_triangles(picture: Picture, view: Viewpoint) -> tuple[Array, Array]:
    """Corners (F, 3, 3) right, up and towards the viewer, and colours (F, 4), of triangles that face the viewer."""
    turned = picture.corners @ view.picture_axes.T
    normals = np.cross(turned[:, 1] - turned[:, 0], turned[:, 2] - turned[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    facing = (normals[:, 2] > 0) & (sizes > 0)
    turned, normals, colours = turned[facing], normals[facing] / sizes[facing, None], picture.colours[facing].copy()
    bright = np.clip(normals @ (LIGHT_DIRECTION / np.linalg.norm(LIGHT_DIRECTION)), 0.0, 1.0)
    colours[:, :3] *= (MIN_BRIGHTNESS + (1 - MIN_BRIGHTNESS) * bright)[:, None]
    return turned, colours


# Labels

LABEL_POINTS = 7.0
"""Font size of labels [points]."""
LABEL_DISTANCES = (7.0, 14.0, 24.0, 38.0, 56.0, 80.0)
"""Distances of a label from its point that are tried in sequence [points]."""
LABEL_DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0), (0, 1), (0, -1))


def draw_labels(axes: Any, points: Mapping[str, Array], view: Viewpoint) -> None:
    """Write names beside points of the picture, such that no two names overlap; farther ones have a line."""
    from matplotlib.textpath import TextPath

    if not points:
        return
    left, right, bottom, top = view.picture_edges
    axes.figure.draw_without_rendering()  # for the scale of the laid-out page
    corners = axes.transData.transform([(left, bottom), (right, top)]) * 72.0 / axes.figure.dpi
    scale = float(corners[1, 0] - corners[0, 0]) / (right - left)
    boxes: list[tuple[float, float, float, float]] = []
    anchors = {name: scale * (point - (left, bottom)) for name, point in points.items()}
    frame = 0.0, 0.0, scale * (right - left), scale * (top - bottom)
    for name, anchor in anchors.items():
        width = TextPath((0, 0), name or " ", size=LABEL_POINTS).get_extents().width
        half = np.array([0.5 * width + 2.5, 0.75 * LABEL_POINTS + 1.5])
        offset = next(
            (
                offset
                for distance in LABEL_DISTANCES
                for direction in LABEL_DIRECTIONS
                for offset in [np.array(direction) * (half + distance)]
                if _is_free((anchor + offset, half), boxes, frame)
            ),
            np.array([1.0, 1.0]) * (half + LABEL_DISTANCES[0]),
        )
        boxes.append((*(anchor + offset - half), *(anchor + offset + half)))
        is_far = float(np.abs(offset).max() - half.max()) > LABEL_DISTANCES[1]
        line = {"arrowstyle": "-", "color": "#777", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 1} if is_far else None
        label = axes.annotate(
            name,
            points[name],
            fontsize=LABEL_POINTS,
            textcoords="offset points",
            xytext=tuple(offset),
            ha="center",
            va="center",
            bbox=BEHIND_TEXT,
            arrowprops=line,
        )
        label.set_in_layout(False)


def _is_free(
    box: tuple[Array, Array], taken: Sequence[tuple[float, float, float, float]], frame: tuple[float, ...]
) -> bool:
    """Whether a label, given by its middle and half its size, is in the picture and meets no other one."""
    (x, y), (w, h) = box
    inside = frame[0] <= x - w and frame[1] <= y - h and x + w <= frame[2] and y + h <= frame[3]
    return inside and not any(x - w < r and x + w > l and y - h < t and y + h > b for l, b, r, t in taken)


BEHIND_TEXT = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.65}


def _draw_axis(axes: Any, view: Viewpoint, start: Array, end: Array) -> None:
    flat = np.stack([start, end]) @ view.picture_axes[:2].T
    axes.plot(*flat.T, color="#1b1b1b", linewidth=0.8, linestyle=(0, (8, 2, 2, 2)), alpha=0.8)


def _draw_frame(axes: Any, view: Viewpoint, rotation: Array, origin: Array, length: float) -> None:
    start = view.picture_axes[:2] @ origin
    for column, colour in zip(rotation.T, AXIS_COLOURS.values(), strict=True):
        direction = view.picture_axes[:2] @ (length * column)
        axes.annotate("", start + direction, start, arrowprops={**FRAME_ARROW_STYLE, "color": colour})
