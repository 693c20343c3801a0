"""`gearwright list`: the bundled robots."""

from __future__ import annotations

from typing import Any

from gearwright import catalogue
from gearwright.cli.arguments import JsonOption
from gearwright.cli.output import plain_table, print_remark, result_screen, write_json
from gearwright.mechanism import assemble_tree


def list_robots(json: JsonOption = False) -> None:
    """List the bundled robots."""
    rows = [_robot_row(name, description) for name, description in catalogue.robots().items()]
    if json:
        write_json(rows)
        return
    cells = [[row["name"], row["description"], *(str(row[key]) for key in ("speeds", "wheels"))] for row in rows]
    result_screen().print(plain_table(["robot", "description", "speeds", "wheels"], cells, text=2))
    print_remark("`gearwright info ROBOT` shows one of them.")


def _robot_row(name: str, description: str) -> dict[str, Any]:
    mech = assemble_tree(catalogue.load(name))
    return {
        "name": name,
        "description": description,
        "speeds": mech.n,
        "wheels": len(mech.spins),
        "mass": float(sum(body.mass for body in mech.bodies)),
    }
