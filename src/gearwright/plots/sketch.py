"""Line drawings in space: strokes, arrows, discs and labels, in one projection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS, Panel, draw_panel, line_style

SKETCH_VIEWS = {
    "space": ((0.866, 0.5, 0.0), (-0.171, 0.296, 0.94)),
    "front": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "above": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
}
"""Per view, the directions to the right and up."""


@dataclass(frozen=True)
class Stroke:
    """A line through points; colour is an index of the palette."""

    points: ArrayLike
    colour: int = 0
    width: float = 2.0
    style: str = "-"


@dataclass(frozen=True)
class Arrow:
    """An arrow from a point along a vector, labelled at its head; a double one is a moment or an angular velocity."""

    start: ArrayLike
    vector: ArrayLike
    label: str = ""
    colour: int = 1
    double: bool = False


@dataclass(frozen=True)
class Disc:
    """A circle about an axis, filled lightly: a wheel."""

    centre: ArrayLike
    axis: ArrayLike
    radius: float
    colour: int = 3


@dataclass(frozen=True)
class Area:
    """A face with these corners, filled lightly."""

    corners: ArrayLike
    colour: int = 7


@dataclass(frozen=True)
class Mark:
    """A point with a label beside it."""

    at: ArrayLike
    label: str = ""
    colour: int = 0


@dataclass(frozen=True)
class Label:
    """A text at a point."""

    at: ArrayLike
    label: str
    colour: int = 0


SketchItem = Stroke | Arrow | Disc | Area | Mark | Label


def sketch_figure(
    drawings: Mapping[str, Sequence[SketchItem]],
    view: str = "space",
    columns: int = 2,
    size: tuple[float, float] = (5.0, 4.2),
    curves: tuple[ArrayLike, str, Panel] | None = None,
) -> Any:
    """Return a figure with one drawing of this size [inch] per title, each with equal scales of its axes.

    With `curves`, (axis, its label, panel), a diagram is below the drawings.
    """
    from matplotlib.figure import Figure

    columns = min(columns, len(drawings))
    rows = -(-len(drawings) // columns) + (curves is not None)
    page = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    for k, (title, items) in enumerate(drawings.items()):
        axes = page.add_subplot(rows, columns, k + 1)
        axes.set_title(shown(title), fontsize=10)
        axes.set_aspect("equal", adjustable="datalim")
        axes.axis("off")
        axes.margins(0.16)
        for item in items:
            _draw_item(axes, item, np.array(SKETCH_VIEWS[view]))
    if curves is not None:
        axis, label, panel = curves
        axes = page.add_subplot(rows, 1, rows)
        lines = draw_panel(axes, axis, panel, {name: line_style(k) for k, name in enumerate(panel.curves)})
        axes.set_xlabel(shown(label))
        axes.legend(lines.values(), [shown(name) for name in lines], frameon=False, handlelength=3.2)
    return page


def _draw_item(axes: Any, item: SketchItem, view: Array) -> None:
    if isinstance(item, Stroke):
        x, y = view @ np.asarray(item.points, dtype=float).T
        colour = PLOT_COLOURS[item.colour]
        axes.plot(x, y, color=colour, linewidth=item.width, linestyle=item.style, solid_capstyle="round")
    elif isinstance(item, Arrow):
        _draw_arrow(axes, item, view)
    elif isinstance(item, Disc):
        _fill_outline(axes, view @ _circle_points(item).T, PLOT_COLOURS[item.colour])
    elif isinstance(item, Area):
        _fill_outline(axes, view @ np.asarray(item.corners, dtype=float).T, PLOT_COLOURS[item.colour])
    elif isinstance(item, Label):
        _write_label(axes, view @ np.asarray(item.at, dtype=float), item.label, PLOT_COLOURS[item.colour], below=True)
    else:
        x, y = view @ np.asarray(item.at, dtype=float)
        axes.plot([x], [y], "o", color=PLOT_COLOURS[item.colour], markersize=4)
        _write_label(axes, (x, y), item.label, PLOT_COLOURS[item.colour])


def _fill_outline(axes: Any, outline: Array, colour: str) -> None:
    axes.fill(*outline, facecolor=colour + "40", edgecolor=colour, linewidth=1.2)


def _draw_arrow(axes: Any, item: Arrow, view: Array) -> None:
    start = view @ np.asarray(item.start, dtype=float)
    end = view @ (np.asarray(item.start, dtype=float) + np.asarray(item.vector, dtype=float))
    colour = PLOT_COLOURS[item.colour]
    if np.linalg.norm(end - start) < 0.05 * np.linalg.norm(item.vector):  # normal to the picture plane
        axes.plot(*start, "o", markerfacecolor="none", markeredgecolor=colour, markersize=9)
        _write_label(axes, start, item.label, colour, below=True)
        return
    heads = (1.0, 0.88) if item.double else (1.0,)
    for share in heads:
        tip = start + share * (end - start)
        axes.annotate("", tip, start, arrowprops={"arrowstyle": "-|>", "color": colour, "linewidth": 1.4})
    axes.plot(*np.transpose([start, end]), linewidth=0)  # annotations do not count for the limits
    _write_label(axes, end, item.label, colour)


def _write_label(axes: Any, place: Any, text: str, colour: str, below: bool = False) -> None:
    if text:
        offset = (5, -12) if below else (5, 4)
        axes.annotate(shown(text), place, offset, textcoords="offset points", fontsize=8, color=colour)


def _circle_points(disc: Disc) -> Array:
    axis = np.asarray(disc.axis, dtype=float) / np.linalg.norm(disc.axis)
    helper = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = np.cross(axis, helper)
    first /= np.linalg.norm(first)
    angles = np.linspace(0, 2 * np.pi, 61)[:, None]
    ring = np.cos(angles) * first + np.sin(angles) * np.cross(axis, first)
    points: Array = np.asarray(disc.centre, dtype=float) + disc.radius * ring
    return points
