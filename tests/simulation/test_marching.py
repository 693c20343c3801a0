"""Integrators where numbers are hard to tell apart."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import gearwright as gw
from gearwright.simulation.decay import fastest_decay
from gearwright.simulation.marching import Problem, march


@pytest.mark.parametrize("method", ["adaptive", "stiff"])
def test_rates_whose_squares_vanish(method):
    for exponent in range(150, 185):  # somewhere there, one estimate of the error is zero and the other is not
        size = 10.0**-exponent

        def rates(t, x, size=size):
            return np.array([size * np.cos(30 * t)])

        problem = Problem(rates, None, 0.0, np.array([2.0]), 0.1, 1e-10, 1e-12, first_step=1e-2)
        assert march(method, problem).advance(0.1).x == pytest.approx([2.0])


@pytest.mark.parametrize("method", ["adaptive", "stiff"])
@pytest.mark.parametrize("spacings", [1, 2, 5, 20, 1000])
def test_a_bound_a_few_numbers_away(method, spacings):
    start = 0.7
    bound = start + spacings * float(np.spacing(start))
    problem = Problem(lambda t, x: -3.0 * x, None, start, np.array([2.0]), bound, 1e-10, 1e-12)
    reached = march(method, problem).advance(bound)
    assert (reached.t, reached.event) == (bound, False)
    assert reached.x == pytest.approx([2.0 * np.exp(-3.0 * (bound - start))], rel=1e-15)


def test_a_decay_beside_as_fast_a_growth_is_none():
    """An inverted pendulum without friction comes and goes alike: an implicit method would only lose its energy."""
    upright = np.array([0.1, 0.2])
    assert fastest_decay(lambda x: np.array([x[1], 25.0 * x[0]]), upright) == 0.0
    assert fastest_decay(lambda x: np.array([x[1], 25.0 * x[0] - 500.0 * x[1]]), upright) == pytest.approx(
        500, rel=1e-3
    )


@pytest.fixture
def heedful():
    """Ctrl-C as Python hears it by itself, also where the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heedful")
@pytest.mark.parametrize("method", ["adaptive", "stiff"])
def test_an_interruption_is_obeyed_between_steps(method):
    """Ctrl-C is noted wherever it comes, also within a library that would swallow it."""
    mech = gw.assemble(gw.load("elbow"))
    sent = []

    def interrupt(t):
        if t > 2.0 and not sent:
            sent.append(t)
            signal.raise_signal(signal.SIGINT)
        return np.zeros(3)

    run = gw.simulate(mech, [0.0, 0.5, 0.0], until=5.0, inputs=interrupt, method=method)
    assert sent
    assert 1.0 < run.t[-1] < 3.0
    assert "stopped by the user" in run.remarks[-1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
