"""`gearwright check`: list every problem of a robot file."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from gearwright import files
from gearwright.catalogue.loading import robot_file
from gearwright.cli.arguments import IncludeOption, JsonOption, XacroOption
from gearwright.cli.output import count_text, print_remark, result_screen, wrap_text, write_json
from gearwright.cli.robot_description import read_report
from gearwright.errors import GearwrightWarning
from gearwright.files.formats import read_file
from gearwright.files.permissions import Permissions
from gearwright.files.problems import FileProblem
from gearwright.files.reading import read_text
from gearwright.mechanism import assemble_tree, implausible_numbers
from gearwright.mechanism.assembly.dependent_motors import dependent_motors_remark
from gearwright.mechanism.assembly.diagnosis import assembly_problems
from gearwright.text import visible_text

PROBLEMS_FOUND_EXIT = 2


def check_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A robot file (.yaml, .yml, .urdf, .xml; .xacro with --xacro) or a bundled robot."
        ),
    ],
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """List every problem in a robot file, with its line.

    The exit code is 2 if there is one. A xacro file without --xacro counts as a problem. Implausible numbers (a rotor
    of 347 kg m2, limits of 180 rad) are warnings, with the unit that was probably meant.
    """
    path = robot_file(file)
    permissions = Permissions.from_arguments(xacro, include or ())
    problems = files.check(path, xacro=xacro, include=include or ()) or _assembly_problems(path, permissions)
    doubts = [] if problems else _unit_doubts(path, permissions)
    if json:
        listed = {"problems": [problem._asdict() for problem in problems], "warnings": [d._asdict() for d in doubts]}
        write_json({"file": str(path), **listed})
    else:
        _show_problems(path, problems)
        for doubt in doubts:
            print_remark(f"Implausible: {doubt}")
        _mention_omissions(path, problems, permissions)
    if problems:
        raise typer.Exit(PROBLEMS_FOUND_EXIT)


def _show_problems(path: Path, problems: list[FileProblem]) -> None:
    screen = result_screen()
    for problem in problems:
        place = f"{path}:{problem.line}" if problem.line is not None else f"{path}"
        words = f"{problem.path}: " if problem.path else ""
        line = Text(wrap_text(f"{visible_text(place)}: {words}{problem.message}"))
        line.stylize("bold", 0, len(visible_text(place)) + 1)
        screen.print(line, soft_wrap=True)
    screen.print(f"{count_text(problems, 'problem')}." if problems else "No problems.")


def _mention_omissions(path: Path, problems: list[FileProblem], permissions: Permissions) -> None:
    if problems:
        return
    report = read_report(path, permissions)
    for omission in report.ignored if report else ():
        print_remark(f"Not supported, ignored: {omission}")
    for text in report.renamed if report else ():
        print_remark(f"Note: {text}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        robot = read_file(path, permissions)
        remark = dependent_motors_remark(robot.name, assemble_tree(robot))
    if remark:
        print_remark(remark)


def _unit_doubts(path: Path, permissions: Permissions) -> list[FileProblem]:
    """Return numbers that are probably meant in another unit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)
        doubts = implausible_numbers(read_file(path, permissions))
    return [FileProblem(_line_of(path, doubt), "", doubt) for doubt in doubts]


def _assembly_problems(path: Path, permissions: Permissions) -> list[FileProblem]:
    """Return problems found on assembly: a machine without inertia, a link lighter than its wheels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GearwrightWarning)  # the same texts are in the list already
        errors = assembly_problems(read_file(path, permissions))
    problems = [
        FileProblem(error.line or _line_of(path, str(error)), "", error.bare_message or str(error)) for error in errors
    ]
    return sorted(problems, key=lambda problem: problem.line or 0)


def _line_of(path: Path, message: str) -> int | None:
    """Return the line of the part named at the start of a message; a drive comes after the joint it is named by."""
    part = re.match(r"(\w+) '([^']+)'", message)
    if part is None:
        return None
    kind, name = part.groups()
    stated = re.compile(rf"""\b(?:name|joint)(?::\s*|=)["']?{re.escape(name)}["']?(?=[\s,}}/>]|$)""")
    lines = [i for i, line in enumerate(read_text(path).splitlines(), 1) if stated.search(line)]
    return lines[-1 if kind == "drive" else 0] if lines else None
