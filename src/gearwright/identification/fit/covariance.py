"""Standard deviations that hold when residuals are correlated in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.autoregression import Autoregression, Filter, LaggedSums, autoregression
from gearwright.identification.blocks import Blocks

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
