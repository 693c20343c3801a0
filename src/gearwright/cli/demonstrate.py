"""`gearwright demo`: the command around the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.output import results


def demonstrate(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the figure goes.")] = Path("gearwright_demo"),
) -> None:
    """Show a geared arm through a fast motion.

    Prints its torques, what the approximations get wrong and the energy balance, and draws a figure.
    """
    from gearwright.cli.demo import run_demo

    run_demo(folder, results())
