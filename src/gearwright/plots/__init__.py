"""Figures of named series; knows no result type."""

from gearwright.plots.series import Panel, bars, figure, save

__all__ = ["Panel", "bars", "figure", "save"]
