"""Where a sweep looks: a grid of values, samples of distributions, both, or points one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.arguments import number, numbers, whole
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.files.reading import read_text
from gearwright.text import csv_cells, listed


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
    """The points of a sweep: names of parameters, and a row of values each, (N, P); a full grid unless `sampled`."""

    names: tuple[str, ...]
    values: Array
    sampled: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def at(self, index: int) -> dict[str, float]:
        """The parameters of one point."""
        return dict(zip(self.names, self.values[index].tolist(), strict=True))


Over = Mapping[str, Any] | Sequence[Mapping[str, float]]
"""Values or distributions by parameter; or points, each a mapping of all parameters to numbers."""


def points(over: Over, samples: int | None, seed: int) -> Points:
    """A grid of the values given, at each of its places `samples` draws of the distributions; or the points given.

    >>> points({"j1.mass": [1, 2], "j1.com.x": Uniform(0, 1)}, samples=3, seed=0).values.shape
    (6, 2)
    >>> points([{"j1.mass": 1.0, "j1.com.x": 0.2}, {"j1.mass": 2.0, "j1.com.x": 0.1}], None, 0).values[1].tolist()
    [2.0, 0.1]
    """
    if isinstance(over, Sequence) and not isinstance(over, str) and len(over):
        return _rows(over, samples)
    if not isinstance(over, Mapping) or not over:
        raise InputError(
            f"sweep: over={over!r} names no parameters. Give a mapping such as {{'elbow.gear.ratio': [50, 80]}}, or a "
            "list of points such as [{'elbow.gear.ratio': 50}]."
        )
    drawn = {name: values for name, values in over.items() if isinstance(values, Uniform | Normal)}
    if not drawn:
        if samples is not None:
            raise InputError(
                "sweep: samples are drawn from distributions; every parameter has a list. Leave samples out."
            )
        return _grid(over)
    draws = _hypercube(drawn, whole("sweep", "samples", samples, least=1, example=1000), seed)
    lists = {name: values for name, values in over.items() if name not in drawn}
    return _at_each(_grid(lists), draws, tuple(over)) if lists else draws


def _grid(over: Mapping[str, Any]) -> Points:
    axes = [numbers("sweep", name, np.atleast_1d(values), axes=1).tolist() for name, values in over.items()]
    return Points(tuple(over), np.array(list(product(*axes)), dtype=float))


def _hypercube(over: Mapping[str, Uniform | Normal], samples: int, seed: int) -> Points:
    from scipy.stats.qmc import LatinHypercube

    shares = LatinHypercube(len(over), rng=seed).random(samples)
    columns = [one.drawn(shares[:, k]) for k, one in enumerate(over.values())]
    return Points(tuple(over), np.stack(columns, axis=1), sampled=True)


def _at_each(grid: Points, draws: Points, names: tuple[str, ...]) -> Points:
    """The same draws at each place of the grid, so that places differ by their own values and not by chance."""
    values = np.hstack([np.repeat(grid.values, len(draws), axis=0), np.tile(draws.values, (len(grid), 1))])
    order = [(*grid.names, *draws.names).index(name) for name in names]
    return Points(names, values[:, order], sampled=True)


def _rows(rows: Sequence[Mapping[str, float]], samples: int | None) -> Points:
    if samples is not None:
        raise InputError("sweep: samples are drawn from distributions; over lists points. Leave samples out.")
    names = tuple(rows[0]) if isinstance(rows[0], Mapping) else ()
    for k, row in enumerate(rows):
        if not isinstance(row, Mapping) or not names or set(row) != set(names):
            raise InputError(
                f"sweep: point {k} is {row!r}; every point must name the same parameters. Give mappings such as "
                "{'elbow.gear.ratio': 50}, each with all of them."
            )
    columns = [numbers("sweep", name, [row[name] for row in rows], axes=1) for name in names]
    return Points(names, np.stack(columns, axis=1), sampled=True)


def read_points(path: Path) -> list[dict[str, float]]:
    """The points of a CSV file: paths of parameters in its first line, a number of each in every other one."""
    lines = [line for line in read_text(path, "points of a sweep").splitlines() if line.strip()]
    names, *rows = [csv_cells(line) for line in lines] or [[]]
    if not rows:
        raise FileError(
            f"{path}: there are no points. Give a line of parameter paths, and a line of numbers per point."
        )
    return [_point(path, names, row, k) for k, row in enumerate(rows, start=2)]


def _point(path: Path, names: Sequence[str], row: Sequence[str], line: int) -> dict[str, float]:
    try:
        return {name: float(cell) for name, cell in zip(names, row, strict=True)}
    except ValueError as error:
        given = ", ".join(row)
        raise FileError(
            f"{path}, line {line}: {given!r} is not a number for each of {listed(names)} ({error})."
        ) from error
