"""`gearwright size`: optimal motors and gearboxes of a catalogue for a task, and further design variables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.catalogue import drives, load, robot_file
from gearwright.cli.arguments import (
    IncludeOption,
    JsonOption,
    PlotOption,
    RobotArgument,
    XacroOption,
    output_file_option,
    parse_range,
)
from gearwright.cli.commands.analyse import (
    CatalogueOption,
    NoFailOption,
    ReportOption,
    TaskArgument,
    exit_by_verdict,
    show_analysis,
)
from gearwright.cli.output import mention_figure, number_text, plain_table, print_remark, result_screen, write_json
from gearwright.errors import InputError
from gearwright.files import is_editable
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.design import Sizing

MAX_SHOWN_DESIGNS = 8
"""Designs of the Pareto front shown on the screen; JSON and the report list all."""


def choose_drives(
    robot: RobotArgument,
    task: TaskArgument,
    objective: Annotated[
        str, typer.Option(metavar="WHAT", help="Quantity to minimise: mass, energy, temperature, price or cycle_time.")
    ] = "mass",
    joint: Annotated[
        list[str] | None,
        typer.Option(metavar="JOINT", help="Joint or motor of a train to be sized; may be repeated. Default: all."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep-drives", help="Keep all drives; vary only the quantities of --vary.")
    ] = False,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="elbow.gear.ratio=30..120, upper.section.outer=30mm..80mm, upper.material=aluminium,steel, "
            "elbow.mounted_on=base,upper, gears.meshes.0.teeth=18:54,20:60, task.time_scale=0.5..2; may be repeated.",
        ),
    ] = None,
    front: Annotated[
        str | None,
        typer.Option(metavar="WHAT,WHAT", help="The two objectives of the Pareto front, such as mass,energy."),
    ] = None,
    verify_front: Annotated[
        bool,
        typer.Option("--verify-front", help="Analyse every design of the front; remove those that exceed a limit."),
    ] = False,
    margin: Annotated[float, typer.Option(metavar="SHARE", help="Required margin to every limit.")] = 0.0,
    efficiency: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE", help="Efficiency of gearboxes whose data sheets state none; else they are skipped."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        output_file_option(
            "--output", "-o", text="Write the robot with its drives (.yaml).", endings=(".yaml", ".yml")
        ),
    ] = None,
    report: ReportOption = None,
    plot: PlotOption = None,
    catalogue: CatalogueOption = None,
    seed: Annotated[int, typer.Option(help="Seed of the search, if there are too many combinations to enumerate.")] = 0,
    trials: Annotated[int, typer.Option(metavar="N", help="Designs proposed by the search with --vary.")] = 60,
    no_fail: NoFailOption = False,
    json: JsonOption = False,
    xacro: XacroOption = False,
    include: IncludeOption = None,
) -> None:
    """Choose motors and gearboxes for a task, from the bundled catalogue and your own files.

    With --vary, further parameters are optimised as well. Exit code: 0 if the design satisfies every limit that could
    be checked; 3 if a drive that was not chosen exceeds a limit (0 with --no-fail); 2 for bad input, or if no design
    satisfies every limit.

    Example: gearwright size scara pick.yaml --joint shoulder --joint elbow --efficiency 0.7 -o sized.yaml
    """
    from gearwright.design import SearchOptions, Task, size_drives
    from gearwright.export.urdf.urdf import save

    entries = drives(*(catalogue or ()))
    loaded = load(robot, xacro=xacro, include=include or (), catalogue=entries if catalogue else None)
    sizing = size_drives(
        loaded,
        Task.read(task, loaded),
        entries,
        objective,
        joints=_sized_joints(joint, keep, vary),
        variables=dict(_parse_variable(text) for text in vary or ()),
        margin=margin,
        search=SearchOptions(
            seed=seed,
            trials=trials,
            front=None if front is None else [word.strip() for word in front.split(",")],
            verify_front=verify_front,
            assumed_efficiency=efficiency,
        ),
    )
    if output is not None:
        file = robot_file(robot)
        save(sizing.robot, output, file if is_editable(file, output) else None)
    if plot is not None:
        sizing.plot(plot)
    if report is not None:
        from gearwright.report import report as write_report

        write_report(sizing, report)
    if json:
        write_json(sizing.summary())
    else:
        _show_sizing(sizing)
    if output is not None:
        print_remark(f"Robot written to {output}.")
    mention_figure(plot)
    exit_by_verdict(sizing.analysis, no_fail)


def _sized_joints(joint: list[str] | None, keep: bool, vary: list[str] | None) -> list[str] | None:
    if not keep:
        return joint
    if joint or not vary:
        raise InputError("--keep-drives keeps all drives. Omit --joint, and name design variables with --vary.")
    return []


def _parse_variable(text: str) -> tuple[str, Any]:
    """Return name and range of low..high, with or without units, or name and list of choices."""
    from gearwright.design import Range

    name, equals, values = (part.strip() for part in text.partition("="))
    low, dots, high = values.partition("..")
    try:
        if not name or not equals or not values:
            raise ValueError
        return name, Range(*parse_range(name, low, high)) if dots else [word.strip() for word in values.split(",")]
    except InputError as error:
        raise InputError(f"--vary {text!r}: {error}") from None
    except ValueError as reason:
        raise InputError(
            f"--vary {text!r}: {reason}{' ' if str(reason) else ''}Give NAME=low..high, such as "
            "upper.section.outer=30mm..80mm, or NAME=one,another, such as upper.material=aluminium,steel."
        ) from None


def _show_sizing(sizing: Sizing) -> None:
    from gearwright.design.candidates.objectives import title_with_unit

    rows = [
        [
            name,
            "(kept)" if choice.is_kept else choice.motor.key,
            choice.gearbox.key if choice.gearbox else "(kept)",
            number_text(choice.mass),
            *(number_text(x) for x in sizing.gains[name]),
        ]
        for name, choice in sizing.choices.items()
    ]
    columns = ["joint", "motor", "gearbox", "mass [kg]", "loop [rad/s]", "kp [Nm/rad, N/m]", "kd [Nms/rad, Ns/m]"]
    result_screen().print(plain_table(columns, rows, text=3))
    for name, value in sizing.values.items():
        result_screen().print(f"{visible_text(name)}: {_value_text(value)}")
    first, second = sizing.pair
    result_screen().print("")
    points = [
        [number_text(choice.objective_value(first)), number_text(choice.objective_value(second))]
        for choice in sizing.front[:MAX_SHOWN_DESIGNS]
    ]
    result_screen().print("Pareto front:")
    result_screen().print(plain_table([title_with_unit(first), title_with_unit(second)], points, text=0))
    result_screen().print("")
    show_analysis(sizing.analysis)
    for remark in sizing.remarks:
        print_remark(remark)


def _value_text(value: Any) -> str:
    if isinstance(value, tuple):
        return ":".join(number_text(z) for z in value)
    return number_text(value) if isinstance(value, float) else visible_text(str(getattr(value, "link", value)))
