"""`gearwright check`: every problem of a robot file."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from gearwright import files
from gearwright.catalogue.loading import robot_file
from gearwright.cli.arguments import Include, Json, Xacro
from gearwright.cli.output import counted, results, say, wrapped, write_json
from gearwright.cli.robot_description import reading_report
from gearwright.errors import GearwrightWarning
from gearwright.files.formats import read_file
from gearwright.files.permissions import Permissions
from gearwright.files.problems import Problem
from gearwright.files.reading import read_text
from gearwright.mechanism import assemble, implausible_numbers
from gearwright.mechanism.assembly.dependent_motors import dependent_motors
from gearwright.mechanism.assembly.diagnosis import assembly_problems
from gearwright.text import visible

FOUND = 2


def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A robot file (.yaml, .yml, .urdf, .xml; .xacro with --xacro) or a bundled robot."
        ),
    ],
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """List every problem of a robot file, with its line.

    The exit code is 2 when there is one. A xacro that may not be expanded (--xacro) is one. Numbers that no robot has
    (a rotor of 347 kg m2, limits of 180 rad) are warnings, with the unit that was probably meant.
    """
    path = robot_file(file)
    permissions = Permissions.given(xacro, include or ())
    problems = files.check(path, xacro=xacro, include=include or ()) or _unassembled(path, permissions)
    doubts = [] if problems else _doubts(path, permissions)
    if json:
        listed = {"problems": [problem._asdict() for problem in problems], "warnings": [d._asdict() for d in doubts]}
        write_json({"file": str(path), **listed})
    else:
        _show(path, problems)
        for doubt in doubts:
            say(f"Implausible: {doubt}")
        _left_out(path, problems, permissions)
    if problems:
        raise typer.Exit(FOUND)


def _show(path: Path, problems: list[Problem]) -> None:
    screen = results()
    for problem in problems:
        place = f"{path}:{problem.line}" if problem.line is not None else f"{path}"
        words = f"{problem.path}: " if problem.path else ""
        line = Text(wrapped(f"{visible(place)}: {words}{problem.message}"))
        line.stylize("bold", 0, len(visible(place)) + 1)
        screen.print(line, soft_wrap=True)
    screen.print(f"{counted(problems, 'problem')}." if problems else "No problems.")


def _left_out(path: Path, problems: list[Problem], permissions: Permissions) -> None:
    if problems:
        return
    report = reading_report(path, permissions)
    for what in report.ignored if report else ():
        say(f"Not understood and left out: {what}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        robot = read_file(path, permissions)
        remark = dependent_motors(robot.name, assemble(robot))
    if remark:
        say(remark)


def _doubts(path: Path, permissions: Permissions) -> list[Problem]:
    """Numbers that are probably meant in another unit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        doubts = implausible_numbers(read_file(path, permissions))
    return [Problem(_line_of(path, doubt), "", doubt) for doubt in doubts]


def _unassembled(path: Path, permissions: Permissions) -> list[Problem]:
    """What only shows when the parts are put together: a machine without inertia, a link lighter than its wheels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)  # what it would say is in the list already
        errors = assembly_problems(read_file(path, permissions))
    found = [Problem(error.line or _line_of(path, str(error)), "", error.bare or str(error)) for error in errors]
    return sorted(found, key=lambda problem: problem.line or 0)


def _line_of(path: Path, message: str) -> int | None:
    """The line that states the part with which a message begins; a drive stands below the joint it is called by."""
    part = re.match(r"(\w+) '([^']+)'", message)
    if part is None:
        return None
    kind, name = part.groups()
    stated = re.compile(rf"""\b(?:name|joint)(?::\s*|=)["']?{re.escape(name)}["']?(?=[\s,}}/>]|$)""")
    lines = [i for i, line in enumerate(read_text(path).splitlines(), 1) if stated.search(line)]
    return lines[-1 if kind == "drive" else 0] if lines else None
