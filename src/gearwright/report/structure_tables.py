"""The tables of the report about gears, links and what parameters do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.analysis import Analysis, Sensitivities
from gearwright.report.limit_tables import UNKNOWN, number, pair
from gearwright.text import html

SHOWN = {
    "rms_motor_torque": "rms motor torque",
    "peak_motor_torque": "peak motor torque",
    "energy": "energy per cycle",
    "winding_temperature": "winding temperature",
    "peak_stress": "peak stress",
    "peak_deflection": "peak deflection",
}
"""Characteristics whose sensitivities the page shows; JSON has all."""
FAINTEST, STRONGEST = 0.005, 2.0
"""Per cent below which a change is not shown, and at which its colour is full."""


def tooth_table(analysis: Analysis) -> str:
    """Forces in meshes and on bearings, where the geometry of gears is known."""
    beside = None if analysis.perturbed is None else analysis.perturbed.teeth
    rows = []
    for name, forces in analysis.teeth.items():
        for k, one in enumerate(forces):
            other = None if beside is None else _largest(beside[name][k].size)
            what = "bearing" if one.is_bearing else "mesh"
            parts = [f"{number(one.peaks[word])} N" for word in ("tangential", "radial", "axial")]
            rows.append(_row([html(name), html(one.name), what, pair(_largest(one.size), other, "N"), *parts], words=3))
    if not rows:
        return ""
    head = (
        "<tr><th>gear</th><th class=words>where</th><th></th><th>largest force</th>"
        "<th>tangential</th><th>radial</th><th>axial</th></tr>"
    )
    return f"<h2>Forces between teeth and on their bearings</h2>{_wrapped(head, rows)}"


def _largest(series: Any) -> float:
    return float(np.max(series))


def link_table(analysis: Analysis) -> str:
    """Stress and deflection of every link that is a beam, and what makes up the tip's deflection."""
    parts = []
    beside = analysis.perturbed
    rows = []
    for name, link in analysis.links.items():
        other = None if beside is None else beside.links[name]
        stress = pair(link.peak_stress / 1e6, None if other is None else other.peak_stress / 1e6, "MPa")
        bent = pair(1e3 * link.peak_deflection, None if other is None else 1e3 * other.peak_deflection, "mm")
        twist = pair(1e3 * link.peak_twist, None if other is None else 1e3 * other.peak_twist, "mrad")
        long = f"{number(link.loads.length)} m"
        cells = [html(name), stress, f"{number(link.strength / 1e6)} MPa", bent, twist, long]
        rows.append(_row(cells))
    if rows:
        head = "<tr><th>link</th><th>stress</th><th>strength</th><th>its end bends by</th><th>twists by</th>"
        head += "<th>length</th></tr>"
        parts.append(_wrapped(head, rows))
    if analysis.tip is not None:
        parts.append(_tip(analysis))
    return "<h2>Links and tip</h2>" + "".join(parts) if parts else ""


def _tip(analysis: Analysis) -> str:
    tip = analysis.tip
    assert tip is not None
    other = None if analysis.perturbed is None or analysis.perturbed.tip is None else analysis.perturbed.tip
    loop = "" if other is None else f" ({number(1e3 * other.peak)} mm in the closed loop)"
    rows = [_row([html(name), f"{number(1e3 * share)} mm"]) for name, share in tip.shares().items()]
    text = f"<p>The tip, {html(tip.tip.name)}, gives by {number(1e3 * tip.peak)} mm{loop}; of these come from</p>"
    return text + _wrapped("<tr><th></th><th>share of the largest</th></tr>", rows, "narrow")


def sensitivity_tables(found: Sensitivities) -> str:
    """Per characteristic what one per cent of each parameter does to it, in per cent; the strongest first."""
    tables = []
    for word, title in SHOWN.items():
        columns = [k for k, name in enumerate(found.characteristics) if name.endswith(f".{word}")]
        if columns:
            tables.append(_sensitivities(found, columns, word, title))
    text = (
        "<h2>What one per cent of a parameter does</h2><p class='facts'>Changes in per cent of the characteristic when "
        "the parameter grows by one per cent; of temperatures in kelvin.</p>"
    )
    return text + "".join(tables)


def _sensitivities(found: Sensitivities, columns: Sequence[int], word: str, title: str) -> str:
    warm = word.endswith("temperature")
    changes = (found.changes if warm else found.relative)[:, columns]
    order = np.argsort(-np.abs(changes).max(axis=1))
    kept = [k for k in order if np.abs(changes[k]).max() >= FAINTEST]
    head = "".join(f"<th>{html(found.characteristics[k].rsplit('.', 1)[0])}</th>" for k in columns)
    rows = [
        f"<tr><td>{html(found.parameters[k])}</td>" + "".join(_shaded(float(x)) for x in changes[k]) + "</tr>"
        for k in kept
    ]
    unit = " [K]" if warm else " [%]"
    return (
        f"<details open><summary>{html(title)}{unit}</summary>"
        + _wrapped(f"<tr><th>parameter</th>{head}</tr>", rows)
        + "</details>"
    )


def _shaded(change: float) -> str:
    """A cell whose colour says how much: red for more, green for less."""
    if abs(change) < FAINTEST:
        return f'<td class="faint">{UNKNOWN}</td>'
    strength = min(abs(change) / STRONGEST, 1.0) ** 0.5 * 0.45
    colour = "163,32,29" if change > 0 else "26,107,53"
    return f'<td style="background:rgba({colour},{strength:.2f})">{change:+.3g}</td>'


def _row(cells: Sequence[str], words: int = 1) -> str:
    return "<tr>" + "".join(f"<td{' class=words' * (k < words)}>{cell}</td>" for k, cell in enumerate(cells)) + "</tr>"


def _wrapped(head: str, rows: Sequence[str], kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<div class="wide"><table{mark}>{head}{"".join(rows)}</table></div>'
