"""Graphs of a robot's gears: figures 2(a), 2(b) and 3 of Chen and Wang, for any robot."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from gearwright.algebra import Scalar
from gearwright.mechanism import GearGraph, Mechanism, TurningPair, gear_graph
from gearwright.parts import Robot
from gearwright.plots import NetworkEdge, network_figure


def gear_graph_figure(robot: Robot, mech: Mechanism, sideways: bool = False) -> Any:
    """A matplotlib figure of four graphs: as drawn, canonical, open-loop chain, and links with their wheels.

    Solid lines are turning pairs (with the axis), dashed lines are gear pairs or the total ratio of a drive's wheel.
    `sideways` is a layout for narrow pages.
    """
    return graphs_figure(gear_graphs(robot, mech), sideways)


def graphs_figure(
    graphs: Mapping[str, Sequence[NetworkEdge]], sideways: bool = False, path: Collection[NetworkEdge] = ()
) -> Any:
    """The figure of given graphs, with a path of power highlighted."""
    return network_figure(graphs, "base", sideways, path)


def motor_names(robot: Robot) -> list[str]:
    """The names of drives, and of the motors of trains."""
    return [
        *(drive.title for drive in robot.drives),
        *(motor.name for train in robot.trains for motor in train.motors),
    ]


def power_path(robot: Robot, graphs: Mapping[str, Sequence[NetworkEdge]], name: str) -> list[NetworkEdge]:
    """The edges along which the power of a motor flows: those of its drive, or from its wheel to the nearest link."""
    edges = list(dict.fromkeys(edge for graph in graphs.values() for edge in graph))
    wheels = {motor.name: motor.wheel for train in robot.trains for motor in train.motors}
    if name not in wheels:
        return [edge for edge in edges if any(end.startswith(f"{name}.") for end in (edge.first, edge.second))]
    links = {link.name for link in robot.links}
    paths: dict[str, list[NetworkEdge]] = {wheels[name]: []}
    waiting = [wheels[name]]
    while waiting:
        node = waiting.pop(0)
        if node in links:
            return paths[node]
        for edge in (edge for edge in edges if not edge.tree and node in (edge.first, edge.second)):
            other = edge.second if node == edge.first else edge.first
            if other not in paths:
                paths[other] = [*paths[node], edge]
                waiting.append(other)
    return []


def gear_graphs(robot: Robot, mech: Mechanism) -> dict[str, list[NetworkEdge]]:
    """The edges of the four graphs by their titles."""
    graph = gear_graph(robot)
    canonical, drive_edges = graph.canonical_graph(), _drive_edges(robot, mech, graph)
    links = [link.name for link in robot.links]
    chain = [edge for edge in _turning_edges(canonical) if edge.second in links]
    riders = canonical.virtual_links(links)
    belonging = [NetworkEdge(link, wheel, "rides") for link, wheels in riders.items() for wheel in wheels]
    return {
        "graph as drawn": _turning_edges(graph) + _gear_edges(graph) + drive_edges,
        "canonical graph": _turning_edges(canonical) + _gear_edges(canonical) + drive_edges,
        "equivalent open-loop chain": chain,
        "virtual links: primary links with their wheels": chain + belonging,
    }


def primary_link(graph: GearGraph, links: list[str], wheel: str) -> str | None:
    """The primary link to which a wheel belongs in the canonical form; None: the wheel is not in the graph."""
    riders = graph.canonical_graph().virtual_links(links)
    return next((link for link, wheels in riders.items() if wheel in wheels), None)


def _ratio_text(ratio: Scalar) -> str:
    return f"{float(f'{float(ratio) + 0.0:.4g}'):.10g}"


def _turning_edges(graph: GearGraph) -> list[NetworkEdge]:
    """Edges of turning pairs; an axis of a single vertex has no label."""
    return [NetworkEdge(pair.inner, pair.outer, _axis_label(pair)) for pair in graph.turning]


def _axis_label(pair: TurningPair) -> str:
    return "" if pair.axis is None or pair.axis == pair.outer else pair.axis


def _gear_edges(graph: GearGraph) -> list[NetworkEdge]:
    return [NetworkEdge(gear.first, gear.second, _ratio_text(gear.ratio), tree=False) for gear in graph.gears]


def _drive_edges(robot: Robot, mech: Mechanism, graph: GearGraph) -> list[NetworkEdge]:
    """Springs behind the shafts of the graph; wheels of drives that are not in the graph, with their total ratios."""
    body_by_speed = {body.joint_name: body.name for body in mech.bodies} | {shaft: shaft for shaft in mech.shafts}
    edges: dict[NetworkEdge, None] = {}
    for drive in robot.drives:
        shafts = [shaft for shaft in mech.shafts if shaft.startswith(f"{drive.joint}.")]
        is_drawn = any(link.startswith(f"{drive.title}.") for link in graph.links if link not in shafts)
        if is_drawn and shafts:
            edges[NetworkEdge(shafts[-1], body_by_speed[drive.joint], "spring", tree=False)] = None
        for spin in (spin for spin in mech.spins if spin.name.startswith(f"{drive.title}.") and not is_drawn):
            carrier = mech.carrier_name(spin.carrier)
            edges[NetworkEdge(carrier, spin.name)] = None
            for speed, ratio in ((mech.speeds[k], ratio) for k, ratio in spin.terms):
                if speed in mech.shafts:
                    edges[NetworkEdge(carrier, speed)] = None
                    edges[NetworkEdge(speed, body_by_speed[drive.joint], "spring", tree=False)] = None
                edges[NetworkEdge(spin.name, body_by_speed[speed], _ratio_text(ratio), tree=False)] = None
    return list(edges)
