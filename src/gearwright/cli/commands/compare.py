"""`gearwright compare`: what the usual approximations get wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, Plot, RobotName, Xacro
from gearwright.cli.output import heading, mention_figure, number, results, say, table, write_json
from gearwright.cli.start_pose import shown_motion
from gearwright.errors import GearwrightError
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot
from gearwright.text import listed


def compare(
    robot: RobotName,
    trajectory: Annotated[
        Path | None,
        typer.Argument(metavar="TRAJECTORY.csv", help="The motion; a fast one through three points unless given."),
    ] = None,
    plot: Plot = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Compare exact torques with the usual approximations.

    "reflected" keeps the wheels' energy without their push on the links, "diagonal" is one number per joint (armature),
    "none" leaves the wheels' turning out. Of an elastic robot the reduced models are compared too: "spong" (rotors do
    not push on links), "spong_bare" (links without the rotors they carry), "rigid". The figure shows torques and
    errors.

    Example: gearwright compare elbow --plot elbow.png
    """
    from gearwright.analysis import compare as compared

    loaded = load(robot, xacro=xacro, include=include or ())
    mech = assemble(loaded)
    comparison = compared(loaded, shown_motion(loaded, mech, trajectory))
    facts = {
        "robot": loaded.name,
        "seconds": float(comparison.motion.t[-1] - comparison.motion.t[0]),
        "errors": [miss._asdict() for miss in comparison.misses()],
        "uncoupled": list(comparison.uncoupled),
        "wheels": len(mech.spins),
    }
    if mech.shafts and trajectory is None:
        facts["reduced"] = _reduced(loaded, mech)
    if plot is not None:
        comparison.plot(plot)
    if json:
        write_json(facts)
    else:
        _show(facts)
    mention_figure(plot)


def _reduced(robot: Robot, mech: Mechanism) -> list[dict[str, Any]]:
    """What reduced models of an elastic robot get wrong at the motors, for the same motion of the joints."""
    from gearwright.analysis import compare_reductions
    from gearwright.motion.default_motion import ways

    joints = range(mech.n - len(mech.shafts))
    try:
        found = compare_reductions(robot, ways(robot, mech, joints), ("spong", "spong_bare", "rigid"))
    except GearwrightError as error:
        say(f"Reduced models are not compared: {error}")
        return []
    return [miss._asdict() for miss in found.misses()]


def _show(facts: dict[str, Any]) -> None:
    screen = results()
    screen.print(heading(facts["robot"], f", a motion of {number(facts['seconds'])} s: peak torque (Nm, or N)"))
    screen.print("and largest error of each approximation, with its share of the peak.")
    screen.print(_table(facts["errors"], "speed", "joint"))
    if not facts["wheels"]:
        say("The robot has no wheels, so that nothing is approximated. Give it motors and gears: `gearwright size`.")
    if facts["uncoupled"]:
        screen.print("Wheels that never push on their carrier: " + listed(facts["uncoupled"]) + ".")
    if facts.get("reduced"):
        screen.print("\nReduced models: largest error of the motor torque for the same joint motion,")
        screen.print("at the joint side, dampers left out.")
        screen.print(_table(facts["reduced"], "motor", "motor"))


def _table(errors: list[dict[str, Any]], key: str, heading: str) -> Table:
    """A line per joint or motor, two columns per model."""
    kinds = list(dict.fromkeys(error["kind"] for error in errors))
    rows: dict[str, list[str]] = {}
    for error in errors:
        rows.setdefault(error[key], [error[key], number(error["peak"])]).extend(_miss(error))
    return table([heading, "exact", *(word for kind in kinds for word in (kind, ""))], rows.values())


def _miss(error: dict[str, Any]) -> tuple[str, str]:
    """The largest error and its share of the peak; what is only rounding is nothing."""
    largest, peak = error["largest"], error["peak"]
    if largest <= 1e-12 * peak:
        return "0", ""
    return number(largest, 3), f"{number(100 * largest / peak, 2)}%" if peak else ""
