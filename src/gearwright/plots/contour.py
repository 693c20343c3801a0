"""A quantity over a plane: as contours over two coordinates, and as coloured points in space."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import label as shown

SCALE = "cividis"
"""Readable in print and for the colour-blind."""


class Plane(NamedTuple):
    """Coordinates (nx, ny) of the points where the quantity is known, and what the two axes are called."""

    x: ArrayLike
    y: ArrayLike
    x_label: str
    y_label: str


def contour(values: ArrayLike, label: str, plane: Plane, space: Plane | None = None, title: str = "") -> Any:
    """A matplotlib figure: contours over a plane, and beside it the same points coloured at their places in space."""
    from matplotlib.figure import Figure

    found = np.asarray(values, float)
    page = Figure(figsize=(5.4 if space is None else 10.2, 4.2), layout="constrained")
    axes = page.add_subplot(1, 1 if space is None else 2, 1)
    filled = axes.contourf(plane.x, plane.y, found, levels=16, cmap=SCALE)
    axes.set(xlabel=shown(plane.x_label), ylabel=shown(plane.y_label))
    drawn = [axes]
    if space is not None:
        beside = page.add_subplot(1, 2, 2)
        order = np.argsort(-found.ravel())  # the smallest values lie on top, where the same place is reached twice
        x, y = (np.asarray(part).ravel()[order] for part in (space.x, space.y))
        colours = {"c": found.ravel()[order], "cmap": SCALE, "vmin": found.min(), "vmax": found.max()}
        beside.scatter(x, y, s=9, **colours)
        beside.set(xlabel=shown(space.x_label), ylabel=shown(space.y_label), aspect="equal")
        drawn.append(beside)
    page.colorbar(filled, ax=drawn, label=shown(label))
    page.suptitle(shown(title), fontsize=11)
    return page
