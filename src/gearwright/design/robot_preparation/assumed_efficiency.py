"""An efficiency that is assumed where data sheets print none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gearwright.arguments import number
from gearwright.catalogue import Catalogue


def assuming(catalogue: Catalogue, efficiency: float | None) -> Catalogue:
    """The catalogue with an efficiency for gearboxes whose sheets print none; as it is without one."""
    if efficiency is None:
        return catalogue
    number("size_drives", "assumed_efficiency", efficiency, above=0.5, most=1.0, example=0.75)
    boxes = {
        key: sheet if sheet.efficiency is not None else replace(sheet, efficiency=efficiency)
        for key, sheet in catalogue.gearboxes.items()
    }
    return replace(catalogue, gearboxes=boxes)


def assumed(efficiency: float | None) -> Iterable[str]:
    """The remark on it."""
    if efficiency is not None:
        yield f"gearboxes whose sheets print no efficiency were taken with {efficiency:.0%}."
