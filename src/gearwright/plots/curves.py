"""Figures of curves in panels: one quantity over another, and bands of percentiles of many curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS, line_style

THIN_LINE = 1.2
"""Width of thin lines."""


@dataclass(frozen=True)
class Diagram:
    """One diagram.

    Args:
        axes: labels of both axes, with their units.
        curves: name -> (values along x, values along y).
        title: a heading.
        from_zero: whether the vertical axis starts at zero, as for magnitudes.
        least_range: smallest extent of the vertical axis.
        thin: whether the lines are thin, for series with fast oscillations.
    """

    axes: tuple[str, str]
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]]
    title: str = ""
    from_zero: bool = False
    least_range: float = 0.0
    thin: bool = False


def curve_figure(diagrams: Sequence[Diagram]) -> Any:
    """Return a figure of diagrams side by side, each with a legend if it has several curves."""
    from matplotlib.figure import Figure

    page = Figure(figsize=(3.7 * len(diagrams), 3.1), layout="constrained")
    for k, diagram in enumerate(diagrams):
        draw_diagram(page.add_subplot(1, len(diagrams), k + 1), diagram)
    return page


def draw_diagram(axes: Any, diagram: Diagram) -> None:
    """Draw a diagram, with a legend if it has several curves."""
    width = {"linewidth": THIN_LINE} if diagram.thin else {}
    for number, (name, (x, y)) in enumerate(diagram.curves.items()):
        axes.plot(np.asarray(x), np.asarray(y), label=shown(name), **line_style(number) | width)
    low, high = axes.get_ylim()
    if high - low < diagram.least_range:
        axes.set_ylim((low + high - diagram.least_range) / 2, (low + high + diagram.least_range) / 2)
    axes.set_xlabel(shown(diagram.axes[0]))
    axes.set_ylabel(shown(diagram.axes[1]))
    axes.set_title(shown(diagram.title), fontsize=10)
    if diagram.from_zero:
        axes.set_ylim(bottom=0.0)
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if len(diagram.curves) > 1:
        axes.legend(frameon=False, fontsize=8, handlelength=3.2)


PERCENTILE_BANDS = ((0.0, 100.0, 0.18, "all"), (25.0, 75.0, 0.35, "middle half"))
"""Percentiles of the bands, their opacity and their label."""


def band_figure(axis: ArrayLike, axis_label: str, groups: Mapping[str, ArrayLike]) -> Any:
    """Return a matplotlib figure of percentile bands, one panel per group.

    Args:
        axis: (T,).
        axis_label: label of the axis, with its unit.
        groups: name -> curves (T, members).
    """
    from matplotlib.figure import Figure

    page = Figure(figsize=(5.6, 1.7 * len(groups) + 0.9), layout="constrained")
    places = np.asarray(axis)
    for k, (name, curves) in enumerate(groups.items()):
        axes = page.add_subplot(len(groups), 1, k + 1)
        members = np.asarray(curves)
        for low, high, darkness, words in PERCENTILE_BANDS:
            edges = np.percentile(members, [low, high], axis=1)
            axes.fill_between(places, *edges, color=PLOT_COLOURS[2], alpha=darkness, linewidth=0, label=words)
        axes.plot(places, np.median(members, axis=1), color=PLOT_COLOURS[0], linewidth=1.4, label="median")
        axes.set_ylabel(shown(name))
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel(shown(axis_label))
    page.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=3, frameon=False)
    return page
