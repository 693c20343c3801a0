"""The report: an analysis or a sizing as one self-contained HTML page with figures; scripts only if interactive."""

from __future__ import annotations

import warnings
from pathlib import Path

from gearwright.analysis import Analysis, Sensitivities
from gearwright.argument_kinds import check_arguments
from gearwright.design import Sizing
from gearwright.errors import GearwrightWarning, InputError, MissingExtraError, caller_stack_level
from gearwright.file_access import write_text
from gearwright.forces.robot_lines import force_unit
from gearwright.plots import svg_text
from gearwright.report.cover import closing_page, cover
from gearwright.report.drive_pages import drive_pages, drive_table
from gearwright.report.limit_tables import limit_table
from gearwright.report.running_page import running_section
from gearwright.report.sizing_tables import sizing_section
from gearwright.report.structure_tables import link_section, sensitivity_section, tooth_table
from gearwright.report.tables import figure_html, page_break
from gearwright.report.task_tables import task_section
from gearwright.text import html_text, listed_names

REPORT_STYLE = """
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: #1b1b1b; max-width: 64rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 0.2rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
h2.page { border-top: 2px solid #1b1b1b; padding-top: 0.6rem; margin-top: 3rem; }
.facts { color: #555; } td .facts { font-size: 0.88em; }
.verdict { padding: 0.5rem 0.8rem; border-left: 0.4rem solid; background: #f6f6f6; } .good { color: #1a6b35; }
.bad { color: #a3201d; } .open { color: #8a5a00; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.5rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top; }
th:first-child, td:first-child, .words { text-align: left; }
td { white-space: nowrap; } td.long, table.text td, td:first-child { white-space: normal; }
table.limits th:last-child { text-align: left; }
table.limits td:first-child { min-width: 9.5em; } table.text td:first-child { min-width: 5em; }
table.narrow { width: auto; } .wide { overflow-x: auto; margin: 0.6rem 0; }
.beside { color: #a3545c; font-size: 0.85em; display: inline-block; min-width: 3.6em; }
.faint { color: #aaa; } details { margin: 0.8rem 0; }
summary { cursor: pointer; font-weight: 600; }
tr.bad td { background: #fbeceb; } figure { margin: 1rem 0; } svg, img { max-width: 100%; height: auto; }
.cover { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; }
.cover figure { flex: 1 1 20rem; margin: 0; text-align: center; } .cover div { flex: 1 1 16rem; }
.cover img { max-height: 20rem; }
figcaption { color: #555; font-size: 0.9em; text-align: left; }
@page { size: A4; margin: 15mm 14mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 9pt; line-height: 1.4; } .wide { overflow: visible; }
  h2 { break-after: avoid; } h2.page { break-before: page; margin-top: 0; } figure, tr { break-inside: avoid; }
  th, td { padding: 0.12rem 0.35rem; }
  table.drives { font-size: 8pt; line-height: 1.3; } thead { display: table-header-group; }
  figure svg { max-height: 215mm; } .cover img { max-height: 62mm; } .cover figure { flex-basis: 80mm; }
  .cover div { flex-basis: 70mm; } .margins svg { max-height: 78mm; }
  .duty svg { max-height: 104mm; } details { break-inside: avoid; }
}
"""
CYCLE_CAPTION = "Torque and speed of the motors over one cycle, and winding temperatures in the periodic steady state."
CLOSED_LOOP_CAPTION = "Deviation of tip and joints from the motion in closed loop."
ENERGY_CAPTION = (
    "Energy of one cycle: from the supply, or from the motor shafts where no electrical data are known, through the "
    "drives to losses and work. Work at the joints includes their friction, process forces, and energy that remains "
    "stored if the cycle does not end where it starts."
)


@check_arguments
def report(
    result: Analysis | Sizing,
    path: str | Path,
    *,
    sensitivities: Sensitivities | None = None,
    interactive: bool = False,
) -> Path:
    """Write an analysis, or a sizing with its analysis, as an HTML page.

    Args:
        result: the result of `analyse` or `size_drives`.
        path: the file to write; its name ends in .html.
        sensitivities: the result of `gw.analysis.sensitivities`, to be included.
        interactive: whether the page also computes: with the exact dynamics of the robot as WebAssembly inside, motor
            torques follow sliders for payload, ratios and task speed, without a network. Needs the extra `web`;
            without it the page is written without sliders, with a warning. For rigid drives of one joint each and
            tasks without forces.

    Returns:
        The path.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"report: {target} does not end in .html. The report is an HTML page: change the ending.")
    write_text(target, page_text(result, sensitivities, interactive))
    return target


def page_text(result: Analysis | Sizing, sensitivities: Sensitivities | None = None, interactive: bool = False) -> str:
    """Return the page as HTML."""
    analysis = result.analysis if isinstance(result, Sizing) else result
    sizing = result if isinstance(result, Sizing) else None
    title = f"{html_text(analysis.robot.name)}: {html_text(analysis.task.name)}"
    parts = [
        cover(analysis),
        interactive_part(analysis) if interactive else "",
        task_section(analysis),
        "" if sizing is None else sizing_section(sizing),
        "<h2>Limits</h2>",
        limit_table(analysis),
        page_break("Drives"),
        drive_table(analysis),
        tooth_table(analysis),
        page_break("Duty cycle"),
        figure_html(svg_text(analysis.plot()), CYCLE_CAPTION),
        drive_pages(analysis),
        link_section(analysis),
        _energy_section(analysis),
        _closed_loop_section(analysis),
        "" if sensitivities is None else sensitivity_section(sensitivities),
        closing_page(analysis, () if sizing is None else sizing.remarks),
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{REPORT_STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def interactive_part(analysis: Analysis) -> str:
    """Return the section with sliders; empty, with a warning, if the compiler is missing."""
    try:
        return running_section(analysis)
    except MissingExtraError as error:
        warnings.warn(f"report: {error}", GearwrightWarning, stacklevel=caller_stack_level())
        return ""


def _energy_section(analysis: Analysis) -> str:
    """Return the page on the energy of one cycle; empty if no energy flows."""
    if not analysis.has_energy_flow:
        return ""
    return page_break("Energy") + figure_html(svg_text(analysis.plot_energy()), ENERGY_CAPTION)


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
    curves = figure_html(svg_text(perturbed.plot()), CLOSED_LOOP_CAPTION)
    return f"{page_break('Closed loop')}<p>{html_text(text + accuracy)}</p>{curves}"


def _deviation_text(share: float) -> str:
    return f"{abs(share):.0%} {'more' if share > 0 else 'less'} than in the model"
