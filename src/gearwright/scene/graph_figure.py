"""The gear graph as a figure: who carries whom, who meshes with whom."""

from __future__ import annotations

from typing import Any

from gearwright.mechanism import BASE, Mechanism
from gearwright.mechanism.assembly import gear_graph
from gearwright.mechanism.gear_graph import GearGraph
from gearwright.parts import Robot
from gearwright.plots.network import Edge, network


def gear_graph_figure(robot: Robot, mech: Mechanism, sideways: bool = False) -> Any:
    """A matplotlib figure of the functional and the canonical graph (Chen and Wang).

    Solid lines carry (with the axis), dashed lines are gear pairs, or the whole ratio of a drive's wheel. `sideways` is
    for a narrow place.
    """
    graph = gear_graph(robot)
    titles = {"functional graph": graph, "canonical graph": graph.canonical()}
    drives = _drive_edges(robot, mech)
    return network({title: _edges(graph) + drives for title, graph in titles.items()}, graph.base, sideways)


def _edges(graph: GearGraph) -> list[Edge]:
    turning = [Edge(pair.inner, pair.outer, pair.axis or "") for pair in graph.turning]
    return turning + [Edge(gear.first, gear.second, _number(gear.ratio), tree=False) for gear in graph.gears]


def _drive_edges(robot: Robot, mech: Mechanism) -> list[Edge]:
    """The wheels of drives on the links that carry them, each with its ratio to the link or elastic shaft it moves."""
    moved = {body.joint_name: body.name for body in mech.bodies} | {shaft: shaft for shaft in mech.shafts}
    edges: dict[Edge, None] = {}
    for drive in robot.drives:
        for spin in (spin for spin in mech.spins if spin.name.startswith(f"{drive.title}.")):
            home = "base" if spin.carrier == BASE else mech.bodies[int(spin.carrier)].name
            edges[Edge(home, spin.name)] = None
            for speed, ratio in ((mech.speeds[k], ratio) for k, ratio in spin.terms):
                if speed in mech.shafts:
                    edges[Edge(home, speed)] = None
                    edges[Edge(speed, moved[drive.joint], "spring", tree=False)] = None
                edges[Edge(spin.name, moved[speed], _number(ratio), tree=False)] = None
    return list(edges)


def _number(ratio: Any) -> str:
    return f"{float(f'{float(ratio) + 0.0:.4g}'):.10g}"
