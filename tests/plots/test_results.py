"""Every result draws itself, with one unit per axis, and shows itself in notebooks."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import (
    Perturbation,
    Task,
    analyse,
    compare,
    compare_impacts,
    energy_balance,
    sensitivities,
    vibration_modes,
)
from gearwright.catalogue import drives
from gearwright.design import Range, Uniform, size_drives, sweep
from gearwright.errors import InputError
from gearwright.identification import Log
from gearwright.motion import polynomial
from gearwright.parts import Drive, Joint, Limits, Link, LinkSection, Robot, Tube
from gearwright.plots import Panel, bar_figure, panel_figure, panels_by_unit
from gearwright.plots.bars import BAR_HATCHES
from gearwright.plots.series import LINE_STROKES

UNIT = r"\[.+\]$|^q\d$|^sample$|^points$|\.ratio$"
"""How a label ends; samples and counts have no unit, nor have ratios."""
LIFTED = polynomial([0.1, 0.1, -0.05, 0.1], [0.5, 0.4, -0.1, 0.3], duration=0.4, order=7)


def made():
    """One of each kind of result, small ones."""
    elbow, scara = gw.load("elbow"), gw.load("scara")
    swing = polynomial([0, 0, 0], [0.3, 0.2, 0.1], duration=0.3, order=7)
    asked = gw.demands(scara, LIFTED)
    still = np.zeros(3)
    yield asked
    yield gw.simulate(scara, LIFTED.at(0.0), until=0.05, inputs=asked.force_signals)
    yield swing.with_robot_names(elbow)
    yield swing.sample(11)
    yield compare(elbow, swing.sample(11))
    yield energy_balance(elbow, swing.sample(11))
    yield gw.rollout(elbow, np.zeros((3, 3)), np.zeros((3, 3)), 5, 1e-3)
    yield gw.linearise(elbow, still, still, still)
    yield vibration_modes(gw.load("elastic_elbow"), still)
    yield gw.export.state_space(elbow, still)
    yield gw.equations.explain(elbow, 0.3 + still, 1 + still, 1 + still)
    yield gw.equations.energies(gw.load("elastic_elbow"), np.full(6, 0.3), np.ones(6))
    yield compare_impacts(elbow, [0.2, -0.5, 1.0], [0.0, -1.0, -0.5], "tool", (0, 0, 1))
    motion = swing.sample(11)
    yield Log(motion.t, motion.q, gw.inverse_dynamics(elbow, motion.q, motion.v, motion.a))
    yield sweep(elbow, GRID, motion, options=gw.design.SweepOptions(progress=False))
    yield from of_a_task()


GRID = {"j2.gear.ratio": [150.0, 50.0, 100.0], "j3.gear.ratio": [50.0, 100.0]}


def lever() -> Robot:
    articles = drives()
    joint = Joint("lift", axis=(0, 1, 0), limits=Limits(speed=5.0, effort=30.0))
    link = Link("arm", "base", joint, mass=3.0, com=(0.3, 0, 0), inertia=np.diag([0.1, 0.1, 0.1]))
    return Robot(
        "lever", [link], [Drive("lift", articles.motor("MM_148877").motor(), articles.gearbox("MM_203120").gear())]
    )


def task(**words) -> Task:
    there, back = (polynomial([x], [1 - x], duration=1.0, order=7) for x in (0.0, 1.0))
    return Task([there, back], **words)


def of_a_task():
    wrong = Perturbation(start_error={"lift": 0.01})
    found = analyse(lever(), task(perturbed=wrong), sections={"arm": LinkSection((0.6, 0, 0), Tube(0.01, 0.008))})
    yield from (found, found.drives["lift"], found.links["arm"], found.links["arm"].loads, found.perturbed, found.tip)
    yield sensitivities(found, ["arm.mass", "lift.motor.inertia"])
    ratio = {"lift.gear.ratio": Range(30.0, 120.0)}
    yield size_drives(
        lever(),
        task(),
        objective="energy",
        joints=[],
        variables=ratio,
        search=gw.design.SearchOptions(trials=2, samples=51),
    )


@pytest.fixture(scope="module")
def results():
    return {type(result).__name__: result for result in made()}


def axes_of(result):
    return result.plot().axes


def test_every_result_has_a_figure_with_units(results):
    for name, result in results.items():
        for axes in axes_of(result):
            for text in (axes.get_xlabel(), axes.get_ylabel()):
                assert not text or re.search(UNIT, text), (name, text)


def test_every_result_shows_itself_in_a_notebook(results, tmp_path):
    for name, result in results.items():
        page = result._repr_html_()
        assert page.startswith(("<p>", "<table>")), name
        assert page.rstrip().endswith("</svg>"), name
        assert inspect.signature(result.plot).parameters["path"].default is None
    result.plot(path=tmp_path / "one.png")
    assert (tmp_path / "one.png").stat().st_size > 1000


def test_joints_that_turn_and_joints_that_slide_have_axes_of_their_own(results):
    labels = [axes.get_ylabel() for axes in axes_of(results["MotionDemands"])]
    assert {"torque [Nm]", "force [N]", "current [A]", "voltage [V]"} <= set(labels)
    assert all(" or " not in label and ", " not in label for label in labels)
    for axes in axes_of(results["MotionDemands"]):
        if axes.get_ylabel() == "force [N]":
            assert [line.get_label() for line in axes.lines] == ["lift"]


def test_temperatures_are_in_degrees_celsius(results):
    warm = [axes for axes in axes_of(results["MotionDemands"]) if "temperature" in axes.get_ylabel()]
    assert [axes.get_ylabel() for axes in warm] == ["winding temperature [°C]"]
    assert 15 < warm[0].lines[0].get_ydata()[0] < 40


def test_curves_differ_without_colour_and_are_seen_where_they_coincide():
    page = panel_figure([0, 1], "x", [Panel("y", {name: [0, 1] for name in "abcde"})])
    lines = page.axes[0].lines
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == len(LINE_STROKES)
    widths = [line.get_linewidth() for line in lines]
    assert widths == sorted(widths, reverse=True)


def test_an_echo_stands_with_its_curve():
    curves = {"a": [1.0], "b": [2.0], "a wanted": [1.0]}
    turning, sliding = panels_by_unit("force", curves, {"a": "Nm", "b": "N"}, "dotted: wanted", {"a wanted": "a"})
    assert (turning.label, list(turning.curves), dict(turning.echoes)) == (
        "torque [Nm]",
        ["a", "a wanted"],
        {"a wanted": "a"},
    )
    assert (sliding.label, list(sliding.curves), sliding.title) == ("force [N]", ["b"], "")


def test_the_diagram_of_a_drive_has_what_data_sheets_allow(results):
    drive = results["DriveAnalysis"]
    (axes,) = axes_of(drive)
    drawn = {line.get_label(): line for line in axes.lines}
    assert {"task", "continuous", "voltage", "gearbox peak"} <= set(drawn)
    assert np.array_equal(drawn["task"].get_ydata(), np.abs(drive.motor_torque))


def test_the_figure_of_a_link_is_the_worst_of_the_cycle(results):
    link = results["LinkAnalysis"]
    stress, forces, moments = axes_of(link)
    assert stress.lines[0].get_ydata().max() == pytest.approx(link.peak_stress / 1e6)
    assert [len(axes.lines) for axes in (forces, moments)] == [3, 3]
    assert moments.lines[1].get_ydata()[0] == np.abs(link.loads.moments[:, 0, 1]).max()


def test_bars_of_wheels_add_up_to_the_shares(results):
    told = results["Explanation"]
    heights = [sum(patch.get_height() for patch in axes.patches) for axes in axes_of(told)]
    assert heights == pytest.approx(told.forces.sum(axis=(0, 1)))


def test_batches_are_drawn_over_the_samples():
    elbow = gw.load("elbow")
    motion = polynomial([0, 0, 0], [0.3, 0.2, 0.1], duration=0.3).sample(5)
    told = gw.equations.explain(elbow, motion.q, motion.v, motion.a)
    parts = gw.equations.energies(elbow, motion.q, motion.v)
    assert np.array_equal(axes_of(told)[1].lines[1].get_ydata(), told.total_share("j2.rotor")[:, 1])
    kinetic = [line.get_ydata() for line in axes_of(parts)[0].lines]
    assert np.sum(kinetic, axis=0) == pytest.approx(parts.kinetic)


def test_a_grid_is_drawn_over_its_longest_axis_and_samples_as_histograms(results):
    found = results["Sweep"]
    (axes,) = found.plot("peak.j2").axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("j2.gear.ratio", "peak.j2 [Nm]")
    assert [line.get_label() for line in axes.lines] == ["j3.gear.ratio 50", "j3.gear.ratio 100"]
    assert axes.lines[0].get_ydata().tolist() == found["peak.j2"][[2, 4, 0]].tolist()
    drawn = sweep(gw.load("elbow"), {"j2.gear.ratio": Uniform(50, 100)}, polynomial([0] * 3, [1] * 3, 1.0), samples=9)
    (axes,) = drawn.plot("peak.j2").axes
    assert sum(patch.get_height() for patch in axes.patches) == 9
    with pytest.raises(InputError, match=r"'peak\.j2'"):
        found.plot("peek.j2")


def test_the_chosen_design_stands_out(results):
    sizing = results["Sizing"]
    marked = {line.get_label(): line for line in axes_of(sizing)[0].lines}["chosen"]
    assert marked.get_xdata() == [sizing.design.energy]
    assert "<td>lift.gear.ratio</td>" in sizing._repr_html_()


def test_what_has_no_picture_shows_a_table():
    arm = gw.load("ur5_like")
    mech = gw.assemble(arm)
    pose = gw.placement(mech, [0.1, -1.2, 1.5, 0.3, 0.8, 0.2], "tool")
    every = gw.inverse_kinematics(arm, "tool", pose, branches="all")._repr_html_()
    assert every.count("<td>yes</td>") == 8
    assert "<th>wrist_3</th>" in gw.inverse_kinematics(arm, "tool", pose)._repr_html_()
    assert mech._repr_html_().count("<tr>") == 2 + len(mech.bodies) + len(mech.spins)
    assert "<td>operations</td>" in gw.compile(gw.gravity, mech)._repr_html_()


def test_bars_differ_without_colour():
    page = bar_figure(["one"], {name: [1.0] for name in "abcde"}, "x [m]")
    assert [patch.get_hatch() or "" for patch in page.axes[0].patches] == list(BAR_HATCHES[:5])
