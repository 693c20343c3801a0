"""Matplotlib figures of named series, bars, distributions, networks and solids; independent of result types."""

from gearwright.plots.bars import bar_figure
from gearwright.plots.series import Panel, panel_figure, panels_by_unit, save_figure, save_if_path

__all__ = ["Panel", "bar_figure", "panel_figure", "panels_by_unit", "save_figure", "save_if_path"]
