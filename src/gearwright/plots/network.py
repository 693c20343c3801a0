"""Graphs drawn from a root downwards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gearwright.plots.labels import plot_label
from gearwright.plots.series import PLOT_COLOURS


@dataclass(frozen=True)
class NetworkEdge:
    """A line between two nodes; `tree` edges are solid and define the levels, others are dashed."""

    first: str
    second: str
    label: str = ""
    tree: bool = True


HIGHLIGHT = {"color": "#1f6fd0", "linewidth": 3.0}


def network_figure(
    graphs: Mapping[str, Sequence[NetworkEdge]],
    root: str,
    sideways: bool = False,
    highlighted: Collection[NetworkEdge] = (),
) -> Any:
    """Return a matplotlib figure with one diagram per graph, two side by side.

    Args:
        graphs: title -> its edges.
        root: the node from which all of them start.
        sideways: lay the graphs out from left to right, in one column, for a narrow figure.
        highlighted: edges that are drawn bold and blue.
    """
    from matplotlib.figure import Figure

    places = {title: _node_positions(edges, root) for title, edges in graphs.items()}
    widest = max(max(x for x, _ in places[title].values()) for title in graphs) + 1
    deepest = max(-min(y for _, y in places[title].values()) for title in graphs) + 1
    columns = 1 if sideways else min(2, len(graphs))
    rows = -(-len(graphs) // columns)
    if sideways:
        places = {title: {name: (-y, -x) for name, (x, y) in place.items()} for title, place in places.items()}
        size = (1.2 + 1.5 * deepest, (0.8 + 0.4 * widest) * rows)
    else:
        size = ((1.4 + 1.1 * widest) * columns, (1.0 + 1.0 * deepest) * rows)
    page = Figure(figsize=size, layout="constrained")
    for k, (title, edges) in enumerate(graphs.items()):
        axes = page.add_subplot(rows, columns, k + 1)
        axes.set_title(plot_label(title), fontsize=11)
        axes.axis("off")
        axes.margins(0.15)
        _draw_network(axes, edges, places[title], 0.4 / 1.5 if sideways else 1.0, highlighted)
    return page


def _node_positions(edges: Sequence[NetworkEdge], root: str) -> dict[str, tuple[float, float]]:
    """Return node positions, level by level below the root, each node centred above its children if possible."""
    below: dict[str, list[str]] = {}
    for edge in edges:
        if edge.tree:
            below.setdefault(edge.first, []).append(edge.second)
    positions: dict[str, tuple[float, float]] = {}
    _place_subtree(root, 0.0, 0, below, positions)
    return positions


def _place_subtree(
    node: str, left: float, depth: int, below: Mapping[str, Sequence[str]], positions: dict[str, tuple[float, float]]
) -> float:
    """Place a node and its subtree from `left` on; return the left end for the next one."""
    right = left
    for child in below.get(node, ()):
        right = _place_subtree(child, right, depth + 1, below, positions)
    kids = [positions[child][0] for child in below.get(node, ())]
    positions[node] = (sum(kids) / len(kids) if kids else left, -float(depth))
    return max(right, left + 1)


def _draw_network(
    axes: Any,
    edges: Sequence[NetworkEdge],
    places: Mapping[str, tuple[float, float]],
    flat: float,
    highlighted: Collection[NetworkEdge],
) -> None:
    """Draw one graph; `flat` is the ratio of vertical to horizontal unit on paper."""
    for edge in edges:
        (x0, y0), (x1, y1) = places[edge.first], places[edge.second]
        bend = 0.0 if edge.tree else 0.25  # a gear pair between neighbours must not hide the line below it
        style: dict[str, Any] = {"linestyle": "-" if edge.tree else "--", "color": PLOT_COLOURS[0 if edge.tree else 1]}
        style |= HIGHLIGHT if edge in highlighted else {}
        arrow = {"arrowstyle": "-", "connectionstyle": f"arc3,rad={bend}", **style}
        axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow)
        middle = ((x0 + x1) / 2 + bend * (y1 - y0) * flat / 2, (y0 + y1) / 2 - bend * (x1 - x0) / flat / 2)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(*middle, plot_label(edge.label), fontsize=8, color=style["color"], ha="center", va="center", bbox=box)
    for name, (x, y) in places.items():
        box = {"boxstyle": "round,pad=0.35", "facecolor": "#f2efe6", "edgecolor": PLOT_COLOURS[0]}
        axes.text(x, y, plot_label(name), ha="center", va="center", fontsize=10, bbox=box)
    axes.set_xlim(min(x for x, _ in places.values()) - 0.6, max(x for x, _ in places.values()) + 0.6)
    axes.set_ylim(min(y for _, y in places.values()) - 0.4, 0.4)
