"""The five works: their figures, redrawn, and the effect of their errors in print on a robot."""

from gearwright.works.errata import ELBOW_PARAMETERS, ErrataReport, Erratum, ErratumEffect, errata_effects
from gearwright.works.figures import WORK_FIGURES, WorkFigure, draw_figure

__all__ = [
    "ELBOW_PARAMETERS",
    "WORK_FIGURES",
    "ErrataReport",
    "Erratum",
    "ErratumEffect",
    "WorkFigure",
    "draw_figure",
    "errata_effects",
]
