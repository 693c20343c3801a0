"""Noise that is correlated in time, as an autoregressive model: its order, and its sums over columns block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array

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
