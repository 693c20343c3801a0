"""The figures of the five works, computed and drawn anew: `gearwright figure NAME`."""

from gearwright.works.figures import FIGURES, WorkFigure, draw

__all__ = ["FIGURES", "WorkFigure", "draw"]
