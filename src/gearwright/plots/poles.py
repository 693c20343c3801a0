"""Poles in the complex plane."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.series import COLOURS


def poles(values: ArrayLike) -> Any:
    """A matplotlib figure of poles [1/s]: what lies left of the axis dies out, what lies right of it grows."""
    from matplotlib.figure import Figure

    found = np.ravel(np.asarray(values))
    page = Figure(figsize=(4.6, 3.6), layout="constrained")
    axes = page.add_subplot()
    grows = found.real > 0
    for chosen, marker, colour, words in ((~grows, "x", COLOURS[2], "dies out"), (grows, "o", COLOURS[1], "grows")):
        if chosen.any():
            axes.plot(found.real[chosen], found.imag[chosen], marker, color=colour, label=words, fillstyle="none")
    axes.axvline(0.0, color=COLOURS[0], linewidth=0.8)
    axes.axhline(0.0, color=COLOURS[0], linewidth=0.8)
    axes.set_xlabel("real part [1/s]")
    axes.set_ylabel("imaginary part [rad/s]")
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    page.legend(loc="outside upper center", ncols=2, frameon=False)
    return page
