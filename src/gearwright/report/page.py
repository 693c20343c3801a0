"""An analysis as one self-contained HTML page: no scripts, no files beside it, nothing fetched."""

from __future__ import annotations

from pathlib import Path

from gearwright._version import __version__
from gearwright.analysis import Analysis
from gearwright.errors import InputError
from gearwright.files.formats import write_text
from gearwright.report.figures import cycle_figure, torque_speed_figures
from gearwright.report.tables import drive_table, limit_table, remark_list
from gearwright.text import html

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1b1b1b; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: 0; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.facts { color: #555; } .verdict { font-weight: 600; } .good { color: #1a6b35; } .bad { color: #a3201d; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid #ddd; text-align: right; vertical-align: top; }
th:first-child, td:first-child, td.words { text-align: left; }
tr.bad td { background: #fbeceb; } figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
.row { display: flex; flex-wrap: wrap; gap: 1rem; } .row figure { flex: 1 1 18rem; }
@media print { body { margin: 0; max-width: none; } }
"""


def report(analysis: Analysis, path: str | Path) -> Path:
    """Write an analysis as an HTML page.

    Args:
        analysis: what `analyse` found.
        path: of the page; its name ends in .html.

    Returns:
        The path.
    """
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"report: {target} must end in .html: the report is a page for a browser.")
    write_text(target, page(analysis))
    return target


def page(analysis: Analysis) -> str:
    """The whole page as text."""
    robot, task = html(analysis.robot.name), html(analysis.task.name)
    parts = [
        f"<h1>{robot}: {task}</h1>",
        f'<p class="facts">{_facts(analysis)}</p>',
        _verdict(analysis),
        "<h2>Limits</h2>",
        limit_table(analysis),
        "<h2>Drives</h2>",
        drive_table(analysis),
        "<h2>One cycle</h2>",
        f"<figure>{cycle_figure(analysis)}</figure>",
        "<h2>Torque and speed of the motors</h2>",
        '<div class="row">' + "".join(f"<figure>{one}</figure>" for one in torque_speed_figures(analysis)) + "</div>",
        remark_list(analysis),
        f'<p class="facts">Gearwright {html(__version__)}: every rotor and gear wheel counted, friction and losses of '
        "the robot's file included.</p>",
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{robot}: {task}</title>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}<style>{STYLE}</style></head><body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _facts(analysis: Analysis) -> str:
    task = analysis.task
    often = "again and again" if task.is_periodic else f"{task.repetitions} times"
    known = any(drive.energy is not None for drive in analysis.drives.values())
    energy = f", {analysis.energy:.4g} J of electrical energy each" if known else ""
    load = analysis.robot.payload
    carrying = f"; carries {load.mass:.4g} kg" if load is not None else ""
    return html(f"A cycle of {task.cycle.duration:.4g} s, {often}{energy}{carrying}.")


def _verdict(analysis: Analysis) -> str:
    broken = [check for check in analysis.limits if not check.kept]
    if not analysis.limits:
        return '<p class="verdict">No limits are stated: there is nothing to check.</p>'
    if not broken:
        tightest = min(analysis.limits, key=lambda check: check.margin)
        text = (
            f"All {len(analysis.limits)} limits are kept; the tightest is {tightest.name}, {tightest.margin:.0%} left."
        )
        return f'<p class="verdict good">{html(text)}</p>'
    return f'<p class="verdict bad">{len(broken)} of {len(analysis.limits)} limits are not kept.</p>'
