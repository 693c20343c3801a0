"""`gearwright errata`: errors in print of the five publications, and their effect on a robot."""

from __future__ import annotations

from typing import Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, PlotOption, RobotArgument, XacroOption
from gearwright.cli.output import mention_figure, plain_table, result_screen, write_json


def show_errata(
    robot: RobotArgument,
    work: Annotated[
        str | None,
        typer.Option("--work", help="sciavicco, chen_wang, melhem_loria, fernini or vukobratovic; default: all."),
    ] = None,
    plot: PlotOption = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Show printed and corrected equations of the five publications, and the error of the printed ones on a robot.

    Each quantity is computed by both forms in random states; the error is the largest difference relative to the
    largest value.

    Example: gearwright errata elbow --work sciavicco
    """
    from gearwright.works import errata_effects

    report = errata_effects(load(robot, xacro=xacro, include=include or ()), work)
    columns = ["work", "equation", "printed", "corrected", "quantity", "error"]
    if json:
        rows = [dict(zip(columns[:-1], row, strict=False)) for row in report.table_rows()]
        errors = [effect.relative_error for effect in report.effects]
        write_json([{**row, "relative_error": error} for row, error in zip(rows, errors, strict=True)])
    else:
        result_screen().print(plain_table(columns, report.table_rows(), text=6))
    if plot is not None:
        report.plot(plot)
        mention_figure(plot)
