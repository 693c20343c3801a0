"""How numbers spread, with their median and what nine in ten of them lie between."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import label as shown
from gearwright.plots.series import COLOURS

MOST_IN_A_COLUMN = 3
STROKES = ((5.0, "--", "nine in ten lie between"), (50.0, "-", "median"), (95.0, "--", ""))
"""Percentiles that are marked, and what they are called in the legend."""


def histograms(groups: Mapping[str, ArrayLike]) -> Any:
    """A matplotlib figure with a histogram per name; the name is the label of its axis, with the unit."""
    from matplotlib.figure import Figure

    columns = 1 if len(groups) <= MOST_IN_A_COLUMN else 2
    rows = -(-len(groups) // columns)
    page = Figure(figsize=(4.8 * columns, 1.9 * rows + 0.7), layout="constrained")
    for k, (name, values) in enumerate(groups.items()):
        axes = page.add_subplot(rows, columns, k + 1)
        known = np.asarray(values, float)[np.isfinite(values)]
        axes.hist(known, bins="auto" if len(known) < 20 else "fd", color=COLOURS[2], alpha=0.6, edgecolor="white")
        for share, stroke, words in STROKES if len(known) else ():
            style: dict[str, Any] = {"color": COLOURS[0], "linestyle": stroke, "linewidth": 1.2}
            axes.axvline(float(np.percentile(known, share)), label=words or None, **style)
        axes.set_xlabel(shown(name))
        axes.set_ylabel("points")
        axes.spines[["top", "right"]].set_visible(False)
    page.legend(*axes.get_legend_handles_labels(), loc="outside upper center", ncols=2, frameon=False)
    return page
