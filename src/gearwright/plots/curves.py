"""Curves of one quantity over another, in panels side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import label as shown
from gearwright.plots.series import pen


@dataclass(frozen=True)
class Diagram:
    """One diagram.

    Args:
        axes: labels of both axes, with their units.
        curves: name -> (values along x, values along y).
        title: a heading.
        from_zero: whether the vertical axis begins at zero, as magnitudes want it.
    """

    axes: tuple[str, str]
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]]
    title: str = ""
    from_zero: bool = False


def curves(diagrams: Sequence[Diagram]) -> Any:
    """A matplotlib figure of diagrams side by side, each with its own legend where it has several curves."""
    from matplotlib.figure import Figure

    page = Figure(figsize=(3.7 * len(diagrams), 3.1), layout="constrained")
    for k, diagram in enumerate(diagrams):
        axes = page.add_subplot(1, len(diagrams), k + 1)
        for number, (name, (x, y)) in enumerate(diagram.curves.items()):
            axes.plot(np.asarray(x), np.asarray(y), label=shown(name), **pen(number))
        axes.set_xlabel(shown(diagram.axes[0]))
        axes.set_ylabel(shown(diagram.axes[1]))
        axes.set_title(shown(diagram.title), fontsize=10)
        if diagram.from_zero:
            axes.set_ylim(bottom=0.0)
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
        if len(diagram.curves) > 1:
            axes.legend(frameon=False, fontsize=8, handlelength=3.2)
    return page
