"""Graphs drawn from a root: every node once, no two at one place, every label there."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

import gearwright as gw
from gearwright.plots.network import HIGHLIGHT, NetworkEdge, network_figure
from gearwright.scene import gear_graphs

EDGES = [
    NetworkEdge("base", "a", "x"),
    NetworkEdge("base", "b", "y"),
    NetworkEdge("a", "c", "z"),
    NetworkEdge("a", "d"),
    NetworkEdge("c", "b", "-2", tree=False),
]


def test_every_node_has_its_place_and_every_edge_its_label():
    page = network_figure({"one": EDGES, "other": EDGES[:2]}, "base")
    texts = [text for text in page.axes[0].texts if text.get_text()]
    assert {text.get_text() for text in texts} == {"base", "a", "b", "c", "d", "x", "y", "z", "-2"}
    places = [text.get_position() for text in texts if text.get_text() in ("base", "a", "b", "c", "d")]
    assert len(set(places)) == 5
    assert [axes.get_title() for axes in page.axes] == ["one", "other"]


def test_children_are_below_their_parents():
    page = network_figure({"one": EDGES}, "base")
    height = {text.get_text(): text.get_position()[1] for text in page.axes[0].texts}
    assert height["base"] > height["a"] > height["c"]
    assert height["a"] == height["b"]


def test_highlighted_edges_are_bolder_than_others():
    page = network_figure({"one": EDGES}, "base", highlighted=[EDGES[4]])
    bold = [arrow.arrow_patch.get_linewidth() for arrow in page.axes[0].texts if hasattr(arrow, "arrow_patch")]
    assert len(bold) == len(EDGES)
    assert sum(width > 2 * min(bold) for width in bold) == 1


def test_six_axes_are_readable_in_a_narrow_panel():
    """At 400 pixels letters are as large as on a page, no text lies on another, and all of it is in the picture."""
    robot = gw.load("harmonic_6")
    graphs = gear_graphs(robot, gw.assemble(robot))
    page = network_figure(graphs, "base", sideways=True)
    pixels = 400 / page.get_size_inches()[0]
    page.set_dpi(pixels)
    canvas = FigureCanvasAgg(page)
    canvas.draw()
    assert len(page.axes) == len(graphs)
    for axes, edges in zip(page.axes, graphs.values(), strict=True):
        texts = [text for text in axes.texts if text.get_text()]
        names = {name for edge in edges for name in (edge.first, edge.second)}
        assert names <= {text.get_text() for text in texts}
        assert len(texts) == 1 + len(names) + sum(bool(edge.label) for edge in edges)
        boxes = [text.get_window_extent(canvas.get_renderer()) for text in texts]
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
        assert all(box.x0 >= 0 and box.x1 <= 400 for box in boxes)
        assert min(text.get_fontsize() for text in texts) * pixels / 72 > 7
        rows = [text.get_position()[1] for text in texts if text.get_text() in names and text.get_fontsize() > 8]
        assert np.diff(sorted(rows)).min() > 0.3


def test_rows_show_a_path_and_every_edge():
    """Tree edges lead down and to the right, the others to a lane beyond all nodes; the path is bold."""
    page = network_figure({"one": EDGES}, "base", sideways=True, highlighted=[EDGES[4]])
    (axes,) = page.axes
    nodes = {text.get_text(): text.get_position() for text in axes.texts}
    for edge, line in zip(EDGES, axes.lines, strict=True):
        x, y = line.get_data()
        assert [(x[0] < x[-1] and y[0] > y[-1]), edge in EDGES[:4]] in ([True, True], [False, False])
        assert (line.get_color() == HIGHLIGHT["color"]) is (edge is EDGES[4])
        assert y[-1] == nodes[edge.second][1]
    assert max(axes.lines[4].get_xdata()) > max(nodes[name][0] for name in "abcd") + 0.5
