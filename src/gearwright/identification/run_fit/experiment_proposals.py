r"""Proposed experiments for unknowns that a log does not determine, each tried on the fitted model.

A candidate experiment adds its information to that of the log. Tried are: the input of the log as a sinusoid of the
same mean and amplitude over a range of frequencies, the log once more with an added mass, and a further signal of
the model. Those after which the doubtful unknowns are determined are stated in a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import GearwrightError
from gearwright.identification.run_fit.fit_problem import FitProblem
from gearwright.identification.run_fit.identifiability import (
    STRONG_CORRELATION,
    Information,
    output_derivatives,
    relative_deviations,
)
from gearwright.identification.run_fit.run_log import RunLog
from gearwright.identification.run_fit.simulated_logs import Outputs, candidate_outputs
from gearwright.parts import Robot
from gearwright.text import listed_names

DETERMINED_RATIO = 0.1
"""Standard deviation relative to the value below which an unknown is determined by an experiment."""

FREQUENCIES = 10
"""Number of frequencies that are tried."""

LEAST_SAMPLES_PER_PERIOD = 10
"""Least number of samples of the log per period of a frequency."""

LARGEST_RANGE_RATIO = 3.0
"""Range of a measured signal in an experiment, relative to that in the log, above which it is not proposed."""

ADDED_MASS_SHARE = 0.5
"""Added mass, relative to the mass of the robot's links."""

SIGNAL_ACCURACY = 0.01
"""Assumed noise of a further signal, relative to its range."""

NO_DEVIATION = 1e6
"""Relative standard deviation that counts as unknown."""


@dataclass(frozen=True)
class ExperimentTrial:
    """The log's information and what experiments would add to it.

    Args:
        problem: of the fit.
        values: fitted values, (K,).
        J: derivatives of the weighted residuals of the log, without initial states, (N, K).
        variance: of the weighted residuals.
        doubtful: indices of the unknowns that the log does not determine.
    """

    problem: FitProblem
    values: Array
    J: Array
    variance: float
    doubtful: tuple[int, ...]

    @property
    def _scale(self) -> Array:
        return self.problem.value_scales(self.values)

    @property
    def _priors(self) -> Array:
        return np.array([0.0 if u.prior is None else 1.0 / u.prior[1] for u in self.problem.unknowns]) * self._scale

    def deviation(self, J: Array) -> float:
        """The largest relative deviation of a doubtful unknown after experiments with derivatives J are added.

        `NO_DEVIATION` where a combination of unknowns has no information.
        """
        whole = np.concatenate([self.J, J]) * self._scale / np.sqrt(self.variance)
        information = whole.T @ whole + np.diag(self._priors**2)
        deviations = relative_deviations(information)
        return NO_DEVIATION if deviations is None else float(deviations[list(self.doubtful)].max())

    def weighted_derivatives(self, output: Outputs, scales: Mapping[str, float] | None = None) -> Array:
        """Derivatives of the signals of an experiment, by default in the scales of the fit."""
        chosen = {name: self.problem.scales[name] for name in output.values} if scales is None else scales
        return output_derivatives(output.slopes, output.start_slopes, chosen)

    def of_outputs(self, outputs: Sequence[Outputs | None], logs: Sequence[RunLog]) -> list[float]:
        """The deviation after each experiment; `NO_DEVIATION` where it leaves the range of the log."""
        known, scales = self.problem.simulator.logs[0], self.problem.scales
        results = []
        for output, log in zip(outputs, logs, strict=True):
            names = [name for name in log.measured if name in scales]
            within = output is not None and all(
                np.ptp(output.values[name]) <= LARGEST_RANGE_RATIO * np.ptp(known.measured[name])
                for name in names
                if name in known.measured and np.ptp(known.measured[name]) > 0
            )
            if output is None or not within:
                results.append(NO_DEVIATION)
                continue
            results.append(self.deviation(self.weighted_derivatives(output, {name: scales[name] for name in names})))
        return results


def proposed_experiments(
    problem: FitProblem, values: Array, information: Information, J: Array, residuals: Array
) -> tuple[str, ...]:
    """A sentence that proposes experiments for the unknowns that the logs do not determine; () if there are none.

    Args:
        problem: of the fit.
        values: fitted values.
        information: of the logs.
        J: derivatives of the weighted residuals, without initial states.
        residuals: weighted residuals.
    """
    strong = np.abs(information.correlations) > STRONG_CORRELATION
    np.fill_diagonal(strong, False)
    names = information.names
    imprecise = np.sqrt(np.maximum(np.diag(information.covariance), 0.0)) > DETERMINED_RATIO * np.abs(values)
    strong &= imprecise[:, None] | imprecise[None, :]
    doubtful = [k for k, name in enumerate(names) if name in information.poorly_determined or strong[k].any()]
    if not doubtful:
        return ()
    variance = max(float(residuals @ residuals) / max(1, len(residuals) - len(values)), 1e-300)
    trial = ExperimentTrial(problem, values, J, variance, tuple(doubtful))
    mapped = dict(zip(names, values.tolist(), strict=True))
    helpful = [*_frequencies(trial, mapped), *_added_mass(trial, mapped), *_further_signals(trial, mapped)]
    group = listed_names(names[k] for k in doubtful)
    verb = "distinguish" if len(doubtful) > 1 else "determine"
    if not helpful:
        what = "one of them" if len(doubtful) > 1 else "it"
        return (
            f"To {verb} {group}: no frequency of the inputs within the range of the log, no added mass and no further "
            f"signal of the model suffices. Fix {what}, or state what is known as a prior.",
        )
    return (f"To {verb} {group}: {', or '.join(helpful)}.",)


def _frequencies(trial: ExperimentTrial, values: Mapping[str, float]) -> list[str]:
    """Frequencies of each input from which on, or near which, the unknowns are determined."""
    template = trial.problem.simulator.logs[0]
    highest = 1.0 / (LEAST_SAMPLES_PER_PERIOD * template.period)
    lowest = max(1.0 / template.duration, highest / 100)
    if not highest > lowest:
        return []
    grid, phrases = np.geomspace(lowest, highest, FREQUENCIES), []
    for name, series in template.inputs.items():
        if np.ptp(series) == 0 or name.startswith(("v_ref.", "a_ref.")):
            continue
        logs = [_sinusoidal(template, name, frequency) for frequency in grid]
        found = trial.of_outputs(candidate_outputs(trial.problem.simulator, logs, values), logs)
        helps = np.array(found) < DETERMINED_RATIO
        if not helps.any():
            continue
        best = int(np.argmin(found))
        first = len(grid) - int(np.argmin(helps[::-1])) if not helps.all() else 0
        amplitude = float(np.std(series)) * np.sqrt(2)
        at = f"above {grid[first]:.2g} Hz" if first < len(grid) else f"near {grid[best]:.2g} Hz"
        phrases.append(
            f"excite {name} {at} (amplitude {amplitude:.2g}; standard deviation {100 * found[best]:.2g} % at "
            f"{grid[best]:.2g} Hz)"
        )
    return phrases


def _sinusoidal(log: RunLog, name: str, frequency: float) -> RunLog:
    """A log with one input as a sinusoid of the same mean and power, the others at their mean."""
    series = {other: np.full(len(log.times), float(np.mean(values))) for other, values in log.inputs.items()}
    amplitude = float(np.std(log.inputs[name])) * np.sqrt(2)
    phase = 2 * np.pi * frequency * (log.times - log.times[0])
    series[name] = series[name] + amplitude * np.sin(phase)
    if name.startswith("q_ref."):
        omega = 2 * np.pi * frequency
        series |= {f"v_ref.{name[6:]}": amplitude * omega * np.cos(phase)}
        series |= {f"a_ref.{name[6:]}": -amplitude * omega**2 * np.sin(phase)}
    return replace(log, inputs=series)


def _added_mass(trial: ExperimentTrial, values: Mapping[str, float]) -> list[str]:
    """Whether the logs, repeated with a known mass at the tool, determine the unknowns."""
    simulator = trial.problem.simulator
    robot = simulator.source
    if not isinstance(robot, Robot):
        return []
    total = sum(float(link.mass) for link in robot.links)
    mass = float(f"{ADDED_MASS_SHARE * total:.1g}")
    if not mass > 0 or any(path.startswith("payload.") for path in simulator.paths):
        return []
    payload = robot.payload
    try:
        if payload is None:
            loaded = robot.with_payload(mass, tuple(float(x) for x in robot.links[-1].com))
        else:
            loaded = replace(robot, payload=replace(payload, mass=payload.mass + mass))
        outputs = candidate_outputs(replace(simulator, source=loaded), simulator.logs, values)
    except GearwrightError:  # the loaded robot is not possible, for example beyond its limits
        return []
    J = [trial.weighted_derivatives(output) for output in outputs if output is not None]
    if len(J) < len(outputs):
        return []
    found = trial.deviation(np.concatenate(J))
    text = f"add {mass:g} kg and repeat the log (standard deviation {100 * found:.2g} %)"
    return [text] if found < DETERMINED_RATIO else []


def _further_signals(trial: ExperimentTrial, values: Mapping[str, float]) -> list[str]:
    """Signals of the model which, if measured too, determine the unknowns."""
    simulator = trial.problem.simulator
    log = simulator.logs[0]
    states = simulator.plain.states[: simulator.plain.system.law_slice.stop]
    names = [name for name in (*states, *simulator.signal_laws) if name not in log.measured]
    first = dict(
        zip(simulator.plain.states, simulator.measured_state(simulator.windows(np.inf)[0]).tolist(), strict=True)
    )
    further = {name: np.full(len(log.times), first.get(name, 0.0)) for name in names}
    wider = replace(log, measured={**log.measured, **further})
    (output,) = candidate_outputs(simulator, [wider], values) if names else (None,)
    if output is None:
        return []
    helpful = {}
    for name in names:
        width = float(np.ptp(output.values[name]))
        if width > 0:
            scales = {name: SIGNAL_ACCURACY * width / np.sqrt(trial.variance)}
            found = trial.deviation(trial.weighted_derivatives(output, scales))
            if found < DETERMINED_RATIO:
                helpful[name] = found
    best = sorted(helpful, key=lambda name: helpful[name])[:1]
    return [f"measure {name} too (standard deviation {100 * helpful[name]:.2g} % at 1 % noise)" for name in best]
