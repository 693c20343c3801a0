"""`gearwright export`: a robot for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, RobotName, Xacro
from gearwright.cli.output import results, say
from gearwright.text import file_name


def export(
    robot: RobotName,
    to: Annotated[str, typer.Option(metavar="TARGET", help="What to write: c, mjcf or urdf.")] = "c",
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
        str | None, typer.Option(metavar="KIND", help="Numbers of the C package: double (the default) or float.")
    ] = None,
    rotors: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="How wheels are written. mjcf: reflected (the default), bodies or diagonal. urdf: mimic (the "
            "default), transmission or 'at rest'.",
        ),
    ] = None,
    drives: Annotated[
        str | None,
        typer.Option(metavar="INPUT", help="Inputs of drives in mjcf: torque (the default) or voltage."),
    ] = None,
    xacro: Xacro = False,
    include: Include = None,
) -> None:
    """Write a robot for another program.

    Target "c" is a C99 package without allocation for controllers: header, source, CMake file and a self-test. Target
    "mjcf" is a file for MuJoCo, with a report of what its form loses; "urdf" one for tools that take every wheel as a
    link. A YAML file beside the last two keeps what they cannot say.

    Example: gearwright export elbow --to c -o elbow_c --function inverse_dynamics --function jacobian:tool

    Example: gearwright export elbow --to mjcf --rotors bodies -o elbow_mjcf
    """
    from gearwright.export.targets import export_with_report

    loaded = load(robot, xacro=xacro, include=include or ())
    given = {"functions": function, "parameters": parameter, "precision": precision, "rotors": rotors, "drives": drives}
    options = {word: value for word, value in given.items() if value}
    done = export_with_report(loaded, to, output or Path(f"{file_name(loaded.name)}_{to}"), **options)
    for path in done.files:
        results().print(str(path), soft_wrap=True)
    if done.report:
        say(done.report)
