"""A quantity over a plane: as contours over two coordinates, and as coloured points in space."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import plot_label as shown

COLOUR_MAP = "cividis"
"""Readable in print and for the colour-blind."""


class PlotPlane(NamedTuple):
    """Coordinates (nx, ny) of the points with known values, and labels of the two axes."""

    x: ArrayLike
    y: ArrayLike
    x_label: str
    y_label: str


def contour_figure(
    values: ArrayLike, label: str, plane: PlotPlane, space: PlotPlane | None = None, title: str = ""
) -> Any:
    """Return a figure of contours over a plane, and next to it the same points coloured in space."""
    from matplotlib.figure import Figure

    levels_array = np.asarray(values, float)
    page = Figure(figsize=(5.4 if space is None else 10.2, 4.2), layout="constrained")
    axes = page.add_subplot(1, 1 if space is None else 2, 1)
    filled = axes.contourf(plane.x, plane.y, levels_array, levels=16, cmap=COLOUR_MAP)
    axes.set(xlabel=shown(plane.x_label), ylabel=shown(plane.y_label))
    all_axes = [axes]
    if space is not None:
        beside = page.add_subplot(1, 2, 2)
        order = np.argsort(-levels_array.ravel())  # small values on top where points coincide
        x, y = (np.asarray(part).ravel()[order] for part in (space.x, space.y))
        colours = {
            "c": levels_array.ravel()[order],
            "cmap": COLOUR_MAP,
            "vmin": levels_array.min(),
            "vmax": levels_array.max(),
        }
        beside.scatter(x, y, s=9, **colours)
        beside.set(xlabel=shown(space.x_label), ylabel=shown(space.y_label), aspect="equal")
        all_axes.append(beside)
    page.colorbar(filled, ax=all_axes, label=shown(label))
    page.suptitle(shown(title), fontsize=11)
    return page
