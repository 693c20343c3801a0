"""`gearwright inverse-kinematics`: where the joints must be for a frame to take a pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, RobotName, Xacro, number_list
from gearwright.cli.output import heading, number, results, say, table, vector, write_json
from gearwright.text import visible

if TYPE_CHECKING:
    from gearwright.planning import InverseKinematics

PROBLEM = 2
"""The exit code when the pose is out of reach."""


def inverse_kinematics(
    robot: RobotName,
    frame: Annotated[str, typer.Option("--frame", metavar="FRAME", help="The frame or link to place.")],
    xyz: Annotated[
        str | None, typer.Option("--xyz", metavar="X,Y,Z", help="Where its origin is to be [m]; any place if left out.")
    ] = None,
    rpy: Annotated[
        str | None,
        typer.Option("--rpy", metavar="R,P,Y", help="Roll, pitch, yaw [rad], as in URDF; any orientation if left out."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option("--start", metavar="Q1,Q2,...", help="Where to begin [rad, m]: the answer is the branch near it."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All configurations of an arm that is not redundant.")] = False,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Find where the joints must be for a frame to take a pose.

    The limits of the joints are kept. If the pose is out of reach the nearest placement is shown, and the exit code is
    2.

    Example: gearwright inverse-kinematics ur5_like --frame tool --xyz 0.4,0.2,0.3 --rpy 3.14159,0,0 --all
    """
    from gearwright.planning import inverse_kinematics as solved
    from gearwright.planning import rotation_of

    loaded = load(robot, xacro=xacro, include=include or ())
    position = None if xyz is None else number_list("--xyz", xyz, ("x", "y", "z"))
    rotation = None if rpy is None else rotation_of(*reversed(number_list("--rpy", rpy, ("roll", "pitch", "yaw"))))
    begin = None if start is None else number_list("--start", start)
    found = solved(loaded, frame, (rotation, position), begin, "all" if every else "one")
    facts = _facts(loaded.name, frame, found)
    if json:
        write_json(facts)
    else:
        _show(facts)
    if not found.reached.any():
        raise typer.Exit(PROBLEM)


def _facts(robot: str, frame: str, found: InverseKinematics) -> dict[str, Any]:
    names = found.descent.joints.mech.coordinates
    q, places = np.atleast_2d(found.q), found.pose
    position = places.position.reshape(-1, 3)
    turns = places.yaw_pitch_roll.reshape(-1, 3)[:, ::-1]
    reached, error, singular, limited = (
        np.atleast_1d(x) for x in (found.reached, found.error, found.singular, found.beyond_limits)
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


def _show(facts: dict[str, Any]) -> None:
    rows = facts["configurations"]
    screen = results()
    screen.print(heading(facts["robot"], f", {visible(facts['frame'])} [rad, m]:"))
    numbered = [str(k + 1) for k in range(len(rows))]
    body = [(name, *(number(row["q"][name]) for row in rows)) for name in rows[0]["q"]]
    screen.print(table(["joint", *numbered], body))
    for title, row in zip(numbered, rows, strict=True):
        if row["singular"]:
            say(f"{title}: the arm is singular there: it has lost a direction of motion.")
        if not row["reached"]:
            place, turn = vector(row["position"], 5), vector(row["roll_pitch_yaw"], 5)
            say(
                f"Out of reach by {number(row['error'])} m or rad. Nearest found: x, y, z {place} m; roll, pitch, yaw "
                f"{turn} rad."
            )
            if row["beyond_limits"]:
                say("Only limits of the joints are in the way: without them the pose is reached.")
