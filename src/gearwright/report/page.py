"""The report: an analysis or a sizing as one self-contained HTML page with SVG figures; no scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gearwright._version import __version__
from gearwright.analysis import Analysis, PerturbedAnalysis, Sensitivities
from gearwright.argument_kinds import check_arguments
from gearwright.design import Sizing
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.forces.robot_lines import force_unit
from gearwright.plots import svg_text
from gearwright.report.limit_tables import drive_table, limit_table, remark_list
from gearwright.report.sizing_tables import sizing_section
from gearwright.report.structure_tables import link_table, sensitivity_tables, tooth_table
from gearwright.report.task_tables import task_section
from gearwright.text import html_text, listed_names


def margin_section(analysis: Analysis) -> str:
    """Return the bar chart of the smallest margins; empty without limits."""
    return figure_html(svg_text(analysis.plot_margins()), MARGIN_CAPTION) if analysis.tightest_margins(1) else ""


def cycle_figure(analysis: Analysis) -> str:
    """Return the figure of torques, speeds and temperatures over one cycle."""
    return svg_text(analysis.plot())


def loop_figure(perturbed: PerturbedAnalysis) -> str:
    """Return the figure of tip and joint errors in closed loop."""
    return svg_text(perturbed.plot())


def link_figures(analysis: Analysis) -> dict[str, str]:
    """Return, per link, the figure of the largest stress and section forces along the beam over the cycle."""
    return {name: svg_text(link.plot()) for name, link in analysis.links.items()}


def torque_speed_figures(analysis: Analysis) -> list[str]:
    """Return, per motor, the torque-speed diagram with the limits of data sheet and gearbox."""
    loop = {} if analysis.perturbed is None else analysis.perturbed.drives
    return [svg_text(drive.plot(beside=loop.get(name))) for name, drive in analysis.drives.items()]


REPORT_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1b1b; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.facts { color: #555; } .verdict { font-weight: 600; } .good { color: #1a6b35; } .bad { color: #a3201d; }
.open { color: #8a5a00; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top; }
th:first-child, td:first-child, .words { text-align: left; }
td { white-space: nowrap; } td.words { white-space: normal; }
table.narrow { width: auto; } .wide { overflow-x: auto; }
.beside { color: #a3545c; font-size: 0.85em; display: inline-block; min-width: 3.6em; }
.faint { color: #aaa; } details { margin: 0.8rem 0; }
summary { cursor: pointer; font-weight: 600; }
tr.bad td { background: #fbeceb; } figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
.row { display: flex; flex-wrap: wrap; gap: 1rem; } .row figure { flex: 1 1 18rem; }
figcaption { color: #555; font-size: 0.9em; }
@page { size: A4; margin: 16mm 14mm; }
@media print {
  body { margin: 0; max-width: none; font-size: 10pt; } .wide { overflow: visible; }
  h2 { break-after: avoid; } figure, tr { break-inside: avoid; } td { white-space: normal; }
  figure svg { max-height: 240mm; }
}
"""
MARGIN_CAPTION = "The smallest margins to limits, tightest first; a negative margin is an exceeded limit."
TORNADO_CAPTION = "Parameters with the largest effect on the rms torque of each motor."
CYCLE_CAPTION = "Torque and speed of the motors over one cycle, and winding temperatures in the periodic steady state."
TORQUE_SPEED_CAPTION = (
    "Every point is an instant of the cycle: magnitudes of motor torque and speed. It must stay within the limits of "
    "data sheet, gearbox and supply, as far as they are stated."
)
LINK_CAPTION = "{}: largest stress and section forces over the cycle, along the link."
CLOSED_LOOP_CAPTION = "Deviation of tip and joints from the motion in closed loop."


@check_arguments
def report(result: Analysis | Sizing, path: str | Path, *, sensitivities: Sensitivities | None = None) -> Path:
    """Write an analysis, or a sizing with its analysis, as an HTML page.

    Args:
        result: the result of `analyse` or `size_drives`.
        path: the file to write; its name ends in .html.
        sensitivities: the result of `gw.analysis.sensitivities`, to be included.

    Returns:
        The path.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"report: {target} does not end in .html. The report is an HTML page: change the ending.")
    write_text(target, page_text(result, sensitivities))
    return target


def page_text(result: Analysis | Sizing, sensitivities: Sensitivities | None = None) -> str:
    """Return the page as HTML."""
    analysis = result.analysis if isinstance(result, Sizing) else result
    robot, task = html_text(analysis.robot.name), html_text(analysis.task.name)
    parts = [
        f"<h1>{robot}: {task}</h1>",
        f'<p class="facts">{_cycle_facts(analysis)}</p>',
        _verdict_html(analysis),
        margin_section(analysis),
        task_section(analysis),
        sizing_section(result) if isinstance(result, Sizing) else "",
        "<h2>Limits</h2>",
        limit_table(analysis),
        "<h2>Drives</h2>",
        drive_table(analysis),
        "<h2>Duty cycle</h2>",
        figure_html(cycle_figure(analysis), CYCLE_CAPTION),
        "<h2>Torque and speed of the motors</h2>",
        _figure_row(torque_speed_figures(analysis)),
        tooth_table(analysis),
        link_table(analysis),
        *(figure_html(svg_text, LINK_CAPTION.format(name)) for name, svg_text in link_figures(analysis).items()),
        _closed_loop_section(analysis),
        "" if sensitivities is None else sensitivity_tables(sensitivities),
        "" if sensitivities is None else figure_html(svg_text(sensitivities.plot()), TORNADO_CAPTION),
        remark_list(result.remarks if isinstance(result, Sizing) else (), "Skipped entries and assumptions"),
        remark_list(analysis.remarks),
        f'<p class="facts">Gearwright {html_text(__version__)}: exact dynamics of all rotors and gear wheels, friction '
        "and losses of the robot file included.</p>",
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{robot}: {task}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{REPORT_STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def figure_html(svg_text: str, caption: str) -> str:
    """Return a figure element with a caption."""
    return f"<figure>{svg_text}<figcaption>{html_text(caption)}</figcaption></figure>"


def _figure_row(figures: Sequence[str]) -> str:
    if not figures:
        return ""
    row = "".join(f"<figure>{svg_text}</figure>" for svg_text in figures)
    return f'<div class="row">{row}</div><p class="facts">{html_text(TORQUE_SPEED_CAPTION)}</p>'


def _closed_loop_section(analysis: Analysis) -> str:
    """Return the section on the perturbed closed loop: controller, perturbations, tracking error."""
    perturbed, perturbation = analysis.perturbed, analysis.task.perturbed
    if perturbed is None or perturbation is None:
        return ""
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    starts = [
        f"initial error of {name}: {1e3 * x:.3g} {'mm' if name in sliding else 'mrad'}"
        for name, x in perturbation.start_error.items()
    ]
    parameter_errors = [f"{path}: {_deviation_text(x)}" for path, x in perturbation.parameter_error.items()]
    load = [f"payload: {_deviation_text(perturbation.payload_error)}"] if perturbation.payload_error else []
    pushes = [f"force {disturbance.name!r} on {disturbance.frame}" for disturbance in perturbation.disturbance]
    loop = (
        "user-defined controller" if perturbation.controller else f"computed torque, {perturbation.frequency:.3g} rad/s"
    )
    text = f"Controller: {loop}. Perturbations: {listed_names([*starts, *load, *parameter_errors, *pushes]) or 'none'}."
    accuracy = (
        ""
        if perturbed.accuracy is None
        else f" The tip deviates from its path by at most {1e3 * perturbed.accuracy:.3g} mm."
    )
    curves = figure_html(loop_figure(perturbed), CLOSED_LOOP_CAPTION)
    return f"<h2>Closed loop</h2><p>{html_text(text + accuracy)}</p>{curves}"


def _deviation_text(share: float) -> str:
    return f"{abs(share):.0%} {'more' if share > 0 else 'less'} than in the model"


def _cycle_facts(analysis: Analysis) -> str:
    electrical = analysis.energy
    energy = f", {electrical:.4g} J of electrical energy per cycle" if electrical is not None else ""
    return html_text(f"Cycle time: {analysis.task.cycle.duration:.4g} s{energy}.")


def _verdict_html(analysis: Analysis) -> str:
    verdict = analysis.verdict
    return f'<p class="verdict {verdict.grade}">{html_text(verdict.text)}</p>'
