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
from gearwright.identification.model.sample_blocks import Blocks

# Autoregressive noise

TAIL = 500
"""Rows at a time in which a response dies out."""

SILENT = 1e-10
"""The share of it that counts as nothing."""


class Autoregression(NamedTuple):
    """x_t = coefficients . (x_t-1, x_t-2, ...) + noise of that variance."""

    coefficients: Array
    variance: float


def autoregression(sample: Array, T: int) -> Autoregression:
    """The autoregressive model of the best order for autocovariances (lags,) of T samples.

    Levinson and Durbin's recursion over the orders; Akaike's criterion chooses.
    """
    if sample[0] <= 0:
        return Autoregression(np.zeros(0), 0.0)
    found, best = Autoregression(np.zeros(0), 0.0), np.inf
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
            best, found = score, Autoregression(phi, variance)
    return found


class Filter:
    """The response of a model to columns that come in blocks: y_t = u_t + coefficients . (y_t-1, y_t-2, ...).

    With Gamma the autocovariances of the model as a Toeplitz matrix, A' Gamma B = variance times the sum over all t of
    y_A(t)' y_B(t), where the columns count as zero before and after; so no block needs to see another one.
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

    def tail(self, samples: int) -> Iterator[Array]:
        """The responses to zeros, block by block, until nothing is heard any more; at most twenty times `samples`."""
        start = np.abs(self.state).max(initial=0.0)
        for _ in range(20 * samples // TAIL + 1):
            if np.abs(self.state).max(initial=0.0) <= SILENT * start:
                break
            yield self(np.zeros((TAIL, self.state.shape[1])))


@dataclass
class LaggedSums:
    """Sums over t of (a(t) . b(t+k) + a(t+k) . b(t)) / 2 for lags k, of rows that come in blocks."""

    lags: int
    a: Array
    b: Array
    sums: Array

    @classmethod
    def start(cls, lags: int, columns: int) -> LaggedSums:
        """No rows yet."""
        return cls(lags, np.zeros((lags - 1, columns)), np.zeros((lags - 1, columns)), np.zeros(lags))

    def add(self, a: Array, b: Array) -> None:
        """The next rows (rows, columns) of both."""
        before, rows = self.lags - 1, len(a)
        self.a, self.b = np.concatenate([self.a, a]), np.concatenate([self.b, b])
        for k in range(self.lags):
            earlier = slice(before - k, before - k + rows)
            self.sums[k] += 0.5 * (np.vdot(self.a[earlier], b) + np.vdot(a, self.b[earlier]))
        self.a, self.b = self.a[rows:].copy(), self.b[rows:].copy()


# The covariance

HIGHEST = 15
"""Order of the autoregressive models that are tried."""

ROUNDS = 2
"""In which the part of the noise that fitting took away is added again."""


def covariance(rows: Blocks, scores: Array, slopes: Array) -> Array:
    """(Y'SY)^-1 [sum_j Y_j' Gamma_j Y_j] (Y'SY)^-1: S the slopes, Gamma_j the autocovariance of weight times residual.

    Residuals of filtered or unmodelled signals are correlated in time; treating them as independent would promise too
    much. Gamma_j is that of an autoregressive model of joint j, its order chosen by Akaike's criterion. Fitting takes
    part of the noise away: the scores (T, n) are (1 - H) noise with H = shrunk own' or its transpose. What the model
    says is missing in every sample autocovariance is added again, in a few rounds.
    """
    T, n, P = rows.shape
    normal, used = _normal(rows, slopes)
    length = np.sqrt(np.diag(normal))
    length[length == 0] = 1.0
    inverse = np.linalg.pinv(normal / np.outer(length, length), hermitian=True)
    joints = [Joint(j, used[j], length[used[j]], inverse[np.ix_(used[j], used[j])]) for j in range(n)]
    lags = min(HIGHEST, T // 10) + 1
    samples = [np.array([x[: T - k] @ x[k:] / T for k in range(lags)]) for x in scores.T]
    models = [autoregression(sample, T) for sample in samples]
    for _ in range(ROUNDS):
        missing = _missing(rows, slopes, joints, models, lags)
        models = [autoregression(sample + 2 * more / T, T) for sample, more in zip(samples, missing, strict=True)]
    middle = np.zeros((P, P))
    for joint, own in zip(joints, _inner(rows, joints, models), strict=True):
        middle[np.ix_(joint.used, joint.used)] += own
    found: Array = inverse @ middle @ inverse / np.outer(length, length)
    return 0.5 * (found + found.T)


@dataclass(frozen=True)
class Joint:
    """The columns that a joint's torque depends on: which, their lengths, and their part of (Y'SY)^-1."""

    index: int
    used: list[int]
    length: Array
    inverse: Array

    def own(self, Y: Array) -> Array:
        """Its columns of a block, scaled (samples, used)."""
        columns: Array = Y[:, self.index, self.used] / self.length
        return columns

    def shrunk(self, own: Array, slopes: Array) -> Array:
        """Columns with which the residuals are noise less own @ shrunk'."""
        columns: Array = (own * slopes[:, [self.index]]) @ self.inverse
        return columns


def _normal(rows: Blocks, slopes: Array) -> tuple[Array, list[list[int]]]:
    """Y'SY (P, P), and per joint the columns that are not zero."""
    n, P = rows.shape[1:]
    normal, used = np.zeros((P, P)), np.zeros((n, P), dtype=bool)
    for part, Y in rows:
        normal += Y.reshape(-1, P).T @ (Y * slopes[part, :, None]).reshape(-1, P)
        used |= Y.any(axis=0)
    return normal, [np.flatnonzero(row).tolist() for row in used]


class Responses:
    """Of one joint's model to its columns: own' Gamma shrunk at all lags, and shrunk' Gamma shrunk."""

    def __init__(self, joint: Joint, model: Autoregression, lags: int) -> None:
        P = len(joint.used)
        self.joint, self.model = joint, model
        self.filter = Filter(model, 2 * P)
        self.lagged, self.core = LaggedSums.start(lags, P), np.zeros((P, P))

    def add(self, own: Array, slopes: Array) -> None:
        """The joint's columns of the next samples."""
        self._sum(self.filter(np.column_stack([own, self.joint.shrunk(own, slopes)])))

    def finish(self, samples: int) -> None:
        """What rings on after the last sample."""
        for response in self.filter.tail(samples):
            self._sum(response)

    def _sum(self, response: Array) -> None:
        own, shrunk = np.split(response, 2, axis=1)
        self.lagged.add(own, shrunk)
        self.core += self.model.variance * shrunk.T @ shrunk


def _missing(
    rows: Blocks, slopes: Array, joints: Sequence[Joint], models: Sequence[Autoregression], lags: int
) -> list[Array]:
    """Per joint, half of what fitting took away from T times its autocovariances (lags,)."""
    responses = [Responses(joint, model, lags) for joint, model in zip(joints, models, strict=True)]
    for part, Y in rows:
        for each in responses:
            each.add(each.joint.own(Y), slopes[part])
    for each in responses:
        each.finish(len(slopes))
    squares = [LaggedSums.start(lags, len(joint.used)) for joint in joints]
    for _, Y in rows:
        for each, square in zip(responses, squares, strict=True):
            own = each.joint.own(Y)
            square.add(own @ each.core, own)
    return [
        each.model.variance * each.lagged.sums - 0.5 * square.sums
        for each, square in zip(responses, squares, strict=True)
    ]


def _inner(rows: Blocks, joints: Sequence[Joint], models: Sequence[Autoregression]) -> list[Array]:
    """Per joint own' Gamma own."""
    filters = [Filter(model, len(joint.used)) for joint, model in zip(joints, models, strict=True)]
    inner = [np.zeros((len(joint.used), len(joint.used))) for joint in joints]
    for _, Y in rows:
        for k, joint in enumerate(joints):
            response = filters[k](joint.own(Y))
            inner[k] += response.T @ response
    for k, each in enumerate(filters):
        for response in each.tail(rows.shape[0]):
            inner[k] += response.T @ response
    return [model.variance * own for model, own in zip(models, inner, strict=True)]
