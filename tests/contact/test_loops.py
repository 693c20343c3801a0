"""Closed loops in motion, against published numbers."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.simulation.integrators.constraint_projection import DEPENDENT_HOLDS_REMARK
from support.mechanisms import andrews, bricard, double_four_bar, published, slider_crank
from support.references import Reference

ANDREWS = Reference("Andrews' squeezing mechanism, published end state")
BRICARD = Reference("Bricard mechanism, an independent computation")
FOUR_BAR = Reference("Double four-bar, published benchmark")
CRANK = Reference("Spatial slider-crank, Exudyn")


def test_andrews_squeezer_reaches_its_published_end(reference):
    mech, laws, data, order = andrews(reference)
    begin, end = data["initial"], data["t=0.03"]
    drive = {"tau.K1": data["parameters"]["mom"]}
    q = np.array(begin["q"])[order]
    run = gw.simulate(
        mech,
        q,
        until=0.03,
        inputs=drive,
        laws=laws,
        samples=2,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12),
    )
    assert run.a[0] == pytest.approx(np.array(begin["a"])[order], rel=1e-9, abs=1e-6)
    for found, word, bound in ((run.q[-1], "q", 1e-9), (run.v[-1], "v", 1e-9), (run.a[-1], "a", 1e-6)):
        expected = np.array(end[word])[order]
        ANDREWS.agrees(f"{word} at 0.03 s, relative", np.abs(found - expected) / np.abs(expected).max(), bound)
    size = np.hypot(run["E3.force.x"], run["E3.force.y"])
    assert size == pytest.approx([np.hypot(*x["lambda"][:2]) for x in (begin, end)], rel=1e-6)
    assert max(np.abs(run[f"E{k}.{word}"]).max() for k in (3, 4, 6) for word in "xy") < 1e-12


def test_bricard_moves_with_a_row_too_many(reference):
    mech, laws = bricard()
    at = published(reference, "loop_mechanisms")["bricard"]["t=1"]
    expected = at["computed here (chain of 5, least-norm multipliers, DOP853 1e-11)"]
    exact = gw.analysis.IntegratorOptions(rtol=1e-10, atol=1e-12)
    run = gw.simulate(mech, np.zeros(5), until=10.0, laws=laws, samples=11, method="adaptive", integrator=exact)
    for name in ("P2", "P3"):
        BRICARD.agrees("places of points after 1 s [m]", gw.placement(mech, run.q[1], name)[1] - expected[name], 1e-7)
    assert [remark for remark in run.remarks if remark.startswith(DEPENDENT_HOLDS_REMARK)]
    BRICARD.agrees(
        "gap over 10 s [m, rad]", max(np.abs(run[f"hinge.{x}"]).max() for x in ("x", "y", "z", "ry", "rz")), 1e-8
    )
    BRICARD.agrees("error of the energy over 10 s, relative", run.drift, 1e-8)


def test_double_four_bar_passes_its_singular_positions(reference):
    mech, laws = double_four_bar()
    theta = published(reference, "loop_mechanisms")["double_four_bar"]["theta"]
    start = np.zeros(5), np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    run = gw.simulate(
        mech,
        start,
        until=4.0,
        laws=laws,
        samples=5,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=1e-11),
    )
    assert -run.q[1:, 0] == pytest.approx([theta[str(k)] for k in range(1, 5)], abs=1e-6)


def test_fixed_steps_with_projection_keep_the_branch_through_many_singular_positions(reference):
    """Ten passages in 10 s; steps that adapt crawl close to them, where the forces are not determined."""
    mech, laws = double_four_bar()
    theta = published(reference, "loop_mechanisms")["double_four_bar"]["theta"]
    start = np.zeros(5), np.array([-1.0, -1.0, -1.0, 1.0, 1.0])
    run = gw.simulate(
        mech,
        start,
        until=10.0,
        laws=laws,
        samples=11,
        method="projected",
        integrator=gw.analysis.IntegratorOptions(step=4e-3),
    )
    wanted = [theta[k] for k in ("1", "2", "3", "4", "10")]
    FOUR_BAR.agrees("angle up to 10 s, through singular positions [rad]", run.q[[1, 2, 3, 4, 10], 0] + wanted, 1e-8)
    assert max(np.abs(run[f"loop{k}.{word}"]).max() for k in (0, 1) for word in "xy") < 1e-12
    assert run.drift < 1e-9


def test_spatial_slider_crank(reference):
    mech, laws, start, stated = slider_crank(reference)
    run = gw.simulate(
        mech,
        start,
        until=1.0,
        laws=laws,
        samples=3,
        method="adaptive",
        integrator=gw.analysis.IntegratorOptions(rtol=1e-7),
    )
    expected = stated["exudyn"]["t=1, 8000 steps"]
    found = run.q[-1, 1], run.v[-1, 1], run.v[-1, 0]
    wanted = np.array([expected[word] for word in ("x", "v", "crank_rate")])
    CRANK.agrees("place, speed and crank rate, relative", found / wanted - 1, 1e-4)
