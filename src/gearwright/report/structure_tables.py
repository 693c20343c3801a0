"""Tables of the report: gears, links and sensitivities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gearwright.analysis import Analysis, Sensitivities
from gearwright.arrays import Array
from gearwright.plots import svg_text
from gearwright.report.drive_pages import value_pair
from gearwright.report.numbers import number_text, quantity_text
from gearwright.report.tables import UNKNOWN_CELL, column_blocks, figure_html, page_break, table_row, wrapped_table
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
LINK_CAPTION = "{}: largest stress and section forces over the cycle, along the link."
TORNADO_CAPTION = "Parameters with the largest effect on the rms torque of each motor."
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
            parts = [quantity_text(force.peak_components[word], "N") for word in ("tangential", "radial", "axial")]
            rows.append(
                table_row(
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
    head = ["gear", "location", "kind", "largest force", "tangential", "radial", "axial"]
    return f"<h2>Tooth and bearing forces</h2>{wrapped_table(head, rows, words=3)}"


def _largest_value(series: Any) -> float:
    return float(np.max(series))


def link_section(analysis: Analysis) -> str:
    """Return the page on beam links and the tip: stress, deflection, and figures along the links; empty without any."""
    if not analysis.links and analysis.tip is None:
        return ""
    rows = [_link_row(analysis, name) for name in analysis.links]
    head = ["link", "stress", "strength", "deflection of the end", "twist", "length"]
    return "".join(
        [
            page_break("Links and tip"),
            wrapped_table(head, rows) if rows else "",
            _tip_section(analysis) if analysis.tip is not None else "",
            *(figure_html(svg_text(link.plot()), LINK_CAPTION.format(name)) for name, link in analysis.links.items()),
        ]
    )


def _link_row(analysis: Analysis, name: str) -> str:
    link = analysis.links[name]
    loop = None if analysis.perturbed is None else analysis.perturbed.links[name]
    stress = value_pair(link.peak_stress, None if loop is None else loop.peak_stress, "Pa")
    deflection = value_pair(link.peak_deflection, None if loop is None else loop.peak_deflection, "m")
    twist = value_pair(1e3 * link.peak_twist, None if loop is None else 1e3 * loop.peak_twist, "mrad")
    strength, length = quantity_text(link.strength, "Pa"), quantity_text(link.loads.length, "m")
    return table_row([html_text(name), stress, strength, deflection, twist, length])


def _tip_section(analysis: Analysis) -> str:
    tip = analysis.tip
    assert tip is not None
    perturbed_tip = None if analysis.perturbed is None or analysis.perturbed.tip is None else analysis.perturbed.tip
    loop = (
        "" if perturbed_tip is None else f" ({number_text(1e3 * perturbed_tip.peak_deflection)} mm in the closed loop)"
    )
    rows = [table_row([html_text(name), quantity_text(share, "m")]) for name, share in tip.peak_contributions().items()]
    text = (
        f"<p>The tip, {html_text(tip.tip.name)}, deflects by {number_text(1e3 * tip.peak_deflection)} mm{loop}. "
        "Contributions:</p>"
    )
    return text + wrapped_table(["source", "deflection"], rows, "narrow")


def sensitivity_section(sensitivities: Sensitivities) -> str:
    """Return the page with the tornado diagram, and per characteristic its change [%] per 1 % of each parameter."""
    tables = []
    for word, title in SENSITIVITY_TITLES.items():
        columns = [k for k, name in enumerate(sensitivities.characteristics) if name.endswith(f".{word}")]
        if columns:
            tables.append(_sensitivity_table(sensitivities, columns, word, title))
    text = (
        "<p class='facts'>Change of the characteristic in per cent when "
        "the parameter increases by one per cent; temperatures in kelvin.</p>"
    )
    tornado = figure_html(svg_text(sensitivities.plot()), TORNADO_CAPTION)
    return page_break("Sensitivities") + text + tornado + "".join(tables)


def _sensitivity_table(sensitivities: Sensitivities, columns: Sequence[int], word: str, title: str) -> str:
    warm = word.endswith("temperature")
    changes = sensitivities.changes if warm else sensitivities.relative_changes
    unit = " [K]" if warm else " [%]"
    blocks = "".join(_sensitivity_block(sensitivities, changes, block) for block in column_blocks(columns))
    return f"<details open><summary>{html_text(title)}{unit}</summary>{blocks}</details>"


def _sensitivity_block(sensitivities: Sensitivities, changes: Array, columns: Sequence[int]) -> str:
    largest = np.abs(changes[:, list(columns)]).max(axis=1)
    order = [k for k in np.argsort(-largest) if largest[k] >= LEAST_SHOWN_CHANGE]
    head = [sensitivities.characteristics[k].rsplit(".", 1)[0] for k in columns]
    rows = [
        f"<tr><td>{html_text(sensitivities.parameters[k])}</td>"
        + "".join(_shaded_cell(float(changes[k, column])) for column in columns)
        + "</tr>"
        for k in order
    ]
    return wrapped_table(["parameter", *head], rows)


def _shaded_cell(change: float) -> str:
    """Return a cell with a background by the change: red for more, green for less."""
    if abs(change) < LEAST_SHOWN_CHANGE:
        return f'<td class="faint">{UNKNOWN_CELL}</td>'
    strength = min(abs(change) / FULL_COLOUR_CHANGE, 1.0) ** 0.5 * 0.45
    colour = "163,32,29" if change > 0 else "26,107,53"
    return f'<td style="background:rgba({colour},{strength:.2f})">{change:+.3g}</td>'
