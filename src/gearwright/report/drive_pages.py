"""The drives of a report: chosen motors and gears, their characteristics, and a page per drive."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from gearwright.analysis import Analysis, DriveAnalysis
from gearwright.analysis.summary import CHARACTERISTIC_UNITS, PRISMATIC_UNITS
from gearwright.forces.robot_lines import force_unit
from gearwright.parts import DataSheet
from gearwright.parts.drives.thermal import ZERO_CELSIUS
from gearwright.plots import svg_text
from gearwright.report.limit_tables import limit_table
from gearwright.report.numbers import number_text, quantity_text, readable_unit
from gearwright.report.tables import (
    COLUMNS_PER_TABLE,
    UNKNOWN_CELL,
    column_blocks,
    figure_html,
    page_break,
    table_row,
    wrapped_table,
)
from gearwright.text import html_text

DUTY_CAPTION = (
    "Every point of the first diagram is an instant of the cycle: magnitudes of motor torque and speed. It must stay "
    "within the limits of data sheet, gearbox and supply, as far as they are stated. The second shows the share of the "
    "cycle in which a torque is exceeded."
)
HEATING_CAPTION = " Temperatures: the highest ones of each cycle, repeated from a cold start."
COLUMNS_OF_PAIRS = 4
"""Columns of drives in a table of pairs of values."""
ROBOT_FILE = "data of the robot file"


def choice_table(analysis: Analysis) -> str:
    """Return the table of drives: motor and gear by name, with their data sheets."""
    rows = [
        table_row([html_text(name), _part_text(_motor_name(drive), drive.motor_sheet), _gear_cell(drive)], 3)
        for name, drive in analysis.drives.items()
    ]
    return wrapped_table(["drive", "motor", "gear"], rows, kind="text", words=3) if rows else ""


def _part_text(title: str, sheet: DataSheet | None) -> str:
    """Return a part with its manufacturer, designation and data sheet (HTML)."""
    if sheet is None:
        return f'{html_text(title)} <span class="facts">({ROBOT_FILE})</span>'
    words = " ".join(filter(None, (sheet.manufacturer, sheet.article))) or sheet.key
    name = f"{sheet.name}, " if sheet.name and sheet.name != sheet.article else ""
    return f'{html_text(title)} <span class="facts">{html_text(name + words)}</span>'


def _gear_cell(drive: DriveAnalysis) -> str:
    return _part_text(_gear_text(drive), drive.gearbox_sheet)


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
    return f"{words} {number_text(abs(float(gear.ratio)))}" + (f", {sheet}" if sheet else "")


def drive_table(analysis: Analysis) -> str:
    """Return tables with a column per drive and a row per characteristic; closed-loop values follow in red."""
    most = COLUMNS_PER_TABLE if analysis.perturbed is None else COLUMNS_OF_PAIRS
    note = "" if analysis.perturbed is None else '<p class="facts">In red: values of the perturbed closed loop.</p>'
    return note + "".join(_drive_block(analysis, block) for block in column_blocks(list(analysis.drives), most))


def _drive_block(analysis: Analysis, names: Sequence[str]) -> str:
    drives = {name: analysis.drives[name] for name in names}
    rows = [
        table_row([word, *(html_text(text_of(drive)) for drive in drives.values())])
        for word, text_of in (("motor", _motor_name), ("gear", _gear_text))
    ]
    for word in CHARACTERISTIC_UNITS:
        cells = {name: characteristic_cell(analysis, name, word) for name in drives}
        if any(cell != UNKNOWN_CELL for cell in cells.values()):
            rows.append(table_row([html_text(word.replace("_", " ")), *cells.values()]))
    return wrapped_table(["", *names], rows, kind="drives")


def characteristic_cell(analysis: Analysis, name: str, word: str) -> str:
    """Return a characteristic of a drive with its unit, followed by that of the closed loop (HTML)."""
    value: float | None = getattr(analysis.drives[name], word)
    loop: float | None = None if analysis.perturbed is None else getattr(analysis.perturbed.drives[name], word)
    sliding = {link.joint_name for link in analysis.robot.links if force_unit(link) == "N"}
    unit = CHARACTERISTIC_UNITS[word]
    if value is None:
        return UNKNOWN_CELL
    if not word.endswith("temperature"):
        return value_pair(value, loop, PRISMATIC_UNITS.get(word, unit) if name in sliding else unit)
    if not isfinite(value):
        return "unbounded"
    return value_pair(value - ZERO_CELSIUS, None if loop is None else loop - ZERO_CELSIUS, "°C")


def value_pair(value: float, perturbed: float | None, unit: str) -> str:
    """Return a number with its unit, followed by that of the closed loop."""
    value_text = html_text(quantity_text(value, unit))
    if perturbed is None:
        return value_text
    beside = number_text(readable_unit(unit, value)[1] * perturbed)
    return f'{value_text} <span class="beside">{html_text(beside)}</span>'


def drive_pages(analysis: Analysis) -> str:
    """Return a page per drive: its parts and data sheets, duty, diagrams, and limits."""
    return "".join(_drive_page(analysis, name) for name in analysis.drives)


def _drive_page(analysis: Analysis, name: str) -> str:
    drive = analysis.drives[name]
    beside = None if analysis.perturbed is None else analysis.perturbed.drives.get(name)
    duty = drive.duty
    facts = [
        ("motor", _part_text(_motor_name(drive), drive.motor_sheet)),
        ("gear", _gear_cell(drive)),
        *(
            (f"source of the {part} data", html_text(sheet.source))
            for part, sheet in (("motor", drive.motor_sheet), ("gear", drive.gearbox_sheet))
            if sheet is not None and sheet.source
        ),
        ("duty", html_text(", ".join(f"{100 * share:.0f} % {word}" for word, share in duty.items()))),
        (
            "torque of the motor",
            f"{characteristic_cell(analysis, name, 'peak_motor_torque')} peak, "
            f"{characteristic_cell(analysis, name, 'rms_motor_torque')} rms",
        ),
    ]
    rows = [table_row([title, text], 2) for title, text in facts]
    caption = DUTY_CAPTION + (HEATING_CAPTION if drive.warm_up is not None else "")
    return (
        page_break(f"Drive {name}")
        + wrapped_table(["part or quantity", "value"], rows, kind="text", words=2)
        + f'<div class="duty">{figure_html(svg_text(drive.plot_duty(beside=beside)), caption)}</div>'
        + limit_table(analysis, {name, drive.name, drive.joint or name})
    )
