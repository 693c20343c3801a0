"""`gearwright compare`: errors of the usual approximations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, PlotOption, RobotArgument, XacroOption
from gearwright.cli.output import (
    heading_text,
    mention_figure,
    number_text,
    plain_table,
    print_remark,
    result_screen,
    write_json,
)
from gearwright.cli.start_pose import motion_to_show
from gearwright.errors import GearwrightError
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.parts import Robot
from gearwright.programs import machine_of
from gearwright.text import listed_names


def compare_models(
    robot: RobotArgument,
    trajectory: Annotated[
        Path | None,
        typer.Argument(metavar="TRAJECTORY.csv", help="The motion. Default: a fast motion through three points."),
    ] = None,
    plot: PlotOption = None,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Compare exact torques with the usual approximations.

    "reflected" keeps the kinetic energy of the wheels but not their reaction on the links, "diagonal" is one number per
    joint (armature), "none" omits the rotation of the wheels. For an elastic robot the reduced models are compared too:
    "spong" (no reaction of the rotors on the links), "spong_bare" (links without the rotors they carry), "rigid". The
    figure shows torques and errors.

    Example: gearwright compare elbow --plot elbow.png
    """
    from gearwright.analysis import compare as compared

    loaded = load(robot, xacro=xacro, include=include or ())
    mech = assemble_tree(loaded)
    comparison = compared(loaded, motion_to_show(loaded, mech, trajectory))
    facts = {
        "robot": loaded.name,
        "seconds": float(comparison.motion.t[-1] - comparison.motion.t[0]),
        "errors": [error._asdict() for error in comparison.approximation_errors()],
        "uncoupled": list(comparison.uncoupled),
        "wheels": len(mech.spins),
    }
    if mech.shafts and trajectory is None:
        facts["reduced"] = _reduced_model_errors(loaded, mech)
    if plot is not None:
        comparison.plot(plot)
    if json:
        write_json(facts)
    else:
        _show_errors(facts, _independent_joints(loaded))
    mention_figure(plot)


def _reduced_model_errors(robot: Robot, mech: Mechanism) -> list[dict[str, Any]]:
    """Return the motor torque errors of reduced models of an elastic robot, for the same joint motion."""
    from gearwright.analysis import compare_reductions
    from gearwright.motion.default_motion import default_trajectory

    joints = range(mech.n - len(mech.shafts))
    try:
        comparison = compare_reductions(
            robot, default_trajectory(robot, mech, joints), ("spong", "spong_bare", "rigid")
        )
    except GearwrightError as error:
        print_remark(f"Reduced models are not compared: {error}")
        return []
    return [error._asdict() for error in comparison.reduction_errors()]


def _independent_joints(robot: Robot) -> tuple[str, ...]:
    """Return the independent joints of a robot with closed loops, at which alone torques act; () without loops."""
    return machine_of("compare", robot).speeds if robot.loops else ()


def _show_errors(facts: dict[str, Any], joints: tuple[str, ...]) -> None:
    screen = result_screen()
    screen.print(
        heading_text(facts["robot"], f", a motion of {number_text(facts['seconds'])} s: peak torque (Nm, or N)")
    )
    screen.print("and largest error of each approximation, with its share of the peak.")
    errors = [error for error in facts["errors"] if not joints or error["speed"] in joints]
    screen.print(_error_table(errors, "speed", "joint"))
    if not facts["wheels"]:
        print_remark(
            "The robot has no wheels, so there is nothing to approximate. Add motors and gears: `gearwright size`."
        )
    if facts["uncoupled"]:
        screen.print("Wheels without reaction on their carrier: " + listed_names(facts["uncoupled"]) + ".")
    if facts.get("reduced"):
        screen.print("\nReduced models: largest error of the motor torque for the same joint motion,")
        screen.print("on the joint side, without dampers.")
        screen.print(_error_table(facts["reduced"], "motor", "motor"))


def _error_table(errors: list[dict[str, Any]], key: str, heading: str) -> Table:
    """Return a table with one line per joint or motor, two columns per model."""
    kinds = list(dict.fromkeys(error["kind"] for error in errors))
    rows: dict[str, list[str]] = {}
    for error in errors:
        rows.setdefault(error[key], [error[key], number_text(error["peak"])]).extend(_error_cells(error))
    return plain_table([heading, "exact", *(word for kind in kinds for word in (kind, ""))], rows.values())


def _error_cells(error: dict[str, Any]) -> tuple[str, str]:
    """Return the largest error and its share of the peak; rounding errors are shown as 0."""
    largest, peak = error["largest"], error["peak"]
    if largest <= 1e-12 * peak:
        return "0", ""
    return number_text(largest, 3), f"{number_text(100 * largest / peak, 2)}%" if peak else ""
