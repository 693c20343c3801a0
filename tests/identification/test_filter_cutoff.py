"""The automatic cut-off follows the motion and its noise, not the rate at which it was logged; doubts are said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightWarning, InputError
from gearwright.identification import Log, identify
from gearwright.identification.experiment.filter_cutoff import default_cutoff
from gearwright.identification.fit.diagnostics import correlated_residuals
from identification.arms import elbow, friction, lively, true_parameters


def logged(rate: float, encoder: float = 1e-5, seed: int = 2, noise: float = 0.5) -> Log:
    """A motion below 1 Hz that goes on at both ends, with noise of encoders [rad] and torque sensors [Nm]."""
    t = 1.23 + np.arange(int(17.3 * rate)) / rate
    q, v, a = (lively(seed).at(t, k) for k in range(3))
    rng = np.random.default_rng(seed)
    tau = gw.inverse_dynamics(gw.assemble(elbow()), q, v, a) + friction(v) + noise * rng.normal(size=v.shape)
    return Log(t, q + encoder * rng.normal(size=q.shape), tau)


@pytest.mark.parametrize("encoder", [1e-5, 1e-4])
@pytest.mark.parametrize("rate", [500, 100])
def test_estimates_are_right_at_any_rate(rate, encoder):
    """No estimate is further off than three standard deviations, and nothing is doubted."""
    found = identify(elbow(), logged(rate, encoder))  # a warning would be an error here
    error = (found.values - found.base.combine(true_parameters(elbow()))) / found.standard_deviations
    assert np.abs(error).max() < 3
    assert 1 < found.cutoff < 10
    assert found.warnings == ()


@pytest.mark.parametrize("encoder", [1e-6, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("resting", [True, False])
def test_the_rate_hardly_matters_and_noise_does(encoder, resting):
    """Between 100 Hz and 1 kHz the noise per hertz falls by ten: the cut-off follows with its fifth root or so."""

    def chosen(rate, size, coarse=False):
        t = np.arange(int(20 * rate)) / rate if resting else 1.23 + np.arange(int(17.3 * rate)) / rate
        q = lively(5).at(t)
        steps = np.sqrt(12) * size  # the resolution whose rounding is as large as that noise
        return default_cutoff(t, np.round(q / steps) * steps if coarse else q + size * noise(q.shape), None)

    def noise(shape):
        return np.random.default_rng(0).normal(size=shape)

    slow, fast = chosen(100, encoder), chosen(1000, encoder)
    assert 0.9 < fast / slow < 2
    assert 1 < fast < 7
    assert chosen(500, 10 * encoder) <= chosen(500, encoder)
    assert chosen(500, encoder, coarse=True) < 1.7 * chosen(500, encoder)


def test_measured_speeds_need_less_filtering():
    """One derivative instead of two, at noise of the same share."""
    t = np.arange(10000) / 500
    q, v = (lively(3).at(t, k) for k in range(2))
    rng = np.random.default_rng(0)
    noisy_q, noisy_v = (x + 1e-3 * np.std(x) * rng.normal(size=x.shape) for x in (q, v))
    assert default_cutoff(t, noisy_q, noisy_v) > default_cutoff(t, noisy_q, None)


def test_a_joint_at_rest_does_not_count():
    t = np.arange(10000) / 500
    q = lively(3).at(t) + 1e-4 * np.random.default_rng(0).normal(size=(10000, 3))
    resting = np.column_stack([q, 1e-4 * np.random.default_rng(1).normal(size=10000), np.zeros(10000)])
    assert default_cutoff(t, resting, None) == pytest.approx(default_cutoff(t, q, None))
    assert default_cutoff(t, resting[:, 3:], None) == pytest.approx(100.0)  # nothing to go by: a fifth of the rate


def test_a_vibration_is_not_noise():
    t = np.arange(10000) / 500
    q = lively(3).at(t) + 1e-5 * np.random.default_rng(0).normal(size=(10000, 3))
    shaking = q + 0.01 * np.sin(2 * np.pi * 12 * t)[:, None]
    assert default_cutoff(t, q, None) < 6
    assert default_cutoff(t, shaking, None) > 15


@pytest.mark.parametrize(("cutoff", "words"), [(100.0, "not white"), (100.0, "cut-off: at"), (0.7, "cut-off: at")])
def test_a_wrong_cutoff_is_doubted(cutoff, words):
    """100 Hz lets noise through, 0.7 Hz takes motion away; both bias what is found."""
    with pytest.warns(GearwrightWarning, match=words):
        found = identify(elbow(), logged(500), cutoff=cutoff)
    error = (found.values - found.base.combine(true_parameters(elbow()))) / found.standard_deviations
    assert np.abs(error).max() > 3
    assert any(words in doubt for doubt in found.warnings)
    assert found.cutoff == cutoff


def test_white_residuals_with_outliers_are_white():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 1))
    torques = 10 * rng.normal(size=(2000, 1))
    assert correlated_residuals(["j"], x, torques) == []
    spiked = x + 30 * np.repeat(rng.random((200, 1)) < 0.02, 10, axis=0)
    assert correlated_residuals(["j"], spiked, torques) == []
    running = np.cumsum(x, axis=0)
    assert correlated_residuals(["j"], running, torques)[0].joint == "j"
    assert correlated_residuals(["j"], 1e-5 * running, torques) == []  # smaller than any torque is known


def test_a_derived_log_remembers_what_was_measured():
    mech = gw.assemble(elbow())
    log = logged(100)
    whole = log.with_derivatives(mech, 4.0)
    assert whole.origin.cutoff == 4.0
    assert whole.with_derivatives(mech) is whole
    part = whole.between_times(5.0, 9.0)
    again = part.with_derivatives(mech, 2.0)  # not filtered twice
    expected = log.with_derivatives(mech, 2.0)
    rows = np.searchsorted(expected.times, again.times)
    np.testing.assert_array_equal(again.a, expected.a[rows])
    np.testing.assert_allclose([again.times[0], again.times[-1]], [part.times[0], part.times[-1]])
    np.testing.assert_array_equal(part.motion_at_cutoff(mech, 2.0).a, again.a)
    assert replace(part, tau=2 * part.torques).origin is None
    with pytest.raises(InputError, match="measured"):
        Log(log.t, log.q, log.tau, log.q, log.q).motion_at_cutoff(mech, 2.0)
    train, rest = whole.split(0.7)
    found = identify(elbow(), train)
    assert (found.cutoff, found.requested_cutoff) == (4.0, None)
    assert max(found.validate(rest).relative_errors.values()) < 0.1
