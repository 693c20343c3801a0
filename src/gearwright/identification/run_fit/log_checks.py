"""Checks of logs against the model: units, signs, clocks and delays that would explain what the model does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.identification.run_fit.fit_problem import FitProblem
from gearwright.identification.run_fit.measurement_unknowns import DELAY, DELAY_PREFIX
from gearwright.identification.run_fit.run_log import DELAY_ERROR_SHARE, RunLog, clock_delay, prediction_remarks

LogChange = tuple[str, Callable[[RunLog], RunLog]]

SIGN = -1.0
"""The factor of a signal whose sign is reversed."""

UNIT_FACTORS = {np.pi / 180: "in degrees", 1e-3: "in thousandths of its unit", 1e3: "in thousands of its unit"}
"""Factors that correct a wrong unit, and the unit of the log."""

TURN_FACTORS = {"q.": {2 * np.pi: "in revolutions"}, "v.": {np.pi / 30: "in revolutions per minute"}}
"""The same for positions and speeds."""

LEAST_MILLISECOND_STEP = 0.1
"""Sampling period [s] from which times may be in milliseconds: that of a log of 10 kHz."""

EXPLAINED_RATIO = 0.5
"""Error of the prediction of a changed log, relative to that of the log, below which the change explains it."""

EXPLAINED_ERROR = 0.4
"""Relative error of the prediction of a changed log above which the change explains nothing."""

GREATLY_REDUCED = (0.1, 0.8)
"""The same two bounds where start values are poor: the ratio is far smaller, and the error may be larger."""

WINDOWS, LEAST_WINDOW_PERIODS = 12, 6
"""Number of windows of a log in which units are checked, and their least length in sampling periods."""

CLOCK_SEARCH_PERIODS = 20.0
"""Largest delay that is sought, relative to the sampling period."""

LEAST_DELAY_PERIODS = 0.1
"""Delay that explains residuals, relative to the sampling period, below which there is no remark."""

POOR_FIT = 0.5
"""Share of the variance of a fitted signal (R2) below which the model does not describe the log."""


def unit_and_sign_remarks(problem: FitProblem, predictions: Sequence[Mapping[str, Array]] | None) -> list[str]:
    """Remarks on signals and inputs that the model reproduces far better in another unit or with the other sign.

    Args:
        problem: of the fit.
        predictions: signals of every log with the start values; None where a motion diverges.

    Raises:
        InputError: the times are in milliseconds: a simulation of a thousand times the duration would follow.
    """
    remarks = []
    for k, log in enumerate(problem.simulator.logs):
        of_log = _factor_remarks(problem, log)
        if not of_log and predictions is not None:
            of_log = [x for name, series in predictions[k].items() for x in prediction_remarks(log, name, series)]
        remarks += of_log
    return remarks


def _factor_remarks(problem: FitProblem, log: RunLog) -> list[str]:
    fast = replace(log, t=1e-3 * log.times)
    if log.period >= LEAST_MILLISECOND_STEP and _error(problem, fast) < EXPLAINED_ERROR:
        raise InputError(
            f"{log.name}: the times have steps of {log.period:g} s, and in milliseconds the model reproduces the log. "
            "Give times in seconds."
        )
    error = _error(problem, log)
    changes: list[LogChange] = []
    for name in log.measured:
        changes += _factor_changes("measured", name)
    for name, series in log.inputs.items():
        changes += _factor_changes("inputs", name) if np.ptp(series) > 0 else []
    errors = [_error(problem, change(log)) for _, change in changes]
    best = int(np.argmin(errors))
    bounds = ((EXPLAINED_RATIO, EXPLAINED_ERROR), GREATLY_REDUCED)
    is_explained = any(errors[best] < min(largest, ratio * error) for ratio, largest in bounds)
    return [f"{log.name}: {changes[best][0]}"] if is_explained else []


def _factor_changes(word: str, name: str) -> list[LogChange]:
    """The corrections of a signal or input, each with its description."""
    units = UNIT_FACTORS | (TURN_FACTORS.get(name[:2], {}) if word == "measured" else {})
    texts = {
        factor: f"{name!r} is probably {unit}: the model then reproduces the log. Convert it to SI units."
        for factor, unit in units.items()
    }
    texts[SIGN] = (
        f"the sign of {name!r}, or of another signal or input, is probably reversed: with the other sign of {name!r} "
        "the model reproduces the log. Check the directions of motion."
    )
    return [(text, _with_factor(word, name, factor)) for factor, text in texts.items()]


def _with_factor(word: str, name: str, factor: float) -> Callable[[RunLog], RunLog]:
    def change(log: RunLog) -> RunLog:
        series = dict(getattr(log, word))
        series[name] = factor * np.asarray(series[name])
        return replace(log, inputs=series) if word == "inputs" else replace(log, measured=series)

    return change


def _error(problem: FitProblem, log: RunLog) -> float:
    """Error of predictions over short windows with the start values, relative to the motion within them.

    Each window starts from measured states, so that wrong start values of the unknowns have little effect.
    """
    simulator = problem.simulator.with_logs([log])
    values = {unknown.name: float(unknown.start or 0.0) for unknown in problem.unknowns}
    windows = simulator.windows(max(log.duration / WINDOWS, LEAST_WINDOW_PERIODS * log.period))
    outputs = simulator.simulate(values, windows, False)
    if outputs is None:
        return float("inf")
    ratios = []
    for name, series in log.measured.items():
        parts = [np.asarray(series)[window.first : window.last + 1] for window in windows]
        motion = sum(float(np.sum((part - part.mean()) ** 2)) for part in parts)
        error = sum(float(np.sum((out.values[name] - part) ** 2)) for out, part in zip(outputs, parts, strict=True))
        ratios += [np.sqrt(error / motion)] if motion > 0 else []
    return max(ratios, default=float("inf"))


def clock_remarks(problem: FitProblem, predictions: Sequence[Mapping[str, Array]]) -> list[str]:
    """Remarks on measured signals that follow their prediction with a delay of more than a sampling period."""
    remarks = []
    for log, predicted in zip(problem.simulator.logs, predictions, strict=True):
        longest = min(CLOCK_SEARCH_PERIODS * log.period, log.duration / 4)
        for name, series in predicted.items():
            unknown = DELAY if len(log.measured) == 1 else DELAY_PREFIX + name
            if problem.names.count(DELAY) + problem.names.count(DELAY_PREFIX + name):
                continue
            delay = clock_delay(log.times, np.asarray(log.measured[name]), series, longest)
            if abs(delay) > log.period:
                remarks.append(
                    f"{log.name}: {name!r} runs {1e3 * delay:.1f} ms behind its prediction: its clock or its sensor "
                    f"has a delay. Add {unknown!r} to the unknowns."
                )
    return remarks


def delay_remarks(
    problem: FitProblem, predictions: Sequence[Mapping[str, Array]], residuals: Array, J: Array
) -> list[str]:
    """Remarks on logs whose remaining residuals a delay explains, with all unknowns fitted again (linearised).

    The delay is that of all signals of a log, or of one of them.

    Args:
        problem: of the fit.
        predictions: fitted signals of every log.
        residuals: in the scales of the fit, (N,).
        J: their derivatives by the unknowns and initial states, (N, K).
    """
    remarks, begin = [], 0
    remaining = residuals - J @ np.linalg.lstsq(J, residuals, rcond=None)[0]
    power = float(remaining @ remaining)
    for log, predicted in zip(problem.simulator.logs, predictions, strict=True):
        columns = {}
        for name, series in predicted.items():
            columns[name] = np.zeros(len(residuals))
            columns[name][begin : begin + len(series)] = -np.gradient(series, log.times) / problem.scales[name]
            begin += len(series)
        candidates = {DELAY_PREFIX + name: ("signal " + repr(name), column) for name, column in columns.items()}
        candidates[DELAY] = ("measured signals", sum(columns.values(), np.zeros(len(residuals))))
        explained = [
            (left, delay, unknown)
            for unknown, (_, column) in candidates.items()
            if unknown not in problem.names and not (unknown != DELAY and len(columns) == 1)
            for left, delay in (_after_delay(remaining, column, J),)
            if abs(delay) > LEAST_DELAY_PERIODS * log.period and left < DELAY_ERROR_SHARE * power
        ]
        if explained:
            left, delay, unknown = min(explained)
            late, other = (candidates[unknown][0], "inputs") if delay > 0 else ("inputs", candidates[unknown][0])
            remarks.append(
                f"{log.name}: a delay of the {late} behind the {other} (about {1e3 * abs(delay):.2g} ms, linearised) "
                f"explains {100 * (1 - left / power):.0f} % of the remaining squared error. Add {unknown!r} to the "
                "unknowns."
            )
    return remarks


def _after_delay(remaining: Array, column: Array, J: Array) -> tuple[float, float]:
    """The squared error with a delay whose effect is a column, all unknowns fitted again, and the delay [s]."""
    free = column - J @ np.linalg.lstsq(J, column, rcond=None)[0]
    power = float(free @ free)
    if not power > 1e-12 * float(column @ column):
        return float("inf"), 0.0
    delay = -float(free @ remaining) / power
    return float(np.sum((remaining + free * delay) ** 2)), delay


def poor_fit_remarks(problem: FitProblem, predictions: Sequence[Mapping[str, Array]]) -> list[str]:
    """Remarks on signals that the fitted model does not describe."""
    remarks = []
    for log, predicted in zip(problem.simulator.logs, predictions, strict=True):
        is_driven = any(np.ptp(series) > 0 for series in log.inputs.values())
        for name, series in predicted.items():
            measured = np.asarray(log.measured[name])
            variance = float(np.var(measured))
            r_squared = 1.0 - float(np.mean((measured - series) ** 2)) / variance if variance > 0 else 1.0
            if r_squared < POOR_FIT:
                cause = "" if is_driven else "The log has no input that changes. "
                remarks.append(
                    f"{log.name}: the fitted model does not describe {name!r} (R2 {r_squared:.2f}). {cause}Check "
                    "units, signs and inputs, and whether a law is missing."
                )
    return remarks
