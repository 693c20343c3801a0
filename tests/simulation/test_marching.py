"""Integrators where numbers are hard to tell apart."""

from __future__ import annotations

import numpy as np
import pytest

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
