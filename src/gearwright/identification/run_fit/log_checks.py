"""Checks of logs against the model: units, signs, clocks and delays that would explain what the model does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.identification.run_fit.fit_problem import FitProblem
from gearwright.identification.run_fit.run_log import DELAY_ERROR_SHARE, RunLog
from gearwright.identification.run_fit.simulated_logs import DELAY

LogChange = tuple[str, Callable[[RunLog], RunLog]]

UNIT_FACTORS = {np.pi / 180: "in degrees", 1e-3: "in thousandths of its unit", 1e3: "in thousands of its unit"}
"""Factors that correct a wrong unit, and the unit of the log."""

LEAST_MILLISECOND_STEP = 0.1
"""Sampling period [s] from which times may be in milliseconds: that of a log of 10 kHz."""

EXPLAINED_RATIO = 0.5
"""Error of the prediction of a changed log, relative to that of the log, below which the change explains it."""

EXPLAINED_ERROR = 0.4
"""Relative error of the prediction of a changed log above which the change explains nothing."""

WINDOWS, LEAST_WINDOW_PERIODS = 12, 6
"""Number of windows of a log in which units are checked, and their least length in sampling periods."""

POOR_FIT = 0.5
"""Share of the variance of a fitted signal (R2) below which the model does not describe the log."""


def unit_remarks(problem: FitProblem) -> list[str]:
    """Remarks on signals and inputs that the model reproduces far better in another unit.

    Raises:
        InputError: the times are in milliseconds: a simulation of a thousand times the duration would follow.
    """
    return [remark for k in range(len(problem.simulator.logs)) for remark in _unit_remarks(problem, k)]


def _unit_remarks(problem: FitProblem, k: int) -> list[str]:
    log = problem.simulator.logs[k]
    fast = replace(log, t=1e-3 * log.times)
    if log.period >= LEAST_MILLISECOND_STEP and _error(problem, fast) < EXPLAINED_ERROR:
        raise InputError(
            f"{log.name}: the times have steps of {log.period:g} s, and in milliseconds the model reproduces the log. "
            "Give times in seconds."
        )
    error = _error(problem, log)
    changes: list[LogChange] = []
    for name in log.measured:
        changes += _unit_changes("measured", name)
    for name, series in log.inputs.items():
        changes += _unit_changes("inputs", name) if np.ptp(series) > 0 else []
    errors = [_error(problem, change(log)) for _, change in changes]
    best = int(np.argmin(errors))
    if errors[best] < min(EXPLAINED_ERROR, EXPLAINED_RATIO * error):
        return [f"{log.name}: {changes[best][0]}: the model then reproduces the log. Convert it to SI units."]
    return []


def _unit_changes(word: str, name: str) -> list[LogChange]:
    """The corrections of a signal or input, each with its description."""
    return [(f"{name!r} is probably {text}", _with_factor(word, name, x)) for x, text in UNIT_FACTORS.items()]


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


def delay_remarks(
    problem: FitProblem, predictions: Sequence[Mapping[str, Array]], residuals: Array, J: Array
) -> list[str]:
    """Remarks on logs whose remaining residuals a delay explains, with all unknowns fitted again (linearised).

    Args:
        problem: of the fit.
        predictions: fitted signals of every log.
        residuals: in the scales of the fit, (N,).
        J: their derivatives by the unknowns and initial states, (N, K).
    """
    if DELAY in problem.names:
        return []
    remarks, begin = [], 0
    remaining = residuals - J @ np.linalg.lstsq(J, residuals, rcond=None)[0]
    for log, predicted in zip(problem.simulator.logs, predictions, strict=True):
        column = np.zeros(len(residuals))
        for name, series in predicted.items():
            column[begin : begin + len(series)] = -np.gradient(series, log.times) / problem.scales[name]
            begin += len(series)
        free = column - J @ np.linalg.lstsq(J, column, rcond=None)[0]
        power = float(free @ free)
        if not power > 1e-12 * float(column @ column):
            continue
        delay = -float(free @ remaining) / power
        left = float(np.sum((remaining + free * delay) ** 2))
        if abs(delay) > log.period and left < DELAY_ERROR_SHARE * float(remaining @ remaining):
            explained = 100 * (1 - left / float(remaining @ remaining))
            remarks.append(
                f"{log.name}: a delay of the measured signals (about {1e3 * delay:.0f} ms, linearised) explains "
                f"{explained:.0f} % of the remaining squared error. Add 'delay' to the unknowns."
            )
    return remarks


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
