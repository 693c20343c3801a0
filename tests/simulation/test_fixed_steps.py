"""Runs with fixed steps store what is asked for, hear Ctrl-C on their way, and keep what they have."""

from __future__ import annotations

import re
import signal
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightWarning, SimulationError
from gearwright.simulation.fixed_step import compiled_rollout

ELBOW = gw.assemble(gw.load("elbow"))
BENT = [0.0, 0.5, 0.0]


@pytest.fixture
def heedful():
    """Ctrl-C as Python hears it by itself, also where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def peak(function: Callable[[], object]) -> int:
    """The most memory [bytes] that a function takes at a time."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_eleven_samples_take_the_memory_of_eleven_samples():
    step = gw.analysis.IntegratorOptions(step=1e-3)
    run = lambda: gw.simulate(ELBOW, BENT, until=200.0, method="rk4", integrator=step, samples=11)  # noqa: E731
    run()
    assert peak(run) < 2e6  # all 200,000 steps take 20 MB


def test_a_rollout_takes_the_memory_of_its_samples():
    roll = lambda: gw.rollout(ELBOW, BENT, np.zeros(3), 200_000, 1e-3, options=gw.analysis.RolloutOptions(every=20_000))  # noqa: E731
    roll()
    assert peak(roll) < 2e6  # the clock of all steps alone takes 3 MB


@pytest.mark.parametrize("method", ["euler", "rk4"])
@pytest.mark.parametrize(
    "control", [None, gw.control.sampled_controller(lambda t, state: [np.sin(9 * t), 0.0, -state.v[2]], 7e-3)]
)
def test_samples_do_not_depend_on_which_are_asked_for(method, control):
    inputs = None if control else {"tau.j1": lambda t: np.sin(9 * t)}
    given = {
        "until": 2.5,
        "inputs": inputs,
        "controller": control,
        "method": method,
        "integrator": gw.analysis.IntegratorOptions(step=1e-3),
    }
    every = gw.simulate(ELBOW, BENT, **given, samples=2501)
    chosen = [0, 1, 2, 5, 8, 700, 701, 1900, 2500]
    some = gw.simulate(ELBOW, BENT, **given, samples=[1e-3 * k for k in chosen])
    np.testing.assert_allclose(some.t, every.t[chosen], rtol=1e-15)
    for name in every.series:
        np.testing.assert_allclose(some[name], every[name][chosen], rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.usefixtures("heedful")
@pytest.mark.parametrize("method", ["euler", "rk4"])
def test_an_interruption_keeps_what_was_computed(method):
    sent = []

    def interrupt(t):
        if t > 20.0 and not sent:
            sent.append(t)
            signal.raise_signal(signal.SIGINT)
        return np.zeros(3)

    run = gw.simulate(
        ELBOW,
        BENT,
        until=30.0,
        inputs=interrupt,
        method=method,
        integrator=gw.analysis.IntegratorOptions(step=1e-3),
        samples=31,
    )
    assert 15.0 < run.t[-1] < 25.0
    assert any("user" in remark for remark in run.remarks)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("heedful")
@pytest.mark.parametrize("every", [10, 2000])
def test_an_interrupted_rollout_gives_its_samples(monkeypatch, every):
    monkeypatch.setattr(compiled_rollout, "OPERATIONS_PER_CALL", 1e5)
    pieces, whole = [], compiled_rollout.FixedStep._fill_record

    def interrupted(*given):
        pieces.append(1)
        if len(pieces) == 20:
            signal.raise_signal(signal.SIGINT)
        return whole(*given)

    full = gw.rollout(ELBOW, [BENT, BENT], np.zeros(3), 20_000, 1e-3, options=gw.analysis.RolloutOptions(every=every))
    monkeypatch.setattr(compiled_rollout.FixedStep, "_fill_record", interrupted)
    with pytest.warns(GearwrightWarning, match=r"\buser\b.* t = \d"):
        some = gw.rollout(
            ELBOW, [BENT, BENT], np.zeros(3), 20_000, 1e-3, options=gw.analysis.RolloutOptions(every=every)
        )
    assert 1 < len(some.t) < len(full.t)
    np.testing.assert_array_equal(some.q, full.q[: len(some.t)])


def test_a_motion_that_leaves_all_bounds_keeps_its_samples():
    pushed = lambda t: [0.0, 1e3 * np.exp(60 * t), 0.0]  # noqa: E731
    with pytest.raises(SimulationError, match=r"t = [0-9.]+ s\b.*'\w+\.\w+'") as caught:
        gw.simulate(
            ELBOW,
            BENT,
            until=20.0,
            inputs=pushed,
            method="rk4",
            integrator=gw.analysis.IntegratorOptions(step=1e-3),
            samples=2001,
        )
    run = caught.value.run
    assert isinstance(run, gw.Run)
    assert len(run.t) > 10
    assert run.t[-1] == pytest.approx(float(re.findall(r"t = ([0-9.]+) s", str(caught.value))[0]), abs=1e-6)
    assert np.isfinite(run.q).all()
