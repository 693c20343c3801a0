"""The tables of the report about limits and drives."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from gearwright.analysis import Analysis, DriveAnalysis, LimitCheck
from gearwright.analysis.drives.limit_checks import by_tightness
from gearwright.analysis.summary import CHARACTERISTICS, SLIDING
from gearwright.forces.robot_lines import force_unit
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.text import html

UNKNOWN = "–"
ROUNDING = 1e-18
"""Whatever is smaller in SI units is what rounding left of zero."""


def limit_table(analysis: Analysis) -> str:
    """Every limit, prescribed and perturbed, the tightest first; what is not kept is marked and advised."""
    beside = {} if analysis.perturbed is None else {check.name: check for check in analysis.perturbed.limits}
    plain = {check.name: check for check in analysis.limits}
    both = {name: (plain.get(name), beside.get(name)) for name in {**plain, **beside}}
    worst = by_tightness(by_tightness(one for one in pair if one is not None)[0] for pair in both.values())
    rows = "".join(_limit_row(*both[check.name], both_shown=bool(beside)) for check in worst)
    second = "<th>perturbed</th>" if beside else ""
    last = '<th class="words">from, or what helps</th>'
    head = f"<tr><th>limit</th><th>task</th>{second}<th>allowed</th><th>margin</th>{last}</tr>"
    return f'<div class="wide"><table>{head}{rows}</table></div>' if rows else "<p>None are stated.</p>"


def _limit_row(plain: LimitCheck | None, perturbed: LimitCheck | None, both_shown: bool) -> str:
    worst = min((one for one in (plain, perturbed) if one is not None), key=lambda one: one.margin)
    unit, factor = _readable(worst.unit, worst.limit)
    values = [plain, perturbed] if both_shown else [plain]
    cells = [UNKNOWN if one is None else number(factor * one.value) for one in values]
    cells += [f"{number(factor * worst.limit)} {unit}", _percent(worst.margin)]
    words = worst.source if worst.kept else worst.advice
    mark = "" if worst.kept else ' class="bad"'
    return (
        f"<tr{mark}><td>{html(worst.name)}</td>"
        + "".join(f"<td>{html(cell)}</td>" for cell in cells)
        + f'<td class="words">{html(words)}</td></tr>'
    )


def _readable(unit: str, size: float) -> tuple[str, float]:
    """A unit in which a number is easy to read, and how many of it make one."""
    if unit == "Pa":
        return "MPa", 1e-6
    return ("mm", 1e3) if unit == "m" and abs(size) < 0.1 else (unit, 1.0)


def drive_table(analysis: Analysis) -> str:
    """One column per drive, one row per characteristic that any of them has; what is perturbed stands beside it."""
    drives = analysis.drives
    beside = None if analysis.perturbed is None else analysis.perturbed.drives
    head = "".join(f"<th>{html(name)}</th>" for name in drives)
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    rows = [
        f"<tr><td>{word}</td>{''.join(f'<td>{html(told(drive))}</td>' for drive in drives.values())}</tr>"
        for word, told in (("motor", _motor), ("gear", _gear))
    ]
    for word, unit in CHARACTERISTICS.items():
        values = {name: getattr(drive, word) for name, drive in drives.items()}
        if all(value is None for value in values.values()):
            continue
        cells = []
        for name, value in values.items():
            own = SLIDING.get(word, unit) if name in sliding else unit
            cells.append(_cell(value, None if beside is None else getattr(beside[name], word), word, own))
        rows.append(f"<tr><td>{html(word.replace('_', ' '))}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    said = "" if beside is None else '<p class="facts">In red: the same in the closed loop, perturbed.</p>'
    return f'{said}<div class="wide"><table><tr><th></th>{head}</tr>{"".join(rows)}</table></div>'


def _motor(drive: DriveAnalysis) -> str:
    """What a motor is called in the catalogue."""
    return drive.motor.catalogue or "stated by its data"


def _gear(drive: DriveAnalysis) -> str:
    """Kind, ratio and data sheet of a gear."""
    gear = drive.gear
    if gear is None:
        return "train"
    sheet = getattr(gear, "catalogue", None)
    words = "gear" if gear.kind == "simple" else gear.kind
    return f"{words} {abs(float(gear.ratio)):.4g}" + (f", {sheet}" if sheet else "")


def remark_list(remarks: Sequence[str], title: str = "Left out, or not known") -> str:
    """Remarks under a title; nothing where there are none."""
    if not remarks:
        return ""
    return f"<h2>{html(title)}</h2><ul>" + "".join(f"<li>{html(x)}</li>" for x in remarks) + "</ul>"


def _cell(value: float | None, other: float | None, word: str, unit: str) -> str:
    if value is None:
        return UNKNOWN
    if not word.endswith("temperature"):
        return pair(value, other, unit)
    if not isfinite(value):
        return "runs away"
    return pair(value - ZERO_CELSIUS, None if other is None else other - ZERO_CELSIUS, "°C")


def pair(value: float, other: float | None, unit: str) -> str:
    """A number, and beside it that of the closed loop."""
    shown = html(f"{number(value)} {unit}".rstrip())
    return shown if other is None else f'{shown} <span class="beside">{html(number(other))}</span>'


def number(value: float) -> str:
    """Four digits; what rounding left of zero is zero."""
    if not isfinite(value):
        return "∞"
    return f"{value:.4g}" if abs(value) > ROUNDING else "0"


def _percent(margin: float) -> str:
    if isfinite(margin):
        return f"{margin:.0%}"
    return "all" if margin > 0 else "none"
