"""Spans of time behind curves: what goes on from when to when, in rows of names, and lines at what happens at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from gearwright.plots.labels import label as shown

TINTS = ("#dbe9f6", "#fbe3c0", "#dcefdc", "#ece3f5")
"""Light enough to read curves on."""

STROKE = "#d1495b"


class Span(NamedTuple):
    """Something from `begin` to `end`, in one of a few tints; a line where both are the same."""

    kind: str
    begin: float
    end: float
    tint: int = 0


Spans: TypeAlias = Mapping[str, Sequence[Span]]
"""Per name its spans, each name in a row of its own."""


def shade(axes: Any, spans: Spans, named: bool) -> dict[str, Any]:
    """Draw spans behind the curves of a diagram; what to put into a legend, by kind. `named`: with names of rows."""
    drawn: dict[str, Any] = {}
    height = 1.0 / max(len(spans), 1)
    for k, (name, row) in enumerate(spans.items()):
        low = 1.0 - (k + 1) * height
        for kind, begin, end, tint in row:
            if end > begin:
                patch = axes.axvspan(
                    begin, end, low, low + height, color=TINTS[tint % len(TINTS)], linewidth=0, zorder=0
                )
                drawn.setdefault(kind, patch)
            else:
                drawn[kind] = axes.axvline(begin, low, low + height, color=STROKE, linewidth=0.8, linestyle=":")
        if named and len(spans) > 1:
            place = {"transform": axes.transAxes, "va": "center", "fontsize": 7, "alpha": 0.7}
            axes.text(0.005, low + 0.5 * height, shown(name), **place)
    return drawn
