"""`gearwright analyse`: what a task asks of every drive, and which limits it comes up to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from gearwright.catalogue import drives, load
from gearwright.cli.arguments import Include, Json, Plot, RobotName, Xacro, require_ending
from gearwright.cli.output import number, results, say, table, write_json
from gearwright.parts.heat import ZERO_CELSIUS

if TYPE_CHECKING:
    from gearwright.analysis import Analysis

TaskFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="TASK.yaml", help="Motions, payload, pause, ambient; see the manual.")
]
CatalogueFiles: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--catalogue", metavar="CSV", help="Motors or gearboxes of your own; may be repeated."),
]
ReportFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a page with all figures and tables (.html).",
        callback=lambda path: require_ending("--report", path, (".html", ".htm")),
    ),
]
WORST = 12
"""Limits that the screen shows; the report and JSON show all."""


def analyse_task(
    robot: RobotName,
    task: TaskFile,
    report: ReportFile = None,
    plot: Plot = None,
    catalogue: CatalogueFiles = None,
    json: Json = False,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Analyse a task: torques, currents, energy, temperatures of every drive, limits with margins and advice.

    Example: gearwright analyse scara pick.yaml --report pick.html
    """
    from gearwright.analysis import Task, analyse

    loaded = load(robot, xacro=xacro, include=include or ())
    found = analyse(loaded, Task.read(task, loaded), catalogue=drives(*(catalogue or ())))
    if plot is not None:
        found.plot(plot)
    if report is not None:
        from gearwright.report import report as write_report

        write_report(found, report)
    if json:
        write_json(found.summary())
        return
    show(found)
    if report is not None:
        say(f"The whole report is in {report}.")


def show(found: Analysis) -> None:
    """The drives and the tightest limits on the screen."""
    columns = {
        "rms [Nm]": "rms_motor_torque",
        "peak [Nm]": "peak_motor_torque",
        "speed [rad/s]": "peak_motor_speed",
        "current [A]": "rms_current",
        "energy [J]": "energy",
        "winding [°C]": "winding_temperature",
    }
    rows = [
        [name, *(_cell(getattr(drive, word), word) for word in columns.values())]
        for name, drive in found.drives.items()
    ]
    results().print(table(["motor of", *columns], rows))
    checks = sorted(found.limits, key=lambda one: one.margin)
    for check in checks[:WORST]:
        text = f"{check.name}: {number(check.value)} of {number(check.limit)} {check.unit}, margin {check.margin:.0%}"
        results().print(text + ("" if check.kept else f". Not kept. {check.advice}"))
    for remark in found.remarks:
        say(remark)


def _cell(value: float | None, word: str) -> str:
    if value is None:
        return "-"
    return number(value - ZERO_CELSIUS) if word.endswith("temperature") else number(value)
