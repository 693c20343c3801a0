"""`gearwright export`: a robot for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, RobotName, Xacro
from gearwright.cli.output import results, say, write_json
from gearwright.text import file_name


def export(
    robot: RobotName,
    to: Annotated[str, typer.Option(metavar="TARGET", help="What to write: c, fmu, mjcf or urdf.")] = "c",
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
    fmi: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Version of the FMU: 2.0 (the default) or 3.0.")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="KIND",
            help="Inputs of the FMU: torque (the default), motor_torque or voltage; or names such as tau.j1, again "
            "for each.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an FMU that is there already.")] = False,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Write a robot for another program.

    Target "c" is a C99 package without allocation for controllers: header, source, CMake file and a self-test. Target
    "fmu" is a model for Simulink and Modelica tools (Model Exchange and Co-Simulation), compiled, with its laws and
    their events; "mjcf" a file for MuJoCo, with a report of what its form loses; "urdf" one for tools that take every
    wheel as a link. A YAML file beside the last two keeps what they cannot say.

    Example: gearwright export elbow --to c -o elbow_c --function inverse_dynamics --function jacobian:tool

    Example: gearwright export elbow --to mjcf --rotors bodies -o elbow_mjcf

    Example: gearwright export puma560 --to fmu --fmi 3.0 --parameter joint1.friction
    """
    from gearwright.export.targets import export_with_report

    loaded = load(robot, xacro=xacro, include=include or ())
    given: dict[str, Any] = {
        "functions": function,
        "parameters": parameter,
        "precision": precision,
        "rotors": rotors,
        "drives": drives,
    }
    given |= {"version": fmi, "inputs": _kind_or_names(inputs), "overwrite": overwrite}
    options = {word: value for word, value in given.items() if value}
    done = export_with_report(loaded, to, output or Path(f"{file_name(loaded.name)}_{to}"), **options)
    if json:
        write_json({"robot": loaded.name, "files": [str(path) for path in done.files], "report": done.report})
        return
    for path in done.files:
        results().print(str(path), soft_wrap=True)
    if done.report:
        say(done.report)


def _kind_or_names(inputs: list[str] | None) -> str | list[str] | None:
    """One word without a dot is a kind."""
    return inputs[0] if inputs and len(inputs) == 1 and "." not in inputs[0] else inputs
