"""Least squares for torque equations, one pass over the samples at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from gearwright.arrays import Array
from gearwright.equations.base_parameters_numeric import triangular_factor
from gearwright.errors import InputError
from gearwright.identification.fit.covariance import estimate_covariance
from gearwright.identification.model.sample_blocks import SampleBlocks, as_blocks

FitMethod: TypeAlias = Literal["ols", "wls", "irls"]
HUBER_THRESHOLD = 1.345
"""Huber threshold in standard deviations, beyond which residuals have less weight (95 % efficiency)."""


class WeightedSolution(NamedTuple):
    """Values (P,), residuals, weights, and derivatives of weight times residual, all (T, n)."""

    values: Array
    residuals: Array
    weights: Array
    slopes: Array


class LeastSquaresFit(NamedTuple):
    """An estimate: values (P,), their covariance (P, P), residuals (T, n), weights (T, n)."""

    values: Array
    covariance: Array
    residuals: Array
    weights: Array


def solve_least_squares(
    Y: Array | SampleBlocks, tau: Array, method: FitMethod = "wls", small: Sequence[Array] | None = None
) -> LeastSquaresFit:
    """The least-squares estimate of parameters from torques tau (T, n) and columns Y (T, n, P).

    - "ols": equal weights.
    - "wls": each joint is weighted by the inverse variance of its residuals.
    - "irls": as "wls", with iteratively reduced weights of outliers (Huber).

    `small`: the `joint_triangles` of these equations, if known.
    """
    if method not in FIT_METHODS:
        raise InputError(f"identify: method {method!r} is unknown. Use one of {', '.join(FIT_METHODS)}.")
    rows = as_blocks(Y)
    T, n, P = rows.shape
    if T * n <= P:
        raise InputError(
            f"identify: {T * n} equations ({T} samples of {n} joints) cannot determine {P} parameters. Record longer, "
            "or exclude parameters."
        )
    solution = FIT_METHODS[method](rows, tau, joint_triangles(rows, tau) if small is None else small)
    scores = solution.weights * solution.residuals
    return LeastSquaresFit(
        solution.values, estimate_covariance(rows, scores, solution.slopes), solution.residuals, solution.weights
    )


def solve_weighted(Y: Array | SampleBlocks, tau: Array, weights: Array) -> Array:
    """The values (P,) for given weights (T, n)."""
    return _triangle_solution(joint_triangles(as_blocks(Y), tau, weights))


def joint_triangles(rows: SampleBlocks, tau: Array, weights: Array | None = None) -> list[Array]:
    """Per joint the triangular factor of the equations [Y, tau], times the square roots of their weights."""
    n, P = rows.shape[1:]
    reduced = [np.zeros((0, P + 1)) for _ in range(n)]
    for part, Y in rows:
        for j in range(n):
            root = 1.0 if weights is None else np.sqrt(weights[part, j, None])
            reduced[j] = _merge_triangle(reduced[j], root * np.column_stack([Y[:, j], tau[part, j]]))
    return reduced


def _merge_triangle(upper: Array, added: Array) -> Array:
    """The triangular factor of stacked equations; zero columns are skipped."""
    both = np.concatenate([upper, added])
    used = np.flatnonzero(both.any(axis=0))
    R = triangular_factor(both[:, used])
    full = np.zeros((len(R), both.shape[1]))
    full[:, used] = R
    return full


def _triangle_solution(blocks: Sequence[Array]) -> Array:
    """The common solution of triangular factors [Y, tau] of several joints, with columns scaled to length 1."""
    R = np.concatenate(blocks)
    A, right = R[:, :-1], R[:, -1]
    length = np.linalg.norm(A, axis=0)
    length[length == 0] = 1.0
    values: Array = np.linalg.lstsq(A / length, right, rcond=None)[0] / length
    return values


def _solve_equal_weights(rows: SampleBlocks, tau: Array, small: Sequence[Array]) -> WeightedSolution:
    values = _triangle_solution(small)
    ones = np.ones_like(tau)
    return WeightedSolution(values, tau - rows.multiply(values), ones, ones)


def _solve_joint_weights(rows: SampleBlocks, tau: Array, small: Sequence[Array]) -> WeightedSolution:
    """Weights by the inverse variance of each joint's residuals, in three iterations from equal weights."""
    floor = (1e-12 * np.abs(tau).max(axis=0)) ** 2 + 1e-300
    variance = np.ones(tau.shape[1])
    for _ in range(3):
        x = np.append(_triangle_solution(_whitened_blocks(small, variance)), -1.0)
        variance = np.maximum([np.sum((block @ x) ** 2) / len(tau) for block in small], floor)
    values = _triangle_solution(_whitened_blocks(small, variance))
    weights = np.array(np.broadcast_to(1 / variance, tau.shape))
    return WeightedSolution(values, tau - rows.multiply(values), weights, weights)


def _whitened_blocks(blocks: Sequence[Array], variance: Array) -> list[Array]:
    return [block / np.sqrt(v) for block, v in zip(blocks, variance, strict=True)]


def _solve_robust(rows: SampleBlocks, tau: Array, small: Sequence[Array]) -> WeightedSolution:
    residuals = _solve_joint_weights(rows, tau, small).residuals
    for _ in range(50):
        spread = 1.4826 * np.median(np.abs(residuals), axis=0)  # robust standard deviation
        spread = np.maximum(spread, 1e-12 * np.abs(tau).max(axis=0) + 1e-300)
        far = np.abs(residuals) / spread
        weights = np.minimum(1.0, HUBER_THRESHOLD / np.maximum(far, 1e-300)) / spread**2
        previous = residuals
        values = solve_weighted(rows, tau, weights)
        residuals = tau - rows.multiply(values)
        if np.linalg.norm(residuals - previous) <= 1e-9 * np.linalg.norm(tau):
            break
    return WeightedSolution(values, residuals, weights, (far < HUBER_THRESHOLD) / spread**2)


FIT_METHODS: dict[str, Callable[[SampleBlocks, Array, Sequence[Array]], WeightedSolution]] = {
    "ols": _solve_equal_weights,
    "wls": _solve_joint_weights,
    "irls": _solve_robust,
}
