"""Names with a number each, the strongest above: lying bars in panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.plots.labels import label as shown
from gearwright.plots.series import COLOURS

VISIBLE = 1e-3
"""Share of the largest number below which others are not drawn."""
LINE = 0.24
"""Height of a bar with its name [inch]."""


@dataclass(frozen=True)
class Ranking:
    """One diagram.

    Args:
        label: what the horizontal axis shows, with its unit.
        values: name -> number.
        title: a heading.
    """

    label: str
    values: Mapping[str, float]
    title: str = ""


def rankings(panels: Sequence[Ranking], most: int) -> Any:
    """A matplotlib figure of panels one below the other, each with the `most` largest numbers by magnitude."""
    from matplotlib.figure import Figure

    first = [_first(panel, most) for panel in panels]
    page = Figure(figsize=(6.4, sum(LINE * len(one) + 0.8 for one in first) + 0.2), layout="constrained")
    heights = [LINE * len(one) + 0.8 for one in first]
    for k, axes in enumerate(page.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]):
        made = axes.barh([shown(name) for name in first[k]], list(first[k].values()), color=COLOURS[2], height=0.7)
        axes.bar_label(made, fmt="{:+.2g}", fontsize=7, padding=2)
        axes.invert_yaxis()
        axes.margins(x=0.12)
        axes.axvline(0.0, color=COLOURS[0], linewidth=0.8)
        axes.set_xlabel(shown(panels[k].label))
        axes.set_title(shown(panels[k].title), fontsize=10)
        axes.tick_params(axis="y", labelsize=8)
        axes.grid(axis="x", alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    return page


def _first(panel: Ranking, most: int) -> dict[str, float]:
    """The largest numbers; where all are zero they are drawn so."""
    ranked = sorted(panel.values.items(), key=lambda item: -abs(item[1]))[:most]
    return {name: x for name, x in ranked if abs(x) >= VISIBLE * abs(ranked[0][1])}
