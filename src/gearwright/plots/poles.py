"""Poles in the complex plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

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
