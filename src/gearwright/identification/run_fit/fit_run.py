r"""Numbers of a robot, its laws, its controller and its sensors from logs of ordinary runs.

The outputs of a simulation are fitted to the measured ones: $\min_p \sum \rho(r^2)$ with
$r = w (y_{measured} - y(t, p))$, by SciPy's trust-region least squares on exact sensitivities of the compiled
fixed-step motion. The horizon grows: first short windows that start from measured states, then whole logs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.file_access import open_regular, write_text
from gearwright.forces import Law
from gearwright.identification.run_fit.experiment_proposals import proposed_experiments
from gearwright.identification.run_fit.fit_problem import LOSSES, FitProblem, LossName, StartResult, Unknown
from gearwright.identification.run_fit.identifiability import information, without_starts
from gearwright.identification.run_fit.log_checks import delay_remarks, poor_fit_remarks, unit_remarks
from gearwright.identification.run_fit.run_fit_result import RunFit, scores
from gearwright.identification.run_fit.run_log import RunLog, clock_delay, prediction_remarks
from gearwright.identification.run_fit.simulated_logs import DELAY, OFFSET_PREFIX, LogSimulator, Window
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot
from gearwright.simulation.acting_laws import RobotLaws, driven_inputs
from gearwright.simulation.fixed_step.compiled_rollout import nominal_laws
from gearwright.simulation.fixed_step.differentiated_step import nominal_number
from gearwright.system import Controller, ParametricLaw, control_law_of
from gearwright.text import did_you_mean, listed_names

STAGE_EVALUATIONS = 25
"""Evaluations of the first stages of a start; the last stage has those of the options."""

CLOCK_SEARCH_PERIODS = 20.0
"""Largest delay that is sought, relative to the sampling period."""

LEAST_HORIZON_PERIODS = 4
"""Shortest window, relative to the sampling period."""

BOUND_SHARE = 1e-3
"""Distance to a bound, relative to the range, below which an unknown counts as at the bound."""

LEAST_SCALE = 1e-50
"""Least size of an error that matters, in the unit of its signal: squares of residuals stay finite."""

STORED_COST_TOLERANCE = 1e-6
"""Difference of a stored cost from that of the same parameters in this fit, relative to it, that rounding explains."""

CLOCK_REMARK_PERIODS = 1.0
"""Delay of a signal behind its prediction, relative to the sampling period, above which there is a remark."""


@check_arguments
@dataclass(frozen=True)
class RunFitOptions:
    """Options of `fit_run`.

    Args:
        step: of the simulation [s]; None: an eighth of the sampling period, at most 1 ms.
        starts: number of starts; all but the first are random between the bounds.
        horizons: lengths of the windows [s], the last one is followed by whole logs; None: chosen from the logs.
        loss: "soft_l1" (robust), "linear", "huber", "cauchy" or "arctan", as in SciPy's least_squares.
        scales: per measured signal the size of an error that matters, from which the loss grows slowly; None: a
            fiftieth of the signal's range.
        free_starts: whether initial positions and speeds of the logs are unknown too, near the measured ones.
        evaluations: largest number of evaluations of the last stage.
        seed: of the random starts.
        proposals: whether experiments are proposed for unknowns that the logs do not determine.
        store: file (.json) to which finished starts are written, and from which an interrupted fit is resumed.
        progress: called with the share done, 0 to 1.
    """

    step: float | None = None
    starts: int = 1
    horizons: Sequence[float] | None = None
    loss: LossName = "soft_l1"
    scales: Mapping[str, float] = field(default_factory=dict)
    free_starts: bool = True
    evaluations: int = 80
    seed: int = 0
    proposals: bool = True
    store: str | Path | None = None
    progress: Callable[[float], None] | None = None

    def __post_init__(self) -> None:
        if self.step is not None:
            real_number("fit_run", "step", self.step, above=0.0, unit="seconds", example=1e-3)
        for name, least in (("starts", 1), ("evaluations", 1), ("seed", 0)):
            whole_number("fit_run", name, getattr(self, name), least=least)
        if self.horizons is not None:
            number_array("fit_run", "horizons", self.horizons, axes=1, above=0.0, unit="seconds")
        for name, scale in self.scales.items():
            real_number("fit_run", f"scales[{name!r}]", scale, least=LEAST_SCALE, example=1e-3)


DEFAULT_OPTIONS = RunFitOptions()


@check_arguments
def fit_run(
    robot: Robot | Mechanism,
    logs: Sequence[RunLog],
    unknowns: Sequence[Unknown | str] | Mapping[str, tuple[float, float]],
    *,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    controller: Controller | None = None,
    options: RunFitOptions = DEFAULT_OPTIONS,
) -> RunFit:
    """Fit unknown parameters so that simulated runs reproduce the measured outputs.

    Args:
        robot: a robot (with the laws of its file unless `laws` are given) or a machine.
        logs: measured runs; their inputs drive the simulation, their measured signals are compared with it.
        unknowns: `Unknown`s, names, or a mapping from names to (lower, upper): paths of parameters of robot and laws,
            `offset.<signal>` and `delay` of the measurement.
        laws: laws instead of those of the robot.
        extra_laws: laws in addition to those of the robot.
        controller: a controller of `gw.control`, or `gw.Controller(function, scalars=True)`. Its gains can be unknown
            (`pd.kp.0`, `<function name>.<parameter>`). Its references are inputs of the logs, `<reference>.<entry>`
            such as `q_ref.j1`, or its own at the times of the logs.
        options: of the fit.

    Returns:
        The fit: values, standard deviations, identifiability, and predictions of every log.

    >>> import gearwright as gw
    >>> from gearwright.identification import RunLog, fit_run
    >>> arm = gw.Mechanism([gw.Body("arm", axis=(0, 1, 0), mass=1.2, com=(0, 0, -0.4))])
    >>> motion = gw.rollout(arm, [0.5], [0.0], 1000, 1e-3, method="moreau", inputs=[0.5])
    >>> log = RunLog(motion.t, {"tau.arm": 0 * motion.t + 0.5}, {"q.arm": motion.q[:, 0]})
    >>> round(fit_run(arm, [log], {"arm.mass": (0.5, 3.0)})["arm.mass"], 4)
    1.2
    """
    problem = run_fit_problem(robot, logs, unknowns, (laws, extra_laws, controller), options)
    remarks = [remark for log in problem.simulator.logs for remark in log.require_usable()]
    remarks += unit_remarks(problem)
    remarks += _first_remarks(problem)
    results = _all_starts(problem, options)
    best = min(results, key=lambda result: result.cost)
    return _fit_result(problem, best, results, remarks, options.proposals)


def run_fit_problem(
    robot: Robot | Mechanism,
    logs: Sequence[RunLog],
    unknowns: Any,
    acting_parts: tuple[Sequence[Law] | None, Sequence[Law], Controller | None],
    options: RunFitOptions,
) -> FitProblem:
    """The problem of a fit: simulator of the logs, unknowns with start values, scales; errors of its parts by name."""
    laws, extra_laws, controller = acting_parts
    if not logs:
        raise InputError("fit_run: no log is given. Give at least one RunLog.")
    control = None if controller is None else control_law_of("fit_run", controller, tree_of("fit_run", robot))
    input_names = frozenset(name for log in logs for name in log.inputs)
    input_names |= frozenset() if control is None else driven_inputs(control)
    acting: tuple[Law, ...] | RobotLaws
    if laws is None and isinstance(robot, Robot):
        acting = RobotLaws(input_names, tuple(extra_laws))
    else:
        acting = (*(laws or ()), *extra_laws)
    nominal: tuple[ParametricLaw, ...] = nominal_laws(robot, acting)
    nominal = nominal if control is None else (*nominal, control.law)
    listed = tuple(_with_start(unknown, robot, nominal) for unknown in _as_unknowns(unknowns))
    names = [unknown.name for unknown in listed]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"fit_run: unknown {repeated!r} is listed twice. Name each once.")
    period = min(log.period for log in logs)
    step = min(1e-3, period / 8) if options.step is None else options.step
    if step > period:
        raise InputError(
            f"fit_run: step={step:g} s is longer than the sampling period of the logs, {period:g} s. Shorten it."
        )
    _require_horizons(logs, options)
    simulator = LogSimulator(robot, acting, tuple(logs), tuple(unknown.name for unknown in listed), step, control)
    simulator.require_known()
    for name in simulator.unknowns:
        if name.startswith(OFFSET_PREFIX) and not any(name.removeprefix(OFFSET_PREFIX) in log.measured for log in logs):
            raise InputError(f"fit_run: unknown {name!r}: no log measures {name.removeprefix(OFFSET_PREFIX)!r}.")
    scales = {}
    signals = {name for log in logs for name in log.measured}
    for name in options.scales:
        if name not in signals:
            raise InputError(f"fit_run: scales: no log measures {name!r}. {did_you_mean(name, signals)}")
    for name in dict.fromkeys(name for log in logs for name in log.measured):
        spread = max(float(np.ptp(log.measured[name])) for log in logs if name in log.measured)
        scales[name] = options.scales.get(name, spread / 50 if spread > 0 else 1.0)
    return FitProblem(simulator, listed, scales, options.loss)


def _require_horizons(logs: Sequence[RunLog], options: RunFitOptions) -> None:
    least = LEAST_HORIZON_PERIODS * max(log.period for log in logs)
    for length in options.horizons or ():
        if length < least:
            raise InputError(
                f"fit_run: horizon {length:g} s is shorter than {LEAST_HORIZON_PERIODS} sampling periods, {least:g} s. "
                "Lengthen it."
            )


def _as_unknowns(unknowns: Any) -> list[Unknown]:
    if isinstance(unknowns, Mapping):
        listed = [Unknown(name, None, float(low), float(high)) for name, (low, high) in unknowns.items()]
    else:
        listed = [unknown if isinstance(unknown, Unknown) else Unknown(str(unknown)) for unknown in unknowns]
    if not listed:
        raise InputError("fit_run: no unknown is given. Name at least one parameter of the robot or its laws.")
    return listed


def _with_start(unknown: Unknown, robot: Robot | Mechanism, laws: Sequence[ParametricLaw]) -> Unknown:
    if unknown.start is not None:
        return unknown
    if unknown.name == DELAY or unknown.name.startswith(OFFSET_PREFIX):
        value = 0.0
    else:
        try:
            value = nominal_number(robot, laws, unknown.name)
        except InputError as error:
            names = listed_names(law.name for law in laws)
            raise InputError(f"fit_run: unknown {unknown.name!r}: {error} Active laws: {names or 'none'}.") from None
    return replace(unknown, start=float(np.clip(value, unknown.lower, unknown.upper)))


def _all_starts(problem: FitProblem, options: RunFitOptions) -> list[StartResult]:
    """The ends of all starts; those of an earlier, interrupted fit are read from the store."""
    generator = np.random.default_rng(options.seed)
    store = None if options.store is None else Path(options.store)
    finished = _read_store(store, problem)
    horizons = _horizons(problem, options)
    results = []
    for k in range(options.starts):
        first = np.array([unknown.start for unknown in problem.unknowns], dtype=float)
        random = _random_values(problem, generator)
        z = problem.to_search(first if k == 0 else random)
        if k < len(finished):
            results.append(finished[k])
            continue
        for number, windows in enumerate(horizons):
            last = number == len(horizons) - 1
            evaluations = options.evaluations if last else STAGE_EVALUATIONS
            result = problem.minimise(z, windows, evaluations, last and options.free_starts)
            z = problem.to_search(np.array(result.values))
            if options.progress is not None:
                options.progress((k + (number + 1) / len(horizons)) / options.starts)
        results.append(result)
        _write_store(store, problem, results)
    return results


def _random_values(problem: FitProblem, generator: np.random.Generator) -> Array:
    """Values between the bounds; unbounded ones within a factor of their start."""
    lower, upper = problem.bounds
    middle = problem.to_search(np.array([unknown.start for unknown in problem.unknowns], dtype=float))
    low = np.where(np.isfinite(lower), lower, middle - 1.0)
    high = np.where(np.isfinite(upper), upper, middle + 1.0)
    return problem.to_values(generator.uniform(low, high))


def _horizons(problem: FitProblem, options: RunFitOptions) -> list[list[Window]]:
    logs = problem.simulator.logs
    longest = max(log.duration for log in logs)
    lengths = options.horizons
    if lengths is None:
        lengths = [longest * share for share in (0.04, 0.16, 0.5) if longest * share > 10 * logs[0].period]
    return [problem.simulator.windows(length) for length in (*lengths, np.inf)]


def _read_store(store: Path | None, problem: FitProblem) -> list[StartResult]:
    if store is None or not store.exists():
        return []
    with open_regular(store) as file:
        content = file.read()
    try:
        data = json.loads(content)
        unknowns, items = data["unknowns"], list(data["starts"])
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        raise FileError(f"{store}: this is not the store of a fit. Delete it, or choose another store.") from None
    if unknowns != list(problem.names):
        raise InputError(f"fit_run: {store} belongs to a fit of other unknowns. Delete it, or choose another store.")
    try:
        results = [_stored_start(item, problem) for item in items]
    except (ValueError, TypeError, KeyError, OverflowError):
        raise FileError(
            f"{store}: a start lacks its {len(unknowns)} finite `values`, its `cost` or its `starts`. Delete the file, "
            "and the fit begins again."
        ) from None
    for number, result in enumerate(results, 1):
        cost = problem.cost(result)
        if abs(cost - result.cost) > STORED_COST_TOLERANCE * max(cost, result.cost):
            raise FileError(
                f"{store}: the cost of start {number} is {result.cost:.6g}, here it is {cost:.6g}: the file belongs to "
                "another robot, log or choice of options. Delete it, or choose another store."
            )
    return results


def _stored_start(item: Mapping[str, Any], problem: FitProblem) -> StartResult:
    """The result of a start from a store; ValueError unless its numbers are finite and fit the problem."""
    values, cost, starts = np.array(item["values"], float), float(item["cost"]), [*item["starts"]]
    shape = (len(problem.simulator.logs), len(problem.simulator.start_names)) if starts else (0,)
    if values.shape != (len(problem.names),) or np.shape(starts) != shape:
        raise ValueError
    if not all(np.isfinite(np.array(x, float)).all() for x in (values, starts, cost)):
        raise ValueError
    return StartResult(tuple(map(float, values)), cost, tuple(tuple(map(float, row)) for row in starts))


def _write_store(store: Path | None, problem: FitProblem, results: Sequence[StartResult]) -> None:
    if store is not None:
        starts = [{"values": list(result.values), "cost": result.cost, "starts": result.starts} for result in results]
        write_text(store, json.dumps({"unknowns": list(problem.names), "starts": starts}, indent=1))


def _first_remarks(problem: FitProblem) -> list[str]:
    """Remarks on signs and units of the logs, by the prediction with the start values of the unknowns."""
    values = {unknown.name: float(unknown.start or 0.0) for unknown in problem.unknowns}
    outputs = problem.simulator.simulate(values, problem.simulator.windows(np.inf), False)
    if outputs is None:
        return []
    remarks = [
        remark
        for log, output in zip(problem.simulator.logs, outputs, strict=True)
        for name, series in output.values.items()
        for remark in prediction_remarks(log, name, series)
    ]
    return [*remarks, *_delay_remarks(problem, [output.values for output in outputs])]


def _delay_remarks(problem: FitProblem, predictions: Sequence[Mapping[str, Array]]) -> list[str]:
    """Remarks on measured signals that follow their prediction with a delay."""
    remarks = []
    for log, predicted in zip(problem.simulator.logs, predictions, strict=True):
        longest = min(CLOCK_SEARCH_PERIODS * log.period, log.duration / 4)
        for name, series in predicted.items():
            delay = clock_delay(log.times, np.asarray(log.measured[name]), series, longest)
            if DELAY not in problem.names and abs(delay) > CLOCK_REMARK_PERIODS * log.period:
                remarks.append(
                    f"{log.name}: {name!r} runs {1e3 * delay:.1f} ms behind its prediction: its clock or its sensor "
                    "has a delay. Add 'delay' to the unknowns."
                )
    return remarks


def _fit_result(
    problem: FitProblem,
    best: StartResult,
    results: Sequence[StartResult],
    remarks: list[str],
    proposals: bool,
) -> RunFit:
    windows = problem.simulator.windows(np.inf)
    values = np.array(best.values)
    starts = np.array(best.starts) if best.starts else None
    residuals, J = problem.residuals(values, windows, True, starts)
    derivatives = J
    blocks, begin = [], 0
    for window in windows:
        for _ in problem.simulator.logs[window.log].measured:
            blocks.append(slice(begin, begin + window.last - window.first + 1))
            begin = blocks[-1].stop
    root = np.sqrt(LOSSES[problem.loss].slope(residuals[:begin] ** 2))
    priors = np.array([0.0 if u.prior is None else 1.0 / u.prior[1] for u in problem.unknowns])
    weighted, J = residuals[:begin] * root, without_starts(J[:begin] * root[:, None], len(values))
    known = information(problem.names, values, J, weighted, blocks, priors, problem.value_scales(values))
    mapped = dict(zip(problem.names, best.values, strict=True))
    outputs = problem.simulator.simulate(mapped, windows, False, starts)
    if outputs is None:
        raise InputError(
            f"fit_run: no start could be simulated; the last one: {problem.simulator.failure} Narrow the bounds, "
            "shorten the step, or start nearer."
        )
    if proposals:
        known = known.with_proposals(proposed_experiments(problem, values, known, J, weighted))
    predictions = tuple(output.values for output in outputs)
    logs = problem.simulator.logs
    if not any("behind its prediction" in remark for remark in remarks):
        remarks += _delay_remarks(problem, predictions)
    if not any("behind its prediction" in remark for remark in remarks):
        remarks += delay_remarks(problem, outputs, residuals[:begin], derivatives[:begin])
    remarks += poor_fit_remarks(problem, outputs)
    near = sum(result.cost < 1.02 * best.cost + 1e-9 for result in results)
    place, (lower, upper) = problem.to_search(values), problem.bounds  # logarithms of positive unknowns
    for k, unknown in enumerate(problem.unknowns):
        for word, limit, bound in (("lower", lower[k], unknown.lower), ("upper", upper[k], unknown.upper)):
            if np.isfinite(upper[k] - lower[k]) and abs(place[k] - limit) < BOUND_SHARE * (upper[k] - lower[k]):
                remarks.append(
                    f"{unknown.name} is at its {word} bound, {bound:g}. Widen it, or check that the model is complete."
                )
    return RunFit(
        problem,
        mapped,
        known,
        predictions,
        scores(logs, predictions),
        best.cost,
        near,
        len(results),
        tuple(remarks),
        best.starts,
    )
