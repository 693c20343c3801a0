"""`gearwright figure`: the figures of the five works, drawn anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.arguments import Plot
from gearwright.cli.output import results, say, table


def work_figure(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Name of the figure; without it, list them.")
    ] = None,
    plot: Plot = None,
) -> None:
    """Draw a figure of one of the five works anew, from what Gearwright computes.

    The file is NAME.png in this folder unless --plot says otherwise. Without a name the figures are listed.

    Example: gearwright figure fernini_8 --plot energy.svg
    """
    from gearwright.plots import save
    from gearwright.works import FIGURES, draw

    if name is None:
        rows = [(key, x.work, x.number, x.caption) for key, x in FIGURES.items()]
        results().print(table(["name", "work", "figure", "shows"], rows, text=4))
        return
    page = draw(name)
    say(f"Figure: {save(page, plot or Path(f'{name}.png'))}")
