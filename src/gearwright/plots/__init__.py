"""Matplotlib figures of named series, bars, distributions, networks and solids; independent of result types."""

from gearwright.plots.bars import BarPanel, RankingPanel, bar_figure, bar_panel_figure, margin_figure, ranking_figure
from gearwright.plots.curves import Diagram, curve_figure
from gearwright.plots.notebook import NotebookFigure, html_table, notebook_html, svg_text
from gearwright.plots.series import Panel, panel_figure, panels_by_unit, save_figure, save_if_path

__all__ = [
    "BarPanel",
    "Diagram",
    "NotebookFigure",
    "Panel",
    "RankingPanel",
    "bar_figure",
    "bar_panel_figure",
    "curve_figure",
    "html_table",
    "margin_figure",
    "notebook_html",
    "panel_figure",
    "panels_by_unit",
    "ranking_figure",
    "save_figure",
    "save_if_path",
    "svg_text",
]
