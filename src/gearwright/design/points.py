"""Where a sweep looks: a grid of values, or samples of distributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from gearwright.arguments import number, numbers, whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.text import listed


@dataclass(frozen=True)
class Uniform:
    """Any number between two with the same probability.

    >>> float(Uniform(2.0, 4.0).drawn(np.array([0.25]))[0])
    2.5
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        number("uniform distribution", "low", self.low)
        number("uniform distribution", "high", self.high, least=self.low, example=self.low + 1)

    def drawn(self, share: Array) -> Array:
        """The values below which these shares of all lie."""
        return np.asarray(self.low + share * (self.high - self.low))


@dataclass(frozen=True)
class Normal:
    """A Gaussian distribution.

    >>> float(Normal(1.0, 0.1).drawn(np.array([0.5]))[0])
    1.0
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        number("normal distribution", "mean", self.mean)
        number("normal distribution", "deviation", self.deviation, least=0.0, example=0.1)

    def drawn(self, share: Array) -> Array:
        """The values below which these shares of all lie."""
        from scipy.special import ndtri

        return np.asarray(self.mean + self.deviation * ndtri(share))


@dataclass(frozen=True)
class Points:
    """The points of a sweep: names of parameters, and a row of values each, (N, P); a grid, or samples."""

    names: tuple[str, ...]
    values: Array
    sampled: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def at(self, index: int) -> dict[str, float]:
        """The parameters of one point."""
        return dict(zip(self.names, self.values[index].tolist(), strict=True))


def points(over: Mapping[str, Any], samples: int | None, seed: int) -> Points:
    """A full grid of the values given, or `samples` points of a Latin hypercube when there are distributions."""
    if not isinstance(over, Mapping) or not over:
        raise InputError(
            f"sweep: over={over!r} names no parameters. Give a mapping such as {{'elbow.gear.ratio': [50, 80]}}."
        )
    drawn = [name for name, values in over.items() if isinstance(values, Uniform | Normal)]
    if not drawn:
        if samples is not None:
            raise InputError(
                "sweep: samples are drawn from distributions; every parameter has a list. Leave samples out."
            )
        return _grid(over)
    listed_too = [name for name in over if name not in drawn]
    if listed_too:
        raise InputError(
            f"sweep: {listed(drawn)} have distributions, {listed(listed_too)} lists. Give all one or the other."
        )
    return _hypercube(over, whole("sweep", "samples", samples, least=1, example=1000), seed)


def _grid(over: Mapping[str, Any]) -> Points:
    axes = [numbers("sweep", name, np.atleast_1d(values), axes=1).tolist() for name, values in over.items()]
    return Points(tuple(over), np.array(list(product(*axes)), dtype=float))


def _hypercube(over: Mapping[str, Uniform | Normal], samples: int, seed: int) -> Points:
    from scipy.stats.qmc import LatinHypercube

    shares = LatinHypercube(len(over), rng=seed).random(samples)
    columns = [one.drawn(shares[:, k]) for k, one in enumerate(over.values())]
    return Points(tuple(over), np.stack(columns, axis=1), sampled=True)
