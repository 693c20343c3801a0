"""Assumed efficiency of gearboxes whose data sheets state none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gearwright.arguments import real_number
from gearwright.catalogue import Catalogue


def with_assumed_efficiency(catalogue: Catalogue, efficiency: float | None) -> Catalogue:
    """The catalogue with an efficiency for gearboxes whose data sheets state none; unchanged without an efficiency."""
    if efficiency is None:
        return catalogue
    real_number("size_drives", "assumed_efficiency", efficiency, above=0.5, most=1.0, example=0.75)
    boxes = {
        key: sheet if sheet.efficiency is not None else replace(sheet, efficiency=efficiency)
        for key, sheet in catalogue.gearboxes.items()
    }
    return replace(catalogue, gearboxes=boxes)


def efficiency_remark(efficiency: float | None) -> Iterable[str]:
    """The remark on the assumed efficiency."""
    if efficiency is not None:
        yield f"gearboxes whose data sheets state no efficiency: assumed {efficiency:.0%}."
