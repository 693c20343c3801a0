"""`gearwright demo`: the command around the demonstration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.cli.output import result_screen
from gearwright.file_access import create_folder


def demonstrate(
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for figures and report.")] = Path(
        "gearwright_demo"
    ),
) -> None:
    """Run a demonstration: errors of approximations on geared arms, and the choice of a drive.

    Prints torques, errors of the approximations, the energy balance and the position errors of simulated arms with the
    torques of each model, and draws figures; then selects a drive of a SCARA for a task and writes its report.
    """
    from gearwright.cli.demonstration.demonstration import run_demo

    create_folder(folder)  # an unusable folder is an error before any computation
    run_demo(folder, result_screen())
