"""The residuals of a fit of runs, their derivatives, and the least squares of one start."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.identification.run_fit.simulated_logs import LogSimulator, Window

LEAST_SCALE_SHARE = 1e-3
"""Least scale of an unknown that can be zero, relative to its range."""

DIVERGED_RESIDUAL = 1e3
"""Weighted residual of every sample of a motion that diverges."""


@check_arguments
@dataclass(frozen=True)
class Unknown:
    """An unknown parameter.

    Args:
        name: path of a parameter of robot or laws, `offset.<signal>` or `delay`.
        start: initial guess; None: the value in the robot or law, 0 for offset and delay.
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


@dataclass(frozen=True)
class StartResult:
    """The end of one start: values of the unknowns, cost, and corrections of the initial states of the logs."""

    values: tuple[float, ...]
    cost: float
    starts: tuple[tuple[float, ...], ...] = ()


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
    """

    simulator: LogSimulator
    unknowns: tuple[Unknown, ...]
    scales: Mapping[str, float]
    loss: LossName

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

    def residuals(
        self, values: Array, windows: Sequence[Window], slopes: bool, starts: Array | None = None
    ) -> tuple[Array, Array]:
        """Weighted residuals (N,), with priors, and their derivatives by the values and the initial states, (N, K).

        `starts` (windows, start names) are added to the measured initial states; None: they are not unknown.
        """
        mapped = dict(zip(self.names, values.tolist(), strict=True))
        outputs = self.simulator.simulate(mapped, windows, slopes, starts)
        count, per_window = len(values), 0 if starts is None else starts.shape[1]
        rows, derivatives = [], []
        for k, window in enumerate(windows):
            log = self.simulator.logs[window.log]
            for name, measured in log.measured.items():
                part = np.asarray(measured)[window.first : window.last + 1]
                J = np.zeros((len(part) if slopes else 0, count + per_window * len(windows)))
                if outputs is None:
                    rows.append(np.full(len(part), DIVERGED_RESIDUAL))
                else:
                    rows.append((outputs[k].values[name] - part) / self.scales[name])
                if slopes and outputs is not None:
                    J[:, :count] = outputs[k].slopes[name] / self.scales[name]
                    begin = count + per_window * k
                    J[:, begin : begin + per_window] = outputs[k].start_slopes[name][:, :per_window] / self.scales[name]
                derivatives.append(J)
        known = [(k, *u.prior) for k, u in enumerate(self.unknowns) if u.prior is not None]
        rows.append(np.array([(values[k] - value) / sigma for k, value, sigma in known]))
        prior_slopes = np.zeros((len(known) if slopes else 0, derivatives[0].shape[1]))
        for row, (k, _, sigma) in enumerate(known if slopes else ()):
            prior_slopes[row, k] = 1.0 / sigma
        return np.concatenate(rows), np.concatenate([*derivatives, prior_slopes])

    def cost(self, result: StartResult) -> float:
        """Half the sum of the loss over whole logs."""
        starts = np.array(result.starts) if result.starts else None
        residuals, _ = self.residuals(np.array(result.values), self.simulator.windows(np.inf), False, starts)
        return float(0.5 * LOSSES[self.loss].rho(residuals**2).sum())

    def minimise(
        self,
        z: Array,
        windows: Sequence[Window],
        evaluations: int,
        free: bool = False,
        changes: Sequence[Sequence[float]] | None = None,
        held: str | None = None,
    ) -> StartResult:
        """The least sum of the loss from given search variables; `free`: initial states, from `changes`, too.

        The unknown named `held` keeps its value.
        """
        from scipy.optimize import least_squares

        lower, upper = self.bounds
        margin = 1e-6 * np.where(np.isfinite(upper - lower), upper - lower, 1.0)
        count, shape = len(z), (len(windows), len(self.simulator.start_names))
        extra = (
            (np.zeros(shape) if changes is None else np.array(changes, dtype=float)).ravel() if free else np.zeros(0)
        )
        whole = np.concatenate([np.clip(z, lower + margin, upper - margin), extra])
        infinite = np.full(len(extra), np.inf)
        varied = np.array([name != held for name in self.names] + [True] * len(extra))
        whole[~varied] = z[~varied[:count]]

        def split_search(x: Array) -> tuple[Array, Array | None]:
            complete = whole.copy()
            complete[varied] = x
            return self.to_values(complete[:count]), complete[count:].reshape(shape) if free else None

        def jacobian(x: Array) -> Array:
            values, starts = split_search(x)
            J = self.residuals(values, windows, True, starts)[1]
            J[:, :count] *= self.value_slopes(values)
            return J[:, varied]

        def residual_rows(x: Array) -> Array:
            values, starts = split_search(x)
            return self.residuals(values, windows, False, starts)[0]

        solution = least_squares(
            residual_rows,
            whole[varied],
            jac=jacobian,
            bounds=(np.concatenate([lower, -infinite])[varied], np.concatenate([upper, infinite])[varied]),
            loss=self.loss,
            x_scale="jac",
            max_nfev=evaluations,
        )
        values, starts = split_search(solution.x)
        start_rows = () if starts is None else tuple(map(tuple, starts.tolist()))
        return StartResult(tuple(values.tolist()), float(solution.cost), start_rows)


def _size_of(unknown: Unknown) -> float:
    width = unknown.upper - unknown.lower
    if np.isfinite(width):
        return float(width)
    return max(abs(unknown.start or 0.0), 1e-3)
