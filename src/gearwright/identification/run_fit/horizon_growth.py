"""The search from one start: windows of growing length, as far as the model explains them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.identification.run_fit.fit_problem import FitProblem, StartResult, WindowRows
from gearwright.identification.run_fit.simulated_logs import Window
from gearwright.identification.run_fit.step_correction import StepCorrection, has_step_error
from gearwright.identification.run_fit.window_search import SearchPoint, WindowSearch

STAGE_EVALUATIONS = 25
"""Evaluations of the first stages of a start; the last stage has those of the options."""

STAGE_SHIFT, FINAL_SHIFT = 0.5, 0.05
"""Largest change of an unknown by the error of the step, relative to its standard deviation: in a stage, and at the
end."""

LARGEST_RATIO = 1.5
"""Residuals relative to the noise, above which longer windows are given up after shorter ones were explained."""

STEP_DIVISION, MOST_DIVISIONS = 4, 16
"""Division of the step where no minimum is found with it, and the largest one."""


class Stage(NamedTuple):
    """The end of a stage: the problem with its step and unit, the windows, the point and its residuals."""

    problem: FitProblem
    windows: tuple[Window, ...]
    point: SearchPoint
    rows: list[WindowRows] | None

    @property
    def residual_ratio(self) -> float:
        """The residuals relative to the noise of the signals."""
        unknowns = self.point.starts.size + len(self.point.z)
        return np.inf if self.rows is None else self.problem.residual_ratio(self.rows, unknowns)

    @property
    def explains_windows(self) -> bool:
        """Whether the residuals are noise."""
        return self.problem.explains(self.rows, self.point.starts.size + len(self.point.z))


@dataclass(frozen=True)
class HorizonGrowth:
    """The search from one start.

    Args:
        problem: the residuals.
        horizons: lengths of the windows [s], increasing.
        evaluations: of the last stage.
        free: whether initial states are unknown.
        progress: called with the share done.
    """

    problem: FitProblem
    horizons: Sequence[float]
    evaluations: int
    free: bool
    progress: Callable[[float], None]

    def run(self, values: Array) -> StartResult:
        """The end of the search from some values."""
        z, stages = self.problem.to_search(values), list[Stage]()
        for k, horizon in enumerate(self.horizons):
            evaluations = self.evaluations if k == len(self.horizons) - 1 else STAGE_EVALUATIONS
            last = stages[-1] if stages else None
            stage = self._stage(z if last is None else last.point.z, horizon, last, 1, evaluations)
            if last is not None and last.explains_windows and not stage.explains_windows:
                divided = self._stage(last.point.z, horizon, last, STEP_DIVISION, evaluations)
                stage = min(stage, divided, key=lambda end: end.residual_ratio)
                if stage.residual_ratio > LARGEST_RATIO:
                    break  # a longer motion is too sensitive for a search from here
            stages.append(stage)
            self.progress((k + 1) / len(self.horizons))
        end, horizon = stages[-1], self.horizons[len(stages) - 1]
        starts = tuple(map(tuple, end.point.starts.tolist())) if self.free else ()
        return StartResult(
            tuple(end.problem.to_values(end.point.z).tolist()),
            end.problem.data_cost(end.rows, end.windows),
            starts,
            horizon if horizon < self.problem.longest else None,
            end.problem.simulator.step,
            end.explains_windows,
        )

    def _stage(self, z: Array, horizon: float, last: Stage | None, division: int, evaluations: int) -> Stage:
        """The search over windows of one length, from the end of the last stage."""
        problem = self.problem if last is None else last.problem
        simulator = problem.simulator
        if self.problem.simulator.step / (simulator.step / division) < MOST_DIVISIONS + 1:
            problem = problem.with_step(simulator.step / division)
        windows = tuple(problem.simulator.windows(horizon))
        starts = problem.simulator.measured_starts(windows)
        if self.free and last is not None and last.rows is not None:
            starts = _states_at(windows, _reached_states(last))
        search = WindowSearch(problem, windows, free=self.free)
        point, rows = search.minimise_with_rest(SearchPoint(z, starts), evaluations)
        if rows is not None and has_step_error(search, point, rows, STAGE_SHIFT):
            end = StepCorrection(search, STAGE_SHIFT, most_searches=3).corrected_fit(point)
            point, rows = end.point, end.rows
        if rows is not None:
            problem = replace(problem, residual_unit=problem.unit_of(rows, windows))
        return Stage(problem, windows, point, rows)


def _reached_states(stage: Stage) -> list[Array]:
    """Per log the simulated states at its measured rows, (T, S)."""
    logs, names = stage.problem.simulator.logs, stage.problem.simulator.start_names
    states = [np.zeros((len(log.times), len(names))) for log in logs]
    for window, part in zip(stage.windows, stage.rows or (), strict=True):
        states[window.log][window.first : window.last + 1] = part.states
    return states


def _states_at(windows: Sequence[Window], states: Sequence[Array]) -> Array:
    """The states at the beginnings of windows."""
    return np.array([states[window.log][window.first] for window in windows])
