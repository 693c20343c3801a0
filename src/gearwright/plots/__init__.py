"""Figures of named series; knows no result type."""

from gearwright.plots.bars import bars
from gearwright.plots.series import Panel, figure, panels_by_unit, save, saved

__all__ = ["Panel", "bars", "figure", "panels_by_unit", "save", "saved"]
