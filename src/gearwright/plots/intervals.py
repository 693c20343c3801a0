"""Values with their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import label as shown
from gearwright.plots.series import COLOURS


def intervals(
    names: Sequence[str],
    values: ArrayLike,
    half_widths: ArrayLike,
    label: str,
    markers: Mapping[str, ArrayLike] | None = None,
    title: str = "",
) -> Any:
    """A matplotlib figure: one line per name with its value and interval, all divided by the larger of the two.

    Numbers of different units and sizes thus share one axis; `markers` are further values to compare with.
    """
    from matplotlib.figure import Figure

    middle, half = np.asarray(values, float), np.asarray(half_widths, float)
    scale = np.maximum(np.maximum(np.abs(middle), half), 1e-300)
    page = Figure(figsize=(7.5, 0.24 * len(names) + 1.6), layout="constrained")
    axes = page.add_subplot()
    rows = np.arange(len(names))[::-1]
    drawn: dict[str, Any] = {}
    drawn[label] = axes.errorbar(
        middle / scale, rows, xerr=half / scale, fmt="o", color=COLOURS[2], capsize=2, markersize=4
    )
    for k, (name, others) in enumerate((markers or {}).items()):
        ratio = np.clip(np.asarray(others, float) / scale, -2.5, 2.5)
        drawn[name] = axes.plot(ratio, rows, "x", color=COLOURS[(k + 1) % len(COLOURS)])[0]
    axes.set_yticks(rows, [shown(name) for name in names], fontsize=7)
    axes.axvline(0.0, color="#1b1b1b", linewidth=0.8)
    axes.set_xlabel("value / its size")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    page.legend(drawn.values(), [shown(name) for name in drawn], loc="outside upper right", ncols=3, frameon=False)
    axes.set_title(shown(title), fontsize=11)
    return page
