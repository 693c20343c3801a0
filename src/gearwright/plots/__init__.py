"""Matplotlib figures of named series, bars, distributions, networks and solids; independent of result types."""

from gearwright.plots.bars import BarPanel, RankingPanel, bar_figure, bar_panel_figure, margin_figure, ranking_figure
from gearwright.plots.contour import PlotPlane, contour_figure
from gearwright.plots.curves import Diagram, band_figure, curve_figure
from gearwright.plots.distributions import histogram_figure, interval_figure
from gearwright.plots.envelope import Envelope, envelope_figure, envelope_page_figure
from gearwright.plots.flows import Flow, sankey_figure
from gearwright.plots.network import NetworkEdge, network_figure
from gearwright.plots.notebook import NotebookFigure, html_table, notebook_html, png_url, svg_text
from gearwright.plots.scatter import pareto_figure, pole_figure
from gearwright.plots.series import Panel, panel_figure, panels_by_unit, save_figure, save_if_path

__all__ = [
    "BarPanel",
    "Diagram",
    "Envelope",
    "Flow",
    "NetworkEdge",
    "NotebookFigure",
    "Panel",
    "PlotPlane",
    "RankingPanel",
    "band_figure",
    "bar_figure",
    "bar_panel_figure",
    "contour_figure",
    "curve_figure",
    "envelope_figure",
    "envelope_page_figure",
    "histogram_figure",
    "html_table",
    "interval_figure",
    "margin_figure",
    "network_figure",
    "notebook_html",
    "panel_figure",
    "panels_by_unit",
    "pareto_figure",
    "png_url",
    "pole_figure",
    "ranking_figure",
    "sankey_figure",
    "save_figure",
    "save_if_path",
    "svg_text",
]
