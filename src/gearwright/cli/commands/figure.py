"""`gearwright figure`: the figures of the five works, drawn anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.arguments import Json, Plot
from gearwright.cli.output import mention_figure, results, table, write_json
from gearwright.errors import InputError


def work_figure(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of the figure; without it, list them.")
    ] = None,
    plot: Plot = None,
    json: Json = False,
) -> None:
    """Draw a figure of one of the five works anew, from what Gearwright computes.

    The file is NAME.png in this folder unless --plot says otherwise. Without a name the figures are listed.

    Example: gearwright figure fernini_8 --plot energy.svg
    """
    from gearwright.plots import save
    from gearwright.works import FIGURES, draw

    columns = ["name", "work", "figure", "shows"]
    rows = [(key, x.work, x.number, x.caption) for key, x in FIGURES.items()]
    if name is None and plot is not None:
        raise InputError(f"--plot {plot}: no figure is named. Name one of those that `gearwright figure` lists.")
    if name is not None:
        path = save(draw(name), plot or Path(f"{name}.png"))
        if json:
            write_json({"name": name, "file": str(path)})
        mention_figure(path)
    elif json:
        write_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        results().print(table(columns, rows, text=4))
