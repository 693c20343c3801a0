"""`gearwright size`: the best motors and gearboxes of a catalogue for a task."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import drives, load
from gearwright.cli.analyse import CatalogueFiles, ReportFile, TaskFile, show
from gearwright.cli.arguments import Include, Json, RobotName, Xacro
from gearwright.cli.output import number, results, say, table, write_json


def size(
    robot: RobotName,
    task: TaskFile,
    objective: Annotated[str, typer.Option(metavar="WHAT", help="The least mass, energy or price.")] = "mass",
    joint: Annotated[
        list[str] | None, typer.Option(metavar="JOINT", help="Whose drive is chosen; all unless given; repeatable.")
    ] = None,
    margin: Annotated[float, typer.Option(metavar="SHARE", help="Of every limit that must be left.")] = 0.0,
    efficiency: Annotated[
        float | None, typer.Option(metavar="SHARE", help="Of gearboxes whose sheets print none; else passed over.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the robot with its drives (.yaml).")
    ] = None,
    report: ReportFile = None,
    catalogue: CatalogueFiles = None,
    seed: Annotated[int, typer.Option(help="Of the search, where there are too many sets to look at.")] = 0,
    json: Json = False,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Choose motors and gearboxes for a task, from the bundled catalogue and your own files.

    Example: gearwright size scara pick.yaml --joint shoulder --joint elbow --efficiency 0.7 -o sized.yaml
    """
    from gearwright.design import Task, size_drives
    from gearwright.export.urdf import save

    loaded = load(robot, xacro=xacro, include=include or ())
    found = size_drives(
        loaded,
        Task.read(task, loaded),
        drives(*(catalogue or ())),
        objective,
        joints=joint,
        margin=margin,
        assumed_efficiency=efficiency,
        seed=seed,
    )
    if output is not None:
        save(found.robot, output)
    if report is not None:
        from gearwright.report import report as write_report

        write_report(found.analysis, report)
    chosen = {
        name: {"motor": one.motor.key, "gearbox": one.gearbox.key if one.gearbox else None, "mass": one.mass}
        for name, one in found.choices.items()
    }
    if json:
        write_json({"choices": chosen, "mass": found.mass, "analysis": found.analysis.summary()})
        return
    rows = [
        [name, one.motor.key, one.gearbox.key if one.gearbox else "(kept)", number(one.mass)]
        for name, one in found.choices.items()
    ]
    results().print(table(["joint", "motor", "gearbox", "mass [kg]"], rows, text=3))
    results().print("")
    show(found.analysis)
    for remark in found.remarks:
        say(remark)
    if output is not None:
        say(f"The robot is in {output}.")
