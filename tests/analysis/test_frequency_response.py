"""Resonances and antiresonances of a motor against the theory of two inertias, and the response against its poles."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gearwright as gw
from gearwright.errors import InputError
from support.elastic_arms import elastic_elbow, turntable

TURN = 2 * np.pi
PLACE = [0.3, -0.5, 0.8]


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(100, 1e5), st.floats(0, 1))
@settings(deadline=None, max_examples=20)
def test_two_inertias(rotor, link, stiffness, damping):
    """Theta/T = (Jl s^2 + d s + k) / (s^2 (Jm Jl s^2 + (Jm + Jl)(d s + k))), the link (d s + k) over the same."""
    mech = turntable(rotor, link, stiffness, damping)
    f = np.array([0.3, 2.0, 11.1])
    found = gw.analysis.frequency_response(mech, [0.4], "table", f)
    assert found.sides == ("table.motor", "table")
    s = 2j * np.pi * f
    below = s**2 * (rotor * link * s**2 + (rotor + link) * (damping * s + stiffness))
    assert np.abs(found.values[:, 0] * below / (link * s**2 + damping * s + stiffness) - 1).max() < 1e-9
    assert np.abs(found.values[:, 1] * below / (damping * s + stiffness) - 1).max() < 1e-9
    assert TURN * found.resonances == pytest.approx([np.sqrt(stiffness * (1 / rotor + 1 / link))], rel=1e-9)
    assert TURN * found.antiresonances["table.motor"] == pytest.approx([np.sqrt(stiffness / link)], rel=1e-9)
    assert not len(found.antiresonances["table"])
    assert np.allclose(found.speed_response, found.values * s[:, None])


def test_peaks_and_dips_are_where_they_are_said_to_be():
    """A fine sweep of a lightly damped arm has a local maximum at each resonance, a minimum at each antiresonance."""
    mech = gw.assemble(elastic_elbow(damping=0.02))
    found = gw.analysis.frequency_response(mech, PLACE, "j2")
    assert len(found.resonances) >= 3

    def size(f: float, side: int) -> float:
        return float(np.abs(gw.analysis.frequency_response(mech, PLACE, "j2", [f]).speed_response[0, side]))

    for f in found.resonances[found.resonances > 1]:
        assert size(f, 0) > max(size(f * 0.998, 0), size(f * 1.002, 0))
    dips = found.antiresonances["j2.motor"]
    assert len(dips) >= 2
    for f in dips[dips > 1]:
        assert size(f, 0) < min(size(f * 0.998, 0), size(f * 1.002, 0))


def test_antiresonances_are_the_frequencies_with_that_motor_held():
    """Where a motor stands still, the rest swings as if it were held."""
    mech = gw.assemble(elastic_elbow())
    q = np.array([*PLACE, 0, 0, 0])
    A, _ = gw.linearise(mech, q, 0 * q, gw.bias(mech, q, 0 * q))
    M = gw.mass_matrix(mech, q)
    K = -M @ A[6:, :6]
    rest = [0, 1, 2, 3, 5]  # without j2.motor
    w2 = np.linalg.eigvals(np.linalg.solve(M[np.ix_(rest, rest)], K[np.ix_(rest, rest)])).real
    expected = np.sqrt(w2[w2 > 1e-3]) / TURN
    dips = gw.analysis.frequency_response(mech, PLACE, "j2").antiresonances["j2.motor"]
    assert len(dips) >= 2
    for f in dips:
        assert np.abs(expected / f - 1).min() < 1e-6


def test_a_motor_does_not_see_what_it_cannot_shake():
    """Two turntables on one base: each motor has its own resonance."""
    bodies = [gw.Body(name, -1, mass=1, inertia=np.diag([1, 1, 1.0])) for name in ("a", "b")]
    spins = [gw.Spin(f"r{n}", "base", (0, 0, 1), 1e-4, {f"{n}.motor": 100}) for n in "ab"]
    springs = [gw.Spring(n, {n: 1, f"{n}.motor": -1}, k) for n, k in (("a", 5000.0), ("b", 800.0))]
    motors = [gw.Actuator(n, {f"{n}.motor": 100}) for n in "ab"]
    mech = gw.Mechanism(bodies, spins, ("a.motor", "b.motor"), springs, motors)
    assert TURN * gw.analysis.frequency_response(mech, [0, 0], "a").resonances == pytest.approx([100.0])
    assert TURN * gw.analysis.frequency_response(mech, [0, 0], "b").resonances == pytest.approx([40.0])
    assert TURN * gw.analysis.frequency_response(mech, [0, 0], "b").antiresonances["b.motor"] == pytest.approx(
        [np.sqrt(800)]
    )


def test_figure_has_a_panel_per_side():
    mech = turntable(damping=3.0)
    soft = gw.analysis.frequency_response(mech, [0.0], 0)
    hard = gw.analysis.frequency_response(turntable(stiffness=2e4, damping=3.0), [0.0], 0)
    page = soft.plot(others={"stiffer": hard})
    assert [axes.get_title() for axes in page.axes] == ["table.motor", "table"]
    assert [axes.get_xscale() for axes in page.axes] == ["log", "log"]
    assert all(len(axes.lines) == 2 for axes in page.axes)


def test_figure_of_several_motors_names_the_sides():
    mech = gw.assemble(elastic_elbow(damping=3.0))
    first, second = (gw.analysis.frequency_response(mech, PLACE, name) for name in ("j1", "j2"))
    assert [axes.get_title() for axes in first.plot(others={"j2": second}).axes] == ["motor side", "joint side"]


def test_figure_shows_no_curve_where_nothing_was_computed():
    mech = turntable(damping=3.0)
    wide = gw.analysis.frequency_response(mech, [0.0], 0, np.geomspace(1, 100, 30))
    narrow = gw.analysis.frequency_response(mech, [0.0], 0, np.geomspace(5, 50, 300))
    for axes in wide.plot(others={"narrow": narrow}).axes:
        x, y = (np.asarray(part) for part in axes.lines[1].get_data())
        np.testing.assert_array_equal(np.isfinite(y), (x >= 5) & (x <= 50))


def test_numbers_of_a_short_axis_do_not_run_into_each_other():
    page = gw.analysis.frequency_response(turntable(damping=3.0), [0.0], 0, np.geomspace(2, 90, 30)).plot()
    page.draw_without_rendering()
    for axes in page.axes:
        labels = [text for text in axes.get_xticklabels(which="both") if text.get_text() and text.get_visible()]
        spans = sorted((box.x0, box.x1) for box in (text.get_window_extent() for text in labels))
        assert [text.get_text() for text in labels if 2 <= float(text.get_text()) <= 90]
        assert all(end < start for (_, end), (start, _) in pairwise(spans))


def test_bad_input():
    mech = turntable()
    with pytest.raises(InputError, match=r"'tabel'.*'table'"):
        gw.analysis.frequency_response(mech, [0.0], "tabel")
    with pytest.raises(InputError, match=r"frequencies\[1\]=-2\.0"):
        gw.analysis.frequency_response(mech, [0.0], 0, [1.0, -2.0])
    with pytest.raises(InputError, match="frequency_response: q "):
        gw.analysis.frequency_response(mech, [[0.0], [1.0]], 0)
    with pytest.raises(InputError, match="spring"):
        gw.analysis.frequency_response(gw.approximate(mech, "rigid"), [0.0], 0)
