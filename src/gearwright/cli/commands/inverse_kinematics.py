"""`gearwright inverse-kinematics`: joint positions for a pose of a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, RobotArgument, XacroOption, parse_numbers
from gearwright.cli.output import (
    heading_text,
    number_text,
    plain_table,
    print_remark,
    result_screen,
    vector_text,
    write_json,
)
from gearwright.text import visible_text

if TYPE_CHECKING:
    from gearwright.planning import InverseKinematics

OUT_OF_REACH_EXIT = 2
"""The exit code if the pose is not attained."""


def solve_inverse_kinematics(
    robot: RobotArgument,
    frame: Annotated[str, typer.Option("--frame", metavar="FRAME", help="The frame or link to place.")],
    xyz: Annotated[
        str | None, typer.Option("--xyz", metavar="X,Y,Z", help="Position of its origin [m]. Default: any position.")
    ] = None,
    rpy: Annotated[
        str | None,
        typer.Option("--rpy", metavar="R,P,Y", help="Roll, pitch, yaw [rad], as in URDF. Default: any orientation."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            "--start", metavar="Q1,Q2,...", help="Initial guess [rad, m]; the solution is on the branch near it."
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Return all solutions of a non-redundant arm.")] = False,
    xacro: XacroOption = False,
    include: IncludeOption = None,
    json: JsonOption = False,
) -> None:
    """Compute joint positions for a pose of a frame.

    Joint limits are respected. If the pose is not attained, the nearest pose found is shown and the exit code is 2.

    Example: gearwright inverse-kinematics ur5_like --frame tool --xyz 0.4,0.2,0.3 --rpy 3.14159,0,0 --all
    """
    from gearwright.planning import inverse_kinematics as solved
    from gearwright.planning import rotation_from_euler

    loaded = load(robot, xacro=xacro, include=include or ())
    position = None if xyz is None else parse_numbers("--xyz", xyz, ("x", "y", "z"))
    rotation = (
        None if rpy is None else rotation_from_euler(*reversed(parse_numbers("--rpy", rpy, ("roll", "pitch", "yaw"))))
    )
    begin = None if start is None else parse_numbers("--start", start)
    solution = solved(loaded, frame, (rotation, position), begin, "all" if every else "one")
    facts = _solution_data(loaded.name, frame, solution)
    if json:
        write_json(facts)
    else:
        _show_solution(facts)
    if not solution.reached.any():
        raise typer.Exit(OUT_OF_REACH_EXIT)


def _solution_data(robot: str, frame: str, solution: InverseKinematics) -> dict[str, Any]:
    names = solution.descent.joints.mech.coordinates
    q, places = np.atleast_2d(solution.q), solution.pose
    position = places.position.reshape(-1, 3)
    turns = places.yaw_pitch_roll.reshape(-1, 3)[:, ::-1]
    reached, error, singular, limited = (
        np.atleast_1d(x) for x in (solution.reached, solution.error, solution.is_singular, solution.is_beyond_limits)
    )
    rows = [
        {
            "q": dict(zip(names, q[k].tolist(), strict=True)),
            "reached": bool(reached[k]),
            "beyond_limits": bool(limited[k]),
            "error": float(error[k]),
            "singular": bool(singular[k]),
            "position": position[k].tolist(),
            "roll_pitch_yaw": turns[k].tolist(),
        }
        for k in range(len(q))
    ]
    return {"robot": robot, "frame": frame, "configurations": rows}


def _show_solution(facts: dict[str, Any]) -> None:
    rows = facts["configurations"]
    screen = result_screen()
    screen.print(heading_text(facts["robot"], f", {visible_text(facts['frame'])} [rad, m]:"))
    numbered = [str(k + 1) for k in range(len(rows))]
    body = [(name, *(number_text(row["q"][name]) for row in rows)) for name in rows[0]["q"]]
    screen.print(plain_table(["joint", *numbered], body))
    for title, row in zip(numbered, rows, strict=True):
        if row["singular"]:
            print_remark(f"{title}: this configuration is singular.")
        if not row["reached"]:
            place, turn = vector_text(row["position"], 5), vector_text(row["roll_pitch_yaw"], 5)
            print_remark(
                f"Pose not attained: error {number_text(row['error'])} m or rad. Nearest pose found: x, y, z {place} "
                f"m; roll, pitch, yaw {turn} rad."
            )
            if row["beyond_limits"]:
                print_remark("The pose is attainable without the joint limits.")
