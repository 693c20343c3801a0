"""Events, controllers and inputs, against closed solutions."""

import numpy as np
import pytest

import gearwright as gw
from gearwright.control import sampled_controller
from gearwright.simulation import Event, series, steps

BALL = gw.Mechanism([gw.Body("ball", joint="prismatic", axis=(0, 0, 1), mass=1.0)])
FLOATING = gw.Mechanism(BALL.bodies, gravity=(0, 0, 0))


@pytest.mark.parametrize("method", ["adaptive", "stiff"])
def test_an_event_is_found_at_its_time_and_may_end_the_run(method):
    low = Event(lambda t, state: state.q[0], "ground", terminal=True)
    run = gw.simulate(BALL, [1.0], until=3.0, events=[low], method=method)
    fall = np.sqrt(2 / 9.81)
    assert run.events[-1].name == "ground"
    assert run.events[-1].t == pytest.approx(fall, abs=1e-8 if method == "adaptive" else 1e-6)
    assert run.t[-1] <= fall


def test_an_event_that_passes_and_returns_is_seen_twice():
    thrown = gw.simulate(BALL, ([0.0], [5.0]), until=1.0, events=[lambda t, state: state.q[0] - 1.0])
    up, down = [happening.t for happening in thrown.events]
    expected = np.roots([-9.81 / 2, 5.0, -1.0])
    np.testing.assert_allclose(sorted([up, down]), sorted(expected), atol=1e-8)


def test_a_sampled_controller_is_held_between_its_calls():
    calls = []

    def control(t, state):
        calls.append(t)
        return [-4.0 * state.q[0]]

    run = gw.simulate(FLOATING, [1.0], until=0.5, controller=sampled_controller(control, 0.1), samples=51)
    assert sorted(set(calls))[:3] == pytest.approx([0.0, 0.1, 0.2])
    x, v = 1.0, 0.0
    for _ in range(5):  # constant acceleration over each period, by hand
        a = -4.0 * x
        x, v = x + v * 0.1 + 0.5 * a * 0.01, v + a * 0.1
    assert run["q.ball"][-1] == pytest.approx(x, abs=1e-11)
    assert run["tau.ball"][5] == run["tau.ball"][1]


@pytest.mark.parametrize("method", [None, "adaptive", "stiff", "euler"])
def test_a_sampled_controller_is_called_once_per_period(method):
    """It may count, filter or integrate on its own."""
    calls = []

    def count(t, state):
        calls.append(t)
        return np.zeros(3)

    step = gw.analysis.IntegratorOptions(step=1e-3 if method == "euler" else None)
    control = gw.control.sampled_controller(count, period=0.01)
    for _ in range(2):  # each run asks anew
        calls.clear()
        gw.simulate(gw.load("elbow"), until=0.05, controller=control, method=method, integrator=step)
        np.testing.assert_allclose(calls[:5], [0.0, 0.01, 0.02, 0.03, 0.04], atol=1e-12)
        assert len(calls) <= 6


def test_a_controller_with_states_integrates_them():
    integral = gw.Controller(lambda t, s: ([-10 * s.q[0] - 4 * s.v[0] + s["i"]], {"i": -2 * s.q[0]}), states={"i": 0.0})
    run = gw.simulate(BALL, [0.0], until=150.0, controller=integral)
    assert run["q.ball"][-1] == pytest.approx(0.0, abs=1e-6)
    assert run["i"][-1] == pytest.approx(9.81, abs=1e-4)


def test_a_jump_of_an_input_is_met_exactly():
    push = steps([0.0, 0.25], [0.0, 8.0])
    run = gw.simulate(FLOATING, [0.0], until=1.0, inputs={"tau.ball": push})
    assert run["q.ball"][-1] == pytest.approx(0.5 * 8.0 * 0.75**2, abs=1e-11)
    assert run["energy.supplied"][-1] == pytest.approx(0.5 * (8.0 * 0.75) ** 2, abs=1e-9)


def test_series_are_interpolated_smoothly():
    t = np.linspace(0, 1, 21)
    run = gw.simulate(FLOATING, [0.0], until=1.0, inputs={"tau.ball": (t, np.sin(6 * t))}, samples=11)
    exact = run.t / 6 - np.sin(6 * run.t) / 36
    np.testing.assert_allclose(run["q.ball"], exact, atol=2e-6)
    outside = series("x", [0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 5.0])
    assert (outside.at(-1.0), outside.at(9.0)) == (1.0, 5.0)


def test_a_plateau_stays_flat():
    volts = series("x", [0.0, 0.5, 1.0, 1.5, 2.0], [0.0, 12.0, 12.0, -12.0, -12.0])
    values = np.array([volts.at(t) for t in np.linspace(0.0, 2.0, 401)])
    assert np.abs(values).max() <= 12.0
    assert volts.at(0.75) == 12.0


@pytest.mark.parametrize("method", ["adaptive", "rk4"])
def test_ctrl_c_keeps_what_was_computed(method):
    def interrupt(t, state):
        if t > 0.5:
            raise KeyboardInterrupt
        return [0.0]

    run = gw.simulate(BALL, [1.0], until=5.0, controller=sampled_controller(interrupt, 0.01), method=method)
    assert 0.3 < run.t[-1] <= 0.52
    assert "user" in run.remarks[-1]
