"""Bar charts in panels: grouped bars, distinguished by hatch as well as colour, and rankings by magnitude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import label as shown
from gearwright.plots.series import COLOURS

HATCHES = ("", "///", "...", "xxx", "\\\\\\", "|||", "ooo", "---")
LETTERS = 12
"""Of a legend per inch."""
MOST_UPRIGHT = 6
"""Of more groups the names are written aslant."""
MOST_NUMBERED = 12
"""Of more bars in a panel, or bars side by side, the values are left to the axis."""


@dataclass(frozen=True)
class BarPanel:
    """One diagram: groups of bars.

    Args:
        label: what the vertical axis shows, with its unit.
        groups: their names.
        series: name -> a value per group; a single one without name needs no legend.
        title: a heading.
    """

    label: str
    groups: Sequence[str]
    series: Mapping[str, ArrayLike]
    title: str = ""


def bars(
    groups: Sequence[str], series: Mapping[str, ArrayLike], label: str, title: str = "", break_at: str | None = None
) -> Any:
    """A matplotlib figure of bars: one group per name, one colour per series; names begin new lines at `break_at`."""
    return bar_panels([BarPanel(label, groups, series, title)], break_at=break_at)


def bar_panels(panels: Sequence[BarPanel], columns: int = 1, break_at: str | None = None) -> Any:
    """A matplotlib figure of bars in panels; a series keeps colour and hatch in all of them."""
    from matplotlib.figure import Figure

    rows = -(-len(panels) // columns)
    widest = max(len(panel.groups) for panel in panels)
    width = max(5.0, 0.75 * widest + 2.5) if columns == 1 else columns * max(2.3, 0.6 * widest)
    page = Figure(figsize=(width, max(3.4, 2.1 * rows)), layout="constrained")
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    drawn: dict[str, Any] = {}
    for k, panel in enumerate(panels):
        axes = page.add_subplot(rows, columns, k + 1)
        drawn |= _draw(axes, panel, names)
        below = panels[k + columns].groups if k + columns < len(panels) else None
        _name(axes, panel.groups, break_at, bare=below == panel.groups)
        axes.set_ylabel(shown(panel.label))
        axes.set_title(shown(panel.title), fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    if len(drawn) > 1:
        columns = max(1, int(LETTERS * width / (6 + max(map(len, drawn)))))
        place = {"loc": "outside upper center", "ncols": min(columns, len(drawn))}
        page.legend(drawn.values(), [shown(name) for name in drawn], frameon=False, **place)
    return page


def _draw(axes: Any, panel: BarPanel, names: Sequence[str]) -> dict[str, Any]:
    """The bars of a panel, by the names of their series."""
    places, width = np.arange(len(panel.groups)), 0.8 / max(len(panel.series), 1)
    drawn = {}
    for k, (name, values) in enumerate(panel.series.items()):
        number = names.index(name)
        style = {"color": COLOURS[(number + 1) % len(COLOURS)], "hatch": HATCHES[number % len(HATCHES)]}
        offset = (k - (len(panel.series) - 1) / 2) * width
        made = axes.bar(places + offset, np.asarray(values), width, edgecolor="white", linewidth=0.0, **style)
        if len(panel.series) == 1 and len(panel.groups) <= MOST_NUMBERED:
            axes.bar_label(made, fmt="{:.3g}", fontsize=7, padding=1)
        drawn[name] = made
    axes.axhline(0.0, color=COLOURS[0], linewidth=0.8)
    axes.margins(y=0.12)
    return drawn


def _name(axes: Any, groups: Sequence[str], break_at: str | None, bare: bool) -> None:
    """Write the names of the groups, unless the panel below has the same ones."""
    texts = ["\n".join(shown(part) for part in (name.split(break_at) if break_at else [name])) for name in groups]
    slanted = {"rotation": 30, "ha": "right"} if len(groups) > MOST_UPRIGHT else {}
    axes.set_xticks(range(len(groups)), [""] * len(groups) if bare else texts, **slanted)


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
