"""Graphs drawn from a root: every node once, no two at one place, every label there."""

from __future__ import annotations

from gearwright.plots.network import NetworkEdge, network_figure

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
