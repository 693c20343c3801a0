"""`gearwright closed-form`: the equations of a robot to read or to run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, RobotName, Xacro
from gearwright.cli.output import progress, say, write_json
from gearwright.errors import InputError
from gearwright.file_access import write_text

FORMATS = ("markdown", "latex", "python", "c")


def closed_form(
    robot: RobotName,
    function: Annotated[
        str,
        typer.Option(
            "--function",
            "-f",
            help="mass_matrix, coriolis_matrix, gravity, bias, inverse_dynamics, kinetic_energy, potential_energy, "
            "jacobian (with --body), regressor, axial_rates, structure_matrix; of one --wheel explain, "
            "wheel_mass_matrix or wheel_coriolis.",
        ),
    ] = "mass_matrix",
    body: Annotated[
        str | None, typer.Option("--body", help="Of jacobian: the body or frame whose velocity it gives.")
    ] = None,
    wheel: Annotated[
        str | None, typer.Option("--wheel", help="The wheel of explain, wheel_mass_matrix and wheel_coriolis.")
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            help="What stays a symbol, separated by commas: inertias, lengths, ratios, gravity, springs, planets, or "
            "names of symbols such as J2; the rest is put in as numbers.",
        ),
    ] = "inertias,lengths,ratios,gravity,springs,planets",
    names: Annotated[
        str,
        typer.Option(
            "--names", help="numbers (Izz2, lx3, J2), or file: as in the robot's file and in print (I2zz, a2, Im2)."
        ),
    ] = "numbers",
    to: Annotated[str, typer.Option("--to", help="markdown, latex, python or c.")] = "markdown",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write into this file instead of the screen.")
    ] = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Write the equations of a robot.

    The trigonometry is compact, and parameters are grouped into base parameters.

    Example: gearwright closed-form elbow --function gravity --to latex
    """
    from gearwright.equations.closed_form import closed_form as written

    if to not in FORMATS:
        raise InputError(f"--to {to}: unknown format. Use one of {', '.join(FORMATS)}.")
    with progress("writing the equations") as advance:
        kept = [name.strip() for name in keep.split(",") if name.strip()]
        machine = load(robot, xacro=xacro, include=include or ())
        options = {word: name for word, name in (("body", body), ("wheel", wheel)) if name is not None}
        form = written(function, machine, kept, progress=advance, names=names, **options)
        text: str = getattr(form, to)()
    if json:
        write_json({"robot": machine.name, "function": function, "format": to, "text": text})
    elif output is None:
        typer.echo(text)
    if output is not None:
        write_text(output, text)
        say(f"Wrote {output}.")
