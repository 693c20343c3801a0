"""Least squares for stacked torque equations, with standard deviations that hold when residuals are correlated in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gearwright.errors import InputError
from gearwright.kernels.inputs import Array

Method: TypeAlias = Literal["ols", "wls", "irls"]
HUBER = 1.345
"""Residuals beyond this many standard deviations count less (95 % efficient when there are no outliers)."""


class Fit(NamedTuple):
    """An estimate: values (P,), their covariance (P, P), residuals (T, n), weights (T, n)."""

    values: Array
    covariance: Array
    residuals: Array
    weights: Array


def solve(Y: Array, tau: Array, method: Method = "wls") -> Fit:
    """Parameters that explain torques tau (T, n) by columns Y (T, n, P) best.

    - "ols": every equation counts the same.
    - "wls": every joint counts by the inverse variance of its own residuals.
    - "irls": as "wls", and samples far off count less, again and again until nothing changes (Huber).
    """
    if method not in METHODS:
        raise InputError(f"identify: there is no method {method!r}. Use one of {', '.join(METHODS)}.")
    T, n, P = Y.shape
    if T * n <= P:
        raise InputError(
            f"identify: {T * n} equations ({T} samples of {n} joints) cannot determine {P} parameters. Record longer, or "
            "leave parameters out."
        )
    weights = METHODS[method](Y, tau)
    values, residuals = weighted(Y, tau, weights)
    return Fit(values, _covariance(Y, residuals, weights), residuals, weights)


def weighted(Y: Array, tau: Array, weights: Array) -> tuple[Array, Array]:
    """Values and residuals for given weights (T, n); columns are scaled to length 1 before solving."""
    root = np.sqrt(weights)
    A = (Y * root[..., None]).reshape(-1, Y.shape[-1])
    length = np.linalg.norm(A, axis=0)
    length[length == 0] = 1.0
    scaled = np.linalg.lstsq(A / length, (tau * root).ravel(), rcond=None)[0]
    values: Array = scaled / length
    return values, tau - Y @ values


def _equal(_: Array, tau: Array) -> Array:
    return np.ones_like(tau)


def _by_joint(Y: Array, tau: Array) -> Array:
    """Inverse variance of each joint's residuals, found in three rounds from equal weights."""
    weights = np.ones_like(tau)
    for _ in range(3):
        _, residuals = weighted(Y, tau, weights)
        weights = np.broadcast_to(1 / _variance(residuals, tau), tau.shape)
    return np.array(weights)


def _robust(Y: Array, tau: Array) -> Array:
    weights = _by_joint(Y, tau)
    values, residuals = weighted(Y, tau, weights)
    for _ in range(50):
        spread = 1.4826 * np.median(np.abs(residuals), axis=0)  # of a normal distribution, blind to outliers
        spread = np.maximum(spread, 1e-12 * np.abs(tau).max(axis=0) + 1e-300)
        far = np.abs(residuals) / spread
        weights = np.minimum(1.0, HUBER / np.maximum(far, 1e-300)) / spread**2
        before = values
        values, residuals = weighted(Y, tau, weights)
        if np.linalg.norm(Y @ (values - before)) <= 1e-9 * np.linalg.norm(tau):
            break
    return weights


METHODS: dict[str, Callable[[Array, Array], Array]] = {"ols": _equal, "wls": _by_joint, "irls": _robust}


def _variance(residuals: Array, tau: Array) -> Array:
    """Variance of each joint's residuals, never quite zero."""
    floor = (1e-12 * np.abs(tau).max(axis=0)) ** 2 + 1e-300
    return np.maximum(np.mean(residuals**2, axis=0), floor)


def _covariance(Y: Array, residuals: Array, weights: Array) -> Array:
    """(Y'WY)^-1 [sum_j Y_j' W_j Gamma_j W_j Y_j] (Y'WY)^-1 with the autocovariance Gamma_j of joint j's residuals.

    Residuals of filtered or unmodelled signals are correlated in time; treating them as independent would promise too
    much. Gamma_j is that of an autoregressive model of the weighted residuals, its order chosen by Akaike's criterion.
    """
    from scipy.linalg import matmul_toeplitz

    T, n, P = Y.shape
    root = np.sqrt(weights)
    A = Y * root[..., None]
    length = np.sqrt(np.einsum("tnp,tnp->p", A, A))
    length[length == 0] = 1.0
    A = A / length
    inverse = np.linalg.pinv(np.einsum("tnp,tnq->pq", A, A), hermitian=True)
    left = residuals * root
    freedom = T * n / (T * n - P)  # fitted parameters make residuals too small
    middle = np.zeros((P, P))
    for j in range(n):
        used = np.flatnonzero(np.any(A[:, j], axis=0))
        gamma = autocovariance(left[:, j]) * freedom
        own = A[:, j, used]
        middle[np.ix_(used, used)] += own.T @ matmul_toeplitz(gamma, own)
    covariance: Array = inverse @ middle @ inverse / np.outer(length, length)
    return 0.5 * (covariance + covariance.T)


def autocovariance(x: Array, highest: int = 20) -> Array:
    """Autocovariance (T,) of an autoregressive model of a series, order 0 to `highest` by Akaike's criterion."""
    T = len(x)
    highest = min(highest, T // 10)
    sample = np.array([x[: T - k] @ x[k:] / T for k in range(highest + 1)])
    if sample[0] <= 0:
        return np.zeros(T)
    coefficients, best = np.zeros(0), np.inf
    phi, variance = np.zeros(0), sample[0]
    for order in range(highest + 1):
        if order:  # Levinson and Durbin
            last = (sample[order] - phi @ sample[order - 1 : 0 : -1]) / variance if order > 1 else sample[1] / sample[0]
            phi = np.append(phi - last * phi[::-1], last)
            variance = variance * (1 - last**2)
        score = T * np.log(max(variance, 1e-300)) + 2 * order
        if score < best:
            best, coefficients = score, phi
    gamma = np.zeros(T)
    order = len(coefficients)
    gamma[: order + 1] = sample[: order + 1]
    for k in range(order + 1, T):
        gamma[k] = coefficients @ gamma[k - 1 : k - order - 1 : -1] if order else 0.0
        if order == 0 or abs(gamma[k]) < 1e-12 * gamma[0] and np.all(np.abs(gamma[k - order : k]) < 1e-12 * gamma[0]):
            break
    return gamma
