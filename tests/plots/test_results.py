"""Every result draws itself, with one unit per axis, and shows itself in notebooks."""

from __future__ import annotations

import re

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import compare, energy_balance, vibration_modes
from gearwright.motion import polynomial
from gearwright.plots import Panel, figure, panels_by_unit
from gearwright.plots.series import STROKES

LIFTED = polynomial([0.1, 0.1, -0.05, 0.1], [0.5, 0.4, -0.1, 0.3], duration=0.4, order=7)


def made():
    """One of each kind of result, small ones."""
    elbow, scara = gw.load("elbow"), gw.load("scara")
    swing = polynomial([0, 0, 0], [0.3, 0.2, 0.1], duration=0.3, order=7)
    asked = gw.demands(scara, LIFTED)
    still = np.zeros(3)
    yield asked
    yield gw.simulate(scara, LIFTED.at(0.0), until=0.05, inputs=asked.forces)
    yield swing.of(elbow)
    yield swing.sample(11)
    yield compare(elbow, swing.sample(11))
    yield energy_balance(elbow, swing.sample(11))
    yield gw.rollout(elbow, np.zeros((3, 3)), np.zeros((3, 3)), 5, 1e-3)
    yield gw.linearise(elbow, still, still, still)
    yield vibration_modes(gw.load("elastic_elbow"), still)
    yield gw.export.state_space(elbow, still)


@pytest.fixture(scope="module")
def results():
    return {type(result).__name__: result for result in made()}


def axes_of(result):
    return result.plot().axes


def test_every_result_has_a_figure_with_units(results):
    for name, result in results.items():
        for axes in axes_of(result):
            for text in (axes.get_xlabel(), axes.get_ylabel()):
                assert not text or re.search(r"\[.+\]$|^q\d$|^sample$", text), (name, text)


def test_every_result_shows_itself_in_a_notebook(results, tmp_path):
    for name, result in results.items():
        page = result._repr_html_()
        assert page.startswith("<p>"), name
        assert page.rstrip().endswith("</svg>"), name
        result.plot(path=tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 1000


def test_joints_that_turn_and_joints_that_slide_have_axes_of_their_own(results):
    labels = [axes.get_ylabel() for axes in axes_of(results["MotionDemands"])]
    assert {"force [Nm]", "force [N]", "current [A]", "voltage [V]", "torque [Nm]"} <= set(labels)
    assert all(" or " not in label and ", " not in label for label in labels)
    for axes in axes_of(results["MotionDemands"]):
        if axes.get_ylabel() == "force [N]":
            assert [line.get_label() for line in axes.lines] == ["lift"]


def test_temperatures_are_in_degrees_celsius(results):
    warm = [axes for axes in axes_of(results["MotionDemands"]) if "temperature" in axes.get_ylabel()]
    assert [axes.get_ylabel() for axes in warm] == ["winding temperature [°C]"]
    assert 15 < warm[0].lines[0].get_ydata()[0] < 40


def test_curves_differ_without_colour_and_are_seen_where_they_coincide():
    page = figure([0, 1], "x", [Panel("y", {name: [0, 1] for name in "abcde"})])
    lines = page.axes[0].lines
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == len(STROKES)
    widths = [line.get_linewidth() for line in lines]
    assert widths == sorted(widths, reverse=True)


def test_an_echo_stands_with_its_curve():
    curves = {"a": [1.0], "b": [2.0], "a wanted": [1.0]}
    turning, sliding = panels_by_unit("force", curves, {"a": "Nm", "b": "N"}, "dotted: wanted", {"a wanted": "a"})
    assert (turning.label, list(turning.curves), dict(turning.echoes)) == (
        "force [Nm]",
        ["a", "a wanted"],
        {"a wanted": "a"},
    )
    assert (sliding.label, list(sliding.curves), sliding.title) == ("force [N]", ["b"], "")
