"""Matplotlib figures of named series, bars, distributions, networks and solids; no result type is known here."""

from gearwright.plots.bars import bars
from gearwright.plots.series import Panel, figure, panels_by_unit, save, saved

__all__ = ["Panel", "bars", "figure", "panels_by_unit", "save", "saved"]
