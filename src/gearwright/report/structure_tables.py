"""Tables of the report: gears, links and sensitivities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.analysis import Analysis, Sensitivities
from gearwright.report.limit_tables import UNKNOWN_CELL, number_text, value_pair
from gearwright.text import html_text

SENSITIVITY_TITLES = {
    "rms_motor_torque": "rms motor torque",
    "peak_motor_torque": "peak motor torque",
    "energy": "energy per cycle",
    "winding_temperature": "winding temperature",
    "peak_stress": "peak stress",
    "peak_deflection": "peak deflection",
}
"""Characteristics with sensitivities on the page; JSON has all."""
LEAST_SHOWN_CHANGE, FULL_COLOUR_CHANGE = 0.005, 2.0
"""Change [%] below which nothing is shown, and change with full colour."""


def tooth_table(analysis: Analysis) -> str:
    """Return the table of mesh and bearing forces of gears with known geometry."""
    perturbed = None if analysis.perturbed is None else analysis.perturbed.tooth_loads
    rows = []
    for name, forces in analysis.tooth_loads.items():
        for k, force in enumerate(forces):
            perturbed_force = None if perturbed is None else _largest_value(perturbed[name][k].size)
            kind = "bearing" if force.is_bearing else "mesh"
            parts = [f"{number_text(force.peak_components[word])} N" for word in ("tangential", "radial", "axial")]
            rows.append(
                _table_row(
                    [
                        html_text(name),
                        html_text(force.name),
                        kind,
                        value_pair(_largest_value(force.size), perturbed_force, "N"),
                        *parts,
                    ],
                    words=3,
                )
            )
    if not rows:
        return ""
    head = (
        "<tr><th>gear</th><th class=words>location</th><th>kind</th><th>largest force</th>"
        "<th>tangential</th><th>radial</th><th>axial</th></tr>"
    )
    return f"<h2>Tooth and bearing forces</h2>{_wrapped_table(head, rows)}"


def _largest_value(series: Any) -> float:
    return float(np.max(series))


def link_table(analysis: Analysis) -> str:
    """Return the table of stress and deflection of beam links, and the shares of the tip deflection."""
    parts = []
    perturbed = analysis.perturbed
    rows = []
    for name, link in analysis.links.items():
        perturbed_link = None if perturbed is None else perturbed.links[name]
        stress = value_pair(
            link.peak_stress / 1e6, None if perturbed_link is None else perturbed_link.peak_stress / 1e6, "MPa"
        )
        deflection = value_pair(
            1e3 * link.peak_deflection, None if perturbed_link is None else 1e3 * perturbed_link.peak_deflection, "mm"
        )
        twist = value_pair(
            1e3 * link.peak_twist, None if perturbed_link is None else 1e3 * perturbed_link.peak_twist, "mrad"
        )
        long = f"{number_text(link.loads.length)} m"
        cells = [html_text(name), stress, f"{number_text(link.strength / 1e6)} MPa", deflection, twist, long]
        rows.append(_table_row(cells))
    if rows:
        head = "<tr><th>link</th><th>stress</th><th>strength</th><th>deflection of the end</th><th>twist</th>"
        head += "<th>length</th></tr>"
        parts.append(_wrapped_table(head, rows))
    if analysis.tip is not None:
        parts.append(_tip_section(analysis))
    return "<h2>Links and tip</h2>" + "".join(parts) if parts else ""


def _tip_section(analysis: Analysis) -> str:
    tip = analysis.tip
    assert tip is not None
    perturbed_tip = None if analysis.perturbed is None or analysis.perturbed.tip is None else analysis.perturbed.tip
    loop = (
        "" if perturbed_tip is None else f" ({number_text(1e3 * perturbed_tip.peak_deflection)} mm in the closed loop)"
    )
    rows = [
        _table_row([html_text(name), f"{number_text(1e3 * share)} mm"])
        for name, share in tip.peak_contributions().items()
    ]
    text = (
        f"<p>The tip, {html_text(tip.tip.name)}, deflects by {number_text(1e3 * tip.peak_deflection)} mm{loop}. "
        "Contributions:</p>"
    )
    return text + _wrapped_table("<tr><th>source</th><th>deflection</th></tr>", rows, "narrow")


def sensitivity_tables(sensitivities: Sensitivities) -> str:
    """Return, per characteristic, the table of its change [%] per 1 % of each parameter, the largest first."""
    tables = []
    for word, title in SENSITIVITY_TITLES.items():
        columns = [k for k, name in enumerate(sensitivities.characteristics) if name.endswith(f".{word}")]
        if columns:
            tables.append(_sensitivity_table(sensitivities, columns, word, title))
    text = (
        "<h2>Sensitivities</h2><p class='facts'>Change of the characteristic in per cent when "
        "the parameter increases by one per cent; temperatures in kelvin.</p>"
    )
    return text + "".join(tables)


def _sensitivity_table(sensitivities: Sensitivities, columns: Sequence[int], word: str, title: str) -> str:
    warm = word.endswith("temperature")
    changes = (sensitivities.changes if warm else sensitivities.relative_changes)[:, columns]
    order = np.argsort(-np.abs(changes).max(axis=1))
    displayed_rows = [k for k in order if np.abs(changes[k]).max() >= LEAST_SHOWN_CHANGE]
    head = "".join(f"<th>{html_text(sensitivities.characteristics[k].rsplit('.', 1)[0])}</th>" for k in columns)
    rows = [
        f"<tr><td>{html_text(sensitivities.parameters[k])}</td>"
        + "".join(_shaded_cell(float(x)) for x in changes[k])
        + "</tr>"
        for k in displayed_rows
    ]
    unit = " [K]" if warm else " [%]"
    return (
        f"<details open><summary>{html_text(title)}{unit}</summary>"
        + _wrapped_table(f"<tr><th>parameter</th>{head}</tr>", rows)
        + "</details>"
    )


def _shaded_cell(change: float) -> str:
    """Return a cell with a background by the change: red for more, green for less."""
    if abs(change) < LEAST_SHOWN_CHANGE:
        return f'<td class="faint">{UNKNOWN_CELL}</td>'
    strength = min(abs(change) / FULL_COLOUR_CHANGE, 1.0) ** 0.5 * 0.45
    colour = "163,32,29" if change > 0 else "26,107,53"
    return f'<td style="background:rgba({colour},{strength:.2f})">{change:+.3g}</td>'


def _table_row(cells: Sequence[str], words: int = 1) -> str:
    return "<tr>" + "".join(f"<td{' class=words' * (k < words)}>{cell}</td>" for k, cell in enumerate(cells)) + "</tr>"


def _wrapped_table(head: str, rows: Sequence[str], kind: str = "") -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<div class="wide"><table{mark}>{head}{"".join(rows)}</table></div>'
