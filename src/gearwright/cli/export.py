"""`gearwright export`: a robot for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, RobotName, Xacro
from gearwright.cli.output import results
from gearwright.text import file_name


def export(
    robot: RobotName,
    to: Annotated[str, typer.Option(metavar="TARGET", help="What to write: c.")] = "c",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The folder to write to; ROBOT_TARGET unless given."),
    ] = None,
    function: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A function of the C package, again for each: inverse_dynamics, jacobian:BODY, rates ...",
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="A number that stays an input, such as payload.mass; again for each."),
    ] = None,
    precision: Annotated[
        str, typer.Option(metavar="KIND", help="Numbers of the C package: double or float.")
    ] = "double",
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Write a robot for another program.

    Target "c" is a C99 package without allocation for controllers: header, source, CMake file and a self-test.

    Example: gearwright export elbow --to c -o elbow_c --function inverse_dynamics --function jacobian:tool
    """
    from gearwright.export import export as write

    loaded = load(robot, xacro=xacro, include=include or ())
    options = {"parameters": parameter or (), "precision": precision}
    chosen = {"functions": function} if function else {}
    for path in write(loaded, to, output or Path(f"{file_name(loaded.name)}_{to}"), **options, **chosen):
        results().print(str(path), soft_wrap=True)
