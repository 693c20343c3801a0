"""Figures of the five works: all are shown in the manual, and show what they claim."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gearwright.errors import InputError
from gearwright.functions.dynamics import inverse_dynamics, kinetic_energy
from gearwright.motion import polynomial
from gearwright.plots.series import PLOT_COLOURS
from gearwright.plots.sketch import Area, Arrow, Disc, Label, Mark, Stroke, sketch_figure
from gearwright.works import WORK_FIGURES, draw_figure, fernini, sketch_symbols

DOCS = Path(__file__).parents[2] / "docs"


def test_every_figure_stands_in_the_manual():
    """The pages draw each of them, which is the test that all can be drawn; the pictures are in the repository."""
    pages = [page.read_text() for page in DOCS.glob("works_*.md")]
    shown = {name for text in pages for name in re.findall(r"images/works/(\w+)\.png", text)}
    assert shown == set(WORK_FIGURES) == {picture.stem for picture in (DOCS / "images" / "works").glob("*.png")}
    assert not any("reference/generated/" in text for text in pages)


def test_all_of_fernini_from_6_to_13_are_there():
    assert {f"fernini_{k}" for k in range(6, 14)} <= set(WORK_FIGURES)
    captions = [WORK_FIGURES[f"fernini_{k}"].caption for k in range(6, 14)]
    assert [("second engine" in x, "4 planets" in x, "torques" in x) for x in captions] == [
        (other, four, torques) for torques in (False, True) for four in (False, True) for other in (False, True)
    ]


def curves(name):
    return {line.get_label(): line.get_ydata() for axes in draw_figure(name).axes for line in axes.get_lines()}


def test_the_path_is_that_of_the_paper():
    drawn = curves("fernini_path")
    assert (drawn["x"][0], drawn["y"][0]) == pytest.approx((0.8, 0.0), abs=1e-12)
    assert (drawn["x"][-1], drawn["y"][-1]) == pytest.approx((0.4499, 0.5864), abs=1e-5)
    assert [drawn[f"joint {k}"][-1] for k in (1, 2)] == pytest.approx(np.deg2rad([30, 45]), abs=2e-4)


def peaks(end):
    """Highest energy and torques with three planets on the way to those angles, at the times of the figures."""
    t, mech = fernini.sampled_motion().t, fernini.arm_mechanism(3)
    q, v, a = (polynomial([0.0, 0.0], end, duration=1.0, order=7).at(t, k) for k in range(3))
    return [kinetic_energy(mech, q, v).max(), *inverse_dynamics(mech, q, v, a).max(axis=0)]


def angles_of(x, y, length=0.4):
    """Of the printed place, by the cosine rule."""
    elbow = np.arccos((x * x + y * y) / (2 * length**2) - 1)
    return [np.arctan2(y, x) - elbow / 2, elbow]


def test_energies_and_torques_have_the_known_peaks():
    """The reference is the motion to 30 and 45 degrees, whose place is printed in four digits.

    The printed place is that of 30.0038 and 44.9998 degrees, and to it the figures move. That alone raises the peak of
    the energy by 2.94e-3 J and those of the torques by 6.1e-3 and 1.9e-3 Nm; 201 samples miss the top of the energy by
    1.7e-4 J, which is what the first tolerance is for.
    """
    reference, printed = peaks(np.deg2rad([30, 45])), peaks(angles_of(0.4499, 0.5864))
    assert reference == pytest.approx([18.0967, 299.4219, 82.5507], abs=2.2e-4)
    assert np.subtract(printed, reference) == pytest.approx([2.94e-3, 6.12e-3, 1.89e-3], abs=1e-5)
    both = draw_figure("fernini_10").axes[0].get_lines()
    drawn = [curves("fernini_6")["3 planets"].max(), *(line.get_ydata().max() for line in both)]
    assert drawn == pytest.approx(printed, abs=1e-5)


def test_the_second_engine_agrees():
    assert np.abs(draw_figure("fernini_11").axes[1].get_lines()[0].get_ydata()).max() < 1e-11
    assert fernini.second_engine(4).energy_error < 1e-13


def test_graphs_of_chen_and_wang():
    titles = [axes.get_title() for name in ("chen_wang_2", "chen_wang_3") for axes in draw_figure(name).axes]
    assert titles[:3] == ["graph as drawn", "canonical graph", "equivalent open-loop chain"]


@pytest.mark.parametrize("name", ["sciavicco_1", "vukobratovic_6"])
def test_parts_of_forces_are_labelled(name):
    words = {text.get_text() for axes in draw_figure(name).axes for text in axes.texts}
    assert {"f", "mu", "-f next", "m g"} <= words or {"total", "drive, tau e", "reaction"} <= words


def test_problems_are_drawn_as_the_table_lists_them():
    page = (DOCS / "works_vukobratovic.md").read_text()
    listed = re.findall(r"^\| (\d+) \w", page.split("## Problems 1 to 10")[1], re.MULTILINE)
    drawings = draw_figure("vukobratovic_11").axes
    assert [axes.get_title().split()[0] for axes in drawings] == listed == [str(k) for k in range(1, 11)]
    assert len({(axes.get_xlim(), axes.get_ylim()) for axes in drawings}) == 1, "all at one scale"


def coordinates(axes, colour):
    """The numbers of the functional coordinates whose names are drawn in a colour."""
    texts = [text.get_text() for text in axes.texts if text.get_color() == PLOT_COLOURS[colour]]
    return {int(number) for text in texts for number in re.findall(r"s(\d)", text)}


def test_held_coordinates_are_those_of_the_text_and_have_the_reactions():
    tasks, reactions = draw_figure("vukobratovic_13").axes, draw_figure("vukobratovic_14").axes
    assert [coordinates(axes, sketch_symbols.FREE_COLOUR) for axes in tasks] == [{1, 2, 3, 4, 5}, {1, 2}]
    held = [coordinates(axes, sketch_symbols.HELD_COLOUR) for axes in tasks]
    assert held == [{6}, {3, 4, 5, 6}]
    moments = 5
    assert [coordinates(axes, sketch_symbols.HELD_COLOUR) | coordinates(axes, moments) for axes in reactions] == held


def test_each_model_of_the_surroundings_has_more_than_the_one_before():
    names = [
        {text.get_text() for text in axes.texts if text.get_text()} - {"s6"}
        for axes in draw_figure("vukobratovic_15").axes
    ]
    assert names == [set(), {"k", "b"}, {"k", "b", "me"}, {"k", "b", "me", "outer k"}]


@pytest.mark.parametrize("name", ["vukobratovic_18", "vukobratovic_20"])
def test_joints_open_by_their_angle_from_the_extended_position(name):
    """The arc turns the axis a by q or alpha; link j, placed by the reader of files, lies where it ends."""
    for axes in draw_figure(name).axes:
        _, link = (line.get_xydata() for line in axes.get_lines() if line.get_linestyle() == "--")
        (arc,) = (line.get_xydata() for line in axes.get_lines() if len(line.get_xydata()) == 41)
        side, end = link[1] - link[0], arc[-1] - link[0]
        assert side[0] * end[1] - side[1] * end[0] == pytest.approx(0.0, abs=1e-12)
        assert side @ end > 0


def test_unknown_figures_are_refused():
    with pytest.raises(InputError, match="'fernini_6'"):
        draw_figure("fernini6")


def test_a_sketch_shows_all_kinds_of_items():
    items = [
        Stroke([(0, 0, 0), (1, 0, 0)]),
        Arrow((0, 0, 0), (0, 0, 1), "up"),
        Arrow((0, 0, 0), (0, 1, 0), "away"),
        Disc((0, 0, 0), (0, 0, 1), 0.5),
        Area([(0, 0, 0), (1, 0, 0), (1, 0, 1)]),
        Mark((1, 0, 0), "end"),
        Label((1, 1, 1), "word"),
    ]
    (axes,) = sketch_figure({"all": items}, "front").axes
    assert [t.get_text() for t in axes.texts if t.get_text()] == ["up", "away", "end", "word"]
    assert len(axes.patches) == 2


def test_the_schemes_of_feedforward_stand_beside_their_errors():
    """Figure 20.10: two block diagrams, in the second of which the model gets the state, above the curves of both."""
    schemes, curve_axes = draw_figure("vukobratovic_10").axes[:2], draw_figure("vukobratovic_10").axes[2]
    assert [axes.get_title()[:3] for axes in schemes] == ["(a)", "(b)"]
    for axes in schemes:
        assert {"q*", "u*", "u", "gains", "model", "robot"} <= {text.get_text() for text in axes.texts}
    arrows = [len(axes.texts) + len(axes.patches) + len(axes.lines) for axes in schemes]
    assert arrows[1] > arrows[0]
    assert [line.get_label() for line in curve_axes.get_lines()] == ["PD only", "scheme (a)", "scheme (b)"]
