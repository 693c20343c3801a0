"""The residuals of a fit of runs with their derivatives, the loss, and prior knowledge."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.identification.run_fit.identifiability import correlation_length
from gearwright.identification.run_fit.simulated_logs import LogSimulator, Window

LEAST_SCALE_SHARE = 1e-3
"""Least scale of an unknown that can be zero, relative to its range."""

SCALES_PER_RANGE = 50.0
"""Range of a signal relative to the size of an error that matters, where this is not stated."""

DIVERGED_RESIDUAL = 1e3
"""Weighted residual of every sample of a motion that diverges."""


FOURTH_DIFFERENCE_GAIN = 70.0
"""Variance of fourth differences of white noise of unit variance, 1 + 16 + 36 + 16 + 1."""

NOISE_RATIO = 1.12
"""Residuals relative to the noise of the signals, up to which the model explains windows completely."""

LEAST_NOISE = 1e-3
"""Least noise of a signal relative to the size of an error that matters."""

LEAST_UNIT = 1e-6
"""Least deviation of an independent residual, relative to its stated deviation: priors act also where a log is
reproduced exactly."""


@check_arguments
@dataclass(frozen=True)
class Unknown:
    """An unknown parameter.

    Args:
        name: path of a parameter of robot or laws, `offset.<signal>`, `delay` of all signals or `delay.<signal>`.
        start: initial guess; None: the value in the robot or law, 0 for offsets and delays.
        lower: least value.
        upper: largest value.
        prior: value and standard deviation known from a data sheet; None: nothing is known.

    >>> Unknown("arm.motor.resistance", lower=0.5, upper=10.0).name
    'arm.motor.resistance'
    """

    name: str
    start: float | None = None
    lower: float = -np.inf
    upper: float = np.inf
    prior: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise InputError(
                f"unknown {self.name!r}: lower {self.lower:g} is not below upper {self.upper:g}. Swap or widen them."
            )
        if self.start is not None:
            real_number(f"unknown {self.name!r}", "start", self.start)
        if self.prior is not None:
            real_number(f"unknown {self.name!r}", "prior", self.prior[0], hint="It is the expected value.")
            real_number(
                f"unknown {self.name!r}", "prior", self.prior[1], above=0.0, hint="It is the standard deviation."
            )
        if self.start is not None and not self.lower <= self.start <= self.upper:
            raise InputError(
                f"unknown {self.name!r}: start {self.start:g} is outside {self.lower:g} to {self.upper:g}. Move it."
            )


class WindowRows(NamedTuple):
    """Weighted residuals of one window, signal after signal, and their derivatives by the values and by its start.

    Args:
        residuals: (N,).
        by_values: (N, K), empty without derivatives.
        by_start: (N, S), empty without derivatives.
        states: the simulated states that have the names of unknown initial states, (T, S).
    """

    residuals: Array
    by_values: Array
    by_start: Array
    states: Array


@dataclass(frozen=True)
class StartResult:
    """The end of one start.

    Args:
        values: of the unknowns.
        cost: half the sum of the loss.
        starts: initial states of the windows; empty if they are not unknown.
        horizon: length of the windows [s]; None: whole logs.
        step: of the simulation [s].
        is_explained: whether the residuals are noise.
    """

    values: tuple[float, ...]
    cost: float
    starts: tuple[tuple[float, ...], ...]
    horizon: float | None
    step: float
    is_explained: bool


class Loss(NamedTuple):
    """A loss of SciPy's least_squares: rho of the squared residuals, and its slope."""

    rho: Callable[[Array], Array]
    slope: Callable[[Array], Array]


LossName = Literal["soft_l1", "linear", "huber", "cauchy", "arctan"]
LOSSES: dict[str, Loss] = {
    "linear": Loss(lambda z: z, lambda z: np.ones_like(z)),
    "soft_l1": Loss(lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0), lambda z: 1.0 / np.sqrt(1.0 + z)),
    "huber": Loss(lambda z: np.where(z <= 1.0, z, 2.0 * np.sqrt(z) - 1.0), lambda z: 1.0 / np.sqrt(np.maximum(z, 1.0))),
    "cauchy": Loss(lambda z: np.log1p(z), lambda z: 1.0 / (1.0 + z)),
    "arctan": Loss(lambda z: np.arctan(z), lambda z: 1.0 / (1.0 + z**2)),
}


@dataclass(frozen=True)
class FitProblem:
    """The residuals of a fit.

    Args:
        simulator: simulates the logs.
        unknowns: with start values.
        scales: per signal the size of an error that matters.
        loss: of SciPy.
        residual_unit: deviation of one independent residual: residuals that are correlated over many samples count as
            fewer, and priors are weighed against them accordingly.
    """

    simulator: LogSimulator
    unknowns: tuple[Unknown, ...]
    scales: Mapping[str, float]
    loss: LossName
    residual_unit: float = 1.0

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the unknowns."""
        return tuple(unknown.name for unknown in self.unknowns)

    @property
    def _logarithmic(self) -> list[bool]:
        return [unknown.lower > 0 for unknown in self.unknowns]

    @property
    def _sizes(self) -> Array:
        """The scale of each unknown that is not logarithmic."""
        return np.array([_size_of(unknown) for unknown in self.unknowns])

    def value_scales(self, values: Array) -> Array:
        """The scale of each unknown: its magnitude; of those that can be zero at least a small share of their range."""
        return np.maximum(np.abs(values), np.where(self._logarithmic, 1e-12, LEAST_SCALE_SHARE * self._sizes))

    def to_search(self, values: Array) -> Array:
        """Search variables: logarithms of positive unknowns, otherwise values in their own scale."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self._logarithmic, np.log(np.maximum(values, 1e-300)), values / self._sizes)

    def to_values(self, z: Array) -> Array:
        """Values of the unknowns from search variables."""
        return np.where(self._logarithmic, np.exp(np.minimum(z, 700.0)), z * self._sizes)

    def value_slopes(self, values: Array) -> Array:
        """Derivative of each value by its search variable."""
        return np.where(self._logarithmic, values, self._sizes)

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Bounds of the search variables."""
        lower, upper = (np.array([getattr(u, word) for u in self.unknowns], dtype=float) for word in ("lower", "upper"))
        return self.to_search(lower), self.to_search(upper)

    def window_rows(
        self,
        values: Array,
        windows: Sequence[Window],
        slopes: bool,
        starts: Array | None = None,
        corrections: Sequence[Mapping[str, Array]] | None = None,
        divisions: int = 1,
    ) -> list[WindowRows] | None:
        """Weighted residuals of every window; None where a motion diverges.

        Args:
            values: of the unknowns, (K,).
            windows: parts of the logs.
            slopes: whether derivatives are computed.
            starts: initial states (windows, S); None: the measured ones.
            corrections: added to the outputs, per window and signal.
            divisions: steps into which each step is divided.
        """
        mapped = dict(zip(self.names, values.tolist(), strict=True))
        outputs = self.simulator.simulate(mapped, windows, slopes, starts, divisions)
        if outputs is None:
            return None
        rows = []
        for k, (window, output) in enumerate(zip(windows, outputs, strict=True)):
            log, parts = self.simulator.logs[window.log], []
            for name, measured in log.measured.items():
                error = output.values[name] - np.asarray(measured)[window.first : window.last + 1]
                error = error if corrections is None else error + corrections[k][name]
                J = (output.slopes[name], output.start_slopes[name]) if slopes else (error[:, None][:, :0],) * 2
                parts.append([part / self.scales[name] for part in (error, *J)])
            residuals, by_values, by_start = (np.concatenate(part) for part in zip(*parts, strict=True))
            rows.append(WindowRows(residuals, by_values, by_start, output.states))
        return rows

    def data_cost(self, rows: Sequence[WindowRows] | None, windows: Sequence[Window]) -> float:
        """Half the sum of the loss; that of a constant large error where a motion diverges."""
        rho = LOSSES[self.loss].rho
        if rows is None:
            logs = self.simulator.logs
            count = sum((w.last - w.first + 1) * len(logs[w.log].measured) for w in windows)
            return 0.5 * count * float(rho(np.array(DIVERGED_RESIDUAL**2)))
        return 0.5 * sum(float(rho(part.residuals**2).sum()) for part in rows)

    def prior_rows(self, values: Array) -> tuple[Array, Array]:
        """Deviations from prior values in the unit of the residuals, (M,), and their derivatives (M, K)."""
        places = [k for k, unknown in enumerate(self.unknowns) if unknown.prior is not None]
        known = np.array([unknown.prior for unknown in self.unknowns if unknown.prior is not None]).reshape(-1, 2)
        weights, J = self.residual_unit / known[:, 1], np.zeros((len(places), len(values)))
        J[range(len(places)), places] = weights
        return weights * (values[places] - known[:, 0]), J

    def prior_cost(self, values: Array) -> float:
        """Half the sum of the squared deviations from prior values."""
        residuals, _ = self.prior_rows(values)
        return 0.5 * float(residuals @ residuals)

    @property
    def longest(self) -> float:
        """Duration of the longest log [s]."""
        return max(log.duration for log in self.simulator.logs)

    @cached_property
    def noise_variance(self) -> float:
        """Mean variance of the weighted noise of all signals, from their fourth differences."""
        total, count = 0.0, 0
        for log in self.simulator.logs:
            for name, series in log.measured.items():
                differences = np.diff(np.asarray(series), 4) / self.scales[name]
                total += float(differences @ differences) / FOURTH_DIFFERENCE_GAIN
                count += len(differences)
        return total / max(1, count)

    def explains(self, rows: Sequence[WindowRows] | None, unknowns: int) -> bool:
        """Whether the residuals, with a number of unknowns, are noise."""
        return rows is not None and self.residual_ratio(rows, unknowns) < NOISE_RATIO

    def residual_ratio(self, rows: Sequence[WindowRows], unknowns: int) -> float:
        """The residuals, with a number of unknowns, relative to the noise of the signals."""
        r = np.concatenate([part.residuals for part in rows])
        variance = float(r @ r) / max(1, len(r) - unknowns)
        return float(np.sqrt(variance / max(self.noise_variance, LEAST_NOISE**2)))

    def with_step(self, step: float) -> FitProblem:
        """The problem with another step of the simulation [s]."""
        simulator = self.simulator
        return self if step == simulator.step else replace(self, simulator=replace(simulator, step=step))

    def windows_of(self, result: StartResult) -> list[Window]:
        """The windows of a start."""
        return self.simulator.windows(np.inf if result.horizon is None else result.horizon)

    def cost(self, result: StartResult) -> float:
        """Half the sum of the loss at the end of a start."""
        windows = self.windows_of(result)
        return self.data_cost(self.rows_of(result), windows)

    def rows_of(self, result: StartResult) -> list[WindowRows] | None:
        """The residuals at the end of a start."""
        starts = np.array(result.starts) if result.starts else None
        problem = self.with_step(result.step)
        return problem.window_rows(np.array(result.values), self.windows_of(result), False, starts)

    def total_cost(self, result: StartResult) -> float:
        """The cost of a start: half the sum of the loss and of the squared deviations from prior values."""
        return result.cost + self.prior_cost(np.array(result.values))

    def with_unit_of(self, result: StartResult) -> FitProblem:
        """The problem with the unit of the residuals at the end of a start."""
        rows = self.rows_of(result)
        return self if rows is None else replace(self, residual_unit=self.unit_of(rows, self.windows_of(result)))

    def unit_of(self, rows: Sequence[WindowRows], windows: Sequence[Window]) -> float:
        """The deviation of one independent residual: that of all, times the root of their correlation length."""
        total, count = 0.0, 0
        for block in self.blocks(rows, windows):
            total += float(block @ block) * max(1, correlation_length(block))
            count += len(block)
        return max(LEAST_UNIT, float(np.sqrt(total / max(1, count))))

    def blocks(self, rows: Sequence[WindowRows], windows: Sequence[Window]) -> list[Array]:
        """The residuals of each window and signal, in order of time."""
        logs = self.simulator.logs
        return [
            block
            for part, window in zip(rows, windows, strict=True)
            for block in np.split(part.residuals, len(logs[window.log].measured))
        ]


def _size_of(unknown: Unknown) -> float:
    width = unknown.upper - unknown.lower
    if np.isfinite(width):
        return float(width)
    return max(abs(unknown.start or 0.0), 1e-3)
