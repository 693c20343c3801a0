"""Points in a plane: poles in the complex plane, Pareto fronts of two objectives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS


def pole_figure(values: ArrayLike) -> Any:
    """Return a matplotlib figure of poles [1/s]: stable ones left of the imaginary axis, unstable ones right."""
    from matplotlib.figure import Figure

    pole_values = np.ravel(np.asarray(values))
    page = Figure(figsize=(4.6, 3.6), layout="constrained")
    axes = page.add_subplot()
    grows = pole_values.real > 0
    for chosen, marker, colour, words in (
        (~grows, "x", PLOT_COLOURS[2], "stable"),
        (grows, "o", PLOT_COLOURS[1], "unstable"),
    ):
        if chosen.any():
            axes.plot(
                pole_values.real[chosen], pole_values.imag[chosen], marker, color=colour, label=words, fillstyle="none"
            )
    axes.axvline(0.0, color=PLOT_COLOURS[0], linewidth=0.8)
    axes.axhline(0.0, color=PLOT_COLOURS[0], linewidth=0.8)
    axes.set_xlabel("real part [1/s]")
    axes.set_ylabel("imaginary part [rad/s]")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    page.legend(loc="outside upper center", ncols=2, frameon=False)
    return page


def pareto_figure(x: ArrayLike, y: ArrayLike, axes: tuple[str, str], chosen: tuple[float, float] | None = None) -> Any:
    """Return a matplotlib figure of a Pareto front; points left of or below its steps are infeasible.

    Args:
        x: first objective, increasing, (N,).
        y: second objective, (N,).
        axes: labels of both axes, with their units.
        chosen: a point to be marked.
    """
    from matplotlib.figure import Figure

    page = Figure(figsize=(5.2, 3.4), layout="constrained")
    plane = page.add_subplot()
    first, second = np.asarray(x, float), np.asarray(y, float)
    plane.step(first, second, where="post", color=PLOT_COLOURS[2], linewidth=1.0)
    words = f"Pareto front, {len(first)} design{'s' * (len(first) != 1)}"
    plane.plot(first, second, "o", color=PLOT_COLOURS[2], markersize=4, label=words)
    if chosen is not None:
        plane.plot(*chosen, "*", color=PLOT_COLOURS[1], markeredgecolor=PLOT_COLOURS[0], markersize=13, label="chosen")
    plane.set_xlabel(shown(axes[0]))
    plane.set_ylabel(shown(axes[1]))
    plane.margins(0.08)
    plane.grid(alpha=0.25)
    plane.spines[["top", "right"]].set_visible(False)
    page.legend(loc="outside upper center", ncols=2, frameon=False)
    return page
