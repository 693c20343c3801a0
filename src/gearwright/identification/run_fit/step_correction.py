r"""The error of the step in a fit: extrapolated outputs of shorter steps, and what the error does to the unknowns.

The outputs of Moreau's rule have an error of first order in the step, so $2 y_{h/2m} - y_{h/m}$ has one of second
order. The step is divided until a further division changes no unknown by a notable share of its standard deviation.
The difference from the outputs with the step of the search is added to these as a constant correction; the search is
repeated with it until the unknowns do not move any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.run_fit.fit_problem import LOSSES, FitProblem, WindowRows
from gearwright.identification.run_fit.identifiability import Information, information
from gearwright.identification.run_fit.simulated_logs import LogSimulator, Window
from gearwright.identification.run_fit.window_search import SearchPoint, WindowSearch

NEGLIGIBLE_RATIO = 5e-6
"""Change of an unknown by the error of the step, relative to its value, that is negligible even without noise."""

MOST_REFINED_STEPS = 3_000_000
"""Steps of all logs together, above which the step is not divided any more."""

REMARKED_FACTOR = 10.0
"""Multiple of a negligible change of an unknown from which a remaining error of the step is remarked."""

SEARCH_EVALUATIONS = 20
"""Evaluations of each search with corrected outputs."""

Series = Mapping[str, Array]


def extrapolated_outputs(
    simulator: LogSimulator,
    values: Mapping[str, float],
    windows: Sequence[Window],
    starts: Array,
    divisions: int,
) -> list[dict[str, Array]] | None:
    """Outputs per window and signal, extrapolated from steps divided by `divisions` and by half of it."""
    results = []
    for k, window in enumerate(windows):
        start = starts[k : k + 1]
        series = [simulator.simulate(values, [window], False, start, count) for count in (divisions, divisions // 2)]
        if series[0] is None or series[1] is None:
            return None
        fine, coarse = series[0][0].values, series[1][0].values
        results.append({name: 2.0 * fine[name] - coarse[name] for name in fine})
    return results


def simulated_outputs(
    simulator: LogSimulator,
    values: Mapping[str, float],
    windows: Sequence[Window],
    starts: Array,
    divisions: int,
) -> tuple[Series, ...] | None:
    """Outputs per window and signal: with the step of the search, or extrapolated from divided steps."""
    if divisions > 1:
        series = extrapolated_outputs(simulator, values, windows, starts, divisions)
        return None if series is None else tuple(series)
    outputs = simulator.simulate(values, windows, False, starts)
    return None if outputs is None else tuple(output.values for output in outputs)


def has_step_error(search: WindowSearch, point: SearchPoint, rows: Sequence[WindowRows], negligible: float) -> bool:
    """Whether the error of the step may shift an unknown by more than a multiple of its standard deviation."""
    problem = search.problem
    finer = problem.window_rows(problem.to_values(point.z), search.windows, False, point.starts, None, 2)
    if finer is None:
        return True
    error = 4.0 * sum(float(np.sum((a.residuals - b.residuals) ** 2)) for a, b in zip(rows, finer, strict=True))
    return error > (negligible * problem.unit_of(rows, search.windows)) ** 2


class CorrectedFit(NamedTuple):
    """The end of a fit with corrected outputs.

    Args:
        point: the unknowns and initial states.
        rows: residuals of the windows there.
        information: of the unknowns.
        J: derivatives of the weighted residuals by the values, without what initial states explain.
        residuals: weighted by the loss.
        cost: half the sum of the loss and of the squared deviations from prior values.
        divisions: of the step, for outputs without its error; 1 where it was not divided.
        converged: whether a further correction does not change the unknowns.
        remarks: on an error of the step that remains.
    """

    point: SearchPoint
    rows: list[WindowRows] | None
    information: Information
    J: Array
    residuals: Array
    cost: float
    divisions: int
    converged: bool
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class StepCorrection:
    """Correction of the step's error.

    Args:
        search: over the windows, without corrections.
        negligible: change of an unknown, relative to its standard deviation, that is negligible.
        most_searches: largest number of searches with corrected outputs.
    """

    search: WindowSearch
    negligible: float
    most_searches: int = 6

    @property
    def problem(self) -> FitProblem:
        """The residuals."""
        return self.search.problem

    def corrected_fit(self, point: SearchPoint) -> CorrectedFit:
        """The fit without the error of the step, from the end of the search with it."""
        search = self.search
        known, J, residuals = self.information(search, point)
        divisions, shift = self._divisions(point, known)
        rows, converged = search.rows_at(point, False), divisions == 1
        cost = search.cost(point, rows)
        for _ in range(self.most_searches if divisions > 1 else 0):
            corrections = self.corrections(point, divisions)
            if corrections is None:
                break
            search = replace(self.search, corrections=corrections)
            moved, rows = search.minimise_with_rest(point, SEARCH_EVALUATIONS)
            cost = search.cost(moved, rows)
            change = self.problem.to_values(moved.z) - self.problem.to_values(point.z)
            point, (known, J, residuals) = moved, self.information(search, moved)
            converged = self._is_negligible(change, moved, known)
            if converged:
                break
        remarks = self._remarks(shift, point, known, divisions)
        if remarks:
            known = known._replace(covariance=known.covariance + np.outer(shift, shift))
        return CorrectedFit(point, rows, known, J, residuals, cost, divisions, converged, remarks)

    def information(self, search: WindowSearch, point: SearchPoint) -> tuple[Information, Array, Array]:
        """The information of the residuals at a point, their derivatives without initial states, and themselves."""
        values = self.problem.to_values(point.z)
        scales, rows = self.problem.value_scales(values), search.rows_at(point, True)
        if rows is None:
            J, residuals = np.zeros((1, len(values))), np.zeros(1)
            return information(self.problem.names, values, J, residuals, [], 0 * values, scales), J, residuals
        slope, parts = LOSSES[self.problem.loss].slope, search.eliminate_starts(point, rows)
        weighted = [part._replace(residuals=part.residuals * np.sqrt(slope(part.residuals**2))) for part in rows]
        lengths = [len(part.residuals) for part in rows]
        J = np.concatenate([part.rows[:count, :-1] for part, count in zip(parts, lengths, strict=True)])
        J /= self.problem.value_slopes(values)
        ends = np.cumsum([len(block) for block in self.problem.blocks(weighted, search.windows)])
        blocks = [slice(int(a), int(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        priors = np.array([0.0 if u.prior is None else 1.0 / u.prior[1] for u in self.problem.unknowns])
        residuals = np.concatenate([part.residuals for part in weighted])
        return information(self.problem.names, values, J, residuals, blocks, priors, scales), J, residuals

    def _is_negligible(self, shift: Array, point: SearchPoint, known: Information, factor: float = 1.0) -> bool:
        deviations = np.sqrt(np.maximum(np.diag(known.covariance), 0.0))
        values = np.abs(self.problem.to_values(point.z))
        allowed = np.maximum(factor * self.negligible * deviations, NEGLIGIBLE_RATIO * values)
        return bool((np.abs(shift) <= allowed).all())

    def _divisions(self, point: SearchPoint, known: Information) -> tuple[int, Array]:
        """Divisions of the step whose error is negligible, and the shift of the unknowns by what remains."""
        simulator, windows = self.problem.simulator, self.search.windows
        values = dict(zip(self.problem.names, self.problem.to_values(point.z).tolist(), strict=True))
        steps = len(windows) * max(simulator.step_count(window) for window in windows)
        outputs = simulator.simulate(values, windows, False, point.starts)
        divisions, shift = 1, np.zeros(len(values))
        previous = None if outputs is None else [output.values for output in outputs]
        while previous is not None and 2 * divisions * steps <= MOST_REFINED_STEPS:
            series = extrapolated_outputs(simulator, values, windows, point.starts, 2 * divisions)
            if series is None:
                break
            shift = self._shift(point, previous, series)
            if self._is_negligible(shift, point, known):
                break
            divisions, previous = 2 * divisions, series
        return divisions, shift

    def _shift(self, point: SearchPoint, old: Sequence[Series], new: Sequence[Series]) -> Array:
        """The change of the unknowns by a change of the outputs, (K,)."""
        rows = self.search.rows_at(point, True)
        if rows is None:
            return np.zeros(len(point.z))
        changes = [
            np.concatenate([(after[name] - before[name]) / self.problem.scales[name] for name in after])
            for before, after in zip(old, new, strict=True)
        ]
        changed = [part._replace(residuals=change) for part, change in zip(rows, changes, strict=True)]
        weights = [LOSSES[self.problem.loss].slope(part.residuals**2) for part in rows]
        parts = self.search.eliminate_starts(point, changed, weights)
        whole = np.concatenate([part.rows for part in parts])
        prior = self.problem.prior_rows(self.problem.to_values(point.z))[1]
        slopes = self.problem.value_slopes(self.problem.to_values(point.z))
        J = np.concatenate([whole[:, :-1], prior * slopes])
        step = np.linalg.lstsq(J, np.concatenate([whole[:, -1], np.zeros(len(prior))]), rcond=1e-8)[0]
        return np.asarray(-step * slopes)

    def corrections(self, point: SearchPoint, divisions: int) -> list[Series] | None:
        """Per window and signal what is to be added to outputs with the step of the search."""
        simulator, windows = self.problem.simulator, self.search.windows
        values = dict(zip(self.problem.names, self.problem.to_values(point.z).tolist(), strict=True))
        plain = simulator.simulate(values, windows, False, point.starts)
        series = simulated_outputs(simulator, values, windows, point.starts, divisions)
        if plain is None or series is None:
            return None
        return [
            {name: x - output.values[name] for name, x in part.items()}
            for part, output in zip(series, plain, strict=True)
        ]

    def _remarks(self, shift: Array, point: SearchPoint, known: Information, divisions: int) -> tuple[str, ...]:
        if self._is_negligible(shift, point, known, REMARKED_FACTOR):
            return ()
        deviations = np.sqrt(np.maximum(np.diag(known.covariance), 1e-300))
        worst = int(np.argmax(np.abs(shift) / deviations))
        return (
            f"the error of the step still shifts {known.names[worst]} by {abs(shift[worst]):.2g} with a step of "
            f"{self.problem.simulator.step / divisions:.2g} s; the stated deviations contain it. Shorten the step "
            "(`RunFitOptions(step=...)`), or fit shorter logs.",
        )
