"""The figures of the five works, recomputed and redrawn: `gearwright figure NAME`."""

from gearwright.works.figures import WORK_FIGURES, WorkFigure, draw_figure

__all__ = ["WORK_FIGURES", "WorkFigure", "draw_figure"]
