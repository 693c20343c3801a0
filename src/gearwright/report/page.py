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
from gearwright.plots.notebook import svg
from gearwright.report.limit_tables import drive_table, limit_table, remark_list
from gearwright.report.sizing_tables import sizing_section
from gearwright.report.structure_tables import link_table, sensitivity_tables, tooth_table
from gearwright.report.task_tables import task_section
from gearwright.text import html, listed


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


STYLE = """
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
@media print {
  body { margin: 0; max-width: none; font-size: 10pt; } .wide { overflow: visible; }
  h2 { break-after: avoid; } figure, tr { break-inside: avoid; } td { white-space: normal; }
}
"""
CYCLE = "What the motors do over one cycle of the prescribed motion, and how warm their windings are when it repeats."
TORQUE_SPEED = (
    "Every point is an instant of the cycle: what the motor brings at the speed that it has, without signs. It must "
    "stay within the lines that its data sheet, its gearbox and its supply draw, where they state them."
)
LINK = "{}: stress and forces inside the link along its length, the largest of the cycle."
LOOP = "How far tip and joints are from the motion in the closed loop."


@check_arguments
def report(found: Analysis | Sizing, path: str | Path, *, sensitivities: Sensitivities | None = None) -> Path:
    """Write an analysis, or what was chosen with its analysis, as an HTML page.

    Args:
        found: what `analyse` or `size_drives` found.
        path: of the page; its name ends in .html.
        sensitivities: what `gw.analysis.sensitivities` found, to be shown too.

    Returns:
        The path.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"report: {target} must end in .html: the report is a page for a browser.")
    write_text(target, page(found, sensitivities))
    return target


def page(found: Analysis | Sizing, sensitivities: Sensitivities | None = None) -> str:
    """The whole page as text."""
    analysis = found.analysis if isinstance(found, Sizing) else found
    robot, task = html(analysis.robot.name), html(analysis.task.name)
    parts = [
        f"<h1>{robot}: {task}</h1>",
        f'<p class="facts">{_facts(analysis)}</p>',
        _verdict(analysis),
        task_section(analysis),
        sizing_section(found) if isinstance(found, Sizing) else "",
        "<h2>Limits</h2>",
        limit_table(analysis),
        "<h2>Drives</h2>",
        drive_table(analysis),
        "<h2>One cycle</h2>",
        figure(cycle_figure(analysis), CYCLE),
        "<h2>Torque and speed of the motors</h2>",
        _side_by_side(torque_speed_figures(analysis)),
        tooth_table(analysis),
        link_table(analysis),
        *(figure(one, LINK.format(name)) for name, one in link_figures(analysis).items()),
        _closed_loop(analysis),
        "" if sensitivities is None else sensitivity_tables(sensitivities),
        remark_list(found.remarks if isinstance(found, Sizing) else (), "Passed over, or assumed"),
        remark_list(analysis.remarks),
        f'<p class="facts">Gearwright {html(__version__)}: every rotor and gear wheel counted, friction and losses of '
        "the robot's file included.</p>",
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{robot}: {task}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def figure(drawn: str, caption: str) -> str:
    """A figure with what it shows below it."""
    return f"<figure>{drawn}<figcaption>{html(caption)}</figcaption></figure>"


def _side_by_side(figures: Sequence[str]) -> str:
    if not figures:
        return ""
    row = "".join(f"<figure>{one}</figure>" for one in figures)
    return f'<div class="row">{row}</div><p class="facts">{html(TORQUE_SPEED)}</p>'


def _closed_loop(analysis: Analysis) -> str:
    """How well the loop follows, and what went wrong in it."""
    found, how = analysis.perturbed, analysis.task.perturbed
    if found is None or how is None:
        return ""
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    starts = [
        f"{name} starts {1e3 * x:.3g} {'mm' if name in sliding else 'mrad'} off" for name, x in how.start_error.items()
    ]
    wrong = [f"{path} is {_more(x)}" for path, x in how.parameter_error.items()]
    load = [f"the payload is {_more(how.payload_error)}"] if how.payload_error else []
    pushes = [f"the force {one.name!r} acts on {one.frame}" for one in how.disturbance]
    loop = "a controller of its own" if how.controller else f"computed torque of {how.frequency:.3g} rad/s"
    text = f"With {loop}; {listed([*starts, *load, *wrong, *pushes]) or 'nothing goes wrong'}."
    away = "" if found.accuracy is None else f" The tip is at most {1e3 * found.accuracy:.3g} mm from its path."
    return f"<h2>In a closed loop</h2><p>{html(text + away)}</p>{figure(loop_figure(found), LOOP)}"


def _more(share: float) -> str:
    return f"{abs(share):.0%} {'more' if share > 0 else 'less'} than it knows"


def _facts(analysis: Analysis) -> str:
    taken = analysis.energy
    energy = f", {taken:.4g} J of electrical energy each" if taken is not None else ""
    return html(f"Cycles of {analysis.task.cycle.duration:.4g} s{energy}.")


def _verdict(analysis: Analysis) -> str:
    found = analysis.verdict
    return f'<p class="verdict {found.grade}">{html(found.text)}</p>'
