"""`gearwright info`: what a robot consists of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.tree import Tree

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, RobotName, Xacro
from gearwright.cli.output import counted, heading, number, results, table, vector, wrapped, write_json
from gearwright.cli.robot_description import describe, reading_report
from gearwright.files.permissions import Permissions
from gearwright.mechanism import assemble
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.text import visible


def info(robot: RobotName, xacro: Xacro = False, include: Include = None, json: Json = False) -> None:
    """Show the links, joints, wheels and inertia of a robot.

    "wheels" is what rotors and gears add to the inertia felt at a joint; "total" is the diagonal of the mass matrix
    with all joints at zero.
    """
    loaded = load(robot, xacro=xacro, include=include or ())
    facts = describe(loaded, assemble(loaded), reading_report(Path(robot), Permissions.given(xacro, include or ())))
    if json:
        write_json(facts)
    else:
        _show(facts)


def _show(facts: dict[str, Any]) -> None:
    screen = results()
    counts = ", ".join(counted(facts[word + "s"], word) for word in ("link", "speed", "wheel"))
    screen.print(heading(facts["robot"], f": {counts}, {number(facts['mass'])} kg"))
    if facts["description"]:
        screen.print(facts["description"])
    screen.print(_tree(f"base, gravity ({vector(facts['gravity'])}) m/s2", facts["links"]))
    screen.print("\nJoints, limits, and the inertia felt at each (kg m2, or kg where it slides):")
    screen.print(_felt(facts["speeds"], {link["joint"]: link["limits"].get("position") for link in facts["links"]}))
    if facts["loops"]:
        screen.print(_loops(facts))
    if facts["wheels"]:
        screen.print("\nWheels (ratio: turns of the wheel per turn of the joint):")
        screen.print(_wheels(facts["wheels"]))
        screen.print("\nWhere they sit (centre of mass in the frame of the link, which is on the link's joint):")
        screen.print(_places(facts["wheels"]))
    for spring in facts["springs"]:
        screen.print(f"spring {visible(spring['name'])}: {number(spring['stiffness'])} Nm/rad")
    for note in facts["notes"]:
        screen.print(wrapped(f"note: {note}"), style="dim", soft_wrap=True)


def _loops(facts: dict[str, Any]) -> str:
    """The closed loops, and what they leave free."""
    found = [
        f"closed loop {visible(x['name'])}: {visible(' on '.join(x['frames']))}, held {', '.join(x['held'])}"
        for x in facts["loops"]
    ]
    free, speeds = facts["degrees_of_freedom"], counted(facts["speeds"], "speed")
    left = "cannot be closed from the neutral configuration" if free is None else f"leave {free} of {speeds} free"
    return "\n".join(["", *found, f"The loops {left}; masses and inertias here are those of the open tree."])


def _tree(title: str, links: list[dict[str, Any]]) -> Tree:
    root = Tree(title)
    places = {"base": root}
    for link in links:
        places[link["name"]] = places[link["parent"]].add(visible(_title(link)))
    return root


def _title(link: dict[str, Any]) -> str:
    words = [f"{link['name']}  {number(link['mass'])} kg"]
    words.append(f"{link['kind']} {link['joint']}" if joint_kind(link["kind"]).speeds else link["kind"])
    if link["follows"] is not None:
        words.append(f"follows {link['follows']}")
    if link["effective"]:
        words.append("effective")
    return ", ".join(words)


def _felt(speeds: list[dict[str, Any]], ranges: dict[str, Any]) -> Any:
    rows = []
    for s in speeds:
        limits = [number(end) for end in ranges.get(s["name"]) or ()] or ["", ""]
        share = f"{s['wheels'] / s['total']:.0%}" if s["total"] else "-"
        rows.append((s["name"], *limits, number(s["wheels"]), number(s["total"]), share))
    if any(row[1] for row in rows):
        return table(["joint", "from", "to", "wheels", "total", "share"], rows)
    return table(["joint", "wheels", "total", "share"], [(row[0], *row[3:]) for row in rows])


def _wheels(wheels: list[dict[str, Any]]) -> Any:
    rows = [
        (
            w["name"],
            w["carrier"],
            ", ".join(f"{number(ratio)} {speed}" for speed, ratio in w["ratio"].items()),
            vector(w["axis"]),
            number(w["inertia"]),
            "" if w["coupling"] == w["inertia"] else number(w["coupling"]),
        )
        for w in wheels
    ]
    shown = any(row[-1] for row in rows)
    columns = ["wheel", "on", "ratio", "axis", "J [kg m2]", "coupling"]
    return table(columns[: 6 if shown else 5], [row[: 6 if shown else 5] for row in rows], text=4)


def _places(wheels: list[dict[str, Any]]) -> Any:
    rows = [(w["name"], w["carrier"], vector(w["position"]), number(w["mass"])) for w in wheels]
    return table(["wheel", "on", "position [m]", "mass [kg]"], rows, text=3)
