"""Time spans behind curves: states with begin and end, in rows of names, and lines for instants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gearwright.plots.labels import plot_label as shown

SPAN_TINTS = ("#dbe9f6", "#fbe3c0", "#dcefdc", "#ece3f5")
"""Light tints, so that curves stay readable."""

INSTANT_COLOUR = "#d1495b"


class TimeSpan(NamedTuple):
    """A state from `begin` to `end`, in one of a few tints; a line if both are equal."""

    kind: str
    begin: float
    end: float
    tint: int = 0


Spans: TypeAlias = Mapping[str, Sequence[TimeSpan]]
"""Spans by name; each name has its own row."""


def shade_spans(axes: Any, spans: Spans, named: bool) -> dict[str, Any]:
    """Draw spans behind the curves of a diagram; return legend entries by kind. `named`: with names of rows."""
    legend: dict[str, Any] = {}
    height = 1.0 / max(len(spans), 1)
    for k, (name, row) in enumerate(spans.items()):
        low = 1.0 - (k + 1) * height
        for kind, begin, end, tint in row:
            if end > begin:
                patch = axes.axvspan(
                    begin, end, low, low + height, color=SPAN_TINTS[tint % len(SPAN_TINTS)], linewidth=0, zorder=0
                )
                legend.setdefault(kind, patch)
            else:
                legend[kind] = axes.axvline(
                    begin, low, low + height, color=INSTANT_COLOUR, linewidth=0.8, linestyle=":"
                )
        if named and len(spans) > 1:
            place = {"transform": axes.transAxes, "va": "center", "fontsize": 7, "alpha": 0.7}
            axes.text(0.005, low + 0.5 * height, shown(name), **place)
    return legend
