"""Tables of the report: limits and drives."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from gearwright.analysis import Analysis, DriveAnalysis, LimitCheck
from gearwright.analysis.drives.limit_checks import sorted_by_margin
from gearwright.analysis.summary import CHARACTERISTIC_UNITS, PRISMATIC_UNITS
from gearwright.forces.robot_lines import force_unit
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.text import html_text

UNKNOWN_CELL = "–"
ROUNDING_SIZE = 1e-18
"""Smaller magnitudes, in SI units, are rounding errors and shown as 0."""
SMALLEST_SEPARATED, LARGEST_SEPARATED = 1e4, 1e9
"""Range of magnitudes that are written out with separated thousands: 20,000 h."""


def limit_table(analysis: Analysis) -> str:
    """Return the table of limits, smallest margin first; exceeded ones are marked and have a recommendation."""
    perturbed = {} if analysis.perturbed is None else {check.name: check for check in analysis.perturbed.limits}
    prescribed = {check.name: check for check in analysis.limits}
    both = {name: (prescribed.get(name), perturbed.get(name)) for name in {**prescribed, **perturbed}}
    worst = sorted_by_margin(
        sorted_by_margin(candidate for candidate in pair if candidate is not None)[0] for pair in both.values()
    )
    rows = "".join(_limit_row(*both[check.name], both_shown=bool(perturbed)) for check in worst)
    second = "<th>perturbed</th>" if perturbed else ""
    last = '<th class="words">source or recommendation</th>'
    head = f"<tr><th>limit</th><th>value</th>{second}<th>allowed</th><th>margin</th>{last}</tr>"
    return f'<div class="wide"><table>{head}{rows}</table></div>' if rows else "<p>No limits are stated.</p>"


def _limit_row(prescribed: LimitCheck | None, perturbed: LimitCheck | None, both_shown: bool) -> str:
    worst = min((check for check in (prescribed, perturbed) if check is not None), key=lambda check: check.margin)
    unit, factor = _readable_unit(worst.unit, worst.limit)
    values = [prescribed, perturbed] if both_shown else [prescribed]
    cells = [UNKNOWN_CELL if check is None else number_text(factor * check.value) for check in values]
    cells += [f"{number_text(factor * worst.limit)} {unit}", _margin_text(worst.margin)]
    words = worst.source if worst.is_satisfied else worst.advice_text
    mark = "" if worst.is_satisfied else ' class="bad"'
    return (
        f"<tr{mark}><td>{html_text(worst.name)}</td>"
        + "".join(f"<td>{html_text(cell)}</td>" for cell in cells)
        + f'<td class="words">{html_text(words)}</td></tr>'
    )


def _readable_unit(unit: str, size: float) -> tuple[str, float]:
    """Return a convenient unit for a value and the factor to convert to it."""
    if unit == "Pa":
        return "MPa", 1e-6
    return ("mm", 1e3) if unit == "m" and abs(size) < 0.1 else (unit, 1.0)


def drive_table(analysis: Analysis) -> str:
    """Return a table with a column per drive and a row per characteristic; closed-loop values follow in red."""
    drives = analysis.drives
    perturbed = None if analysis.perturbed is None else analysis.perturbed.drives
    head = "".join(f"<th>{html_text(name)}</th>" for name in drives)
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    rows = [
        f"<tr><td>{word}</td>{''.join(f'<td>{html_text(text_of(drive))}</td>' for drive in drives.values())}</tr>"
        for word, text_of in (("motor", _motor_name), ("gear", _gear_text))
    ]
    for word, unit in CHARACTERISTIC_UNITS.items():
        values = {name: getattr(drive, word) for name, drive in drives.items()}
        if all(value is None for value in values.values()):
            continue
        cells = []
        for name, value in values.items():
            shown_unit = PRISMATIC_UNITS.get(word, unit) if name in sliding else unit
            cells.append(
                _characteristic_cell(
                    value, None if perturbed is None else getattr(perturbed[name], word), word, shown_unit
                )
            )
        rows.append(
            f"<tr><td>{html_text(word.replace('_', ' '))}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        )
    note = "" if perturbed is None else '<p class="facts">In red: values of the perturbed closed loop.</p>'
    return f'{note}<div class="wide"><table><tr><th></th>{head}</tr>{"".join(rows)}</table></div>'


def _motor_name(drive: DriveAnalysis) -> str:
    """Return the catalogue key of a motor."""
    return drive.motor.catalogue or "from the robot file"


def _gear_text(drive: DriveAnalysis) -> str:
    """Return kind, ratio and data sheet of a gear."""
    gear = drive.gear
    if gear is None:
        return "train"
    sheet = getattr(gear, "catalogue", None)
    words = "gear" if gear.kind == "simple" else gear.kind
    return f"{words} {abs(float(gear.ratio)):.4g}" + (f", {sheet}" if sheet else "")


def remark_list(remarks: Sequence[str], title: str = "Ignored or unknown data") -> str:
    """Return a section of remarks; empty if there are none."""
    if not remarks:
        return ""
    return f"<h2>{html_text(title)}</h2><ul>" + "".join(f"<li>{html_text(x)}</li>" for x in remarks) + "</ul>"


def _characteristic_cell(value: float | None, perturbed: float | None, word: str, unit: str) -> str:
    if value is None:
        return UNKNOWN_CELL
    if not word.endswith("temperature"):
        return value_pair(value, perturbed, unit)
    if not isfinite(value):
        return "unbounded"
    return value_pair(value - ZERO_CELSIUS, None if perturbed is None else perturbed - ZERO_CELSIUS, "°C")


def value_pair(value: float, perturbed: float | None, unit: str) -> str:
    """Return a number with its unit, followed by that of the closed loop."""
    value_text = html_text(f"{number_text(value)} {unit}".rstrip())
    return (
        value_text
        if perturbed is None
        else f'{value_text} <span class="beside">{html_text(number_text(perturbed))}</span>'
    )


def number_text(value: float) -> str:
    """Return a number with four digits, thousands separated; rounding errors of zero are shown as 0.

    >>> number_text(20000.0), number_text(0.012345), number_text(9.9996)
    ('20,000', '0.01235', '10')
    """
    if not isfinite(value):
        return "∞"
    if SMALLEST_SEPARATED <= abs(value) < LARGEST_SEPARATED:
        return f"{float(f'{value:.4g}'):,.0f}"
    return f"{value:.4g}" if abs(value) > ROUNDING_SIZE else "0"


def _margin_text(margin: float) -> str:
    if isfinite(margin):
        return f"{margin:.0%}"
    return "all" if margin > 0 else "none"
