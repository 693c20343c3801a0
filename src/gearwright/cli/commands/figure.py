"""`gearwright figure`: reproduce figures of the five publications."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.arguments import JsonOption, PlotOption
from gearwright.cli.output import mention_figure, plain_table, result_screen, write_json
from gearwright.errors import InputError


def work_figure(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of the figure; without it, list them.")
    ] = None,
    plot: PlotOption = None,
    json: JsonOption = False,
) -> None:
    """Reproduce a figure of one of the five publications from Gearwright's own results.

    The file is NAME.png in the current folder, or the one of --plot. Without a name the figures are listed.

    Example: gearwright figure fernini_8 --plot energy.svg
    """
    from gearwright.plots import save_figure
    from gearwright.works import WORK_FIGURES, draw_figure

    columns = ["name", "work", "figure", "shows"]
    rows = [(key, x.work, x.number, x.caption) for key, x in WORK_FIGURES.items()]
    if name is None and plot is not None:
        raise InputError(
            f"--plot {plot}: the name of the figure is missing. Give one of those listed by `gearwright figure`."
        )
    if name is not None:
        path = save_figure(draw_figure(name), plot or Path(f"{name}.png"))
        if json:
            write_json({"name": name, "file": str(path)})
        mention_figure(path)
    elif json:
        write_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        result_screen().print(plain_table(columns, rows, text=4))
