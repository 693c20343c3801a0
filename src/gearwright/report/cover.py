"""The first and the last page of a report: verdict, margins and drives; assumptions, versions and date."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import numpy as np

from gearwright._version import __version__
from gearwright.analysis import Analysis
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import svg_text
from gearwright.report.drive_pages import choice_table
from gearwright.report.limit_tables import remark_list, unchecked_table
from gearwright.report.numbers import number_text, quantity_text
from gearwright.report.tables import figure_html, page_break, picture_html, table_row, wrapped_table
from gearwright.scene import picture_of_robot
from gearwright.text import html_text

MARGIN_CAPTION = "The smallest margins to limits, tightest first; a negative margin is an exceeded limit."
COVER_MARGINS = 12
"""Number of limits in the bar chart of the first page."""
BUILD_TIME_VARIABLE = "SOURCE_DATE_EPOCH"
"""Environment variable with the time [s] that replaces the present one, for reproducible pages."""


def cover(analysis: Analysis) -> str:
    """Return the first page: picture, facts, verdict, bar chart of margins, chosen drives."""
    robot, task, verdict = html_text(analysis.robot.name), html_text(analysis.task.name), analysis.verdict
    picture = picture_html(picture_of_robot(analysis.robot, analysis.demands.motion.q[0]), analysis.robot.name)
    facts = wrapped_table(["task", ""], [table_row([title, html_text(text)], 2) for title, text in _facts(analysis)])
    choice = choice_table(analysis)
    return "".join(
        [
            f'<h1>{robot}: {task}</h1><p class="facts">{_date_text()}</p>',
            f'<p class="verdict {verdict.grade}">{html_text(verdict.text)}</p>',
            f'<div class="cover">{figure_html(picture, "At the start of the cycle.")}<div>{facts}</div></div>',
            _margin_section(analysis),
            f"<h2>Chosen drives</h2>{choice}" if choice else "",
        ]
    )


def _margin_section(analysis: Analysis) -> str:
    """Return the bar chart of the smallest margins; empty without limits."""
    if not analysis.tightest_margins(1):
        return ""
    chart = figure_html(svg_text(analysis.plot_margins(most=COVER_MARGINS)), MARGIN_CAPTION)
    return f'<div class="margins">{chart}</div>'


def _facts(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """The key data of the task and the robot."""
    task = analysis.task
    yield "cycle time", quantity_text(task.cycle.duration, "s")
    if analysis.payload_text is not None:
        yield "payload", analysis.payload_text.removeprefix("Payload: ").removesuffix(".")
    if analysis.energy is not None:
        yield "electrical energy per cycle", quantity_text(analysis.energy, "J")
        yield "mean electrical power", quantity_text(analysis.energy / task.cycle.duration, "W")
    if task.ambient is not None:
        yield "ambient temperature", f"{number_text(task.ambient - ZERO_CELSIUS)} °C"
    yield "drives", str(len(analysis.drives))
    mass = sum(float(link.mass) for link in analysis.robot.links)
    yield "moving mass without payload", quantity_text(mass, "kg")
    if analysis.tip is not None:
        yield "deflection of the tip", quantity_text(analysis.tip.peak_deflection, "m")


def closing_page(analysis: Analysis, sizing_remarks: Sequence[str]) -> str:
    """Return the last page: unchecked limits, assumptions, neglected effects, versions and date."""
    unchecked = {str(one) for one in analysis.unchecked}
    versions = [
        ("Gearwright", __version__),
        ("Python, NumPy", f"{platform.python_version()}, {np.__version__}"),
        ("date", _date_text()),
    ]
    table = wrapped_table(["software", ""], [table_row([x, html_text(y)], 2) for x, y in versions], "narrow")
    return "".join(
        [
            page_break("Validity"),
            unchecked_table(analysis.unchecked),
            remark_list(list(_assumptions(analysis)), "Assumptions"),
            remark_list(sizing_remarks, "Skipped entries and assumptions of the choice"),
            remark_list([text for text in analysis.remarks if text not in unchecked]),
            f"<h2>Versions and date</h2>{table}",
        ]
    )


def _assumptions(analysis: Analysis) -> Iterator[str]:
    """The assumptions of the analysis."""
    yield (
        "Exact dynamics of all rotors and gear wheels; friction and losses of the robot file included. Links are rigid "
        "in the dynamics."
    )
    yield (
        f"Characteristics are computed from {number_text(len(analysis.t))} samples of the cycle, motor torques and "
        "currents from the prescribed motion, without errors of a controller unless a closed loop is shown."
    )
    if any(drive.temperatures is not None for drive in analysis.drives.values()):
        times = "in the periodic steady state" if analysis.task.is_periodic else "in the last cycle"
        yield f"Temperatures are the highest ones {times}."
    if analysis.links:
        yield "Stress and deflection of links: slender beams with axial force, bending and torsion, quasi-static."


def _date_text() -> str:
    """Return the date of today, or that of the environment variable."""
    stated = os.environ.get(BUILD_TIME_VARIABLE)
    now = datetime.fromtimestamp(int(stated), UTC) if stated and stated.isdecimal() else datetime.now(UTC)
    return f"{now:%Y-%m-%d}"
