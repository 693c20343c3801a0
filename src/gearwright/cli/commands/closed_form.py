"""`gearwright closed-form`: the equations of motion as Markdown, LaTeX, Python or C."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, RobotArgument, XacroOption
from gearwright.cli.output import print_remark, progress_bar, write_json
from gearwright.errors import InputError
from gearwright.file_access import write_text

EQUATION_FORMATS = ("markdown", "latex", "python", "c")


def write_equations(
    robot: RobotArgument,
    function: Annotated[
        str,
        typer.Option(
            "--function",
            "-f",
            help="mass_matrix, coriolis_matrix, gravity, bias, inverse_dynamics, kinetic_energy, potential_energy, "
            "jacobian (with --body), regressor, axial_rates, structure_matrix; with --wheel also explain, "
            "wheel_mass_matrix or wheel_coriolis.",
        ),
    ] = "mass_matrix",
    body: Annotated[str | None, typer.Option("--body", help="For jacobian: the body or frame.")] = None,
    wheel: Annotated[
        str | None, typer.Option("--wheel", help="The wheel for explain, wheel_mass_matrix and wheel_coriolis.")
    ] = None,
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            help="Quantities kept as symbols, separated by commas: inertias, lengths, ratios, gravity, springs, "
            "planets, or names of symbols such as J2; the others are inserted as numbers.",
        ),
    ] = "inertias,lengths,ratios,gravity,springs,planets",
    names: Annotated[
        str,
        typer.Option(
            "--names", help="numbers (Izz2, lx3, J2), or file: the symbols of the robot's file (I2zz, a2, Im2)."
        ),
    ] = "numbers",
    to: Annotated[str, typer.Option("--to", help="markdown, latex, python or c.")] = "markdown",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead of the screen.")
    ] = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Write the equations of motion of a robot.

    Trigonometric terms are simplified, and parameters are grouped into base parameters.

    Example: gearwright closed-form elbow --function gravity --to latex
    """
    from gearwright.equations.closed_form import closed_form as written

    if to not in EQUATION_FORMATS:
        raise InputError(f"--to {to}: unknown format. Use one of {', '.join(EQUATION_FORMATS)}.")
    with progress_bar("writing the equations") as advance:
        symbols = [name.strip() for name in keep.split(",") if name.strip()]
        machine = load(robot, xacro=xacro, include=include or ())
        options: dict[str, Any] = {word: name for word, name in (("body", body), ("wheel", wheel)) if name is not None}
        form = written(function, machine, symbols, progress=advance, names=names, **options)
        text: str = getattr(form, to)()
    if json:
        write_json({"robot": machine.name, "function": function, "format": to, "text": text})
    elif output is None:
        typer.echo(text)
    if output is not None:
        write_text(output, text)
        print_remark(f"Wrote {output}.")
