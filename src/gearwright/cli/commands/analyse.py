"""`gearwright analyse`: the load of every drive in a task, and the margins to its limits."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from gearwright.catalogue import drives, load
from gearwright.cli.arguments import (
    IncludeOption,
    JsonOption,
    PlotOption,
    RobotArgument,
    XacroOption,
    output_file_option,
)
from gearwright.cli.output import mention_figure, number_text, plain_table, print_remark, result_screen, write_json
from gearwright.errors import InputError
from gearwright.parts.drives.thermal import ZERO_CELSIUS

LIMIT_EXCEEDED_EXIT = 3
"""Exit status of a command whose result exceeds a limit."""

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gearwright.analysis import Analysis, LimitCheck, Sensitivities
    from gearwright.parts import ToothForce

TaskArgument: TypeAlias = Annotated[
    Path, typer.Argument(metavar="TASK.yaml", help="Motions, payload, pause, ambient; see the manual.")
]
CatalogueOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--catalogue", metavar="CSV", help="A table of your own motors or gearboxes; may be repeated."),
]
ReportOption: TypeAlias = Annotated[
    Path | None,
    output_file_option("--report", text="Write a page with all figures and tables (.html).", endings=(".html", ".htm")),
]
InteractiveOption: TypeAlias = Annotated[
    bool,
    typer.Option("--interactive", help="Let the page compute: sliders for payload, ratios and task speed."),
]
SensitivitiesOption: TypeAlias = Annotated[
    bool,
    typer.Option("--sensitivities", help="Show the change of every result per 1 % of each parameter."),
]
NoFailOption: TypeAlias = Annotated[
    bool,
    typer.Option("--no-fail", help=f"Exit with 0 instead of {LIMIT_EXCEEDED_EXIT} if a limit is exceeded."),
]
MAX_SHOWN_LIMITS = 12
"""Number of limits shown on the screen; the report and JSON list all."""
MAX_SHOWN_SENSITIVITIES = 3
"""Number of characteristics shown on the screen per parameter."""


def analyse_task(
    robot: RobotArgument,
    task: TaskArgument,
    report: ReportOption = None,
    interactive: InteractiveOption = False,
    plot: PlotOption = None,
    catalogue: CatalogueOption = None,
    sensitivities: SensitivitiesOption = False,
    no_fail: NoFailOption = False,
    json: JsonOption = False,
    xacro: XacroOption = False,
    include: IncludeOption = None,
) -> None:
    """Analyse a task: torques, currents, energy, temperatures of every drive, limits with margins and recommendations.

    If the task states perturbations (`perturbed:`), it is also simulated in closed loop; the worse result is shown.

    Exit code: 0 if every limit that could be checked is satisfied; 3 if one is exceeded, or a joint needs a force and
    has no motor (0 with --no-fail); 2 for bad input.

    Example: gearwright analyse scara pick.yaml --report pick.html
    """
    from gearwright.analysis import Task, analyse
    from gearwright.analysis import sensitivities as sensitivities_of

    if interactive and report is None:
        raise InputError("--interactive: the file of the page is missing. Add --report FILE.")
    entries = drives(*(catalogue or ()))
    loaded = load(robot, xacro=xacro, include=include or (), catalogue=entries if catalogue else None)
    result = analyse(loaded, Task.read(task, loaded), catalogue=entries)
    slopes = sensitivities_of(result) if sensitivities else None
    if plot is not None:
        result.plot(plot)
    if report is not None:
        from gearwright.report import report as write_report

        write_report(result, report, sensitivities=slopes, interactive=interactive)
    if json:
        write_json({**result.summary(), **({} if slopes is None else {"sensitivities": slopes.as_mapping()})})
    else:
        show_analysis(result)
        if slopes is not None:
            show_sensitivities(slopes)
    if report is not None:
        print_remark(f"Report written to {report}.")
    mention_figure(plot)
    exit_by_verdict(result, no_fail)


def exit_by_verdict(analysis: Analysis, no_fail: bool) -> None:
    """Exit with `LIMIT_EXCEEDED_EXIT` if the task exceeds a known limit."""
    if not (analysis.is_feasible or no_fail):
        raise typer.Exit(LIMIT_EXCEEDED_EXIT)


def show_analysis(analysis: Analysis) -> None:
    """Print the drives, the limits with the smallest margins and the verdict."""
    from gearwright.analysis import sorted_by_margin

    columns = {
        "rms [Nm]": "rms_motor_torque",
        "peak [Nm]": "peak_motor_torque",
        "speed [rad/s]": "peak_motor_speed",
        "current [A]": "rms_current",
        "energy [J]": "energy",
        "winding [°C]": "winding_temperature",
    }
    rows = [
        [name, *(_drive_cell(getattr(drive, attribute), attribute) for attribute in columns.values())]
        for name, drive in analysis.drives.items()
    ]
    if rows:
        result_screen().print(plain_table(["motor of", *columns], rows))
    if analysis.payload_text is not None:
        result_screen().print(analysis.payload_text)
    for name, forces in analysis.tooth_loads.items():
        largest = [attribute for bearing in (False, True) for attribute in _largest_force(forces, bearing)]
        result_screen().print(f"largest forces in the gear of {name}: {', '.join(largest)}")
    if analysis.tip is not None:
        result_screen().print(
            f"the tip ({analysis.tip.tip.name}) deflects by at most {number_text(1e3 * analysis.tip.peak_deflection)} "
            "mm"
        )
    loop = analysis.perturbed
    if loop is not None and loop.accuracy is not None:
        result_screen().print(
            f"in closed loop the tip deviates from its path by at most {number_text(1e3 * loop.accuracy)} mm"
        )
    worse = {check.name: check for check in reversed(sorted_by_margin(_all_limit_checks(analysis)))}
    for check in sorted_by_margin(worse.values())[:MAX_SHOWN_LIMITS]:
        margin = f", margin {check.margin:.0%}" if isfinite(check.margin) else ""
        text = f"{check.name}: {number_text(check.value)} of {number_text(check.limit)} {check.unit}{margin}"
        result_screen().print(text + ("" if check.is_satisfied else f". Exceeded. {check.advice_text}"))
    result_screen().print(analysis.verdict.text)
    for remark in analysis.remarks:
        print_remark(remark)


def _all_limit_checks(analysis: Analysis) -> list[LimitCheck]:
    """Return the limit checks of the prescribed motion, and of the closed loop if there is one."""
    return [*analysis.limits, *(() if analysis.perturbed is None else analysis.perturbed.limits)]


def show_sensitivities(sensitivities: Sensitivities) -> None:
    """Print, per parameter, the characteristics that change most with 1 % of it."""
    rows = []
    for k, path in enumerate(sensitivities.parameters):
        strongest = abs(sensitivities.relative_changes[k]).argsort()[::-1][:MAX_SHOWN_SENSITIVITIES]
        changes = [
            f"{sensitivities.characteristics[c]} {sensitivities.relative_changes[k, c]:+.3g} %"
            for c in strongest
            if sensitivities.relative_changes[k, c]
        ]
        rows.append([path, ", ".join(changes) or "none"])
    result_screen().print(plain_table(["parameter + 1 %", "largest changes"], rows, text=2))


def _largest_force(forces: Sequence[ToothForce], bearing: bool) -> list[str]:
    """Return the mesh or bearing with the largest force, if any."""
    sizes = {force.name: float(force.size.max()) for force in forces if force.is_bearing is bearing}
    return [f"{name} {number_text(size)} N" for name, size in sizes.items() if size == max(sizes.values())][:1]


def _drive_cell(value: float | None, attribute: str) -> str:
    if value is None:
        return "-"
    if not attribute.endswith("temperature"):
        return number_text(value)
    return number_text(value - ZERO_CELSIUS) if isfinite(value) else "unbounded"
