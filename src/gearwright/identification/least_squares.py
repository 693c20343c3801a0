"""Least squares for torque equations, with standard deviations that hold when residuals are correlated in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gearwright.arrays import Array
from gearwright.equations.independent_parameters import triangle
from gearwright.errors import InputError

Method: TypeAlias = Literal["ols", "wls", "irls"]
HUBER = 1.345
"""Residuals beyond this many standard deviations count less (95 % efficient when there are no outliers)."""


class Weights(NamedTuple):
    """Weights of the equations (T, n), and how fast weight times residual grows with the residual (T, n)."""

    weights: Array
    slopes: Array


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
            f"identify: {T * n} equations ({T} samples of {n} joints) cannot determine {P} parameters. Record longer, "
            "or leave parameters out."
        )
    found = METHODS[method](Y, tau)
    values, residuals = weighted(Y, tau, found.weights)
    return Fit(values, _covariance(Y, residuals, found), residuals, found.weights)


def weighted(Y: Array, tau: Array, weights: Array) -> tuple[Array, Array]:
    """Values and residuals for given weights (T, n); columns are scaled to length 1 before solving."""
    root = np.sqrt(weights)
    A = (Y * root[..., None]).reshape(-1, Y.shape[-1])
    length = np.linalg.norm(A, axis=0)
    length[length == 0] = 1.0
    R = triangle(np.column_stack([A / length, (tau * root).ravel()]))
    values: Array = np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=None)[0] / length
    return values, tau - Y @ values


def _equal(_: Array, tau: Array) -> Weights:
    return Weights(np.ones_like(tau), np.ones_like(tau))


def _by_joint(Y: Array, tau: Array) -> Weights:
    """Inverse variance of each joint's residuals, found in three rounds from equal weights.

    Every joint's equations are first reduced to a triangle (zero columns left out): a round then costs nothing.
    """
    length = np.linalg.norm(Y, axis=(0, 1))
    length[length == 0] = 1.0
    small = [_reduced(Y[:, j], tau[:, j], length) for j in range(tau.shape[1])]
    floor = (1e-12 * np.abs(tau).max(axis=0)) ** 2 + 1e-300
    variance = np.ones(tau.shape[1])
    for _ in range(3):
        R = np.concatenate([block / np.sqrt(v) for block, v in zip(small, variance, strict=True)])
        x = np.append(np.linalg.lstsq(R[:, :-1], R[:, -1], rcond=None)[0], -1.0)
        variance = np.maximum([np.sum((block @ x) ** 2) / len(tau) for block in small], floor)
    weights = np.array(np.broadcast_to(1 / variance, tau.shape))
    return Weights(weights, weights)


def _reduced(Y: Array, tau: Array, length: Array) -> Array:
    """The equations of one joint [Y / length, tau] as a triangle with the same least-squares solutions."""
    used = np.flatnonzero(Y.any(axis=0))
    R = triangle(np.column_stack([Y[:, used] / length[used], tau]))
    full = np.zeros((len(R), len(length) + 1))
    full[:, [*used, -1]] = R
    return full


def _robust(Y: Array, tau: Array) -> Weights:
    weights = _by_joint(Y, tau).weights
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
    return Weights(weights, (far < HUBER) / spread**2)


METHODS: dict[str, Callable[[Array, Array], Weights]] = {"ols": _equal, "wls": _by_joint, "irls": _robust}


def _covariance(Y: Array, residuals: Array, found: Weights) -> Array:
    """(Y'SY)^-1 [sum_j Y_j' Gamma_j Y_j] (Y'SY)^-1: S the slopes, Gamma_j the autocovariance of weight times residual.

    Residuals of filtered or unmodelled signals are correlated in time; treating them as independent would promise too
    much. Gamma_j is that of an autoregressive model of joint j, its order chosen by Akaike's criterion.
    """
    n, P = Y.shape[1:]
    length = np.sqrt(np.einsum("tnp,tnp,tn->p", Y, Y, found.slopes))
    length[length == 0] = 1.0
    A = Y / length
    inverse = np.linalg.pinv(np.einsum("tnp,tnq->pq", A, A * found.slopes[..., None]), hermitian=True)
    scores = found.weights * residuals
    middle = np.zeros((P, P))
    for j in range(n):
        used = np.flatnonzero(np.any(A[:, j], axis=0))
        own = A[:, j, used]
        shrunk = (own * found.slopes[:, [j]]) @ inverse[np.ix_(used, used)]  # residuals are noise less own @ shrunk'
        gamma = autocovariance(scores[:, j], own, shrunk)
        middle[np.ix_(used, used)] += own.T @ spread(gamma, own)
    covariance: Array = inverse @ middle @ inverse / np.outer(length, length)
    return 0.5 * (covariance + covariance.T)


def autocovariance(x: Array, own: Array, shrunk: Array, highest: int = 15, rounds: int = 2) -> Array:
    """Autocovariance (T,) of the noise behind fitted residuals x, as that of an autoregressive model.

    Fitting takes part of the noise away: x = (1 - H) noise with H = shrunk own' or its transpose. What the model says
    is missing in every sample autocovariance is added again, in a few rounds.
    """
    T = len(x)
    lags = range(min(highest, T // 10) + 1)
    sample = np.array([x[: T - k] @ x[k:] / T for k in lags])
    if sample[0] <= 0:
        return np.zeros(T)
    gamma = _extended(*autoregression(sample, T), T)
    for _ in range(rounds):
        blurred = spread(gamma, shrunk)
        core = shrunk.T @ blurred
        missing = [_lagged(blurred, own, k) - 0.5 * np.sum(_products(own, own, k) * core) for k in lags]
        gamma = _extended(*autoregression(sample + 2 * np.array(missing) / T, T), T)
    return gamma


def spread(gamma: Array, A: Array) -> Array:
    """The Toeplitz matrix of an autocovariance times columns (T, P): few lags by shifting, many by fast transforms."""
    from scipy.linalg import matmul_toeplitz

    lags = int(np.flatnonzero(gamma).max(initial=0))
    if lags > 50:
        product: Array = matmul_toeplitz(gamma, A)
        return product
    result = gamma[0] * A
    for k in range(1, lags + 1):
        result[k:] += gamma[k] * A[:-k]
        result[:-k] += gamma[k] * A[k:]
    return result


def _lagged(a: Array, b: Array, k: int) -> float:
    """Half the trace of a' (shift k forwards and backwards) b."""
    T = len(a)
    return 0.5 * float(np.sum(a[: T - k] * b[k:]) + np.sum(a[k:] * b[: T - k]))


def _products(a: Array, b: Array, k: int) -> Array:
    T = len(a)
    forwards: Array = a[: T - k].T @ b[k:]
    return 0.5 * (forwards + forwards.T)


def autoregression(sample: Array, T: int) -> tuple[Array, Array]:
    """Coefficients of the autoregressive model of the best order, and the autocovariances it starts from.

    Levinson and Durbin's recursion over the orders; Akaike's criterion chooses.
    """
    coefficients, best = np.zeros(0), np.inf
    phi, variance = np.zeros(0), sample[0]
    for order in range(len(sample)):
        if order:
            last = (sample[order] - phi @ sample[order - 1 : 0 : -1]) / variance
            if abs(last) >= 1:
                break
            phi = np.append(phi - last * phi[::-1], last)
            variance = variance * (1 - last**2)
        score = T * np.log(max(variance, 1e-300)) + 2 * order
        if score < best:
            best, coefficients = score, phi
    return coefficients, sample[: len(coefficients) + 1]


def _extended(coefficients: Array, start: Array, T: int) -> Array:
    """The autocovariance of an autoregressive model at all lags."""
    order = len(coefficients)
    gamma = np.zeros(T)
    gamma[: order + 1] = start
    for k in range(order + 1, T if order else 0):
        gamma[k] = coefficients @ gamma[k - order : k][::-1]
        if np.abs(gamma[k - order : k + 1]).max() < 1e-10 * gamma[0]:
            break
    return gamma
