"""`gearwright analyse`: what a task asks of every drive, and which limits it comes up to."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from gearwright.catalogue import drives, load
from gearwright.cli.arguments import Include, Json, Plot, RobotName, Xacro, written
from gearwright.cli.output import mention_figure, number, results, say, table, write_json
from gearwright.parts.drives.thermal import ZERO_CELSIUS

LIMIT_NOT_KEPT = 3
"""Exit status of a command whose result does not keep a limit."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gearwright.analysis import Analysis, LimitCheck, Sensitivities
    from gearwright.parts import ToothForce

TaskFile: TypeAlias = Annotated[
    Path, typer.Argument(metavar="TASK.yaml", help="Motions, payload, pause, ambient; see the manual.")
]
CatalogueFiles: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--catalogue", metavar="CSV", help="Motors or gearboxes of your own; may be repeated."),
]
ReportFile: TypeAlias = Annotated[
    Path | None,
    written("--report", text="Write a page with all figures and tables (.html).", endings=(".html", ".htm")),
]
Sensitive: TypeAlias = Annotated[
    bool,
    typer.Option("--sensitivities", help="Tell what one per cent of each parameter does to every characteristic."),
]
NoFail: TypeAlias = Annotated[
    bool,
    typer.Option("--no-fail", help=f"Exit with 0 also where a limit is not kept; else with {LIMIT_NOT_KEPT}."),
]
WORST = 12
"""Limits that the screen shows; the report and JSON show all."""
STRONGEST = 3
"""Characteristics that the screen shows per parameter."""


def analyse_task(
    robot: RobotName,
    task: TaskFile,
    report: ReportFile = None,
    plot: Plot = None,
    catalogue: CatalogueFiles = None,
    sensitivities: Sensitive = False,
    no_fail: NoFail = False,
    json: Json = False,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Analyse a task: torques, currents, energy, temperatures of every drive, limits with margins and advice.

    Where the task says what goes wrong (`perturbed:`), a closed loop follows it and the worse of both is shown.

    Exit code: 0 every limit that could be checked is kept; 3 one is not, or a joint has no motor for the force that
    it needs (0 with --no-fail); 2 bad input.

    Example: gearwright analyse scara pick.yaml --report pick.html
    """
    from gearwright.analysis import Task, analyse
    from gearwright.analysis import sensitivities as sensitivities_of

    articles = drives(*(catalogue or ()))
    loaded = load(robot, xacro=xacro, include=include or (), catalogue=articles if catalogue else None)
    found = analyse(loaded, Task.read(task, loaded), catalogue=articles)
    slopes = sensitivities_of(found) if sensitivities else None
    if plot is not None:
        found.plot(plot)
    if report is not None:
        from gearwright.report import report as write_report

        write_report(found, report, sensitivities=slopes)
    if json:
        write_json({**found.summary(), **({} if slopes is None else {"sensitivities": slopes.as_words()})})
    else:
        show(found)
        if slopes is not None:
            show_sensitivities(slopes)
    if report is not None:
        say(f"The whole report is in {report}.")
    mention_figure(plot)
    exit_by_verdict(found, no_fail)


def exit_by_verdict(found: Analysis, no_fail: bool) -> None:
    """End the command with LIMIT_NOT_KEPT where the task cannot be done within every limit that is known."""
    if not (found.possible or no_fail):
        raise typer.Exit(LIMIT_NOT_KEPT)


def show(found: Analysis) -> None:
    """The drives, the tightest limits and the verdict on the screen."""
    from gearwright.analysis.drives.limit_checks import by_tightness

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
    for name, forces in found.teeth.items():
        largest = [word for bearing in (False, True) for word in _largest(forces, bearing)]
        results().print(f"largest forces in the gear of {name}: {', '.join(largest)}")
    if found.tip is not None:
        results().print(f"the tip ({found.tip.tip.name}) gives by {number(1e3 * found.tip.peak)} mm")
    loop = found.perturbed
    if loop is not None and loop.accuracy is not None:
        results().print(f"in the closed loop the tip is at most {number(1e3 * loop.accuracy)} mm from its path")
    worse = {check.name: check for check in reversed(by_tightness(_checks(found)))}
    for check in by_tightness(worse.values())[:WORST]:
        margin = f", margin {check.margin:.0%}" if isfinite(check.margin) else ""
        text = f"{check.name}: {number(check.value)} of {number(check.limit)} {check.unit}{margin}"
        results().print(text + ("" if check.kept else f". Not kept. {check.advice}"))
    results().print(found.verdict.text)
    for remark in found.remarks:
        say(remark)


def _checks(found: Analysis) -> list[LimitCheck]:
    """Limits of the prescribed motion, and of the closed loop if there is one."""
    return [*found.limits, *(() if found.perturbed is None else found.perturbed.limits)]


def show_sensitivities(found: Sensitivities) -> None:
    """Per parameter what one per cent of it changes most."""
    rows = []
    for k, path in enumerate(found.parameters):
        strongest = abs(found.relative[k]).argsort()[::-1][:STRONGEST]
        told = [f"{found.characteristics[c]} {found.relative[k, c]:+.3g} %" for c in strongest if found.relative[k, c]]
        rows.append([path, ", ".join(told) or "nothing"])
    results().print(table(["one per cent more of", "changes most"], rows, text=2))


def _largest(forces: Sequence[ToothForce], bearing: bool) -> list[str]:
    """The mesh or bearing with the largest force, if there is one."""
    sizes = {one.name: float(one.size.max()) for one in forces if one.is_bearing is bearing}
    return [f"{name} {number(size)} N" for name, size in sizes.items() if size == max(sizes.values())][:1]


def _cell(value: float | None, word: str) -> str:
    if value is None:
        return "-"
    if not word.endswith("temperature"):
        return number(value)
    return number(value - ZERO_CELSIUS) if isfinite(value) else "runs away"
