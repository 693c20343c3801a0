"""Points of which none is better than another in both of two numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import label as shown
from gearwright.plots.series import COLOURS


def front(x: ArrayLike, y: ArrayLike, axes: tuple[str, str], chosen: tuple[float, float] | None = None) -> Any:
    """A matplotlib figure of a Pareto front: what lies left of or below its steps cannot be had.

    Args:
        x: first numbers, rising, (N,).
        y: second numbers, (N,).
        axes: labels of both, with their units.
        chosen: a point to be marked.
    """
    from matplotlib.figure import Figure

    page = Figure(figsize=(5.2, 3.4), layout="constrained")
    plane = page.add_subplot()
    first, second = np.asarray(x, float), np.asarray(y, float)
    plane.step(first, second, where="post", color=COLOURS[2], linewidth=1.0)
    words = f"{len(first)} design{'s' * (len(first) != 1)} that nothing beats"
    plane.plot(first, second, "o", color=COLOURS[2], markersize=4, label=words)
    if chosen is not None:
        plane.plot(*chosen, "*", color=COLOURS[1], markeredgecolor=COLOURS[0], markersize=13, label="chosen")
    plane.set_xlabel(shown(axes[0]))
    plane.set_ylabel(shown(axes[1]))
    plane.margins(0.08)
    plane.grid(alpha=0.25)
    plane.spines[["top", "right"]].set_visible(False)
    page.legend(loc="outside upper center", ncols=2, frameon=False)
    return page
