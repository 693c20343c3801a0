"""`gearwright info`: the parts of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.tree import Tree

from gearwright.catalogue import load
from gearwright.cli.arguments import IncludeOption, JsonOption, RobotArgument, XacroOption
from gearwright.cli.output import (
    count_text,
    heading_text,
    number_text,
    plain_table,
    result_screen,
    vector_text,
    wrap_text,
    write_json,
)
from gearwright.cli.robot_description import describe_robot, read_report
from gearwright.files.permissions import Permissions
from gearwright.mechanism import assemble_tree, joint_kind
from gearwright.text import visible_text


def show_info(
    robot: RobotArgument, xacro: XacroOption = False, include: IncludeOption = None, json: JsonOption = False
) -> None:
    """Show the links, joints, wheels and inertia of a robot.

    "wheels" is the inertia of rotors and gears reflected to a joint; "total" is the diagonal element of the mass matrix
    with all joints at zero. With closed loops these are the inertias at the independent joints, in the configuration in
    which the loops are closed.
    """
    loaded = load(robot, xacro=xacro, include=include or ())
    facts = describe_robot(
        loaded, assemble_tree(loaded), read_report(Path(robot), Permissions.from_arguments(xacro, include or ()))
    )
    if json:
        write_json(facts)
    else:
        _show_description(facts)


def _show_description(facts: dict[str, Any]) -> None:
    screen = result_screen()
    counts = ", ".join(count_text(facts[word + "s"], word) for word in ("link", "speed", "wheel"))
    screen.print(heading_text(facts["robot"], f": {counts}, {number_text(facts['mass'])} kg"))
    if facts["description"]:
        screen.print(facts["description"])
    screen.print(_link_tree(f"base, gravity ({vector_text(facts['gravity'])}) m/s2", facts["links"]))
    screen.print("\nJoints, limits and reflected inertia (kg m2; kg for prismatic joints):")
    screen.print(
        _inertia_table(facts["speeds"], {link["joint"]: link["limits"].get("position") for link in facts["links"]})
    )
    if facts["payload"] is not None:
        payload = facts["payload"]
        screen.print(f"\npayload: {number_text(payload['mass'])} kg {payload['place']}, included in the link's mass")
    if facts["loops"]:
        screen.print(_loop_text(facts))
    if facts["wheels"]:
        screen.print("\nWheels (ratio: turns of the wheel per turn of the joint):")
        screen.print(_wheel_table(facts["wheels"]))
        screen.print(
            "\nPositions of the wheels (centre of mass in the frame of the link, whose origin is on its joint):"
        )
        screen.print(_wheel_position_table(facts["wheels"]))
    for spring in facts["springs"]:
        screen.print(f"spring {visible_text(spring['name'])}: {number_text(spring['stiffness'])} Nm/rad")
    for note in facts["notes"]:
        screen.print(wrap_text(f"note: {note}"), style="dim", soft_wrap=True)


def _loop_text(facts: dict[str, Any]) -> str:
    """Return a text on the closed loops and the degrees of freedom."""
    descriptions = [
        f"closed loop {visible_text(x['name'])} of the joints {visible_text(', '.join(x['joints']))}: "
        f"{visible_text(' on '.join(x['frames']))}, constrained {', '.join(x['held'])}"
        for x in facts["loops"]
    ]
    free, speeds = facts["degrees_of_freedom"], count_text(facts["speeds"], "speed")
    if free is None or len(facts["independent"]) == len(facts["speeds"]):
        left = "cannot be closed from the neutral configuration; inertias here are those of the open tree."
    else:
        names = ", ".join(map(visible_text, facts["independent"]))
        left = f"leave {free} of {speeds} free: {names}. The other joints follow."
    lines = ["", *descriptions, f"The loops {left}"]
    if facts["redundant"]:
        lines.append(
            f"Redundant equations: {visible_text(', '.join(facts['redundant']))}. Reactions along them are not unique; "
            "those of least norm are returned."
        )
    return "\n".join(lines)


def _link_tree(title: str, links: list[dict[str, Any]]) -> Tree:
    root = Tree(title)
    places = {"base": root}
    for link in links:
        places[link["name"]] = places[link["parent"]].add(visible_text(_link_title(link)))
    return root


def _link_title(link: dict[str, Any]) -> str:
    words = [f"{link['name']}  {number_text(link['mass'])} kg"]
    words.append(f"{link['kind']} {link['joint']}" if joint_kind(link["kind"]).speeds else link["kind"])
    if link["follows"] is not None:
        words.append(f"follows {link['follows']}")
    if link["effective"]:
        words.append("effective")
    return ", ".join(words)


def _inertia_table(speeds: list[dict[str, Any]], ranges: dict[str, Any]) -> Any:
    rows = []
    for s in speeds:
        limits = [number_text(end) for end in ranges.get(s["name"]) or ()] or ["", ""]
        if s["total"] is None:
            rows.append((s["name"], *limits, "", "follows", ""))
            continue
        share = f"{s['wheels'] / s['total']:.0%}" if s["total"] else "-"
        rows.append((s["name"], *limits, number_text(s["wheels"]), number_text(s["total"]), share))
    if any(row[1] for row in rows):
        return plain_table(["joint", "from", "to", "wheels", "total", "share"], rows)
    return plain_table(["joint", "wheels", "total", "share"], [(row[0], *row[3:]) for row in rows])


def _wheel_table(wheels: list[dict[str, Any]]) -> Any:
    rows = [
        (
            w["name"],
            w["carrier"],
            ", ".join(f"{number_text(ratio)} {speed}" for speed, ratio in w["ratio"].items()),
            vector_text(w["axis"]),
            number_text(w["inertia"]),
            "" if w["coupling"] == w["inertia"] else number_text(w["coupling"]),
        )
        for w in wheels
    ]
    has_couplings = any(row[-1] for row in rows)
    columns = ["wheel", "on", "ratio", "axis", "J [kg m2]", "coupling"]
    return plain_table(columns[: 6 if has_couplings else 5], [row[: 6 if has_couplings else 5] for row in rows], text=4)


def _wheel_position_table(wheels: list[dict[str, Any]]) -> Any:
    rows = [(w["name"], w["carrier"], vector_text(w["position"]), number_text(w["mass"])) for w in wheels]
    return plain_table(["wheel", "on", "position [m]", "mass [kg]"], rows, text=3)
