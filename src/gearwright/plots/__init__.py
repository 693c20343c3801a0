"""Matplotlib figures of named series, bars, distributions, networks and solids; independent of result types."""

from gearwright.plots.bars import bar_figure
from gearwright.plots.curves import Diagram, curve_figure
from gearwright.plots.notebook import NotebookFigure
from gearwright.plots.series import Panel, panel_figure, panels_by_unit, save_figure, save_if_path

__all__ = [
    "Diagram",
    "NotebookFigure",
    "Panel",
    "bar_figure",
    "curve_figure",
    "panel_figure",
    "panels_by_unit",
    "save_figure",
    "save_if_path",
]
