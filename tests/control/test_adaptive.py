"""Adaptive control: errors go to zero with wrong parameters, and the Lyapunov function never grows."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError

ARM = gw.assemble(gw.load("elbow"))
NAMES = gw.parameter_names(ARM)
TRUE = gw.parameters(ARM)
ADAPTED = ("link2.m", "link2.mcx", "link3.m", "link3.mcx", "link3.Izz")
START = {"link2.mcx": 0.0, "link3.m": 1.0, "link3.mcx": 0.05, "link3.Izz": 0.01}
SLOPE, KD, RATE = 8.0, 20.0, np.array([20.0, 5.0, 20.0, 5.0, 5.0])


def wanted(t):
    w = np.array([2.0, 3.1, 4.3])
    size = np.array([0.5, 0.4, 0.6])
    return size * (1 - np.cos(w * t)), size * w * np.sin(w * t), size * w * w * np.cos(w * t)


def control():
    return gw.control.adaptive(ARM, wanted, SLOPE, KD, RATE, ADAPTED, START)


def lyapunov(adaptive, run):
    """V = s'Ms/2 + p'p/(2 rate), and s."""
    signals = adaptive.signals(run)
    s = np.stack([signals[f"sliding.{x}"] for x in ARM.speeds], axis=-1)
    known = run.states if hasattr(run, "states") else run
    p = np.stack([known[f"adapted.{x}"] - TRUE[NAMES.index(x)] for x in ADAPTED], axis=-1)
    return 0.5 * np.einsum("ti,tij,tj->t", s, gw.mass_matrix(ARM, run.q), s) + 0.5 * (p * p / RATE).sum(axis=-1), s


@pytest.fixture(scope="module")
def continuous():
    adaptive = control()
    out = gw.rollout(
        ARM,
        np.zeros(3),
        np.zeros(3),
        40_000,
        1e-3,
        method="rk4",
        controller=adaptive,
        options=gw.analysis.RolloutOptions(every=2),
    )
    return adaptive, out


def test_the_tracking_error_goes_to_zero(continuous):
    _, out = continuous
    errors = np.abs(out.q - np.array([wanted(t)[0] for t in out.t]))
    assert errors[:1000].max() > 5e-3
    assert errors[-1000:].max() < 0.01 * errors[:1000].max()


def test_the_lyapunov_function_never_grows_and_falls_as_it_should(continuous):
    adaptive, out = continuous
    V, s = lyapunov(adaptive, out)
    assert np.diff(V).max() < 1e-9 * V[0]
    power = KD * (s * s).sum(axis=-1)
    fallen = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(out.t) * (power[1:] + power[:-1]))])
    np.testing.assert_allclose(V[0] - V, fallen, atol=1e-3 * V[0])


def test_increases_of_a_sampled_one_fall_with_its_period():
    grown = []
    for period in (8e-3, 2e-3):
        adaptive = gw.control.with_sampling(control(), period)
        every = round(period / 1e-3)
        out = gw.rollout(
            ARM,
            np.zeros(3),
            np.zeros(3),
            2000,
            1e-3,
            method="rk4",
            controller=adaptive,
            options=gw.analysis.RolloutOptions(every=every),
        )
        V, _ = lyapunov(adaptive, out)
        grown.append(np.maximum(np.diff(V), 0.0).max() / V[0])
    assert 0 < grown[1] < 0.5 * grown[0]


def test_the_true_parameters_leave_computed_torque():
    """With true parameters it is the model's own inverse dynamics: nothing moves the parameters."""
    adaptive = gw.control.adaptive(ARM, wanted, SLOPE, KD, RATE, ADAPTED)
    out = gw.rollout(
        ARM,
        np.zeros(3),
        np.zeros(3),
        1000,
        1e-3,
        method="rk4",
        controller=adaptive,
        options=gw.analysis.RolloutOptions(every=100),
    )
    for name in ADAPTED:
        assert np.ptp(out.states[f"adapted.{name}"]) < 1e-8


def test_what_cannot_be_adapted_is_refused():
    with pytest.raises(InputError, match=r"parameter 'link9\.m'"):
        gw.control.adaptive(ARM, wanted, 1.0, 1.0, 1.0, ["link9.m"])
    with pytest.raises(InputError, match=r"start: 'link2\.m'"):
        gw.control.adaptive(ARM, wanted, 1.0, 1.0, 1.0, ["link3.m"], {"link2.m": 1.0})
    with pytest.raises(InputError, match=r"control\.adaptive: .*approximate\(mech, 'rigid'\)"):
        gw.control.adaptive(gw.load("elastic_elbow"), wanted, 1.0, 1.0, 1.0)
