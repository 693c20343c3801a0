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
NODE_BOX = {"boxstyle": "round,pad=0.35", "facecolor": "#f2efe6", "edgecolor": PLOT_COLOURS[0]}


def edge_style(edge: NetworkEdge, highlighted: Collection[NetworkEdge]) -> dict[str, Any]:
    """Return the line style of an edge."""
    style: dict[str, Any] = {"linestyle": "-" if edge.tree else "--", "color": PLOT_COLOURS[0 if edge.tree else 1]}
    return style | (HIGHLIGHT if edge in highlighted else {})


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
        sideways: a row per node, indented by its level, and one graph below the other, for a narrow figure.
        highlighted: edges that are drawn bold and blue.
    """
    if sideways:
        return rows_figure(graphs, root, highlighted)
    from matplotlib.figure import Figure

    places = {title: _node_positions(edges, root) for title, edges in graphs.items()}
    widest = max(max(x for x, _ in places[title].values()) for title in graphs) + 1
    deepest = max(-min(y for _, y in places[title].values()) for title in graphs) + 1
    columns = min(2, len(graphs))
    rows = -(-len(graphs) // columns)
    page = Figure(figsize=((1.4 + 1.1 * widest) * columns, (1.0 + 1.0 * deepest) * rows), layout="constrained")
    for k, (title, edges) in enumerate(graphs.items()):
        axes = page.add_subplot(rows, columns, k + 1)
        axes.set_title(plot_label(title), fontsize=11)
        axes.axis("off")
        axes.margins(0.15)
        _draw_network(axes, edges, places[title], highlighted)
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
    highlighted: Collection[NetworkEdge],
) -> None:
    """Draw one graph."""
    for edge in edges:
        (x0, y0), (x1, y1) = places[edge.first], places[edge.second]
        bend = 0.0 if edge.tree else 0.25  # a gear pair between neighbours must not hide the line below it
        style = edge_style(edge, highlighted)
        arrow = {"arrowstyle": "-", "connectionstyle": f"arc3,rad={bend}", **style}
        axes.annotate("", (x1, y1), (x0, y0), arrowprops=arrow)
        middle = ((x0 + x1) / 2 + bend * (y1 - y0) / 2, (y0 + y1) / 2 - bend * (x1 - x0) / 2)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(*middle, plot_label(edge.label), fontsize=8, color=style["color"], ha="center", va="center", bbox=box)
    for name, (x, y) in places.items():
        axes.text(x, y, plot_label(name), ha="center", va="center", fontsize=10, bbox=NODE_BOX)
    axes.set_xlim(min(x for x, _ in places.values()) - 0.6, max(x for x, _ in places.values()) + 0.6)
    axes.set_ylim(min(y for _, y in places.values()) - 0.4, 0.4)


INDENTATION, ROW_HEIGHT, TITLE_HEIGHT = 0.34, 0.34, 0.6
"""Sizes of a graph in rows [inch]."""
NODE_LETTER, LABEL_LETTER, LANE_WIDTH = 0.095, 0.08, 0.19
"""Widths of letters of nodes and labels, and of a lane besides its label [inch]."""


def rows_figure(graphs: Mapping[str, Sequence[NetworkEdge]], root: str, highlighted: Collection[NetworkEdge]) -> Any:
    """Return a matplotlib figure with one diagram per graph, a row per node, one below the other.

    Tree edges run along the left, their labels beside the nodes; others run in lanes on the right.
    """
    from matplotlib.figure import Figure

    layouts = {title: _RowLayout(edges, root) for title, edges in graphs.items()}
    width = max(layout.width for layout in layouts.values())
    heights = [TITLE_HEIGHT + ROW_HEIGHT * len(layout.places) for layout in layouts.values()]
    page = Figure(figsize=(width, sum(heights)))
    top = sum(heights)
    for (title, layout), height in zip(layouts.items(), heights, strict=True):
        top -= height
        axes = page.add_axes((0.0, top / sum(heights), 1.0, height / sum(heights)))
        axes.axis("off")
        axes.set(xlim=(0.0, width), ylim=(0.5 * ROW_HEIGHT - height, 0.5 * ROW_HEIGHT))
        axes.text(0.1, 0.0, plot_label(title), fontsize=11, va="center")
        layout.draw(axes, highlighted)
    return page


class _RowLayout:
    """The layout of a graph with a row per node; shorter branches first, so that lanes are short."""

    def __init__(self, edges: Sequence[NetworkEdge], root: str) -> None:
        self.edges = edges
        below: dict[str, list[str]] = {}
        for edge in edges:
            if edge.tree:
                below.setdefault(edge.first, []).append(edge.second)
        self.labels = {edge.second: edge.label for edge in edges if edge.tree}
        self.places: dict[str, tuple[float, float]] = {}
        self._place(root, 0, below)
        ends = [
            x + NODE_LETTER * len(name) + LABEL_LETTER * len(self.labels.get(name, "")) + 0.5
            for name, (x, _) in self.places.items()
        ]
        self.lanes, self.width = self._lanes(max(ends))

    def _place(self, node: str, depth: int, below: Mapping[str, Sequence[str]]) -> None:
        self.places[node] = (0.25 + INDENTATION * depth, -ROW_HEIGHT * (len(self.places) + 1))
        for child in sorted(below.get(node, ()), key=lambda name: _branch_size(name, below)):
            self._place(child, depth + 1, below)

    def _lanes(self, start: float) -> tuple[dict[NetworkEdge, float], float]:
        """Return the place of the lane of every edge that is not of the tree, and the width of the figure."""
        taken: list[list[tuple[float, float, float]]] = []  # per lane: lower end, upper end, width of the label
        chosen: dict[NetworkEdge, int] = {}
        spans = {edge: self._span(edge) for edge in self.edges if not edge.tree}
        for edge, (low, high) in sorted(spans.items(), key=lambda entry: entry[1][1] - entry[1][0]):
            is_free = [all(high < start or low > end for start, end, _ in lane) for lane in taken]
            lane = is_free.index(True) if True in is_free else len(taken)
            taken += [[]] if lane == len(taken) else []
            taken[lane].append((low, high, LABEL_LETTER * len(edge.label)))
            chosen[edge] = lane
        places = [start]
        for occupied in taken:
            places.append(places[-1] + LANE_WIDTH + max(size for _, _, size in occupied))
        return {edge: places[lane] for edge, lane in chosen.items()}, places[-1] + 0.1

    def _span(self, edge: NetworkEdge) -> tuple[float, float]:
        low, high = sorted(self.places[name][1] for name in (edge.first, edge.second))
        return low, high

    def draw(self, axes: Any, highlighted: Collection[NetworkEdge]) -> None:
        """Draw edges, then nodes and their labels over them."""
        for edge in self.edges:
            (x0, y0), (x1, y1) = self.places[edge.first], self.places[edge.second]
            lane, style = self.lanes.get(edge), edge_style(edge, highlighted)
            across = x0 + 0.08 if lane is None else lane
            style |= {"zorder": 1, "clip_on": False}  # a clip path has another name each time
            axes.plot([across if lane is None else x0, across, across, x1], [y0, y0, y1, y1], **style)
            if lane is not None:
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
                text = {"fontsize": 8, "color": style["color"], "va": "center", "bbox": box}
                axes.text(lane + 0.07, (y0 + y1) / 2, plot_label(edge.label), **text)
        for name, (x, y) in self.places.items():
            node = axes.text(x, y, plot_label(name), va="center", fontsize=10, bbox=NODE_BOX)
            beside = {"xycoords": node, "textcoords": "offset points", "fontsize": 8, "va": "center"}
            box = {"facecolor": "white", "edgecolor": "none", "pad": 1}
            axes.annotate(plot_label(self.labels.get(name, "")), (1.0, 0.5), xytext=(7, 0), bbox=box, **beside)


def _branch_size(node: str, below: Mapping[str, Sequence[str]]) -> int:
    return 1 + sum(_branch_size(child, below) for child in below.get(node, ()))
