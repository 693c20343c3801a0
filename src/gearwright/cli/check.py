"""`gearwright check`: every problem of a robot file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from gearwright import files
from gearwright.catalogue import load
from gearwright.cli.arguments import Json
from gearwright.cli.output import results, write_json
from gearwright.errors import GearwrightError
from gearwright.files.problems import Problem
from gearwright.mechanism import assemble


def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A robot file: .yaml, .yml, .urdf or .xacro.")],
    json: Json = False,
) -> None:
    """List every problem of a robot file, with its line.

    The exit code is 2 when there is one.
    """
    problems = files.check(file) or _unassembled(file)
    if json:
        keys = ("line", "path", "message")
        write_json({"file": str(file), "problems": [dict(zip(keys, problem, strict=True)) for problem in problems]})
    else:
        screen = results()
        for problem in problems:
            place = f"{file}:{problem.line}" if problem.line is not None else f"{file}"
            screen.print(
                Text.assemble((f"{place}: ", "bold"), f"{problem.path}: " * bool(problem.path), problem.message)
            )
        count = len(problems)
        screen.print("No problems." if not count else f"{count} problem{'s' * (count > 1)}.")
    if problems:
        raise typer.Exit(2)


def _unassembled(file: Path) -> list[Problem]:
    """What only shows when the parts are put together: a machine without inertia, a link lighter than its wheels."""
    try:
        assemble(load(file))
    except GearwrightError as error:
        return [Problem(None, "", str(error))]
    return []
