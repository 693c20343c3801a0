"""`gearwright compare`: what the usual approximations get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from gearwright.catalogue import load
from gearwright.cli.arguments import Json, RobotName
from gearwright.cli.output import number, results, say, table, write_json
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot

if TYPE_CHECKING:
    from gearwright.motion import Motion


def compare(
    robot: RobotName,
    trajectory: Annotated[
        Path | None,
        typer.Argument(metavar="TRAJECTORY.csv", help="The motion; a fast one through three points unless given."),
    ] = None,
    figure: Annotated[
        bool, typer.Option("--figure", help="Draw torques and errors into ROBOT_comparison.png.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Draw into this file (.png, .svg, .pdf).")
    ] = None,
    json: Json = False,
) -> None:
    """Compare exact torques with the usual approximations.

    "reflected" keeps the wheels' energy without their push on the links, "diagonal" is one number per joint (armature),
    "none" leaves the wheels' turning out.

    Example: gearwright compare elbow --figure
    """
    from gearwright.design import compare as compared

    loaded = load(robot)
    mech = assemble(loaded)
    comparison = compared(mech, _motion(loaded, mech, trajectory))
    facts = {
        "robot": loaded.name,
        "seconds": float(comparison.motion.t[-1] - comparison.motion.t[0]),
        "errors": [miss._asdict() for miss in comparison.misses()],
        "uncoupled": list(comparison.uncoupled),
    }
    drawing = output or (Path(f"{loaded.name}_comparison.png") if figure else None)
    if drawing is not None:
        from gearwright.plots import save

        save(comparison.figure(), drawing)
    if json:
        write_json(facts)
    else:
        _show(facts)
    if drawing is not None:
        say(f"Figure: {drawing}")


def _motion(robot: Robot, mech: Mechanism, trajectory: Path | None) -> Motion:
    from gearwright.motion.recording import read_recording
    from gearwright.motion.tour import tour

    if trajectory is None:
        return tour(robot, mech)
    motion, notes = read_recording(trajectory, mech)
    for note in notes:
        say(note)
    return motion


def _show(facts: dict[str, Any]) -> None:
    screen = results()
    screen.print(
        f"[bold]{escape(facts['robot'])}[/bold], a motion of {number(facts['seconds'])} s: peak torque (Nm, or N)"
    )
    screen.print("and largest error of each approximation, with its share of the peak.")
    kinds = list(dict.fromkeys(error["kind"] for error in facts["errors"]))
    rows: dict[str, list[str]] = {}
    for error in facts["errors"]:
        rows.setdefault(error["speed"], [error["speed"], number(error["peak"])]).extend(_miss(error))
    columns = ["joint", "exact", *(heading for kind in kinds for heading in (kind, ""))]
    screen.print(table(columns, rows.values()))
    if facts["uncoupled"]:
        screen.print("Wheels that never push on their carrier: " + escape(", ".join(facts["uncoupled"])) + ".")


def _miss(error: dict[str, Any]) -> tuple[str, str]:
    """The largest error and its share of the peak; what is only rounding is nothing."""
    largest, peak = error["largest"], error["peak"]
    if largest <= 1e-12 * peak:
        return "0", ""
    return number(largest, 3), f"{number(100 * largest / peak, 2)}%" if peak else ""
