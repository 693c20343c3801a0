"""Long logs: columns block by block give what all of them give together, in little memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import toeplitz

from gearwright.identification.fit.covariance import Autoregression, LaggedSums, ResponseFilter, fit_autoregression
from gearwright.identification.fit.least_squares import solve_least_squares
from gearwright.identification.model import sample_blocks
from gearwright.identification.model.sample_blocks import SampleBlocks, as_blocks

LONG_LOG = """
import numpy as np
import gearwright as gw
from gearwright.identification import Log, identify

def memory(word):
    return int([line for line in open("/proc/self/status") if line.startswith(word)][0].split()[1])

robot = gw.load("panda_like")
t = np.arange(60_000) / 500
rng = np.random.default_rng(0)
size, phase = rng.normal(size=(2, 7, 5))
q, v, a = np.zeros((3, len(t), 7))
for k in range(5):
    w = 2 * np.pi * 0.1 * (k + 1)
    q += size[:, k] * np.sin(w * t[:, None] + phase[:, k]) / (k + 1)
    v += size[:, k] * np.cos(w * t[:, None] + phase[:, k]) * w / (k + 1)
    a -= size[:, k] * np.sin(w * t[:, None] + phase[:, k]) * w**2 / (k + 1)
tau = np.concatenate([gw.inverse_dynamics(gw.assemble(robot), *x) for x in zip(*(np.split(y, 60) for y in (q, v, a)))])
q += 1e-6 * rng.normal(size=q.shape)
before = memory("VmRSS")
found = identify(robot, Log(t, q, tau + 0.1 * rng.normal(size=tau.shape)), friction=())
assert found.fit.measured.shape[0] > 50_000
print(memory("VmHWM") - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of memory is read from Linux's /proc")
def test_sixty_thousand_samples_of_seven_axes_need_less_than_300_megabytes():
    """The peak over what was there with the log; compiling the regressor's kernel needs most of it."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", LONG_LOG], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300 * 1024


@pytest.mark.parametrize("method", ["ols", "wls", "irls"])
def test_blocks_change_nothing(method, monkeypatch):
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(700, 3, 6)) * (np.arange(6) < [[2], [4], [6]])  # a joint depends on some columns only
    noise = np.cumsum(0.1 * rng.normal(size=(700, 3)), axis=0) * 0.3 + rng.normal(size=(700, 3))
    tau = Y @ np.arange(1.0, 7.0) + noise
    whole = solve_least_squares(Y, tau, method)
    monkeypatch.setattr(sample_blocks, "NUMBERS_PER_BLOCK", 500)
    monkeypatch.setattr(sample_blocks, "MAX_CACHED_NUMBERS", 0)
    parts = solve_least_squares(Y, tau, method)
    assert len(as_blocks(Y).block_slices) > 20
    for name in ("values", "covariance", "residuals", "weights"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-8, atol=1e-12)


def test_short_columns_are_computed_once():
    calls = []

    def make(part):
        calls.append(part)
        return np.ones((part.stop - part.start, 2, 3))

    rows = SampleBlocks((10, 2, 3), make)
    for _ in range(3):
        np.testing.assert_array_equal(rows.multiply(np.ones(3)), np.full((10, 2), 3.0))
    assert len(calls) == 1


def test_filtered_sums_are_those_of_the_autocovariance_matrix():
    """A' Gamma A with Gamma as a whole matrix, against responses in blocks with their tail."""
    rng = np.random.default_rng(0)
    A = rng.normal(size=(120, 3))
    model = Autoregression(np.array([1.2, -0.5]), 0.7)
    lags = np.zeros((400, 1))
    lags[0] = 1.0
    response = ResponseFilter(model, 1)(lags)[:, 0]
    gamma = np.array([0.7 * response[: 400 - k] @ response[k:] for k in range(120)])
    whole = A.T @ toeplitz(gamma) @ A
    each = ResponseFilter(model, 3)
    pieces = [*(each(part) for part in np.split(A, 6)), *each.tail_responses(120)]
    np.testing.assert_allclose(0.7 * sum(y.T @ y for y in pieces), whole, rtol=1e-9)


def test_lagged_sums_across_blocks():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 90, 4))
    sums = LaggedSums.empty_sums(5, 4)
    for x, y in zip(np.split(a, [3, 40, 41]), np.split(b, [3, 40, 41]), strict=True):
        sums.add_rows(x, y)
    direct = [0.5 * (np.sum(a[: 90 - k] * b[k:]) + np.sum(a[k:] * b[: 90 - k])) for k in range(5)]
    np.testing.assert_allclose(sums.sums, direct, rtol=1e-12, atol=1e-12)


def test_the_order_of_noise_is_found():
    """Autocovariances of x_t = 0.8 x_t-1 + noise."""
    gamma = 0.8 ** np.arange(10) / (1 - 0.64)
    found = fit_autoregression(gamma, 10_000)
    np.testing.assert_allclose(found.coefficients, [0.8])
    assert found.variance == pytest.approx(1.0)
    assert fit_autoregression(np.zeros(4), 100).variance == 0
