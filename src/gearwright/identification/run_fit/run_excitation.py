r"""Exciting inputs for unknowns of a run: the motion of a model with laws whose Fisher information is best.

The derivatives of simulated outputs by the unknowns, J, each row divided by the standard deviation of its signal, give
the information $J'J$ and with it the covariance of a later fit, here before any measurement. Unknown initial states are
eliminated. Candidates are inputs that begin at rest and have a few frequencies; differential evolution (Storn and
Price, 1997) selects the one whose information is best among those that satisfy all limits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.file_access import write_text
from gearwright.forces import Law
from gearwright.identification.run_fit.fit_problem import FitProblem, Unknown
from gearwright.identification.run_fit.fit_run import RunFitOptions, run_fit_problem
from gearwright.identification.run_fit.identifiability import output_derivatives, relative_deviations
from gearwright.identification.run_fit.measurement_unknowns import DELAY, DELAY_PREFIX, OFFSET_PREFIX
from gearwright.identification.run_fit.run_log import RunLog
from gearwright.identification.run_fit.simulated_logs import Outputs, candidate_outputs
from gearwright.mechanism import Mechanism
from gearwright.motion.csv_columns import write_columns
from gearwright.parts import Robot
from gearwright.plots import NotebookFigure, Panel, panel_figure, save_if_path
from gearwright.system import Controller

COMPONENTS = 3
"""Sinusoids of each input."""

RISE_SHARE = 0.1
"""Share of the duration in which an input rises from its initial value."""

LOG_SAMPLES_PER_PERIOD = 16
"""Samples of the log per period of the highest frequency."""

LEAST_AMPLITUDE = 0.01
"""Least amplitude of a candidate, relative to the range of its input."""

SIGNAL_RANGE_RATIO = 1e3
"""Range of a signal without limits, relative to its noise."""

INFEASIBLE_COST = 1e6
"""Cost of a candidate that violates a limit, to which the violation is added."""

RunCriterion = Literal["d-optimal", "e-optimal"]


@check_arguments
@dataclass(frozen=True, kw_only=True)
class RunExcitationOptions:
    """Options of `excite_run`.

    Args:
        duration: of the experiment [s].
        limits: range (lower, upper) of any state or signal by name, such as {"v.arm": (-3.0, 3.0)}, in addition to the
            positions and speeds that the joints of the robot allow.
        start: initial states by name that are not zero, such as {"q.arm": 0.3}.
        bandwidth: highest frequency of the inputs [Hz].
        criterion: "e-optimal" (least eigenvalue of the information by relative changes of the unknowns: the worst
            combination of unknowns is determined best) or "d-optimal" (its determinant).
        step: of the simulation [s]; None: a quarter of the sampling period, at most 1 ms.
        candidates: number of candidates of each generation.
        generations: number of generations.
        seed: of the random numbers.
        progress: called with the share done, 0 to 1.
    """

    duration: float = 5.0
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    start: Mapping[str, float] = field(default_factory=dict)
    bandwidth: float = 10.0
    criterion: RunCriterion = "e-optimal"
    step: float | None = None
    candidates: int = 24
    generations: int = 20
    seed: int = 0
    progress: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        real_number("excite_run", "duration", self.duration, above=0.0, unit="seconds", example=5.0)
        real_number("excite_run", "bandwidth", self.bandwidth, above=1.0 / self.duration, unit="Hz", example=10.0)
        if self.step is not None:
            real_number("excite_run", "step", self.step, above=0.0, unit="seconds", example=1e-3)
        for name, least in (("candidates", 5), ("generations", 0), ("seed", 0)):
            whole_number("excite_run", name, getattr(self, name), least=least)
        for name, value in self.start.items():
            real_number("excite_run", f"start[{name!r}]", value)
        for name, bounds in self.limits.items():
            require_interval(f"limits[{name!r}]", bounds)


DEFAULT_RUN_EXCITATION_OPTIONS = RunExcitationOptions()


@dataclass(frozen=True)
class RunExcitation(NotebookFigure):
    """An exciting input and what a fit will find from it.

    Args:
        t: times [s], (T,).
        inputs: the inputs by name, (T,), which are the inputs of the later `RunLog`.
        predicted: measured and limited signals by name, (T,), with the present values of the unknowns.
        deviations: expected standard deviations of the unknowns by name, for white noise.
        relative: the same relative to the values; of unknowns that are zero, to their range.
        correlations: of the unknowns, (K, K).
    """

    t: Array
    inputs: Mapping[str, Array]
    predicted: Mapping[str, Array]
    deviations: Mapping[str, float]
    relative: Mapping[str, float]
    correlations: Array

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of inputs and predicted signals; with `path` (.png, .svg, .pdf) it is also saved."""
        panels = [Panel(name, {name: series}) for name, series in {**self.inputs, **self.predicted}.items()]
        return save_if_path(panel_figure(self.t, "time [s]", panels), path)

    def save(self, path: str | Path) -> None:
        """Write times and inputs as CSV, with the column names of a log."""
        columns = np.column_stack(list(self.inputs.values()))
        write_text(Path(path), write_columns([*self.inputs], columns, self.t))

    def __str__(self) -> str:
        lines = [f"{'unknown':40s} {'expected deviation':>20s} {'relative':>10s}"]
        lines += [
            f"{name:40s} {deviation:20.3g} {self.relative[name]:10.2%}" for name, deviation in self.deviations.items()
        ]
        return "\n".join(lines)


@check_arguments
def excite_run(
    robot: Robot | Mechanism,
    unknowns: Sequence[Unknown | str] | Mapping[str, tuple[float, float]],
    inputs: Mapping[str, tuple[float, float]],
    measured: Mapping[str, float],
    *,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    controller: Controller | None = None,
    options: RunExcitationOptions = DEFAULT_RUN_EXCITATION_OPTIONS,
) -> RunExcitation:
    """Find the inputs of a run within limits from which `fit_run` determines the unknowns best.

    Args:
        robot: a robot (with the laws of its file unless `laws` are given) or a machine.
        unknowns: as in `fit_run`; their present values (`Unknown.start`, else those of the model) are assumed true.
        inputs: the inputs to be found and their ranges: `tau.<speed>`, inputs of laws (`servo.goal`,
            `<drive>.voltage`), or reference positions of the controller, `q_ref.<coordinate>`, with consistent `v_ref`
            and `a_ref`.
        measured: the signals that will be measured and the standard deviations of their noise.
        laws: laws instead of those of the robot.
        extra_laws: laws in addition to those of the robot.
        controller: as in `fit_run`.
        options: duration, limits, criterion and search.

    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1.2, com=(0, 0, -0.4), inertia=0.02 * np.eye(3))])
    >>> search = RunExcitationOptions(duration=2.0, limits={"q.arm": (-1.0, 1.0)}, candidates=8, generations=4)
    >>> best = excite_run(arm, ["arm.mass", "arm.inertia.yy"], {"tau.arm": (-4, 4)}, {"q.arm": 1e-3}, options=search)
    >>> bool(abs(best.predicted["q.arm"]).max() <= 1.0 and best.relative["arm.inertia.yy"] < 0.02)
    True
    """
    search = _search_of(robot, unknowns, inputs, measured, (laws, extra_laws, controller), options)
    best, cost = search.best_candidate()
    if cost >= INFEASIBLE_COST:
        raise InputError(
            "excite_run: every candidate violates a limit or leaves an unknown without effect. Widen limits or ranges "
            f"of the inputs, measure other signals, or remove an unknown ({', '.join(search.problem.names)})."
        )
    return search.excitation(best)


def require_interval(name: str, bounds: Any) -> None:
    """Raise an error unless bounds are two finite numbers, the lower first."""
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise InputError(f"excite_run: {name} is {bounds!r}. Give (lower, upper).")
    lower, upper = (real_number("excite_run", name, bound) for bound in bounds)
    if not lower < upper:
        raise InputError(f"excite_run: {name}: lower {lower:g} is not below upper {upper:g}. Swap or widen them.")


def _search_of(
    robot: Robot | Mechanism,
    unknowns: Any,
    inputs: Mapping[str, tuple[float, float]],
    measured: Mapping[str, float],
    acting_parts: tuple[Sequence[Law] | None, Sequence[Law], Controller | None],
    options: RunExcitationOptions,
) -> ExcitationSearch:
    if not inputs or not measured:
        raise InputError("excite_run: give at least one input with its range, and one measured signal with its noise.")
    for name, bounds in inputs.items():
        require_interval(f"inputs[{name!r}]", bounds)
    for name, noise in measured.items():
        real_number("excite_run", f"measured[{name!r}]", noise, above=0.0, example=1e-4)
    period = 1.0 / (LOG_SAMPLES_PER_PERIOD * options.bandwidth)
    t = np.linspace(0.0, options.duration, max(41, round(options.duration / period) + 1))
    limits = _joint_limits(robot) | dict(options.limits)
    observed = {
        name: np.full(len(t), float(options.start.get(name, 0.0))) for name in (*measured, *limits, *options.start)
    }
    driven = _with_derivatives({name: np.zeros(len(t)) for name in inputs}, t)
    step = min(1e-3, (t[1] - t[0]) / 4) if options.step is None else options.step
    template = RunLog(t, driven, observed, name="excite_run")
    scales = {name: float(measured.get(name, 1.0)) for name in observed}
    problem = run_fit_problem(
        "excite_run", robot, [template], unknowns, acting_parts, RunFitOptions(step=step, scales=scales)
    )
    return ExcitationSearch(problem, template, dict(inputs), dict(measured), limits, options)


def _joint_limits(robot: Robot | Mechanism) -> dict[str, tuple[float, float]]:
    """Ranges of position and speed that the joints of a robot state."""
    if not isinstance(robot, Robot):
        return {}
    limits: dict[str, tuple[float, float]] = {}
    for link in robot.links:
        stated = link.joint.limits
        if stated.position is not None:
            limits[f"q.{link.joint_name}"] = (float(stated.position[0]), float(stated.position[1]))
        if stated.speed is not None:
            limits[f"v.{link.joint_name}"] = (-float(stated.speed), float(stated.speed))
    return limits


def _with_derivatives(inputs: Mapping[str, Array], t: Array) -> dict[str, Array]:
    """Inputs, with speed and acceleration of those that are reference positions."""
    result = dict(inputs)
    for name, series in inputs.items():
        if name.startswith("q_ref."):
            speed = np.gradient(series, t)
            result |= {f"v_ref.{name[6:]}": speed, f"a_ref.{name[6:]}": np.gradient(speed, t)}
    return result


@dataclass(frozen=True)
class ExcitationSearch:
    """The search for the inputs: genes of a candidate are offset, amplitude, and frequencies, phases and weights.

    Args:
        problem: a fit whose log is the template.
        template: a log of the experiment without motion.
        inputs: ranges of the inputs to be found.
        measured: standard deviations of the measured signals.
        limits: ranges of states and signals.
        options: of the search.
    """

    problem: FitProblem
    template: RunLog
    inputs: Mapping[str, tuple[float, float]]
    measured: Mapping[str, float]
    limits: Mapping[str, tuple[float, float]]
    options: RunExcitationOptions

    @property
    def values(self) -> Array:
        """The assumed values of the unknowns."""
        return np.array([unknown.start for unknown in self.problem.unknowns], dtype=float)

    @cached_property
    def scales(self) -> Array:
        """Change of each unknown that counts as 100 %: its value; where that is zero, its range.

        Without bounds the range of an offset is that of its signal, and that of a delay the shortest period.
        """
        return np.array([abs(x) or self._range_of(u) for u, x in zip(self.problem.unknowns, self.values, strict=True)])

    def _range_of(self, unknown: Unknown) -> float:
        if np.isfinite(unknown.upper - unknown.lower):
            return unknown.upper - unknown.lower
        if unknown.name == DELAY or unknown.name.startswith(DELAY_PREFIX):
            return 1.0 / self.options.bandwidth
        signal = unknown.name.removeprefix(OFFSET_PREFIX)
        if signal not in self.measured:
            raise InputError(
                f"excite_run: unknown {unknown.name!r} is zero and has no bounds, so that a relative change is not "
                "defined. Give bounds: Unknown(name, lower=..., upper=...)."
            )
        lower, upper = self.limits.get(signal, (0.0, SIGNAL_RANGE_RATIO * self.measured[signal]))
        return upper - lower

    def best_candidate(self) -> tuple[Array, float]:
        """The genes of the best candidate, and its cost."""
        from scipy.optimize import differential_evolution

        count = len(self.inputs) * (2 + 3 * COMPONENTS)
        options, done = self.options, [0]
        first, _ = self._first_candidates(), self.scales  # SciPy replaces errors that are raised within its search

        def costs(genes: Array) -> Array:
            done[0] += 1
            if options.progress is not None:
                options.progress(min(1.0, done[0] / (options.generations + 1)))
            return np.array([self._cost(outputs) for outputs in self._outputs(list(np.atleast_2d(genes.T)))])

        solution = differential_evolution(
            costs,
            [(0.0, 1.0)] * count,
            init=first,
            maxiter=options.generations,
            vectorized=True,
            updating="deferred",
            polish=False,
            tol=0.0,
            seed=options.seed,
        )
        return np.asarray(solution.x), float(solution.fun)

    def _first_candidates(self) -> Array:
        """Half of them sinusoids of rising frequency at three amplitudes, the others random, (candidates, genes)."""
        options, size = self.options, 2 + 3 * COMPONENTS
        genes = np.random.default_rng(options.seed).random((options.candidates, len(self.inputs), size))
        half = options.candidates // 2
        genes[:half, :, 0] = 0.5
        genes[:half, :, 1] = (1.0 - 0.2 * (np.arange(half) % 3))[:, None]
        genes[:half, :, 2 : 2 + COMPONENTS] = np.linspace(0.0, 1.0, half)[:, None, None]
        genes[:half, :, 2 + COMPONENTS : 2 + 2 * COMPONENTS] = 0.0
        return genes.reshape(options.candidates, -1)

    def log_of(self, genes: Array) -> RunLog:
        """The experiment of a candidate."""
        t, duration = self.template.times, self.options.duration
        rise = np.clip(t / (RISE_SHARE * duration), 0.0, 1.0)
        rise = rise**3 * (10 - 15 * rise + 6 * rise**2)
        series = {}
        for part, (name, (lower, upper)) in zip(np.split(genes, len(self.inputs)), self.inputs.items(), strict=True):
            frequencies = (1 / duration) * (self.options.bandwidth * duration) ** part[2 : 2 + COMPONENTS]
            phases, weights = np.split(part[2 + COMPONENTS :], 2)
            waves = np.sin(2 * np.pi * (frequencies[:, None] * t + phases[:, None]))
            shape = weights @ waves / max(float(weights.sum()), 1e-9)
            amplitude = LEAST_AMPLITUDE ** (1.0 - part[1])
            height = (2 * part[0] - 1) * (1 - amplitude) + amplitude * shape
            series[name] = 0.5 * (lower + upper) + 0.5 * (upper - lower) * rise * height
        return replace(self.template, inputs=_with_derivatives(series, t))

    def _outputs(self, candidates: list[Array]) -> list[Outputs | None]:
        logs = [self.log_of(genes) for genes in candidates]
        values = dict(zip(self.problem.names, self.values.tolist(), strict=True))
        return candidate_outputs(self.problem.simulator, logs, values)

    def _cost(self, outputs: Outputs | None) -> float:
        """Minus the criterion, or the violation of the limits."""
        if outputs is None:
            return 2 * INFEASIBLE_COST
        excess = [
            max(0.0, float(lower - outputs.values[name].min()), float(outputs.values[name].max() - upper))
            / (upper - lower)
            for name, (lower, upper) in self.limits.items()
        ]
        if sum(excess) > 0:
            return INFEASIBLE_COST * (1.0 + min(sum(excess) / (1.0 + sum(excess)), 1.0))
        information = self._relative_information(outputs)
        if relative_deviations(information) is None:
            return INFEASIBLE_COST
        sizes = np.linalg.eigvalsh(information)
        return float(-np.log(sizes[0]) if self.options.criterion == "e-optimal" else -np.log(sizes).mean())

    def _relative_information(self, outputs: Outputs) -> Array:
        """The information by relative changes of the unknowns, with their priors."""
        scale = self.scales
        priors = [0.0 if u.prior is None else 1.0 / u.prior[1] for u in self.problem.unknowns]
        J = output_derivatives(outputs.slopes, outputs.start_slopes, self.measured) * scale
        return np.asarray(J.T @ J + np.diag((np.array(priors) * scale) ** 2))

    def excitation(self, genes: Array) -> RunExcitation:
        """The result of a candidate."""
        (outputs,) = self._outputs([genes])
        assert outputs is not None
        log, scale = self.log_of(genes), self.scales
        covariance = np.linalg.inv(self._relative_information(outputs))
        relative = np.sqrt(np.diag(covariance))
        names = self.problem.names
        return RunExcitation(
            log.times,
            log.inputs,
            outputs.values,
            dict(zip(names, (relative * scale).tolist(), strict=True)),
            dict(zip(names, relative.tolist(), strict=True)),
            covariance / relative[:, None] / relative[None, :],
        )
