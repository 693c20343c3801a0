"""Figures of named series; knows no result type."""

from gearwright.plots.series import Panel, bars, figure, save, saved

__all__ = ["Panel", "bars", "figure", "save", "saved"]
