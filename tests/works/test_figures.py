"""Figures of the five works: all are shown in the manual, and show what they claim."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from gearwright.errors import InputError
from gearwright.plots.sketch import Arrow, Disc, Label, Mark, Stroke, sketch
from gearwright.works import FIGURES, draw, fernini

DOCS = Path(__file__).parents[2] / "docs"


def test_every_figure_stands_in_the_manual():
    """The pages draw each of them, which is the test that all can be drawn."""
    shown = {name for page in DOCS.glob("works_*.md") for name in re.findall(r"generated/(\w+)\.svg", page.read_text())}
    assert shown == set(FIGURES)


def test_all_of_fernini_from_6_to_13_are_there():
    assert {f"fernini_{k}" for k in range(6, 14)} <= set(FIGURES)
    captions = [FIGURES[f"fernini_{k}"].caption for k in range(6, 14)]
    assert [("second engine" in x, "4 planets" in x, "torques" in x) for x in captions] == [
        (other, four, torques) for torques in (False, True) for four in (False, True) for other in (False, True)
    ]


def curves(name):
    return {line.get_label(): line.get_ydata() for axes in draw(name).axes for line in axes.get_lines()}


def test_the_path_is_that_of_the_paper():
    drawn = curves("fernini_path")
    assert (drawn["x"][0], drawn["y"][0]) == pytest.approx((0.8, 0.0), abs=1e-12)
    assert (drawn["x"][-1], drawn["y"][-1]) == pytest.approx((0.4499, 0.5864), abs=1e-5)
    assert [drawn[f"joint {k}"][-1] for k in (1, 2)] == pytest.approx(np.deg2rad([30, 45]), abs=2e-4)


def test_energies_and_torques_have_the_known_peaks():
    """Peaks of three planets as in the reference, up to the four digits of the printed place; the engines agree."""
    assert curves("fernini_6")["3 planets"].max() == pytest.approx(18.0967, abs=5e-3)
    both = draw("fernini_10").axes[0].get_lines()
    assert [line.get_ydata().max() for line in both] == pytest.approx([299.4219, 82.5507], abs=2e-2)
    assert np.abs(draw("fernini_11").axes[1].get_lines()[0].get_ydata()).max() < 1e-11
    assert fernini.second_engine(4).energy_error < 1e-13


def test_graphs_of_chen_and_wang():
    titles = [axes.get_title() for name in ("chen_wang_2", "chen_wang_3") for axes in draw(name).axes]
    assert titles[:3] == ["graph as drawn", "canonical graph", "equivalent open-loop chain"]


@pytest.mark.parametrize("name", ["sciavicco_1", "vukobratovic_6"])
def test_parts_of_forces_are_labelled(name):
    words = {text.get_text() for axes in draw(name).axes for text in axes.texts}
    assert {"f", "mu", "-f next", "m g"} <= words or {"total", "drive, tau e", "reaction"} <= words


def test_unknown_figures_are_refused():
    with pytest.raises(InputError, match="Did you mean 'fernini_6'"):
        draw("fernini6")


def test_a_sketch_shows_all_kinds_of_items():
    items = [
        Stroke([(0, 0, 0), (1, 0, 0)]),
        Arrow((0, 0, 0), (0, 0, 1), "up"),
        Arrow((0, 0, 0), (0, 1, 0), "away"),
        Disc((0, 0, 0), (0, 0, 1), 0.5),
        Mark((1, 0, 0), "end"),
        Label((1, 1, 1), "word"),
    ]
    (axes,) = sketch({"all": items}, "front").axes
    assert [t.get_text() for t in axes.texts if t.get_text()] == ["up", "away", "end", "word"]
    assert len(axes.patches) == 1
