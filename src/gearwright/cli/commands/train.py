"""`gearwright train`: what motors and wheels do to the joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.catalogue import load
from gearwright.cli.arguments import Include, Json, Plot, RobotName, Xacro
from gearwright.cli.output import counted, heading, mention_figure, number, results, table, write_json
from gearwright.mechanism import Mechanism, assemble, gear_graph
from gearwright.parts import Drive, Robot
from gearwright.text import visible


def train(
    robot: RobotName,
    plot: Plot = None,
    xacro: Xacro = False,
    include: Include = None,
    json: Json = False,
) -> None:
    """Show what motors and wheels do to the joints.

    The structure matrix holds the turns of every motor per turn of every joint. A wheel's share is its part of the
    diagonal of the mass matrix with all joints at zero. The figure shows the graph as drawn and in canonical form, the
    equivalent open-loop chain, and which wheels belong to which primary link: solid lines carry (with the axis), dashed
    lines are gear pairs, those inside planetary, spur and other gears too, or the whole ratio of a drive's wheel.

    Example: gearwright train grm3 --plot grm3.png
    """
    loaded = load(robot, xacro=xacro, include=include or ())
    mech = assemble(loaded)
    facts = _facts(loaded, mech)
    if plot is not None:
        from gearwright.plots import save
        from gearwright.scene.gear_graph_figure import gear_graph_figure

        save(gear_graph_figure(loaded, mech), plot)
    if json:
        write_json(facts)
    else:
        _show(facts)
    mention_figure(plot)


def _facts(robot: Robot, mech: Mechanism) -> dict[str, Any]:
    from gearwright.functions.actuation import structure_matrix
    from gearwright.functions.dynamics import mass_matrix, neutral
    from gearwright.functions.explain import explain
    from gearwright.scene.gear_graph_figure import primary_link

    graph, links = gear_graph(robot), [link.name for link in robot.links]
    q, still = neutral(mech), np.zeros(mech.n)
    shares = explain(mech, q, still, still).mass_matrices / np.diag(mass_matrix(mech, q))
    return {
        "robot": robot.name,
        "speeds": list(mech.speeds),
        "motors": [actuator.name for actuator in mech.actuators],
        "structure_matrix": structure_matrix(mech).tolist() if mech.actuators else [],
        "wheels": [
            {
                "name": spin.name,
                "on": mech.carrier_name(spin.carrier),
                "primary_link": primary_link(graph, links, spin.name) or mech.carrier_name(spin.carrier),
                "ratio": {mech.speeds[k]: float(ratio) for k, ratio in spin.terms},
                "share": dict(zip(mech.speeds, np.diag(share).tolist(), strict=True)),
            }
            for spin, share in zip(mech.spins, shares, strict=True)
        ],
        "averaging_errors": {drive.title: error for drive in robot.drives if (error := _averaging_error(drive))},
    }


def _averaging_error(drive: Drive) -> float:
    """What a gear knows of its members that are not quite bodies of revolution [kg m2]."""
    return float(getattr(drive.gear, "averaging_error", 0.0))


def _show(facts: dict[str, Any]) -> None:
    screen = results()
    counts = f"{counted(facts['motors'], 'motor')}, {counted(facts['wheels'], 'wheel')}"
    screen.print(heading(facts["robot"], f": {counts}"))
    if facts["motors"]:
        screen.print("\nStructure matrix (turns of the motor per turn of the joint):")
        matrix = zip(facts["speeds"], facts["structure_matrix"], strict=True)
        screen.print(table(["joint", *facts["motors"]], [[name, *(number(x) for x in row)] for name, row in matrix]))
    screen.print(
        "\nWheels (belongs to: its primary link in the canonical graph; ratio: turns on its carrier per turn of the "
        "joint; share: of the inertia felt there):"
    )
    rows = [(w["name"], w["on"], w["primary_link"], _ratios(w["ratio"]), _shares(w["share"])) for w in facts["wheels"]]
    screen.print(table(["wheel", "on", "belongs to", "ratio", "share"], rows, text=5))
    for drive, error in facts["averaging_errors"].items():
        screen.print(
            f"\n{visible(drive)}: members that are not bodies of revolution enter averaged; the inertia across their "
            f"axis is off by at most {number(error)} kg m2 while they turn."
        )


def _ratios(ratio: dict[str, float]) -> str:
    return ", ".join(f"{number(x)} {speed}" for speed, x in ratio.items())


def _shares(share: dict[str, float]) -> str:
    return ", ".join(f"{x:.1%} {speed}" for speed, x in share.items() if abs(x) >= 0.0005)
