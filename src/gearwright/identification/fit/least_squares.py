"""Least squares for torque equations, one pass over the samples at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import triangle
from gearwright.errors import InputError
from gearwright.identification.fit.covariance import covariance
from gearwright.identification.model.sample_blocks import Blocks, as_blocks

Method: TypeAlias = Literal["ols", "wls", "irls"]
HUBER = 1.345
"""Residuals beyond this many standard deviations count less (95 % efficient when there are no outliers)."""


class Weighted(NamedTuple):
    """Values (P,), residuals, weights, and the slopes of weight times residual, all (T, n)."""

    values: Array
    residuals: Array
    weights: Array
    slopes: Array


class Fit(NamedTuple):
    """An estimate: values (P,), their covariance (P, P), residuals (T, n), weights (T, n)."""

    values: Array
    covariance: Array
    residuals: Array
    weights: Array


def solve(Y: Array | Blocks, tau: Array, method: Method = "wls", small: Sequence[Array] | None = None) -> Fit:
    """Parameters that explain torques tau (T, n) by columns Y (T, n, P) best.

    - "ols": every equation counts the same.
    - "wls": every joint counts by the inverse variance of its own residuals.
    - "irls": as "wls", and samples far off count less, again and again until nothing changes (Huber).

    `small`: the `triangles` of these equations, where they are known already.
    """
    if method not in METHODS:
        raise InputError(f"identify: there is no method {method!r}. Use one of {', '.join(METHODS)}.")
    rows = as_blocks(Y)
    T, n, P = rows.shape
    if T * n <= P:
        raise InputError(
            f"identify: {T * n} equations ({T} samples of {n} joints) cannot determine {P} parameters. Record longer, "
            "or leave parameters out."
        )
    found = METHODS[method](rows, tau, triangles(rows, tau) if small is None else small)
    scores = found.weights * found.residuals
    return Fit(found.values, covariance(rows, scores, found.slopes), found.residuals, found.weights)


def weighted(Y: Array | Blocks, tau: Array, weights: Array) -> Array:
    """The values (P,) for given weights (T, n)."""
    return _solution(triangles(as_blocks(Y), tau, weights))


def triangles(rows: Blocks, tau: Array, weights: Array | None = None) -> list[Array]:
    """Per joint the equations [Y, tau], times the roots of their weights, as a triangle with the same solutions."""
    n, P = rows.shape[1:]
    found = [np.zeros((0, P + 1)) for _ in range(n)]
    for part, Y in rows:
        for j in range(n):
            root = 1.0 if weights is None else np.sqrt(weights[part, j, None])
            found[j] = _reduced(found[j], root * np.column_stack([Y[:, j], tau[part, j]]))
    return found


def _reduced(before: Array, more: Array) -> Array:
    """The triangle of equations on top of each other; columns that are zero are left out of the work."""
    both = np.concatenate([before, more])
    used = np.flatnonzero(both.any(axis=0))
    R = triangle(both[:, used])
    full = np.zeros((len(R), both.shape[1]))
    full[:, used] = R
    return full


def _solution(blocks: Sequence[Array]) -> Array:
    """The values that solve triangles [Y, tau] of several joints together; columns are scaled to length 1 before."""
    R = np.concatenate(blocks)
    A, right = R[:, :-1], R[:, -1]
    length = np.linalg.norm(A, axis=0)
    length[length == 0] = 1.0
    values: Array = np.linalg.lstsq(A / length, right, rcond=None)[0] / length
    return values


def _equal(rows: Blocks, tau: Array, small: Sequence[Array]) -> Weighted:
    values = _solution(small)
    same = np.ones_like(tau)
    return Weighted(values, tau - rows.times(values), same, same)


def _by_joint(rows: Blocks, tau: Array, small: Sequence[Array]) -> Weighted:
    """Inverse variance of each joint's residuals, found in three rounds from equal weights."""
    floor = (1e-12 * np.abs(tau).max(axis=0)) ** 2 + 1e-300
    variance = np.ones(tau.shape[1])
    for _ in range(3):
        x = np.append(_solution(_divided(small, variance)), -1.0)
        variance = np.maximum([np.sum((block @ x) ** 2) / len(tau) for block in small], floor)
    values = _solution(_divided(small, variance))
    weights = np.array(np.broadcast_to(1 / variance, tau.shape))
    return Weighted(values, tau - rows.times(values), weights, weights)


def _divided(blocks: Sequence[Array], variance: Array) -> list[Array]:
    return [block / np.sqrt(v) for block, v in zip(blocks, variance, strict=True)]


def _robust(rows: Blocks, tau: Array, small: Sequence[Array]) -> Weighted:
    residuals = _by_joint(rows, tau, small).residuals
    for _ in range(50):
        spread = 1.4826 * np.median(np.abs(residuals), axis=0)  # of a normal distribution, blind to outliers
        spread = np.maximum(spread, 1e-12 * np.abs(tau).max(axis=0) + 1e-300)
        far = np.abs(residuals) / spread
        weights = np.minimum(1.0, HUBER / np.maximum(far, 1e-300)) / spread**2
        before = residuals
        values = weighted(rows, tau, weights)
        residuals = tau - rows.times(values)
        if np.linalg.norm(residuals - before) <= 1e-9 * np.linalg.norm(tau):
            break
    return Weighted(values, residuals, weights, (far < HUBER) / spread**2)


METHODS: dict[str, Callable[[Blocks, Array, Sequence[Array]], Weighted]] = {
    "ols": _equal,
    "wls": _by_joint,
    "irls": _robust,
}
