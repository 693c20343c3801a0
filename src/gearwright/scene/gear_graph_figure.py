"""The graph of a robot's gears and what follows from it: figures 2(a), 2(b) and 3 of Chen and Wang, of any robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gearwright.algebra import Scalar
from gearwright.mechanism import GearGraph, Mechanism, TurningPair, gear_graph
from gearwright.parts import Robot
from gearwright.plots.network import Edge, network


def gear_graph_figure(robot: Robot, mech: Mechanism, sideways: bool = False) -> Any:
    """A matplotlib figure of four graphs: as drawn, canonical, the open-loop chain, and whose wheels are whose.

    Solid lines carry (with the axis), dashed lines are gear pairs, or the whole ratio of a drive's wheel. `sideways` is
    for a narrow place.
    """
    return graphs_figure(gear_graphs(robot, mech), sideways)


def graphs_figure(graphs: Mapping[str, Sequence[Edge]], sideways: bool = False) -> Any:
    """The figure of graphs that are known."""
    return network(graphs, "base", sideways)


def gear_graphs(robot: Robot, mech: Mechanism) -> dict[str, list[Edge]]:
    """The edges of the four graphs by their titles."""
    graph = gear_graph(robot)
    canonical, more = graph.canonical(), _other_drives(robot, mech, graph)
    links = [link.name for link in robot.links]
    chain = [edge for edge in _turning(canonical) if edge.second in links]
    riders = canonical.virtual_links(links)
    belonging = [Edge(link, wheel, "rides") for link, wheels in riders.items() for wheel in wheels]
    return {
        "graph as drawn": _turning(graph) + _gears(graph) + more,
        "canonical graph": _turning(canonical) + _gears(canonical) + more,
        "equivalent open-loop chain": chain,
        "virtual links: primary links with their wheels": chain + belonging,
    }


def primary_link(graph: GearGraph, links: list[str], wheel: str) -> str | None:
    """The primary link to which a wheel belongs in the canonical form; None: the graph does not have it."""
    riders = graph.canonical().virtual_links(links)
    return next((link for link, wheels in riders.items() if wheel in wheels), None)


def _number(ratio: Scalar) -> str:
    return f"{float(f'{float(ratio) + 0.0:.4g}'):.10g}"


def _turning(graph: GearGraph) -> list[Edge]:
    """An axis that only one vertex has needs no label."""
    return [Edge(pair.inner, pair.outer, _label(pair)) for pair in graph.turning]


def _label(pair: TurningPair) -> str:
    return "" if pair.axis is None or pair.axis == pair.outer else pair.axis


def _gears(graph: GearGraph) -> list[Edge]:
    return [Edge(gear.first, gear.second, _number(gear.ratio), tree=False) for gear in graph.gears]


def _other_drives(robot: Robot, mech: Mechanism, graph: GearGraph) -> list[Edge]:
    """Springs behind the shafts of the graph; wheels of drives that it leaves out, each with its whole ratio."""
    moved = {body.joint_name: body.name for body in mech.bodies} | {shaft: shaft for shaft in mech.shafts}
    edges: dict[Edge, None] = {}
    for drive in robot.drives:
        shafts = [shaft for shaft in mech.shafts if shaft.startswith(f"{drive.joint}.")]
        drawn = any(link.startswith(f"{drive.title}.") for link in graph.links if link not in shafts)
        if drawn and shafts:
            edges[Edge(shafts[-1], moved[drive.joint], "spring", tree=False)] = None
        for spin in (spin for spin in mech.spins if spin.name.startswith(f"{drive.title}.") and not drawn):
            home = mech.carrier_name(spin.carrier)
            edges[Edge(home, spin.name)] = None
            for speed, ratio in ((mech.speeds[k], ratio) for k, ratio in spin.terms):
                if speed in mech.shafts:
                    edges[Edge(home, speed)] = None
                    edges[Edge(speed, moved[drive.joint], "spring", tree=False)] = None
                edges[Edge(spin.name, moved[speed], _number(ratio), tree=False)] = None
    return list(edges)
