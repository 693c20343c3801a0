"""Points of a sweep: a grid of values, samples of distributions, both, or a list of points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.files.field_units import parameter_value
from gearwright.files.reading import read_text
from gearwright.text import csv_cells, listed_names


@check_arguments
@dataclass(frozen=True)
class Uniform:
    """A uniform distribution between two bounds.

    >>> float(Uniform(2.0, 4.0).quantiles(np.array([0.25]))[0])
    2.5
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        real_number("uniform distribution", "low", self.low)
        real_number("uniform distribution", "high", self.high, least=self.low, example=self.low + 1)

    def quantiles(self, share: Array) -> Array:
        """The quantiles of these probabilities."""
        return np.asarray(self.low + share * (self.high - self.low))


@check_arguments
@dataclass(frozen=True)
class Normal:
    """A Gaussian distribution.

    >>> float(Normal(1.0, 0.1).quantiles(np.array([0.5]))[0])
    1.0
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        real_number("normal distribution", "mean", self.mean)
        real_number("normal distribution", "deviation", self.deviation, least=0.0, example=0.1)

    def quantiles(self, share: Array) -> Array:
        """The quantiles of these probabilities."""
        from scipy.special import ndtri

        return np.asarray(self.mean + self.deviation * ndtri(share))


@dataclass(frozen=True)
class SweepPoints:
    """The points of a sweep: names of parameters, and values (N, P); a full grid unless `is_sampled`."""

    names: tuple[str, ...]
    values: Array
    is_sampled: bool = False

    def __len__(self) -> int:
        return len(self.values)

    def parameters_at(self, index: int) -> dict[str, float]:
        """The parameters of one point."""
        return dict(zip(self.names, self.values[index].tolist(), strict=True))


SweepRanges = Mapping[str, Any] | Sequence[Mapping[str, float]]
"""Values or distributions by parameter; or points, each a mapping of all parameters to numbers."""


def sweep_points(over: SweepRanges, samples: int | None, seed: int) -> SweepPoints:
    """A grid of the given values with `samples` samples of the distributions at each grid point; or the given points.

    >>> sweep_points({"j1.mass": [1, 2], "j1.com.x": Uniform(0, 1)}, samples=3, seed=0).values.shape
    (6, 2)
    >>> sweep_points([{"j1.mass": 1.0, "j1.com.x": 0.2}, {"j1.mass": 2.0, "j1.com.x": 0.1}], None, 0).values[1].tolist()
    [2.0, 0.1]
    """
    if isinstance(over, Sequence) and not isinstance(over, str) and len(over):
        return _listed_points(over, samples)
    if not isinstance(over, Mapping) or not over:
        raise InputError(
            f"sweep: over={over!r} has no parameters. Give a mapping such as {{'elbow.gear.ratio': [50, 80]}}, or a "
            "list of points such as [{'elbow.gear.ratio': 50}]."
        )
    distributions = {name: values for name, values in over.items() if isinstance(values, Uniform | Normal)}
    if not distributions:
        if samples is not None:
            raise InputError("sweep: samples needs distributions, but every parameter has a list. Omit samples.")
        return _grid_points(over)
    draws = _hypercube_points(distributions, whole_number("sweep", "samples", samples, least=1, example=1000), seed)
    lists = {name: values for name, values in over.items() if name not in distributions}
    return _draws_at_grid(_grid_points(lists), draws, tuple(over)) if lists else draws


def _grid_points(over: Mapping[str, Any]) -> SweepPoints:
    axes = [number_array("sweep", name, np.atleast_1d(values), axes=1).tolist() for name, values in over.items()]
    return SweepPoints(tuple(over), np.array(list(product(*axes)), dtype=float))


def _hypercube_points(over: Mapping[str, Uniform | Normal], samples: int, seed: int) -> SweepPoints:
    from scipy.stats.qmc import LatinHypercube

    shares = LatinHypercube(len(over), rng=seed).random(samples)
    columns = [distribution.quantiles(shares[:, k]) for k, distribution in enumerate(over.values())]
    return SweepPoints(tuple(over), np.stack(columns, axis=1), is_sampled=True)


def _draws_at_grid(grid: SweepPoints, draws: SweepPoints, names: tuple[str, ...]) -> SweepPoints:
    """The same samples at each grid point, so that grid points differ only by their own values."""
    values = np.hstack([np.repeat(grid.values, len(draws), axis=0), np.tile(draws.values, (len(grid), 1))])
    order = [(*grid.names, *draws.names).index(name) for name in names]
    return SweepPoints(names, values[:, order], is_sampled=True)


def _listed_points(rows: Sequence[Mapping[str, float]], samples: int | None) -> SweepPoints:
    if samples is not None:
        raise InputError("sweep: samples needs distributions, but over is a list of points. Omit samples.")
    names = tuple(rows[0]) if isinstance(rows[0], Mapping) else ()
    for k, row in enumerate(rows):
        if not isinstance(row, Mapping) or not names or set(row) != set(names):
            raise InputError(
                f"sweep: point {k} is {row!r}; every point must name the same parameters. Give mappings such as "
                "{'elbow.gear.ratio': 50}, each with all of them."
            )
    columns = [number_array("sweep", name, [row[name] for row in rows], axes=1) for name in names]
    return SweepPoints(names, np.stack(columns, axis=1), is_sampled=True)


def read_points(path: Path) -> list[dict[str, float]]:
    """The points of a CSV file: parameter paths in the first line, their values in every other line."""
    lines = [line for line in read_text(path, "points of a sweep").splitlines() if line.strip()]
    names, *rows = [csv_cells(line) for line in lines] or [[]]
    if not rows:
        raise FileError(
            f"{path}: the file has no points. Give a line of parameter paths, and a line of numbers per point."
        )
    return [_read_point(path, names, row, k) for k, row in enumerate(rows, start=2)]


def _read_point(path: Path, names: Sequence[str], row: Sequence[str], line: int) -> dict[str, float]:
    try:
        return {name: parameter_value(name, cell) for name, cell in zip(names, row, strict=True)}
    except ValueError as error:
        cells = ", ".join(row)
        raise FileError(
            f"{path}, line {line}: {cells!r} must have a number for each of {listed_names(names)} ({error})."
        ) from error
