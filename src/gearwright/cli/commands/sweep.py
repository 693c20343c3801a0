"""`gearwright sweep`: what a task or a motion asks for, over many values of a robot's parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import drives, load
from gearwright.cli.arguments import Include, Json, Output, Plot, RobotName, Xacro
from gearwright.cli.commands.analyse import CatalogueFiles, TaskFile
from gearwright.cli.output import mention_figure, number, results, say, table, write_data, write_json
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.text import csv_row

if TYPE_CHECKING:
    from gearwright.design import Sweep

SAME = 1e-12
"""Part of a number by which rounding alone makes it differ."""

SHOWN = 12
"""Numbers that the screen shows; the file has all."""


def sweep(
    robot: RobotName,
    task: TaskFile,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUES",
            help="elbow.gear.ratio=50,80,100 or task.pause=uniform(0,1) or =normal(80,4); repeatable.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Points one by one instead: a column per path, a row per point."),
    ] = None,
    samples: Annotated[int | None, typer.Option(metavar="N", help="Points drawn from distributions.")] = None,
    seed: Annotated[int, typer.Option(help="Of the samples.")] = 0,
    store: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep results here as they come; a killed sweep goes on.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes on this machine; one per core unless given.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Of a Dask cluster that computes instead.")
    ] = None,
    catalogue: CatalogueFiles = None,
    output: Output = None,
    plot: Plot = None,
    number_of: Annotated[
        list[str] | None,
        typer.Option("--of", metavar="NUMBER", help="What --plot draws, such as elbow.energy; repeatable."),
    ] = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Analyse a task for many values of a robot's parameters: grids, samples, Monte Carlo.

    Example: gearwright sweep scara pick.yaml --over elbow.gear.ratio=40,50,60 -o ratios.csv
    """
    from gearwright.design import Task
    from gearwright.design import sweep as swept

    if number_of and plot is None:
        raise InputError(f"--of {number_of[0]}: nothing says where to draw it. Add --plot FILE.")
    articles = drives(*catalogue) if catalogue else None
    loaded = load(robot, xacro=xacro, include=include or (), catalogue=articles)
    found = swept(
        loaded,
        _over(over or [], points),
        Task.read(task, loaded),
        samples=samples,
        seed=seed,
        store=store,
        workers=workers,
        scheduler=scheduler,
        catalogue=articles,
    )
    for point, error in found.errors.items():
        say(f"point {point} failed: {error}")
    if plot is not None:
        found.plot(*(number_of or ()), path=plot)
    if output is not None:
        write_text(output, _csv(found))
    if json:
        facts = {"points": len(found), "numbers": _extremes(found), "errors": found.errors}
        rows = {name: [float(x) for x in found[name]] for name in (*found.names, *found.numbers)}
        write_json({**facts, **({"columns": rows} if output is None else {"file": str(output)})})
    elif output is None:
        write_data(_csv(found))
    else:
        _show(found)
    if output is not None:
        say(f"{len(found)} points written to {output}.")
    mention_figure(plot)


def _over(axes: list[str], table: Path | None) -> Any:
    """What varies: axes of a grid and distributions, or a table of points."""
    from gearwright.design.parameter_sweep.points import read_points

    if (table is None) == (not axes):
        raise InputError("sweep: give either --over PATH=VALUES, once or more, or --points FILE.")
    return dict(_axis(text) for text in axes) if table is None else read_points(table)


def _axis(text: str) -> tuple[str, Any]:
    from gearwright.design import Normal, Uniform

    path, given, values = text.partition("=")
    kind, bracket, inside = values.strip().partition("(")
    words = inside.rstrip(")") if bracket else values
    try:
        found = [float(word) for word in words.split(",")]
        if not given:
            raise ValueError
        if not bracket:
            return path.strip(), found
        return path.strip(), {"uniform": Uniform, "normal": Normal}[kind.strip()](*found)
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"--over {text!r}: give PATH=1,2,3 or PATH=uniform(low, high) or PATH=normal(mean, deviation)."
        ) from None


def _csv(found: Sweep) -> str:
    names = [*found.names, *found.numbers]
    rows = np.column_stack([found[name] for name in names]) if names else np.zeros((0, 0))
    lines = [list(map(repr, row)) for row in rows.tolist()]
    if found.errors:
        names.append("error")
        lines = [[*line, found.errors.get(point, "")] for point, line in enumerate(lines)]
    return csv_row(names) + "".join(map(csv_row, lines))


def _extremes(found: Sweep) -> dict[str, dict[str, float]]:
    """The least, mean and largest value of every number that some point has."""
    return {
        name: {"least": float(np.nanmin(values)), "mean": float(np.nanmean(values)), "most": float(np.nanmax(values))}
        for name, values in found.numbers.items()
        if not np.isnan(values).all()
    }


def _show(found: Sweep) -> None:
    """The numbers that differ between points."""
    extremes = _extremes(found)
    changed = {name: x for name, x in extremes.items() if x["most"] - x["least"] > SAME * abs(x["mean"])}
    shown = dict(list((changed or extremes).items())[:SHOWN])
    results().print(
        table(["", "least", "mean", "most"], [[name, *map(number, x.values())] for name, x in shown.items()])
    )
    if len(shown) < len(extremes):
        say(f"{len(changed)} of {len(extremes)} numbers differ between the points; {len(shown)} are shown.")
