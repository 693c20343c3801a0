"""`gearwright export`: write a robot for another program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, RobotArgument, XacroOption
from gearwright.cli.output import print_remark, result_screen, write_json
from gearwright.errors import InputError
from gearwright.parts import Robot
from gearwright.text import file_name


def export_robot(
    robot: RobotArgument,
    to: Annotated[
        str,
        typer.Option(
            metavar="TARGET",
            help="Target: c, fmu, mjcf or urdf; with --passport also newton, isaac_lab and ros2_control.",
        ),
    ] = "c",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The output folder. Default: ROBOT_TARGET."),
    ] = None,
    function: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A function of the C package: inverse_dynamics, jacobian:BODY, rates, simulate ...; may be repeated.",
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="A parameter kept as an input, such as payload.mass; may be repeated."),
    ] = None,
    precision: Annotated[
        str | None, typer.Option(metavar="KIND", help="Number type of the C package: double (the default) or float.")
    ] = None,
    rotors: Annotated[
        str | None,
        typer.Option(
            metavar="FORM",
            help="Representation of wheels. mjcf: reflected (the default), bodies or diagonal. urdf: mimic (the "
            "default), transmission or 'at rest'.",
        ),
    ] = None,
    drives: Annotated[
        str | None,
        typer.Option(metavar="INPUT", help="Inputs of drives in mjcf: torque (the default) or voltage."),
    ] = None,
    loops: Annotated[
        str | None,
        typer.Option(metavar="FORM", help="Closed loops in urdf: urdf_plus (the default), or list, a file beside it."),
    ] = None,
    fmi: Annotated[
        str | None, typer.Option(metavar="VERSION", help="Version of the FMU: 2.0 (the default) or 3.0.")
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="KIND",
            help="Inputs of the FMU: torque (the default), motor_torque or voltage; or names such as tau.j1; may "
            "be repeated.",
        ),
    ] = None,
    with_passport: Annotated[
        bool,
        typer.Option("--passport", help="Write the closest model with numbers per joint, and a page with its errors."),
    ] = False,
    task: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The task over which the passport is fitted and judged.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing FMU.")] = False,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Write a robot for another program.

    Target "c" is a C99 package without allocation for controllers: header, source, CMake file and a self-test. Target
    "fmu" is a model for Simulink and Modelica tools (Model Exchange and Co-Simulation), compiled, with its force laws
    and their events; "mjcf" a file for MuJoCo, with a report of what MJCF cannot represent; "urdf" one for tools that
    treat every wheel as a link. A YAML file next to the last two holds what they cannot represent.

    Example: gearwright export elbow --to c -o elbow_c --function inverse_dynamics --function jacobian:tool

    Example: gearwright export elbow --to mjcf --rotors bodies -o elbow_mjcf

    With --passport the target is mjcf, newton, isaac_lab or ros2_control: armature, damping and friction of each joint
    are fitted to the exact torques, and a page states the errors of torque, acceleration and path.

    Example: gearwright export elbow --to mjcf --passport --task pick.yaml

    Example: gearwright export puma560 --to fmu --fmi 3.0 --parameter joint1.friction
    """
    from gearwright.export.targets import export_with_report

    loaded = load(robot, xacro=xacro, include=include or ())
    folder = output or Path(f"{file_name(loaded.name)}_{to}")
    if with_passport:
        _write_passport(loaded, to, task, folder, json)
        return
    if task is not None:
        raise InputError("--task belongs to --passport. Give both, or neither.")
    all_options: dict[str, Any] = {
        "functions": function,
        "parameters": parameter,
        "precision": precision,
        "rotors": rotors,
        "drives": drives,
        "loops": loops,
    }
    all_options |= {"version": fmi, "inputs": _kind_or_names(inputs), "overwrite": overwrite}
    options = {word: value for word, value in all_options.items() if value}
    result = export_with_report(loaded, to, folder, **options)
    if json:
        write_json({"robot": loaded.name, "files": [str(path) for path in result.files], "report": result.report})
        return
    for path in result.files:
        result_screen().print(str(path), soft_wrap=True)
    if result.report:
        print_remark(result.report)


def _write_passport(robot: Robot, to: str, task: Path | None, folder: Path, json: bool) -> None:
    from gearwright.analysis import Task
    from gearwright.export import passport

    page = passport(robot, to, None if task is None else Task.read(task, robot))  # type: ignore[arg-type]
    files = [str(path) for path in page.save(folder)]
    if json:
        numbers = {x.joint: x._asdict() for x in page.joints}
        errors = {x.joint: x._asdict() for x in page.errors}
        write_json({"robot": robot.name, "files": files, "numbers": numbers, "errors": errors})
        return
    for path in files:
        result_screen().print(path, soft_wrap=True)
    print_remark("\n".join([str(page), *(f"not representable: {text}" for text in page.not_representable)]))


def _kind_or_names(inputs: list[str] | None) -> str | list[str] | None:
    """Return one kind of inputs (a word without a dot), or the list of names."""
    return inputs[0] if inputs and len(inputs) == 1 and "." not in inputs[0] else inputs
