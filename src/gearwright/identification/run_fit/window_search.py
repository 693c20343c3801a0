r"""Least squares over windows of logs: initial states are eliminated window by window.

Every window has its own initial state $s_j$, so the derivatives of the residuals are block-bordered. One step of
Levenberg and Marquardt solves

$$\min_{\Delta z, \Delta s} \sum_j \| r_j + J_j \Delta z + S_j \Delta s_j \|^2 + \lambda (\| D \Delta z \|^2 + \sum_j
\| D_j \Delta s_j \|^2)$$

by an orthogonal projection of each window onto the complement of $S_j$; only the unknowns z that all windows share
remain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.run_fit.fit_problem import LOSSES, FitProblem, WindowRows
from gearwright.identification.run_fit.simulated_logs import Window

FIRST_DAMPING, LEAST_DAMPING, LARGEST_DAMPING = 1e-3, 1e-10, 1e4
"""Damping relative to the squared sizes of the derivatives: of the first step, and its range."""

LARGEST_STEP = 1.0
"""Largest change of a search variable in one step: a factor of e, the range between the bounds, or the start value."""

DECREASE_TOLERANCE = 1e-3
"""Decrease of the cost, relative to the variance of an independent residual, below which the search ends: it moves no
unknown by more than some hundredths of its standard deviation."""

LEAST_RELATIVE_DECREASE, LARGEST_RELATIVE_DECREASE = 1e-8, 1e-4
"""Range of the same relative to the cost, while the variance is not well known."""

REST_TOLERANCE, TRIED_REST_TOLERANCE = 2.0, 50.0
"""Increase of the cost of a window, in variances of a residual, up to which a speed at its start is zero, and up to
which zero is tried with the other unknowns fitted again."""


class SearchPoint(NamedTuple):
    """Search variables (K,), and the initial states of the windows (windows, S)."""

    z: Array
    starts: Array


class EliminatedWindow(NamedTuple):
    """Rows of one window without the part that its initial state explains, and what its initial state follows from.

    Args:
        rows: (M, K + 1), derivatives by the search variables and residuals.
        triangle: (S, S) of the derivatives by the initial state.
        explained: (S, K + 1), the part that was removed, in the basis of the triangle.
    """

    rows: Array
    triangle: Array
    explained: Array


def eliminate_start(by_start: Array, rows: Array, damping: float) -> EliminatedWindow:
    """Project rows (N, K + 1) onto the complement of the derivatives by the initial state (N, S)."""
    count = by_start.shape[1]
    sizes = np.linalg.norm(by_start, axis=0)
    floor = 1e-8 * max(1.0, float(sizes.max(initial=0.0)))  # states without effect do not move
    diagonal = np.diag(np.sqrt(damping) * np.maximum(sizes, floor))
    basis, triangle = np.linalg.qr(np.concatenate([by_start, diagonal]))
    padded = np.concatenate([rows, np.zeros((count, rows.shape[1]))])
    explained = basis.T @ padded
    return EliminatedWindow(padded - basis @ explained, triangle, explained)


@dataclass(frozen=True)
class WindowSearch:
    """The search for the least sum of the loss over windows.

    Args:
        problem: the residuals.
        windows: parts of the logs.
        corrections: added to the outputs, per window and signal; None: nothing.
        free: whether the initial states of the windows are unknown.
        held: names of unknowns that keep their values.
    """

    problem: FitProblem
    windows: Sequence[Window]
    corrections: Sequence[Mapping[str, Array]] | None = None
    free: bool = True
    held: frozenset[str] = frozenset()

    def rows_at(self, point: SearchPoint, slopes: bool) -> list[WindowRows] | None:
        """The residuals of all windows; None where a motion diverges."""
        values = self.problem.to_values(point.z)
        return self.problem.window_rows(values, self.windows, slopes, point.starts, self.corrections)

    def cost(self, point: SearchPoint, rows: Sequence[WindowRows] | None) -> float:
        """Half the sum of the loss and of the squared deviations from prior values."""
        return self.problem.data_cost(rows, self.windows) + self.problem.prior_cost(self.problem.to_values(point.z))

    def minimise(self, point: SearchPoint, evaluations: int) -> tuple[SearchPoint, float, list[WindowRows] | None]:
        """The end of the search, its cost, and the rows there without derivatives."""
        lower, upper = self.problem.bounds
        point = SearchPoint(np.clip(point.z, lower, upper), point.starts)
        rows = self.rows_at(point, True)
        cost = self.cost(point, rows)
        if rows is None:
            return point, cost, None
        damping, growth, sizes, is_new = FIRST_DAMPING, 2.0, np.zeros(len(point.z)), True
        for _ in range(evaluations):
            if is_new:
                sizes = np.maximum(sizes, self._sizes(point, rows))
            trial, predicted = self._trial(point, rows, damping, sizes)
            if predicted <= self._negligible_decrease(cost):
                break
            trial_rows = self.rows_at(trial, False)
            decrease = cost - self.cost(trial, trial_rows)
            is_new = trial_rows is not None and decrease > 0
            if not is_new:
                damping, growth = damping * growth, 2.0 * growth
                if damping > LARGEST_DAMPING:
                    break
                continue
            damping, growth = max(LEAST_DAMPING, damping * (0.1 if decrease > 0.5 * predicted else 1.0)), 2.0
            point, cost = trial, cost - decrease
            rows = self.rows_at(point, True) or rows
            if decrease <= self._negligible_decrease(cost):
                break
        return point, cost, rows

    def _negligible_decrease(self, cost: float) -> float:
        least, largest = LEAST_RELATIVE_DECREASE * cost, LARGEST_RELATIVE_DECREASE * cost
        return float(np.clip(DECREASE_TOLERANCE * self.problem.residual_unit**2, least, largest))

    def eliminate_starts(
        self, point: SearchPoint, rows: Sequence[WindowRows], weights: Sequence[Array] | None = None
    ) -> list[EliminatedWindow]:
        """Per window the derivatives by the search variables beside the residuals, without what its start explains.

        Rows are weighted by the slope of the loss at their residuals, or by given `weights`.
        """
        return [eliminate_start(*part, LEAST_DAMPING) for part in self._weighted_rows(point, rows, weights)]

    def _weighted_rows(
        self, point: SearchPoint, rows: Sequence[WindowRows], weights: Sequence[Array] | None = None
    ) -> list[tuple[Array, Array]]:
        """Per window the derivatives by the start, and those by the search variables beside the residuals."""
        slopes, loss = self.problem.value_slopes(self.problem.to_values(point.z)), LOSSES[self.problem.loss]
        parts = []
        for k, part in enumerate(rows):
            weight = np.sqrt(loss.slope(part.residuals**2) if weights is None else weights[k])[:, None]
            whole = np.concatenate([part.by_values * slopes, part.residuals[:, None]], axis=1)
            parts.append((weight * part.by_start if self.free else np.zeros((len(whole), 0)), weight * whole))
        return parts

    def _prior_rows(self, point: SearchPoint) -> Array:
        """Rows of the prior knowledge, (M, K + 1)."""
        values = self.problem.to_values(point.z)
        residuals, J = self.problem.prior_rows(values)
        return np.concatenate([J * self.problem.value_slopes(values), residuals[:, None]], axis=1)

    def _sizes(self, point: SearchPoint, rows: Sequence[WindowRows]) -> Array:
        whole = [*(part for _, part in self._weighted_rows(point, rows)), self._prior_rows(point)]
        return np.asarray(np.linalg.norm(np.concatenate(whole)[:, :-1], axis=0))

    def _trial(
        self, point: SearchPoint, rows: Sequence[WindowRows], damping: float, sizes: Array
    ) -> tuple[SearchPoint, float]:
        """The next point to be tried, and the decrease of the cost that the linear model predicts."""
        parts = self._weighted_rows(point, rows)
        windows = [eliminate_start(by_start, whole, damping) for by_start, whole in parts]
        reduced = np.concatenate([*(np.linalg.qr(part.rows)[1] for part in windows), self._prior_rows(point)])
        J, r = reduced[:, :-1], reduced[:, -1]
        lower, upper = self.problem.bounds
        gradient = J.T @ r
        moves = ~((point.z <= lower) & (gradient > 0) | (point.z >= upper) & (gradient < 0))
        moves &= np.array([name not in self.held for name in self.problem.names])
        moves &= sizes > 0
        step = np.zeros(len(point.z))
        whole = np.concatenate([J[:, moves], np.diag(np.sqrt(damping) * sizes[moves])])
        step[moves] = -np.linalg.lstsq(whole, np.concatenate([r, np.zeros(moves.sum())]), rcond=None)[0]
        step *= min(1.0, LARGEST_STEP / max(float(np.abs(step).max()), 1e-300))
        z = np.clip(point.z + step, lower, upper)
        change = np.append(z - point.z, 1.0)
        starts, predicted = point.starts.copy(), 0.0
        for k, ((by_start, whole), part) in enumerate(zip(parts, windows, strict=True)):
            end = whole @ change
            if by_start.shape[1]:
                starts[k] -= (start_change := np.linalg.solve(part.triangle, part.explained @ change))
                end = end - by_start @ start_change
            predicted += 0.5 * float(whole[:, -1] @ whole[:, -1] - end @ end)
        prior = self._prior_rows(point)
        predicted += 0.5 * float(prior[:, -1] @ prior[:, -1] - (prior @ change) @ (prior @ change))
        return SearchPoint(z, starts), predicted

    def minimise_with_rest(self, point: SearchPoint, evaluations: int) -> tuple[SearchPoint, list[WindowRows] | None]:
        """The end of the search, with initial speeds of zero where the logs do not contradict.

        A drive that sticks at its start has no derivative by its speed, and a small speed that noise suggests moves it
        until it sticks: rest is tried first where it hardly changes the cost, then where the other unknowns may
        compensate a change.
        """
        end, cost, rows = self.minimise(point, evaluations)
        for tolerance in (REST_TOLERANCE, TRIED_REST_TOLERANCE) if self.free and rows is not None else ():
            assert rows is not None
            count = sum(len(part.residuals) for part in rows)
            variance = sum(float(part.residuals @ part.residuals) for part in rows) / max(1, count)
            rested = self._with_rest(end, rows, tolerance * variance)
            changes = int(np.sum(rested.starts != end.starts))
            if not changes:
                continue
            trial = self.minimise(rested, evaluations)
            if trial[2] is not None and trial[1] < cost + changes * REST_TOLERANCE * variance:
                end, cost, rows = trial
        return end, rows

    def _with_rest(self, point: SearchPoint, rows: Sequence[WindowRows], tolerance: float) -> SearchPoint:
        """The point with initial speeds of zero where the cost of the window rises by less than a tolerance.

        Speeds that are zero become the measured ones where these lower the cost by more.
        """
        starts, costs = point.starts.copy(), [self._window_cost(part) for part in rows]
        measured = self.problem.simulator.measured_starts(self.windows)
        for column in self.problem.simulator.speed_columns:
            trial = starts.copy()
            was_resting = starts[:, column] == 0
            trial[:, column] = np.where(was_resting, measured[:, column], 0.0)
            trial_rows = self.rows_at(SearchPoint(point.z, trial), False)
            if trial_rows is None:
                continue
            for k, part in enumerate(trial_rows):
                cost = self._window_cost(part)
                if cost < costs[k] + tolerance * (-1.0 if was_resting[k] else 1.0):
                    starts[k, column], costs[k] = trial[k, column], cost
        return SearchPoint(point.z, starts)

    def _window_cost(self, part: WindowRows) -> float:
        return 0.5 * float(LOSSES[self.problem.loss].rho(part.residuals**2).sum())
