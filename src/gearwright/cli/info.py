"""`gearwright info`: what a robot consists of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.markup import escape
from rich.tree import Tree

from gearwright.catalogue import load
from gearwright.cli.arguments import Json, RobotName
from gearwright.cli.output import number, results, table, vector, write_json
from gearwright.files.formats import URDF_ENDINGS
from gearwright.kernels.functions import mass_matrix, neutral
from gearwright.mechanism import BASE, Body, Mechanism, assemble
from gearwright.mechanism.reflected import reflected_inertia
from gearwright.parts import Robot


def info(robot: RobotName, json: Json = False) -> None:
    """Show the links, joints, wheels and inertia of a robot.

    "wheels" is what rotors and gears add to the inertia felt at a joint; "total" is the diagonal of the mass matrix
    with all joints at zero.
    """
    loaded = load(robot)
    facts = describe(loaded, assemble(loaded), _notes(robot))
    if json:
        write_json(facts)
    else:
        _show(facts)


def _notes(name: str) -> tuple[str, ...]:
    """How the numbers of a URDF were read; other files say what they mean."""
    from gearwright.files.urdf_reader import read_urdf_with_report

    if Path(name).suffix.lower() not in URDF_ENDINGS:
        return ()
    _, report = read_urdf_with_report(Path(name))
    return report.notes


def describe(robot: Robot, mech: Mechanism, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Everything `info` shows, as plain data."""
    total = np.diag(mass_matrix(mech, neutral(mech))).tolist()
    return {
        "robot": robot.name,
        "description": robot.description,
        "gravity": [float(x) for x in mech.gravity],
        "mass": float(sum(body.mass for body in mech.bodies)),
        "coordinates": list(mech.coordinates),
        "speeds": [
            {"name": name, "wheels": float(felt), "total": inertia}
            for name, felt, inertia in zip(mech.speeds, reflected_inertia(mech), total, strict=True)
        ],
        "links": [_link(mech, robot, body) for body in mech.bodies],
        "wheels": [_wheel(mech, k) for k in range(len(mech.spins))],
        "springs": [
            {"name": s.name, "stiffness": float(s.stiffness), "damping": float(s.damping)} for s in mech.springs
        ],
        "frames": [{"name": f.name, "link": _name(mech, f.body)} for f in mech.frames],
        "notes": list(notes),
    }


def _name(mech: Mechanism, body: int | str) -> str:
    return "base" if body in (BASE, "base") else mech.bodies[int(body)].name


def _link(mech: Mechanism, robot: Robot, body: Body) -> dict[str, Any]:
    limits = robot.link(body.name).joint.limits
    return {
        "name": body.name,
        "parent": _name(mech, body.parent),
        "joint": body.speed_name,
        "kind": body.joint,
        "follows": body.follows[0] if body.follows else None,
        "mass": float(body.mass),
        "com": [float(x) for x in body.com],
        "effective": body.effective,
        "limits": {key: value for key, value in vars(limits).items() if value is not None},
    }


def _wheel(mech: Mechanism, k: int) -> dict[str, Any]:
    spin = mech.spins[k]
    return {
        "name": spin.name,
        "carrier": _name(mech, spin.carrier),
        "axis": [float(x) for x in spin.axis],
        "inertia": float(spin.inertia),
        "coupling": float(spin.coupled),
        "ratio": {mech.speeds[index]: float(ratio) for index, ratio in spin.terms},
    }


def _show(facts: dict[str, Any]) -> None:
    screen = results()
    screen.print(
        f"[bold]{escape(facts['robot'])}[/bold]: {len(facts['links'])} links, {len(facts['speeds'])} speeds, "
        f"{len(facts['wheels'])} wheels, {number(facts['mass'])} kg"
    )
    if facts["description"]:
        screen.print(facts["description"], markup=False)
    screen.print(_tree(f"base, gravity ({vector(facts['gravity'])}) m/s2", facts["links"]))
    screen.print("\nInertia felt at each joint (kg m2, or kg where it slides):")
    screen.print(_felt(facts["speeds"]))
    if facts["wheels"]:
        screen.print("\nWheels (ratio: turns of the wheel per turn of the joint):")
        screen.print(_wheels(facts["wheels"]))
    for spring in facts["springs"]:
        screen.print(f"spring {escape(spring['name'])}: {number(spring['stiffness'])} Nm/rad")
    for note in facts["notes"]:
        screen.print(f"note: {escape(note)}", style="dim")


def _tree(title: str, links: list[dict[str, Any]]) -> Tree:
    root = Tree(title)
    places = {"base": root}
    for link in links:
        places[link["name"]] = places[link["parent"]].add(escape(_title(link)))
    return root


def _title(link: dict[str, Any]) -> str:
    words = [f"{link['name']}  {number(link['mass'])} kg"]
    words.append(f"joint {link['joint']}, {link['kind']}" if link["kind"] != "fixed" else "fixed")
    if link["follows"] is not None:
        words.append(f"follows {link['follows']}")
    if "position" in link["limits"]:
        words.append("{:.4g} to {:.4g}".format(*link["limits"]["position"]))
    if link["effective"]:
        words.append("effective")
    return ", ".join(words)


def _felt(speeds: list[dict[str, Any]]) -> Any:
    rows = [
        (s["name"], number(s["wheels"]), number(s["total"]), f"{s['wheels'] / s['total']:.0%}" if s["total"] else "-")
        for s in speeds
    ]
    return table(["joint", "wheels", "total", "share"], rows)


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
