"""Bar charts in panels: grouped bars, distinguished by hatch as well as colour, and rankings by magnitude."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS

BAR_HATCHES = ("", "///", "...", "xxx", "\\\\\\", "|||", "ooo", "---")
LEGEND_LETTERS_PER_INCH = 12
"""Columns of a legend per inch."""
MAX_UPRIGHT_NAMES = 6
"""With more groups, their names are rotated."""
MAX_NUMBERED_BARS = 12
"""With more bars in a panel, or bars side by side, no values are written on the bars."""


@dataclass(frozen=True)
class BarPanel:
    """One diagram: groups of bars.

    Args:
        label: what the vertical axis shows, with its unit.
        groups: their names.
        series: name -> a value per group; a single unnamed series has no legend.
        title: a heading.
    """

    label: str
    groups: Sequence[str]
    series: Mapping[str, ArrayLike]
    title: str = ""


def bar_figure(
    groups: Sequence[str], series: Mapping[str, ArrayLike], label: str, title: str = "", break_at: str | None = None
) -> Any:
    """Return a figure of bars: one group per name, one colour per series; names are broken at `break_at`."""
    return bar_panel_figure([BarPanel(label, groups, series, title)], break_at=break_at)


def bar_panel_figure(panels: Sequence[BarPanel], columns: int = 1, break_at: str | None = None) -> Any:
    """Return a matplotlib figure of bars in panels; a series has the same colour and hatch in all of them."""
    from matplotlib.figure import Figure

    rows = -(-len(panels) // columns)
    widest = max(len(panel.groups) for panel in panels)
    width = max(5.0, 0.75 * widest + 2.5) if columns == 1 else columns * max(2.3, 0.6 * widest)
    page = Figure(figsize=(width, max(3.4, 2.1 * rows)), layout="constrained")
    names = list(dict.fromkeys(name for panel in panels for name in panel.series))
    legend: dict[str, Any] = {}
    for k, panel in enumerate(panels):
        axes = page.add_subplot(rows, columns, k + 1)
        legend |= _draw_bars(axes, panel, names)
        below = panels[k + columns].groups if k + columns < len(panels) else None
        _label_groups(axes, panel.groups, break_at, hidden=below == panel.groups)
        axes.set_ylabel(shown(panel.label))
        axes.set_title(shown(panel.title), fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    if len(legend) > 1:
        columns = max(1, int(LEGEND_LETTERS_PER_INCH * width / (6 + max(map(len, legend)))))
        place = {"loc": "outside upper center", "ncols": min(columns, len(legend))}
        page.legend(legend.values(), [shown(name) for name in legend], frameon=False, **place)
    return page


def _draw_bars(axes: Any, panel: BarPanel, names: Sequence[str]) -> dict[str, Any]:
    """Draw the bars of a panel; return them by the names of their series."""
    places, width = np.arange(len(panel.groups)), 0.8 / max(len(panel.series), 1)
    containers = {}
    for k, (name, values) in enumerate(panel.series.items()):
        number = names.index(name)
        style = {
            "color": PLOT_COLOURS[(number + 1) % len(PLOT_COLOURS)],
            "hatch": BAR_HATCHES[number % len(BAR_HATCHES)],
        }
        offset = (k - (len(panel.series) - 1) / 2) * width
        container = axes.bar(places + offset, np.asarray(values), width, edgecolor="white", linewidth=0.0, **style)
        if len(panel.series) == 1 and len(panel.groups) <= MAX_NUMBERED_BARS:
            axes.bar_label(container, fmt="{:.3g}", fontsize=7, padding=1)
        containers[name] = container
    axes.axhline(0.0, color=PLOT_COLOURS[0], linewidth=0.8)
    axes.margins(y=0.12)
    return containers


def _label_groups(axes: Any, groups: Sequence[str], break_at: str | None, hidden: bool) -> None:
    """Write the names of the groups, unless the panel below has the same ones."""
    texts = ["\n".join(shown(part) for part in (name.split(break_at) if break_at else [name])) for name in groups]
    slanted = {"rotation": 30, "ha": "right"} if len(groups) > MAX_UPRIGHT_NAMES else {}
    axes.set_xticks(range(len(groups)), [""] * len(groups) if hidden else texts, **slanted)


VISIBLE_BAR_RATIO = 1e-3
"""Share of the largest number below which others are not drawn."""
BAR_ROW_HEIGHT = 0.24
"""Height of a bar with its name [inch]."""


@dataclass(frozen=True)
class RankingPanel:
    """One diagram.

    Args:
        label: what the horizontal axis shows, with its unit.
        values: name -> number.
        title: a heading.
    """

    label: str
    values: Mapping[str, float]
    title: str = ""


def ranking_figure(panels: Sequence[RankingPanel], count: int) -> Any:
    """Return a figure of panels in one column, each with the `count` largest numbers by magnitude."""
    from matplotlib.figure import Figure

    largest = [_largest_values(panel, count) for panel in panels]
    page = Figure(
        figsize=(6.4, sum(BAR_ROW_HEIGHT * len(values) + 0.8 for values in largest) + 0.2), layout="constrained"
    )
    heights = [BAR_ROW_HEIGHT * len(values) + 0.8 for values in largest]
    for k, axes in enumerate(page.subplots(len(panels), 1, squeeze=False, height_ratios=heights)[:, 0]):
        container = axes.barh(
            [shown(name) for name in largest[k]], list(largest[k].values()), color=PLOT_COLOURS[2], height=0.7
        )
        axes.bar_label(container, fmt="{:+.2g}", fontsize=7, padding=2)
        axes.invert_yaxis()
        axes.margins(x=0.12)
        axes.axvline(0.0, color=PLOT_COLOURS[0], linewidth=0.8)
        axes.set_xlabel(shown(panels[k].label))
        axes.set_title(shown(panels[k].title), fontsize=10)
        axes.tick_params(axis="y", labelsize=8)
        axes.grid(axis="x", alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    return page


def _largest_values(panel: RankingPanel, count: int) -> dict[str, float]:
    """Return the largest numbers; all of them if all are zero."""
    ranked = sorted(panel.values.items(), key=lambda item: -abs(item[1]))[:count]
    return {name: x for name, x in ranked if abs(x) >= VISIBLE_BAR_RATIO * abs(ranked[0][1])}


MARGIN_RANGE = (-1.0, 1.0)
"""Range of the axis of margins; longer bars end at its edge, with their value."""


def margin_figure(margins: Mapping[str, float]) -> Any:
    """Return a figure of margins to limits as horizontal bars, in the given order; negative ones are red.

    Args:
        margins: name of the limit -> its margin relative to the limit.
    """
    from matplotlib.figure import Figure

    page = Figure(figsize=(7.2, BAR_ROW_HEIGHT * len(margins) + 0.8), layout="constrained")
    axes = page.add_subplot()
    values = np.array(list(margins.values()))
    colours = ["#a3201d" if value < 0 else "#66a182" for value in values]
    bars = axes.barh(np.arange(len(values)), 100 * np.clip(values, *MARGIN_RANGE), color=colours, height=0.7)
    axes.bar_label(bars, [f"{value:.0%}" for value in values], fontsize=7, padding=2)
    axes.set_yticks(np.arange(len(values)), [shown(name) for name in margins], fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.axvline(0.0, color=PLOT_COLOURS[0], linewidth=0.8)
    axes.set_xlabel("margin to the limit [%]")
    axes.grid(axis="x", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    return page
