"""`gearwright sweep`: analysis of a task or a motion for many values of a robot's parameters."""

from __future__ import annotations

from math import inf, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import drives, load
from gearwright.cli.arguments import IncludeOption, JsonOption, OutputOption, PlotOption, RobotArgument, XacroOption
from gearwright.cli.commands.analyse import CatalogueOption, TaskArgument
from gearwright.cli.output import (
    STANDARD_OUTPUT,
    mention_figure,
    number_text,
    plain_table,
    print_remark,
    result_screen,
    write_data,
    write_json,
)
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.text import csv_row

if TYPE_CHECKING:
    from gearwright.design import Sweep

SWEEP_ROUNDING_RATIO = 1e-12
"""Relative difference below which two numbers differ by rounding only."""

MAX_SHOWN_NUMBERS = 12
"""Number of rows shown on the screen; the file has all."""


def sweep_task(
    robot: RobotArgument,
    task: TaskArgument,
    over: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH=VALUES",
            help="elbow.gear.ratio=50,80,100 or task.pause=uniform(0,1) or =normal(80,4); may be repeated.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="A table of points instead: a column per path, a row per point."),
    ] = None,
    samples: Annotated[int | None, typer.Option(metavar="N", help="Number of points drawn from distributions.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the samples.")] = 0,
    store: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Store results in this file as they are computed; an interrupted sweep continues from it.",
        ),
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Number of processes. Default: one per core.")] = None,
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address of a Dask cluster to use instead.")
    ] = None,
    catalogue: CatalogueOption = None,
    output: OutputOption = None,
    plot: PlotOption = None,
    number_of: Annotated[
        list[str] | None,
        typer.Option("--of", metavar="NUMBER", help="Quantity for --plot, such as elbow.energy; may be repeated."),
    ] = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Analyse a task for many values of a robot's parameters: grids, samples, Monte Carlo.

    Example: gearwright sweep scara pick.yaml --over elbow.gear.ratio=40,50,60 -o ratios.csv
    """
    from gearwright.design import SweepOptions, Task
    from gearwright.design import sweep as swept

    if number_of and plot is None:
        raise InputError(f"--of {number_of[0]}: the file of the figure is missing. Add --plot FILE.")
    entries = drives(*catalogue) if catalogue else None
    loaded = load(robot, xacro=xacro, include=include or (), catalogue=entries)
    result = swept(
        loaded,
        _swept_values(over or [], points),
        Task.read(task, loaded),
        samples=samples,
        store=store,
        catalogue=entries,
        options=SweepOptions(seed=seed, workers=workers, scheduler=scheduler),
    )
    for point, error in result.errors.items():
        print_remark(f"point {point} failed: {error}")
    if plot is not None:
        result.plot(*(number_of or ()), path=plot)
    if output is not None and output != STANDARD_OUTPUT:
        write_text(output, _sweep_csv(result))
    if json:
        facts = {"points": len(result), "numbers": _number_extremes(result), "errors": result.errors}
        rows = {name: [float(x) for x in result[name]] for name in (*result.names, *result.numbers)}
        write_json({**facts, **({"columns": rows} if output is None else {"file": str(output)})})
    elif output == STANDARD_OUTPUT:
        write_data(_sweep_csv(result))
    else:
        _show_changes(result)
    if output is not None and output != STANDARD_OUTPUT:
        print_remark(f"{len(result)} points written to {output}.")
    mention_figure(plot)


def _swept_values(axes: list[str], table: Path | None) -> Any:
    """Return the varied parameters: axes of a grid and distributions, or a table of points."""
    from gearwright.design.parameter_sweep.points import read_points

    if (table is None) == (not axes):
        raise InputError("sweep: give either one or more --over PATH=VALUES, or --points FILE.")
    return dict(_parse_axis(text) for text in axes) if table is None else read_points(table)


def _parse_axis(text: str) -> tuple[str, Any]:
    from gearwright.design import Normal, Uniform
    from gearwright.files.field_units import parameter_difference, parameter_value

    path, equals, values = text.partition("=")
    kind, bracket, inside = values.strip().partition("(")
    words = inside.rstrip(")") if bracket else values
    try:
        if not equals:
            raise ValueError("there is no =.")
        name, listed = path.strip(), [word.strip() for word in words.split(",")]
        if kind.strip() == "normal" and bracket:
            mean, deviation = listed
            return name, Normal(parameter_value(name, mean), parameter_difference(name, deviation))
        numbers = [parameter_value(name, word) for word in listed]
        return name, {"uniform": Uniform}[kind.strip()](*numbers) if bracket else numbers
    except (ValueError, KeyError, TypeError) as reason:
        hint = f"{reason} " if isinstance(reason, ValueError) else ""
        raise InputError(
            f"--over {text!r}: {hint}Give PATH=1,2,3 or PATH=uniform(low, high) or PATH=normal(mean, deviation), with "
            "or without units."
        ) from None


def _sweep_csv(result: Sweep) -> str:
    names = [*result.names, *result.numbers]
    rows = np.column_stack([result[name] for name in names]) if names else np.zeros((0, 0))
    lines = [list(map(repr, row)) for row in rows.tolist()]
    if result.errors:
        names.append("error")
        lines = [[*line, result.errors.get(point, "")] for point, line in enumerate(lines)]
    return csv_row(names) + "".join(map(csv_row, lines))


def _number_extremes(result: Sweep) -> dict[str, dict[str, float]]:
    """Return minimum, mean and maximum of every result over the points that have it."""
    return {
        name: {"least": float(np.nanmin(values)), "mean": float(np.nanmean(values)), "most": float(np.nanmax(values))}
        for name, values in result.numbers.items()
        if not np.isnan(values).all()
    }


def _relative_span(least: float, mean: float, most: float) -> float:
    """The span of a result between the points, relative to its mean; infinite if only some are infinite."""
    if least == most:
        return 0.0
    span = (most - least) / (abs(mean) or 1.0)
    return inf if isnan(span) else span


def _show_changes(result: Sweep) -> None:
    """Print the results that differ between points, those that differ most first."""
    extremes = _number_extremes(result)
    spans = {name: _relative_span(**x) for name, x in extremes.items()}
    order = sorted(extremes, key=lambda name: -spans[name])
    changed = {name: extremes[name] for name in order if spans[name] > SWEEP_ROUNDING_RATIO}
    shown = dict(list((changed or extremes).items())[:MAX_SHOWN_NUMBERS])
    result_screen().print(
        plain_table(["", "least", "mean", "most"], [[name, *map(number_text, x.values())] for name, x in shown.items()])
    )
    if len(shown) < len(extremes):
        print_remark(
            f"{len(changed)} of {len(extremes)} numbers differ between the points; {len(shown)} are shown. "
            "-o FILE writes all numbers of all points, -o - prints them."
        )
