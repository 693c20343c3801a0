"""Flows of a quantity between nodes in columns: the Sankey diagram."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from gearwright.plots.labels import plot_label as shown
from gearwright.plots.series import PLOT_COLOURS

NODE_WIDTH = 0.06
"""Width of a node, in distances between columns."""
NODE_SLOT = 0.42
"""Smallest height of a node with its label [inch]."""
LABEL_BACKGROUND: dict[str, Any] = {"facecolor": "white", "alpha": 0.6, "linewidth": 0, "pad": 0.5}
FLOW_HEIGHT = 2.6
"""Height of the whole flow [inch]."""


class Flow(NamedTuple):
    """A flow from one node to another; its amount is positive."""

    source: str
    target: str
    amount: float


class _Node(NamedTuple):
    """A node in the figure: column, lower edge and height [inch]."""

    column: int
    bottom: float
    height: float


def sankey_figure(flows: Sequence[Flow], unit: str, colours: Mapping[str, str]) -> Any:
    """Return a matplotlib figure of flows as bands whose heights are their amounts.

    Args:
        flows: between nodes; they form no cycle.
        unit: of the amounts.
        colours: of nodes by name; a band has the colour of its target, or else of its source.
    """
    from matplotlib.figure import Figure

    nodes = _placed_nodes(flows)
    height = max(node.bottom + node.height for node in nodes.values())
    last = max(node.column for node in nodes.values())
    page = Figure(figsize=(7.2, height + 0.3), layout="constrained")
    axes = page.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-0.55, last + 0.55)
    axes.set_ylim(-0.15, height + 0.15)
    _draw_bands(axes, flows, nodes, colours)
    amounts = _amounts(flows)
    supplied = sum(amounts[name] for name, node in nodes.items() if node.column == 0)
    for name, node in nodes.items():
        axes.add_patch(_rectangle(node, colours.get(name, PLOT_COLOURS[7])))
        place, side = (-0.03, "right") if node.column == 0 else (NODE_WIDTH + 0.03, "left")
        text = f"{shown(name)}\n" + shown(f"{amounts[name]:.3g} {unit}, {_share_text(amounts[name] / supplied)}")
        axes.text(
            node.column + place,
            node.bottom + node.height / 2,
            text,
            ha=side,
            va="center",
            fontsize=8,
            bbox=LABEL_BACKGROUND,
        )
    return page


def _share_text(share: float) -> str:
    """Return a share in per cent; a small one is not shown as zero."""
    return "< 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def _rectangle(node: _Node, colour: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((node.column, node.bottom), NODE_WIDTH, node.height, color=colour, linewidth=0)


def _amounts(flows: Iterable[Flow]) -> dict[str, float]:
    """Per node the larger one of what enters and what leaves."""
    entering: dict[str, float] = {}
    leaving: dict[str, float] = {}
    for flow in flows:
        leaving[flow.source] = leaving.get(flow.source, 0.0) + flow.amount
        entering[flow.target] = entering.get(flow.target, 0.0) + flow.amount
    return {name: max(entering.get(name, 0.0), leaving.get(name, 0.0)) for name in {**leaving, **entering}}


def _columns(flows: Sequence[Flow]) -> dict[str, int]:
    """Per node its column: one after the last of those it is fed by; nodes that feed none are in the last one."""
    columns = {name: 0 for flow in flows for name in (flow.source, flow.target)}
    for _ in columns:
        for flow in flows:
            columns[flow.target] = max(columns[flow.target], columns[flow.source] + 1)
    feeding = {flow.source for flow in flows}
    last = max(columns.values())
    return {name: column if name in feeding else last for name, column in columns.items()}


def _placed_nodes(flows: Sequence[Flow]) -> dict[str, _Node]:
    """Nodes stacked from the top in their columns, each column centred."""
    columns, amounts = _columns(flows), _amounts(flows)
    names = list(dict.fromkeys(name for flow in flows for name in (flow.source, flow.target)))
    total = sum(amounts[name] for name in names if columns[name] == 0)
    stacks = {column: [name for name in names if columns[name] == column] for column in sorted(set(columns.values()))}
    slots = {name: max(FLOW_HEIGHT * amounts[name] / total, 0.0) for name in names}
    tall = {column: sum(max(slots[name], NODE_SLOT - 0.1) + 0.1 for name in stack) for column, stack in stacks.items()}
    placed = {}
    for column, stack in stacks.items():
        top = (max(tall.values()) + tall[column]) / 2
        for name in stack:
            room = max(slots[name], NODE_SLOT - 0.1) + 0.1
            placed[name] = _Node(column, top - room / 2 - slots[name] / 2, slots[name])
            top -= room
    return placed


def _draw_bands(axes: Any, flows: Sequence[Flow], nodes: Mapping[str, _Node], colours: Mapping[str, str]) -> None:
    """Draw the bands; those of a node leave and enter it in the order of the flows, from the top."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    amounts = _amounts(flows)
    out = {name: node.bottom + node.height for name, node in nodes.items()}
    into = dict(out)
    for flow in flows:
        source, target = nodes[flow.source], nodes[flow.target]
        height = flow.amount * source.height / amounts[flow.source]
        y0, y1 = out[flow.source], into[flow.target]
        out[flow.source], into[flow.target] = y0 - height, y1 - height
        x0, x1 = source.column + NODE_WIDTH, float(target.column)
        middle = (x0 + x1) / 2
        corners = [(x0, y0), (middle, y0), (middle, y1), (x1, y1)]
        corners += [(x1, y1 - height), (middle, y1 - height), (middle, y0 - height), (x0, y0 - height), (x0, y0)]
        curve = [Path.CURVE4] * 3
        codes = [Path.MOVETO, *curve, Path.LINETO, *curve, Path.CLOSEPOLY]
        colour = colours.get(flow.target, colours.get(flow.source, PLOT_COLOURS[7]))
        axes.add_patch(PathPatch(Path(corners, codes), facecolor=colour, alpha=0.35, linewidth=0))
