"""The covariance of estimates whose residuals are correlated in time, by autoregressive models of the noise.

An autoregressive model of the best order is fitted to each joint's residuals; its sums over columns are computed block
by block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.model.sample_blocks import SampleBlocks

# Autoregressive noise

TAIL_BLOCK_ROWS = 500
"""Block length for the decay of a response."""

TAIL_DECAY_RATIO = 1e-10
"""Relative size at which a response has decayed."""


class Autoregression(NamedTuple):
    """x_t = coefficients . (x_t-1, x_t-2, ...) + noise of that variance."""

    coefficients: Array
    variance: float


def fit_autoregression(sample: Array, T: int) -> Autoregression:
    """The autoregressive model of the best order for autocovariances (lags,) of T samples.

    Levinson and Durbin's recursion over the orders; Akaike's criterion chooses.
    """
    if sample[0] <= 0:
        return Autoregression(np.zeros(0), 0.0)
    model, best = Autoregression(np.zeros(0), 0.0), np.inf
    phi, variance = np.zeros(0), float(sample[0])
    for order in range(len(sample)):
        if order:
            last = (sample[order] - phi @ sample[order - 1 : 0 : -1]) / variance
            if abs(last) >= 1:
                break
            phi = np.append(phi - last * phi[::-1], last)
            variance = variance * (1 - last**2)
        score = T * np.log(max(variance, 1e-300)) + 2 * order
        if score < best:
            best, model = score, Autoregression(phi, variance)
    return model


class ResponseFilter:
    """The response of a model to columns in blocks: y_t = u_t + coefficients . (y_t-1, y_t-2, ...).

    With Gamma the autocovariances of the model as a Toeplitz matrix, A' Gamma B = variance times the sum over all t of
    y_A(t)' y_B(t), where the columns are zero before and after; blocks are independent.
    """

    def __init__(self, model: Autoregression, columns: int) -> None:
        self.denominator = np.concatenate([[1.0], -model.coefficients])
        self.state = np.zeros((len(model.coefficients), columns))

    def __call__(self, block: Array) -> Array:
        """The response to the next rows (rows, columns)."""
        from scipy.signal import lfilter

        if not len(self.state):
            return block
        response: Array
        response, self.state = lfilter([1.0], self.denominator, block, axis=0, zi=self.state)
        return response

    def tail_responses(self, samples: int) -> Iterator[Array]:
        """The responses to zeros, block by block, until they have decayed; at most twenty times `samples`."""
        start = np.abs(self.state).max(initial=0.0)
        for _ in range(20 * samples // TAIL_BLOCK_ROWS + 1):
            if np.abs(self.state).max(initial=0.0) <= TAIL_DECAY_RATIO * start:
                break
            yield self(np.zeros((TAIL_BLOCK_ROWS, self.state.shape[1])))


@dataclass
class LaggedSums:
    """Sums over t of (a(t) . b(t+k) + a(t+k) . b(t)) / 2 for lags k, of rows in blocks."""

    lags: int
    a: Array
    b: Array
    sums: Array

    @classmethod
    def empty_sums(cls, lags: int, columns: int) -> LaggedSums:
        """Sums without rows."""
        return cls(lags, np.zeros((lags - 1, columns)), np.zeros((lags - 1, columns)), np.zeros(lags))

    def add_rows(self, a: Array, b: Array) -> None:
        """Add the next rows (rows, columns) of both."""
        history, rows = self.lags - 1, len(a)
        self.a, self.b = np.concatenate([self.a, a]), np.concatenate([self.b, b])
        for k in range(self.lags):
            earlier = slice(history - k, history - k + rows)
            self.sums[k] += 0.5 * (np.vdot(self.a[earlier], b) + np.vdot(a, self.b[earlier]))
        self.a, self.b = self.a[rows:].copy(), self.b[rows:].copy()


# The covariance

MAX_NOISE_ORDER = 15
"""Largest order of the autoregressive models."""

NOISE_CORRECTION_ROUNDS = 2
"""Number of iterations that restore the part of the noise removed by the fit."""


def estimate_covariance(rows: SampleBlocks, scores: Array, slopes: Array) -> Array:
    """(Y'SY)^-1 [sum_j Y_j' Gamma_j Y_j] (Y'SY)^-1: S the slopes, Gamma_j the autocovariance of weight times residual.

    Residuals of filtered or unmodelled signals are correlated in time; the assumption of independence would give too
    small deviations. Gamma_j is that of an autoregressive model of joint j, with the order by Akaike's criterion. The
    fit removes a part of the noise: the scores (T, n) are (1 - H) noise with H = shrunk own' or its transpose. The
    missing part of every sample autocovariance is restored by a few iterations of the model.
    """
    T, n, P = rows.shape
    normal, used = _normal_matrix(rows, slopes)
    length = np.sqrt(np.diag(normal))
    length[length == 0] = 1.0
    inverse = np.linalg.pinv(normal / np.outer(length, length), hermitian=True)
    joints = [JointColumns(j, used[j], length[used[j]], inverse[np.ix_(used[j], used[j])]) for j in range(n)]
    lags = min(MAX_NOISE_ORDER, T // 10) + 1
    samples = [np.array([x[: T - k] @ x[k:] / T for k in range(lags)]) for x in scores.T]
    models = [fit_autoregression(sample, T) for sample in samples]
    for _ in range(NOISE_CORRECTION_ROUNDS):
        corrections = _absorbed_autocovariances(rows, slopes, joints, models, lags)
        models = [
            fit_autoregression(sample + 2 * more / T, T) for sample, more in zip(samples, corrections, strict=True)
        ]
    middle = np.zeros((P, P))
    for joint, joint_matrix in zip(joints, _inner_products(rows, joints, models), strict=True):
        middle[np.ix_(joint.used, joint.used)] += joint_matrix
    estimate: Array = inverse @ middle @ inverse / np.outer(length, length)
    return 0.5 * (estimate + estimate.T)


@dataclass(frozen=True)
class JointColumns:
    """The columns of a joint's torque: indices, lengths, and their part of (Y'SY)^-1."""

    index: int
    used: list[int]
    length: Array
    inverse: Array

    def scaled_columns(self, Y: Array) -> Array:
        """The scaled columns of the joint in a block (samples, used)."""
        columns: Array = Y[:, self.index, self.used] / self.length
        return columns

    def fitted_columns(self, joint_columns: Array, slopes: Array) -> Array:
        """Columns such that the residuals are noise minus own @ shrunk'."""
        columns: Array = (joint_columns * slopes[:, [self.index]]) @ self.inverse
        return columns


def _normal_matrix(rows: SampleBlocks, slopes: Array) -> tuple[Array, list[list[int]]]:
    """Y'SY (P, P), and per joint the columns that are not zero."""
    n, P = rows.shape[1:]
    normal, used = np.zeros((P, P)), np.zeros((n, P), dtype=bool)
    for part, Y in rows:
        normal += Y.reshape(-1, P).T @ (Y * slopes[part, :, None]).reshape(-1, P)
        used |= Y.any(axis=0)
    return normal, [np.flatnonzero(row).tolist() for row in used]


class JointResponses:
    """Responses of one joint's model to its columns: own' Gamma shrunk at all lags, and shrunk' Gamma shrunk."""

    def __init__(self, joint: JointColumns, model: Autoregression, lags: int) -> None:
        P = len(joint.used)
        self.joint, self.model = joint, model
        self.filter = ResponseFilter(model, 2 * P)
        self.lagged, self.core = LaggedSums.empty_sums(lags, P), np.zeros((P, P))

    def add_samples(self, joint_columns: Array, slopes: Array) -> None:
        """Add the columns of the joint for the next samples."""
        self._add_response(
            self.filter(np.column_stack([joint_columns, self.joint.fitted_columns(joint_columns, slopes)]))
        )

    def add_tail(self, samples: int) -> None:
        """Add the decay after the last sample."""
        for response in self.filter.tail_responses(samples):
            self._add_response(response)

    def _add_response(self, response: Array) -> None:
        plain, shrunk = np.split(response, 2, axis=1)
        self.lagged.add_rows(plain, shrunk)
        self.core += self.model.variance * shrunk.T @ shrunk


def _absorbed_autocovariances(
    rows: SampleBlocks, slopes: Array, joints: Sequence[JointColumns], models: Sequence[Autoregression], lags: int
) -> list[Array]:
    """Per joint, half of the part that the fit removed from T times its autocovariances (lags,)."""
    responses = [JointResponses(joint, model, lags) for joint, model in zip(joints, models, strict=True)]
    for part, Y in rows:
        for joint_response in responses:
            joint_response.add_samples(joint_response.joint.scaled_columns(Y), slopes[part])
    for joint_response in responses:
        joint_response.add_tail(len(slopes))
    squares = [LaggedSums.empty_sums(lags, len(joint.used)) for joint in joints]
    for _, Y in rows:
        for joint_response, square in zip(responses, squares, strict=True):
            joint_columns = joint_response.joint.scaled_columns(Y)
            square.add_rows(joint_columns @ joint_response.core, joint_columns)
    return [
        joint_response.model.variance * joint_response.lagged.sums - 0.5 * square.sums
        for joint_response, square in zip(responses, squares, strict=True)
    ]


def _inner_products(
    rows: SampleBlocks, joints: Sequence[JointColumns], models: Sequence[Autoregression]
) -> list[Array]:
    """Per joint own' Gamma own."""
    filters = [ResponseFilter(model, len(joint.used)) for joint, model in zip(joints, models, strict=True)]
    inner = [np.zeros((len(joint.used), len(joint.used))) for joint in joints]
    for _, Y in rows:
        for k, joint in enumerate(joints):
            response = filters[k](joint.scaled_columns(Y))
            inner[k] += response.T @ response
    for k, response_filter in enumerate(filters):
        for response in response_filter.tail_responses(rows.shape[0]):
            inner[k] += response.T @ response
    return [model.variance * matrix for model, matrix in zip(models, inner, strict=True)]
