"""Prescribed motion: a line that is led."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError
from gearwright.forces import IdealDrive, Line
from gearwright.simulation import simulate


@pytest.fixture
def arm():
    return gw.assemble(gw.load("elbow"))


def swing(t):
    """A motion with its rates."""
    return 0.4 * np.sin(3 * t), 1.2 * np.cos(3 * t), -3.6 * np.sin(3 * t)


def test_follows_and_needs_the_torque_of_inverse_dynamics(arm):
    led = IdealDrive.from_motion("lead", Line.for_machine(arm, "j2"), swing, rate=10.0)
    run = simulate(arm, ([0.2, 0.0, 0.5], [0.3, 1.2, 0.0]), 1.0, laws=[led], samples=41)
    np.testing.assert_allclose(run["q.j2"], swing(run.t)[0], atol=1e-8)
    np.testing.assert_allclose(run["v.j2"], swing(run.t)[1], atol=1e-7)
    needed = gw.inverse_dynamics(arm, run.q, run.v, run.a)
    np.testing.assert_allclose(needed[:, 1], run["lead.force"], atol=1e-7)
    np.testing.assert_allclose(needed[:, [0, 2]], 0.0, atol=1e-7)
    assert run.drift < 1e-8


def test_a_wrong_start_dies_out(arm):
    led = IdealDrive.from_motion("lead", Line.for_machine(arm, "j2"), swing, rate=8.0)
    run = simulate(arm, ([0.0, 0.1, 0.0], [0.0, 1.2, 0.0]), 2.0, laws=[led])
    error = run["q.j2"] - swing(run.t)[0]
    np.testing.assert_allclose(error, 0.1 * (1 + 8 * run.t) * np.exp(-8 * run.t), atol=1e-8)


def test_growing_errors_are_refused(arm):
    with pytest.raises(InputError, match=r"lead: rate=-1"):
        IdealDrive.from_motion("lead", Line.for_machine(arm, "j2"), swing, rate=-1.0)


def test_a_target_that_is_no_number_is_named(arm):
    led = IdealDrive("lead", Line.for_machine(arm, "j2"), lambda t, s, w: float("nan") if t > 0.5 else 0.0)
    with pytest.raises(InputError, match=r"lead: .*nan .*0\.5"):
        simulate(arm, [0.0, 0.0, 0.0], 1.0, laws=[led])
