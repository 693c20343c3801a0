"""The figures of the report as SVG text inside the page."""

from __future__ import annotations

from gearwright.analysis import Analysis, PerturbedAnalysis
from gearwright.plots.notebook import svg


def cycle_figure(analysis: Analysis) -> str:
    """Torques, speeds and temperatures over one cycle."""
    return svg(analysis.plot())


def loop_figure(found: PerturbedAnalysis) -> str:
    """How far the tip and the joints are from the motion in the closed loop."""
    return svg(found.plot())


def link_figures(analysis: Analysis) -> dict[str, str]:
    """Per link its largest stress and section forces along the beam over the cycle."""
    return {name: svg(link.plot()) for name, link in analysis.links.items()}


def torque_speed_figures(analysis: Analysis) -> list[str]:
    """Per motor its torque over its speed, and what its data sheet and its gearbox allow."""
    loop = {} if analysis.perturbed is None else analysis.perturbed.drives
    return [svg(drive.plot(beside=loop.get(name))) for name, drive in analysis.drives.items()]
