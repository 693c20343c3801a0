"""The tables of the report."""

from __future__ import annotations

from math import isfinite

from gearwright.analysis import Analysis
from gearwright.analysis.summary import CHARACTERISTICS, SLIDING
from gearwright.forces.places import force_unit
from gearwright.parts.heat import ZERO_CELSIUS
from gearwright.text import html

UNKNOWN = "–"


def limit_table(analysis: Analysis) -> str:
    """Every limit, the tightest first; what is not kept is marked and advised."""
    rows = []
    for check in sorted(analysis.limits, key=lambda one: one.margin):
        mark = "" if check.kept else ' class="bad"'
        cells = [number(check.value), number(check.limit), check.unit, _percent(check.margin)]
        words = check.advice if not check.kept else check.source
        rows.append(
            f"<tr{mark}><td>{html(check.name)}</td>"
            + "".join(f"<td>{html(cell)}</td>" for cell in cells)
            + f'<td class="words">{html(words)}</td></tr>'
        )
    head = "<tr><th>limit</th><th>task</th><th>allowed</th><th></th><th>margin</th><th>from, or what helps</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>" if rows else "<p>None are stated.</p>"


def drive_table(analysis: Analysis) -> str:
    """One column per drive, one row per characteristic that any of them has."""
    drives = analysis.drives
    head = "".join(f"<th>{html(name)}</th>" for name in drives)
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    rows = []
    for word, unit in CHARACTERISTICS.items():
        values = [getattr(drive, word) for drive in drives.values()]
        if all(value is None for value in values):
            continue
        cells = [
            _cell(value, word, SLIDING.get(word, unit) if name in sliding else unit)
            for name, value in zip(drives, values, strict=True)
        ]
        rows.append(f"<tr><td>{html(word.replace('_', ' '))}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f"<table><tr><th></th>{head}</tr>{''.join(rows)}</table>"


def remark_list(analysis: Analysis) -> str:
    """What was left out."""
    if not analysis.remarks:
        return ""
    return "<h2>Left out, or not known</h2><ul>" + "".join(f"<li>{html(x)}</li>" for x in analysis.remarks) + "</ul>"


def _cell(value: float | None, word: str, unit: str) -> str:
    if value is None:
        return UNKNOWN
    if word.endswith("temperature"):
        return html(f"{number(value - ZERO_CELSIUS)} °C") if isfinite(value) else "runs away"
    return html(f"{number(value)} {unit}".rstrip())


def number(value: float) -> str:
    """Four digits."""
    return f"{value:.4g}" if isfinite(value) else "∞"


def _percent(margin: float) -> str:
    return f"{margin:.0%}" if isfinite(margin) else "none"
