"""Figures of distributions: histograms with median and 5 % and 95 % percentiles, and uncertainty intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS

MAX_HISTOGRAM_ROWS = 3
PERCENTILE_STROKES = ((5.0, "--", "5 % and 95 % percentile"), (50.0, "-", "median"), (95.0, "--", ""))
"""Percentiles that are marked, and their labels in the legend."""


def histogram_figure(groups: Mapping[str, ArrayLike]) -> Any:
    """Return a figure with a histogram per name; the name is the label of its axis, with the unit."""
    from matplotlib.figure import Figure

    columns = 1 if len(groups) <= MAX_HISTOGRAM_ROWS else 2
    rows = -(-len(groups) // columns)
    page = Figure(figsize=(4.8 * columns, 1.9 * rows + 0.7), layout="constrained")
    for k, (name, values) in enumerate(groups.items()):
        axes = page.add_subplot(rows, columns, k + 1)
        finite = np.asarray(values, float)[np.isfinite(values)]
        axes.hist(
            finite, bins="auto" if len(finite) < 20 else "fd", color=PLOT_COLOURS[2], alpha=0.6, edgecolor="white"
        )
        for share, stroke, words in PERCENTILE_STROKES if len(finite) else ():
            style: dict[str, Any] = {"color": PLOT_COLOURS[0], "linestyle": stroke, "linewidth": 1.2}
            axes.axvline(float(np.percentile(finite, share)), label=words or None, **style)
        axes.set_xlabel(shown(name))
        axes.set_ylabel("points")
        axes.spines[["top", "right"]].set_visible(False)
    page.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    return page


def interval_figure(
    names: Sequence[str],
    values: ArrayLike,
    half_widths: ArrayLike,
    label: str,
    markers: Mapping[str, ArrayLike] | None = None,
    title: str = "",
) -> Any:
    """Return a figure with one line per name: its value and interval, divided by the larger of the two.

    Numbers of different units and magnitudes thus share one axis; `markers` are further values to compare with.
    """
    from matplotlib.figure import Figure

    middle, half = np.asarray(values, float), np.asarray(half_widths, float)
    scale = np.maximum(np.maximum(np.abs(middle), half), 1e-300)
    page = Figure(figsize=(7.5, 0.24 * len(names) + 1.6), layout="constrained")
    axes = page.add_subplot()
    rows = np.arange(len(names))[::-1]
    legend: dict[str, Any] = {}
    legend[label] = axes.errorbar(
        middle / scale, rows, xerr=half / scale, fmt="o", color=PLOT_COLOURS[2], capsize=2, markersize=4
    )
    for k, (name, marked) in enumerate((markers or {}).items()):
        ratio = np.clip(np.asarray(marked, float) / scale, -2.5, 2.5)
        legend[name] = axes.plot(ratio, rows, "x", color=PLOT_COLOURS[(k + 1) % len(PLOT_COLOURS)])[0]
    axes.set_yticks(rows, [shown(name) for name in names], fontsize=7)
    axes.axvline(0.0, color="#1b1b1b", linewidth=0.8)
    axes.set_xlabel("value / magnitude")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    page.legend(legend.values(), [shown(name) for name in legend], loc="outside upper right", ncols=3, frameon=False)
    axes.set_title(shown(title), fontsize=11)
    return page
