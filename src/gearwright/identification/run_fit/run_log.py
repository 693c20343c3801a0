"""Logs of runs: inputs and measured outputs by name over time, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, increasing_array, number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.motion.csv_columns import read_columns
from gearwright.text import did_you_mean, listed_names

LEAST_SAMPLES = 20
"""Samples below which a log is too short for a fit."""

LEAST_MOVING_SHARE = 0.1
"""Share of samples away from its extremes that a saturated signal has at least; a square wave has fewer."""

GAP_RATIO = 8.0
"""Distance of two samples, relative to the median distance, above which the log has a gap."""

SATURATED_SHARE = 0.15
"""Share of samples at the largest or least value above which a signal counts as saturated."""

SWITCH_TIME_TOLERANCE = 1e-9
"""Rounding of times, relative to them, within which a switch acts at its sample."""

DELAY_ERROR_SHARE = 0.3
"""Share of the squared difference that may remain where a delay explains it."""

UNEXPLAINED_SHARE = 0.03
"""Share of the variance of a signal that may remain behind a delay: otherwise the prediction is wrong in other ways."""


@check_arguments
@dataclass(frozen=True)
class RunLog:
    """Measured data of one run.

    Args:
        t: times [s], (T,), strictly increasing.
        inputs: measured or commanded inputs by name, (T,): `tau.<speed>`, `<drive>.voltage`, inputs of laws. Between
            two samples they are interpolated; a switch, which has two values, keeps its value until the next sample.
        measured: measured outputs by name, (T,): `q.<coordinate>`, `v.<speed>`, states and signals of laws.
        numbers: known parameters of robot and laws that differ between logs, by path: a servo gain, a payload.
        name: of the log, for messages.

    >>> RunLog([0.0, 0.1], {"tau.arm": [1.0, 1.0]}, {"q.arm": [0.0, 0.1]}).duration
    0.1
    """

    t: Any
    inputs: Mapping[str, Any]
    measured: Mapping[str, Any]
    numbers: Mapping[str, float] = field(default_factory=dict)
    name: str = "log"

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", increasing_array(self.name, "t", self.t))
        for word in ("inputs", "measured"):
            columns = {name: as_float_array(self.name, name, values) for name, values in getattr(self, word).items()}
            for name, values in columns.items():
                if values.shape != self.t.shape:
                    raise InputError(
                        f"{self.name}: {name!r} has shape {values.shape}, but there are {len(self.t)} times. Give one "
                        "value per time."
                    )
                if not np.isfinite(values).all():
                    first = float(self.t[np.argmin(np.isfinite(values))])
                    raise InputError(
                        f"{self.name}: {name!r} is not a finite number at t = {first:g} s. Remove these rows."
                    )
                if word == "measured":
                    number_array(self.name, name, values)  # not too large for the squares of errors
            object.__setattr__(self, word, columns)
        for name, number in self.numbers.items():
            real_number(self.name, f"numbers[{name!r}]", number)
        if not self.measured:
            raise InputError(f"{self.name}: no measured signal is given. Give at least one in `measured`.")

    @property
    def times(self) -> Array:
        """The times [s]."""
        return np.asarray(self.t, dtype=np.float64)

    @property
    def duration(self) -> float:
        """Duration from the first sample to the last [s]."""
        return float(self.times[-1] - self.times[0])

    @property
    def period(self) -> float:
        """Median time between two samples [s]."""
        return float(np.median(np.diff(self.times)))

    def input_at(self, name: str, t: Array) -> Array:
        """An input at other times [s]."""
        series = np.asarray(self.inputs[name], dtype=np.float64)
        if not ((series == series.min()) | (series == series.max())).all():
            return np.interp(t, self.times, series)
        rows = np.searchsorted(self.times, t * (1 + SWITCH_TIME_TOLERANCE), side="right") - 1
        return series[np.maximum(rows, 0)]

    def between(self, start: float, end: float) -> RunLog:
        """The part with start <= t <= end."""
        rows = (self.times >= start) & (self.times <= end)
        if rows.sum() < 2:
            raise InputError(f"{self.name}: fewer than two samples between {start:g} s and {end:g} s. Widen the span.")
        return RunLog(
            self.times[rows],
            {name: values[rows] for name, values in self.inputs.items()},
            {name: values[rows] for name, values in self.measured.items()},
            self.numbers,
            self.name,
        )

    def require_usable(self) -> tuple[str, ...]:
        """Remarks on gaps, constant and saturated signals; an error for a log that is too short or wholly constant."""
        if len(self.times) < LEAST_SAMPLES:
            raise InputError(
                f"{self.name}: {len(self.times)} samples are too few for a fit. Record at least {LEAST_SAMPLES}."
            )
        if all(np.ptp(values) == 0 for values in self.measured.values()):
            raise InputError(
                f"{self.name}: every measured signal ({listed_names(self.measured)}) is constant, so this log "
                "contains no information. Excite the machine."
            )
        return (*self._gap_remarks(), *self._constant_remarks(), *self._saturation_remarks())

    def _constant_remarks(self) -> list[str]:
        return [
            f"{self.name}: {name!r} is constant, {values[0]:g}, while other signals change: its sensor was probably "
            "not read. Omit it, unless that part was held."
            for name, values in self.measured.items()
            if np.ptp(values) == 0
        ]

    def _gap_remarks(self) -> list[str]:
        steps = np.diff(self.times)
        gaps = np.flatnonzero(steps > GAP_RATIO * self.period)
        if not len(gaps):
            return []
        widest = gaps[np.argmax(steps[gaps])]
        return [
            f"{self.name}: {len(gaps)} gap(s), the longest {steps[widest]:.3g} s at t = {self.times[widest]:.4g} s; "
            "inputs are interpolated there. Split the log at the gaps if inputs changed within them."
        ]

    def _saturation_remarks(self) -> list[str]:
        remarks = []
        for name, values in {**self.measured, **self.inputs}.items():
            if np.ptp(values) == 0:
                continue
            extremes = [values == values.max(), values == values.min()]
            is_extreme, longest = extremes[0] | extremes[1], max(extremes, key=np.mean)
            between = np.diff(values)[~is_extreme[1:] | ~is_extreme[:-1]]
            moving = len(between) > LEAST_MOVING_SHARE * len(values) and np.mean(between != 0) > 0.5
            phases = int(longest[0]) + int(np.sum(longest[1:] & ~longest[:-1]))
            if not moving or np.mean(longest) <= SATURATED_SHARE or (name in self.inputs and phases < 2):
                continue  # an input that is held once is a command
            cause = "it is probably saturated" if name in self.inputs else "it rests there, or is saturated"
            remarks.append(
                f"{self.name}: {name!r} is at its largest or least value in {100 * np.mean(longest):.0f} % of the "
                f"samples: {cause}, and its true value is not known there."
            )
        return remarks


@check_arguments
def read_run_log(
    path: str | Path,
    inputs: Mapping[str, str],
    measured: Mapping[str, str],
    numbers: Mapping[str, float] | None = None,
) -> RunLog:
    """Return a log from a CSV file with a column t.

    Args:
        path: of the file.
        inputs: per input of the model the name of its column.
        measured: per output of the model the name of its column.
        numbers: as in `RunLog`.
    """
    table = read_columns(Path(path), letters=None)
    columns = {name: table.values[:, k] for k, name in enumerate(table.header)}
    for column in (*inputs.values(), *measured.values()):
        if column not in columns:
            raise InputError(f"{path}: there is no column {column!r}. {did_you_mean(column, columns)}")
    return RunLog(
        table.time_column(),
        {name: columns[column] for name, column in inputs.items()},
        {name: columns[column] for name, column in measured.items()},
        numbers or {},
        Path(path).stem,
    )


def prediction_remarks(log: RunLog, signal: str, predicted: Array) -> list[str]:
    """A remark on a measured signal that the model predicts with the other sign."""
    measured = np.asarray(log.measured[signal])
    centred, expected = measured - measured.mean(), predicted - predicted.mean()
    size, expected_size = np.linalg.norm(centred), np.linalg.norm(expected)
    if not size * expected_size > 0:
        return []
    correlation = float(centred @ expected) / (size * expected_size)
    if correlation < -0.7:
        return [
            f"{log.name}: {signal!r} is opposite to its prediction (correlation {correlation:.2f}): its sign, or that "
            "of an input, is probably reversed."
        ]
    return []


def clock_delay(t: Array, measured: Array, predicted: Array, longest: float) -> float:
    """The delay [s] of a measured signal behind its prediction; 0 unless it explains most of the difference."""
    lags = np.linspace(-longest, longest, 81)
    errors = [float(np.mean((np.interp(t - lag, t, predicted) - measured) ** 2)) for lag in lags]
    best = int(np.argmin(errors))
    is_explained = errors[best] <= min(
        DELAY_ERROR_SHARE * errors[len(lags) // 2], UNEXPLAINED_SHARE * float(np.var(measured))
    )
    if not is_explained:
        return 0.0
    if not 0 < best < len(lags) - 1:
        return float(lags[best])
    before, lowest, after = errors[best - 1 : best + 2]
    curvature = before - 2 * lowest + after
    shift = 0.5 * (before - after) / curvature if curvature > 0 else 0.0
    return float(lags[best] + shift * (lags[1] - lags[0]))


def require_known_signals(logs: Sequence[RunLog], inputs: Sequence[str], outputs: Sequence[str]) -> None:
    """Raise an error for inputs and measured signals that the model does not have."""
    for log in logs:
        for word, log_signals, known in (("input", log.inputs, inputs), ("measured signal", log.measured, outputs)):
            for name in log_signals:
                if name not in known:
                    raise InputError(f"{log.name}: the model has no {word} {name!r}. {did_you_mean(name, known)}")
