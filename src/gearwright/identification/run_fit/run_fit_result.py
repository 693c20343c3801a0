"""The result of a fit of runs: values, what is known of them, predictions, validation, write-back and report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError
from gearwright.file_access import create_folder, write_text
from gearwright.forces import Law
from gearwright.identification.run_fit.fit_problem import SCALES_PER_RANGE
from gearwright.identification.run_fit.horizon_growth import FINAL_SHIFT
from gearwright.identification.run_fit.identifiability import Information, correlation_length
from gearwright.identification.run_fit.run_log import RunLog
from gearwright.identification.run_fit.simulated_logs import LogSimulator, Window
from gearwright.identification.run_fit.step_correction import StepCorrection, simulated_outputs
from gearwright.identification.run_fit.window_search import SearchPoint, WindowSearch
from gearwright.parts import Robot, with_parameters
from gearwright.plots import Panel, panel_figure, save_figure
from gearwright.simulation.acting_laws import RobotLaws
from gearwright.simulation.fixed_step.compiled_rollout import nominal_laws
from gearwright.system import (
    LawController,
    find_parameter,
    law_parameter,
    with_controller_parameters,
    with_law_parameters,
)
from gearwright.text import did_you_mean, html_text
from gearwright.tracing.parameters import machine_with_values

CONFIDENCE_FACTOR = 1.96
"""Half width of a 95 % interval, relative to the standard deviation."""


START_SAMPLES, START_EVALUATIONS = 20, 20
"""Samples of another log to which its initial state is fitted, and evaluations of this fit."""

PROFILE_EVALUATIONS = 15
"""Evaluations of the fit of the other unknowns at one value of a profile."""


class SignalScore(NamedTuple):
    """The error of one predicted signal of one log.

    Args:
        log, signal: names.
        mean_absolute: mean absolute error.
        rms: root mean square error.
        r_squared: share of the variance that is explained.
        white: whether the residuals are white.
        confidence: half width of the 95 % interval of the mean absolute error, with the correlation of the residuals.
    """

    log: str
    signal: str
    mean_absolute: float
    rms: float
    r_squared: float
    white: bool
    confidence: float


def scores(logs: Sequence[RunLog], predictions: Sequence[Mapping[str, Array]]) -> tuple[SignalScore, ...]:
    """The error of every predicted signal."""
    rows = []
    for log, predicted in zip(logs, predictions, strict=True):
        for name, series in predicted.items():
            measured = np.asarray(log.measured[name])
            error = measured - series
            variance, length = float(np.var(measured)), correlation_length(error)
            independent = max(2.0, len(error) / max(1, length))
            rows.append(
                SignalScore(
                    log.name,
                    name,
                    float(np.abs(error).mean()),
                    float(np.sqrt(np.mean(error**2))),
                    1.0 - float(np.mean(error**2)) / variance if variance > 0 else float("nan"),
                    length == 0,
                    CONFIDENCE_FACTOR * float(np.abs(error).std()) / float(np.sqrt(independent)),
                )
            )
    return tuple(rows)


@dataclass(frozen=True)
class RunFit:
    """A fit of unknown parameters to logs of runs.

    Args:
        problem: the problem that was solved.
        values: by name.
        information: their identifiability from the logs.
        predictions: per log the predicted signals.
        scores: per log and signal the errors.
        cost: the least sum of the loss.
        near_best: number of starts that ended within 2 % of it.
        starts: number of starts.
        remarks: observations on logs and fit.
        start_states: per log its fitted initial state; empty if it was not unknown.
        divisions: of the step of the search, for predictions without its error.
        horizon: length of the windows to which the model was fitted [s]; None: whole logs.
    """

    problem: Any
    values: Mapping[str, float]
    information: Information
    predictions: tuple[Mapping[str, Array], ...]
    scores: tuple[SignalScore, ...]
    cost: float
    near_best: int
    starts: int
    remarks: tuple[str, ...]
    start_states: tuple[tuple[float, ...], ...] = ()
    divisions: int = 1
    horizon: float | None = None

    @property
    def free_starts(self) -> bool:
        """Whether the initial states of the logs were unknown too."""
        return bool(self.start_states)

    def __getitem__(self, name: str) -> float:
        """The value of an unknown."""
        if name not in self.values:
            raise InputError(f"fit: there is no unknown {name!r}. {did_you_mean(name, self.values)}")
        return self.values[name]

    @property
    def deviations(self) -> dict[str, float]:
        """Standard deviations by name; infinite where nothing bounds an unknown."""
        sizes = np.sqrt(np.maximum(np.diag(self.information.covariance), 0.0))
        known = dict(zip(self.information.names, sizes.tolist(), strict=True))
        return {name: np.inf if name in self.information.unbounded else size for name, size in known.items()}

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % intervals by name, from the linearised model; infinite where nothing bounds an unknown."""
        return {
            name: (value - CONFIDENCE_FACTOR * self.deviations[name], value + CONFIDENCE_FACTOR * self.deviations[name])
            for name, value in self.values.items()
        }

    @property
    def mean_absolute_error(self) -> dict[str, float]:
        """Per signal the mean over the logs of the mean absolute error."""
        names = dict.fromkeys(score.signal for score in self.scores)
        return {
            name: float(np.mean([score.mean_absolute for score in self.scores if score.signal == name]))
            for name in names
        }

    @property
    def information_criterion(self) -> float:
        """The Bayesian information criterion of the residuals; the structure with the least value is to be preferred.

        Correlated residuals count as fewer: the number of independent ones is estimated from their correlation.
        """
        total, count = 0.0, 0.0
        for log, predicted in zip(self.problem.simulator.logs, self.predictions, strict=True):
            for name, series in predicted.items():
                error = (np.asarray(log.measured[name]) - series) / self.problem.scales[name]
                independent = len(error) / max(1, correlation_length(error))
                total += independent * float(np.log(max(np.mean(error**2), 1e-300)))
                count += independent
        return total + len(self.values) * float(np.log(max(count, 2.0)))

    @check_arguments
    def validate(self, logs: Sequence[RunLog]) -> tuple[SignalScore, ...]:
        """The errors on logs that were not used for the fit."""
        return scores(logs, self.predict(logs))

    @check_arguments
    def predict(self, logs: Sequence[RunLog]) -> tuple[Mapping[str, Array], ...]:
        """The predicted signals of other logs, from their inputs and their first samples.

        The initial state is that from which the model reproduces the first 20 samples best, or that of the first sample
        if the initial states of the fit were not unknown.
        """
        if not logs:
            raise InputError("fit: no log is given. Give at least one RunLog.")
        simulator: LogSimulator = replace(self.problem.simulator, logs=tuple(logs))
        simulator.require_known()
        windows = simulator.windows(np.inf)
        starts = simulator.measured_starts(windows, self.values)
        if self.free_starts:
            starts = self._initial_states(simulator, windows, starts)
        outputs = simulated_outputs(simulator, self.values, windows, starts, self.divisions)
        if outputs is None:
            raise InputError(f"fit: these logs cannot be simulated: {simulator.failure} Check their inputs.")
        return outputs

    def _initial_states(self, simulator: LogSimulator, windows: Sequence[Window], guess: Array) -> Array:
        """The initial states from which the model reproduces the first samples of logs best, (windows, states)."""
        ranges = {
            name: float(np.ptp(series)) / SCALES_PER_RANGE or 1.0
            for log in simulator.logs
            for name, series in log.measured.items()
        }
        problem = replace(self.problem, simulator=simulator, scales=ranges | dict(self.problem.scales))
        first_parts = [w._replace(last=min(w.first + START_SAMPLES, w.last)) for w in windows]
        point = SearchPoint(problem.to_search(np.array([*self.values.values()])), guess)
        search = WindowSearch(problem, first_parts, held=frozenset(problem.names))
        search = replace(search, corrections=StepCorrection(search, FINAL_SHIFT).corrections(point, self.divisions))
        end, rows = search.minimise_with_rest(point, START_EVALUATIONS)
        return guess if rows is None else end.starts

    @property
    def robot(self) -> Any:
        """The robot or machine with the fitted parameters, including those of the robot's own laws.

        Raises:
            InputError: a fitted parameter of a law is not determined by a single parameter of the robot.
        """
        simulator = self.problem.simulator
        control_paths = simulator.plain.plan.control_paths
        of_parts = [path for path in simulator.paths if path not in control_paths]
        numbers = {path: self.values[path] for path in of_parts if not self._is_of_law(path)}
        if not isinstance(simulator.source, Robot):
            return machine_with_values(simulator.source, numbers) if numbers else simulator.source
        robot = with_parameters(simulator.source, numbers)
        for path in self._robot_paths_of_laws:
            robot = _with_law_number(robot, simulator.laws, path, self.values[path])
        return robot

    @property
    def controller(self) -> LawController | None:
        """The controller of the runs with the fitted gains; None if there is none."""
        simulator = self.problem.simulator
        gains = {path: self.values[path] for path in simulator.plain.plan.control_paths if path in self.values}
        return None if simulator.controller is None else with_controller_parameters(simulator.controller, gains)

    @property
    def laws(self) -> tuple[Law, ...]:
        """The laws that act, with the fitted parameters."""
        laws = self.problem.simulator.plain.system.laws
        values = {path: self.values[path] for path in self.problem.simulator.paths if self._is_of_law(path)}
        return with_law_parameters(laws, values)

    @property
    def extra_laws(self) -> tuple[Law, ...]:
        """The laws in addition to those of the robot, with the fitted parameters."""
        acting = self.problem.simulator.laws
        names = {law.name for law in (acting.extra_laws if isinstance(acting, RobotLaws) else acting)}
        return tuple(law for law in self.laws if law.name in names)

    def _is_of_law(self, path: str) -> bool:
        simulator = self.problem.simulator
        of_control = path in simulator.plain.plan.control_paths
        return not of_control and find_parameter(simulator.plain.system.laws, path) is not None

    @property
    def _robot_paths_of_laws(self) -> list[str]:
        """Numbers of the robot's own laws, which are written into the robot itself."""
        simulator = self.problem.simulator
        if not isinstance(simulator.laws, RobotLaws):
            return []
        robot_laws = [law for law in simulator.plain.system.laws if law not in simulator.laws.extra_laws]
        return [
            path for path in simulator.paths if self._is_of_law(path) and find_parameter(robot_laws, path) is not None
        ]

    @check_arguments
    def profile(self, name: str, points: int = 7, width: float = 3.0) -> tuple[Array, Array]:
        """Profile likelihood: values of one unknown, and the least cost with all others fitted, relative to the best.

        A flat profile shows that the logs do not determine the parameter; a profile that is not a parabola shows that
        its interval is not symmetric. An increase of 1.92 in units of the residual variance bounds the 95 % interval.

        Args:
            name: of the unknown.
            points: number of values.
            width: half range in standard deviations.

        Raises:
            InputError: the fit explains only windows of the logs, whose cost is not that of whole logs.
        """
        whole_number("profile", "points", points, least=1)
        if self.horizon is not None:
            raise InputError(
                f"profile: the fit explains only windows of {self.horizon:.3g} s, and a profile takes whole logs. Fit "
                "logs of about this length."
            )
        real_number("profile", "width", width, above=0.0, example=3.0)
        centre, stated = self[name], self.deviations[name]
        deviation = max(stated if np.isfinite(stated) else 0.1 * abs(self[name]), 1e-3 * abs(self[name]), 1e-12)
        unknown = next(u for u in self.problem.unknowns if u.name == name)
        low, high = max(unknown.lower, centre - width * deviation), min(unknown.upper, centre + width * deviation)
        grid, costs = np.linspace(low, high, points), []
        free, problem = self.free_starts, self.problem
        windows = problem.simulator.windows(np.inf)
        starts = np.array(self.start_states) if free else problem.simulator.measured_starts(windows)
        best = SearchPoint(problem.to_search(np.array([*self.values.values()])), starts)
        search = WindowSearch(problem, windows, free=free, held=frozenset({name}))
        search = replace(search, corrections=StepCorrection(search, FINAL_SHIFT).corrections(best, self.divisions))
        for value in grid:
            values = np.array(list({**self.values, name: float(value)}.values()))
            costs.append(search.minimise(SearchPoint(problem.to_search(values), starts), PROFILE_EVALUATIONS)[1])
        count = sum(len(log.times) * len(log.measured) for log in self.problem.simulator.logs)
        variance = max(2 * self.cost / max(1, count - len(self.values)), 1e-300)
        return grid, (np.array(costs) - self.cost) / variance

    def __str__(self) -> str:
        lines = [f"{'unknown':40s} {'value':>12s} {'deviation':>12s}"]
        lines += [f"{name:40s} {value:12.5g} {self.deviations[name]:12.2g}" for name, value in self.values.items()]
        lines += [f"{self.near_best} of {self.starts} starts end within 2 % of the best."]
        lines += [
            f"{s.log} {s.signal}: mean absolute error {s.mean_absolute:.4g}, R2 {s.r_squared:.4f}" for s in self.scores
        ]
        return "\n".join([*lines, *self.information.remarks, *self.remarks])

    @check_arguments
    def report(
        self, folder: str | Path, validation: Sequence[RunLog] = (), title: str = "Digital twin from a log"
    ) -> Path:
        """Write a page with measured and predicted curves into a folder; returns its path (index.html).

        Args:
            folder: target folder; created if missing.
            validation: logs that were not used for the fit.
            title: of the page.
        """
        target = create_folder(Path(folder))
        parts = [f"<!doctype html><html><head><meta charset='utf-8'><title>{html_text(title)}</title>", PAGE_STYLE]
        parts.append(f"</head><body><h1>{html_text(title)}</h1><h2>Unknowns</h2>{self._value_table()}")
        sentences = (*self.information.remarks, *self.remarks)
        if sentences:
            parts.append("<h2>Identifiability and remarks</h2><ul>")
            parts += [f"<li>{html_text(sentence)}</li>" for sentence in sentences]
            parts.append("</ul>")
        parts.append(f"<p>Bayesian information criterion: {self.information_criterion:.1f}</p>")
        groups = [("Fitted logs", self.problem.simulator.logs, self.predictions, self.scores)]
        if validation:
            unseen = self.predict(validation)
            groups.append(("Validation", tuple(validation), unseen, scores(validation, unseen)))
        for heading, logs, predictions, rows in groups:
            parts.append(f"<h2>{heading}</h2>{_score_table(rows)}")
            for k, (log, predicted) in enumerate(zip(logs, predictions, strict=True)):
                image = f"{heading.split()[0].lower()}_{k + 1}.png"
                panels = [
                    Panel(name, {"measured": np.asarray(log.measured[name]), "predicted": series}, title=log.name)
                    for name, series in predicted.items()
                ]
                panels += [
                    Panel(f"error of {name}", {"measured - predicted": np.asarray(log.measured[name]) - series})
                    for name, series in predicted.items()
                ]
                save_figure(panel_figure(log.times, "time [s]", panels), target / image)
                parts.append(f"<p><img src='{image}' alt='{html_text(log.name)}'></p>")
        page = target / "index.html"
        write_text(page, "\n".join([*parts, "</body></html>\n"]))
        return page

    def _value_table(self) -> str:
        rows = "".join(
            f"<tr><td>{html_text(name)}</td><td>{value:.6g}</td><td>{self.deviations[name]:.2g}</td>"
            f"<td>{self.intervals[name][0]:.5g} to {self.intervals[name][1]:.5g}</td></tr>"
            for name, value in self.values.items()
        )
        return f"<table><tr><th>Unknown</th><th>Value</th><th>Deviation</th><th>95 % interval</th></tr>{rows}</table>"


ROBOT_WORDS_OF_LAWS = {".motor_friction.": ".motor.friction.", ".spring.gap": ".gear.torsion.backlash"}
"""Words in paths of the robot's own laws, and of the same numbers in the robot; other paths are equal in both."""


def _with_law_number(robot: Robot, laws: RobotLaws, law_path: str, value: float) -> Robot:
    """The robot whose own law has a number at a path; an additional contribution, such as damping, is subtracted."""
    place, number = law_path, value
    for word, robot_word in ROBOT_WORDS_OF_LAWS.items():
        place = place.replace(word, robot_word)
    for _ in range(2):
        try:
            changed = with_parameters(robot, {place: number})
            reached = law_parameter(nominal_laws(changed, laws), law_path)
        except GearwrightError:
            break
        if reached is not None and np.isclose(reached, value, rtol=1e-12, atol=0.0):
            return changed
        number += value - (reached or 0.0)
    raise InputError(
        f"fit: {law_path!r} is a parameter of a law that corresponds to no single parameter of robot {robot.name!r}, "
        "so the fitted value cannot be written into the robot. Name the unknown by a path of the robot, such as "
        "'<drive>.motor.friction.coulomb' or '<drive>.gear.efficiency', or use the fitted `laws`."
    )


PAGE_STYLE = "<style>body{font-family:sans-serif;max-width:60em;margin:2em auto}td,th{padding:.2em .8em}</style>"
"""The style of the report page."""


def _score_table(rows: Sequence[SignalScore]) -> str:
    body = "".join(
        f"<tr><td>{html_text(row.log)}</td><td>{html_text(row.signal)}</td><td>{row.mean_absolute:.4g} "
        f"&plusmn; {row.confidence:.2g}</td><td>{row.r_squared:.4f}</td><td>{'yes' if row.white else 'no'}</td></tr>"
        for row in rows
    )
    heads = ("Log", "Signal", "Mean absolute error", "R2", "White residuals")
    return f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>{body}</table>"
