"""`gearwright demo`: the command around the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.output import results


def demonstrate(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Where figures and report go.")] = Path(
        "gearwright_demo"
    ),
) -> None:
    """Show a geared arm through a fast motion, and choose a drive for another.

    Prints torques, what the approximations get wrong, the energy balance and where simulated arms end up with the
    torques of each model, and draws figures; then chooses a drive of a SCARA for a task and writes the report of it.
    """
    from gearwright.cli.demonstration.demonstration import run_demo

    folder.mkdir(parents=True, exist_ok=True)  # a name that cannot be a folder is refused before the work
    run_demo(folder, results())
