"""`gearwright size`: the best motors and gearboxes of a catalogue for a task, and what else may vary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gearwright.catalogue import drives, load
from gearwright.cli.arguments import Include, Json, Plot, RobotName, Xacro, written
from gearwright.cli.commands.analyse import CatalogueFiles, NoFail, ReportFile, TaskFile, exit_by_verdict, show
from gearwright.cli.output import mention_figure, number, results, say, table, write_json
from gearwright.errors import InputError
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.design import Sizing

SHOWN = 8
"""Designs of the front that the screen shows; JSON and the report show all."""


def size(
    robot: RobotName,
    task: TaskFile,
    objective: Annotated[
        str, typer.Option(metavar="WHAT", help="The least mass, energy, temperature, price or cycle_time.")
    ] = "mass",
    joint: Annotated[
        list[str] | None, typer.Option(metavar="JOINT", help="Whose drive is chosen; all unless given; repeatable.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep-drives", help="Choose no drives: only what --vary names.")] = False,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUES",
            help="elbow.gear.ratio=30..120, upper.section.outer=30mm..80mm, upper.material=aluminium,steel, "
            "elbow.mounted_on=base,upper, task.stretch=0.5..2; repeatable.",
        ),
    ] = None,
    front: Annotated[
        str | None, typer.Option(metavar="WHAT,WHAT", help="The two objectives of the Pareto front: mass,energy.")
    ] = None,
    verify_front: Annotated[
        bool, typer.Option("--verify-front", help="Analyse every design of the front; leave out what misses a limit.")
    ] = False,
    margin: Annotated[float, typer.Option(metavar="SHARE", help="Of every limit that must be left.")] = 0.0,
    efficiency: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Of gearboxes whose sheets print none; else passed over.")
    ] = None,
    output: Annotated[
        Path | None,
        written("--output", "-o", text="Write the robot with its drives (.yaml).", endings=(".yaml", ".yml")),
    ] = None,
    report: ReportFile = None,
    plot: Plot = None,
    catalogue: CatalogueFiles = None,
    seed: Annotated[int, typer.Option(help="Of the search, where there are too many sets to look at.")] = 0,
    trials: Annotated[int, typer.Option(metavar="N", help="Designs that are proposed where something varies.")] = 60,
    no_fail: NoFail = False,
    json: Json = False,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Choose motors and gearboxes for a task, from the bundled catalogue and your own files, and what --vary names.

    Exit code: 0 the design keeps every limit that could be checked; 3 a limit of a drive that was not chosen is not
    kept (0 with --no-fail); 2 bad input, or no design keeps every limit.

    Example: gearwright size scara pick.yaml --joint shoulder --joint elbow --efficiency 0.7 -o sized.yaml
    """
    from gearwright.design import Task, size_drives
    from gearwright.export.urdf.urdf import save

    articles = drives(*(catalogue or ()))
    loaded = load(robot, xacro=xacro, include=include or (), catalogue=articles if catalogue else None)
    found = size_drives(
        loaded,
        Task.read(task, loaded),
        articles,
        objective,
        joints=_joints(joint, keep, vary),
        variables=dict(_variable(text) for text in vary or ()),
        front=None if front is None else [word.strip() for word in front.split(",")],
        margin=margin,
        verify_front=verify_front,
        assumed_efficiency=efficiency,
        seed=seed,
        trials=trials,
    )
    if output is not None:
        save(found.robot, output)
    if plot is not None:
        found.plot(plot)
    if report is not None:
        from gearwright.report import report as write_report

        write_report(found, report)
    if json:
        write_json(found.summary())
    else:
        _show(found)
    if output is not None:
        say(f"The robot is in {output}.")
    mention_figure(plot)
    exit_by_verdict(found.analysis, no_fail)


def _joints(joint: list[str] | None, keep: bool, vary: list[str] | None) -> list[str] | None:
    if not keep:
        return joint
    if joint or not vary:
        raise InputError("--keep-drives chooses no drives: leave --joint out, and say with --vary what may vary.")
    return []


def _variable(text: str) -> tuple[str, Any]:
    """A range low..high, with or without units, or a list of names."""
    from gearwright.design import Range

    name, given, values = (part.strip() for part in text.partition("="))
    low, dots, high = values.partition("..")
    try:
        if not name or not given or not values:
            raise ValueError
        return name, Range(*_ends(name, low, high)) if dots else [word.strip() for word in values.split(",")]
    except InputError as error:
        raise InputError(f"--vary {text!r}: {error}") from None
    except ValueError as reason:
        raise InputError(
            f"--vary {text!r}: {reason}{' ' if str(reason) else ''}Give NAME=low..high, such as "
            "upper.section.outer=30mm..80mm, or NAME=one,another, such as upper.material=aluminium,steel."
        ) from None


def _ends(name: str, low: str, high: str) -> tuple[float, float]:
    """Both ends of a range, plain numbers or with units as in files; a unit at one end only is refused."""
    from gearwright.files.field_units import parameter_value

    ends = parameter_value(name, low), parameter_value(name, high)
    if low.strip()[-1:].isdigit() != high.strip()[-1:].isdigit():
        raise ValueError(f"only one of {low.strip()} and {high.strip()} has a unit. State it at both.")
    return ends


def _show(found: Sizing) -> None:
    from gearwright.design.candidates.objectives import titled

    rows = [
        [
            name,
            "(kept)" if one.kept else one.motor.key,
            one.gearbox.key if one.gearbox else "(kept)",
            number(one.mass),
            *(number(x) for x in found.gains[name]),
        ]
        for name, one in found.choices.items()
    ]
    columns = ["joint", "motor", "gearbox", "mass [kg]", "loop [rad/s]", "kp [Nm/rad, N/m]", "kd [Nms/rad, Ns/m]"]
    results().print(table(columns, rows, text=3))
    for name, value in found.values.items():
        results().print(f"{visible(name)}: {_word(value)}")
    first, second = found.pair
    results().print("")
    points = [[number(one.value(first)), number(one.value(second))] for one in found.front[:SHOWN]]
    results().print(table([f"least {titled(first)}", f"against {titled(second)}"], points, text=0))
    results().print("")
    show(found.analysis)
    for remark in found.remarks:
        say(remark)


def _word(value: Any) -> str:
    return number(value) if isinstance(value, float) else visible(str(getattr(value, "link", value)))
