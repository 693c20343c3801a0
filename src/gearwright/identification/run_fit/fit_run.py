r"""Numbers of a robot, its laws, its controller and its sensors from logs of ordinary runs.

The outputs of a simulation are fitted to the measured ones: $\min_p \sum \rho(r^2)$ with
$r = w (y_{measured} - y(t, p))$, by SciPy's trust-region least squares on exact sensitivities of the compiled
fixed-step motion. The horizon grows: first short windows that start from measured states, then whole logs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
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
from gearwright.identification.run_fit.fit_problem import (
    SCALES_PER_RANGE,
    FitProblem,
    LossName,
    StartResult,
    Unknown,
    WindowRows,
)
from gearwright.identification.run_fit.horizon_growth import (
    FINAL_SHIFT,
    MOST_DIVISIONS,
    STAGE_EVALUATIONS,
    STEP_DIVISION,
    HorizonGrowth,
)
from gearwright.identification.run_fit.log_checks import (
    clock_remarks,
    delay_remarks,
    poor_fit_remarks,
    unit_and_sign_remarks,
)
from gearwright.identification.run_fit.measurement_unknowns import is_of_measurement, signal_of
from gearwright.identification.run_fit.run_fit_result import RunFit, scores
from gearwright.identification.run_fit.run_log import RunLog
from gearwright.identification.run_fit.simulated_logs import LogSimulator
from gearwright.identification.run_fit.step_correction import CorrectedFit, StepCorrection, simulated_outputs
from gearwright.identification.run_fit.window_search import SearchPoint, WindowSearch
from gearwright.mechanism import Mechanism, tree_of
from gearwright.parts import Robot
from gearwright.simulation.acting_laws import RobotLaws, driven_inputs
from gearwright.simulation.fixed_step.compiled_rollout import nominal_laws
from gearwright.simulation.fixed_step.differentiated_step import nominal_number
from gearwright.system import Controller, ParametricLaw, control_law_of, parameter_names
from gearwright.text import did_you_mean, listed_names

HORIZON_SHARES = (0.04, 0.08, 0.16, 0.32, 0.64)
"""Lengths of the windows of the stages, relative to the longest log."""

LEAST_HORIZON_PERIODS = 4
"""Shortest window, relative to the sampling period."""

BOUND_SHARE = 1e-3
"""Distance to a bound, relative to the range, below which an unknown counts as at the bound."""

LEAST_SCALE = 1e-50
"""Least size of an error that matters, in the unit of its signal: squares of residuals stay finite."""

STORED_COST_TOLERANCE = 1e-6
"""Difference of a stored cost from that of the same parameters in this fit, relative to it, that rounding explains."""

REMARKED_NOISE_RATIO = 1.5
"""Residuals relative to the noise of the signals, from which the statistics of a complete model do not hold."""


@check_arguments
@dataclass(frozen=True)
class RunFitOptions:
    """Options of `fit_run`.

    Args:
        step: of the search [s]; None: an eighth of the sampling period or less, at most 1 ms. Its error is corrected at
            the end.
        starts: largest number of starts, all but the first random between the bounds; the search ends with the first
            one whose residuals over whole logs are the noise of the signals.
        horizons: lengths of the windows [s], the last one is followed by whole logs; None: chosen from the logs.
        loss: "soft_l1" (robust), "linear", "huber", "cauchy" or "arctan", as in SciPy's least_squares.
        scales: per measured signal the size of an error that matters, from which the loss grows slowly; None: a
            fiftieth of the signal's range.
        free_starts: whether initial states (positions, speeds, measured states of laws) are unknown too.
        evaluations: largest number of evaluations of the last stage.
        seed: of the random starts.
        proposals: whether experiments are proposed for unknowns that the logs do not determine.
        store: file (.json) to which finished starts are written, and from which an interrupted fit is resumed.
        progress: called with the share done, 0 to 1.
    """

    step: float | None = None
    starts: int = 3
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
            `offset.<signal>`, `delay` and `delay.<signal>` of the measurement.
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
    problem = run_fit_problem("fit_run", robot, logs, unknowns, (laws, extra_laws, controller), options)
    remarks = [remark for log in problem.simulator.logs for remark in log.require_usable()]
    remarks += unit_and_sign_remarks(problem, first := _first_predictions(problem))
    clocks = [] if first is None else clock_remarks(problem, first)
    results = _all_starts(problem, options)
    problem = problem.with_unit_of(min(results, key=lambda result: _rank(result, result.cost)))
    best = min(results, key=lambda result: _rank(result, problem.total_cost(result)))
    return _fit_result(problem, best, results, (remarks, clocks), options.proposals)


def _rank(result: StartResult, cost: float) -> tuple[bool, float, float]:
    """The key by which starts are compared: those that explain windows, longer ones first, then those of least cost."""
    return not result.is_explained, -np.inf if result.horizon is None else -result.horizon, cost


def run_fit_problem(
    caller: str,
    robot: Robot | Mechanism,
    logs: Sequence[RunLog],
    unknowns: Any,
    acting_parts: tuple[Sequence[Law] | None, Sequence[Law], Controller | None],
    options: RunFitOptions,
) -> FitProblem:
    """The problem of a fit: simulator of the logs, unknowns with start values, scales; errors of its parts by name."""
    laws, extra_laws, controller = acting_parts
    if not logs:
        raise InputError(f"{caller}: no log is given. Give at least one RunLog.")
    control = None if controller is None else control_law_of(caller, controller, tree_of(caller, robot))
    input_names = frozenset(name for log in logs for name in log.inputs)
    input_names |= frozenset() if control is None else driven_inputs(control)
    acting: tuple[Law, ...] | RobotLaws
    if laws is None and isinstance(robot, Robot):
        acting = RobotLaws(input_names, tuple(extra_laws))
    else:
        acting = (*(laws or ()), *extra_laws)
    nominal: tuple[ParametricLaw, ...] = nominal_laws(robot, acting)
    nominal = nominal if control is None else (*nominal, control.law)
    listed = tuple(_with_start(caller, unknown, robot, nominal) for unknown in _as_unknowns(caller, unknowns))
    names = [unknown.name for unknown in listed]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InputError(f"{caller}: unknown {repeated!r} is listed twice. Name each once.")
    period = min(log.period for log in logs)
    step = period / max(8, int(np.ceil(1e3 * period))) if options.step is None else options.step
    if step > period:
        raise InputError(
            f"{caller}: step={step:g} s is longer than the sampling period of the logs, {period:g} s. Shorten it."
        )
    _require_horizons(logs, options)
    simulator = LogSimulator(robot, acting, tuple(logs), tuple(unknown.name for unknown in listed), step, control)
    simulator.require_known()
    signals = {name for log in logs for name in log.measured}
    for name in simulator.unknowns:
        signal = signal_of(name)
        if signal is not None and signal not in signals:
            raise InputError(f"{caller}: unknown {name!r}: no log measures {signal!r}. {did_you_mean(signal, signals)}")
    scales = {}
    for name in options.scales:
        if name not in signals:
            raise InputError(f"{caller}: scales: no log measures {name!r}. {did_you_mean(name, signals)}")
    for name in dict.fromkeys(name for log in logs for name in log.measured):
        spread = max(float(np.ptp(log.measured[name])) for log in logs if name in log.measured)
        scales[name] = options.scales.get(name, spread / SCALES_PER_RANGE or 1.0)
    return FitProblem(simulator, listed, scales, options.loss)


def _require_horizons(logs: Sequence[RunLog], options: RunFitOptions) -> None:
    least = LEAST_HORIZON_PERIODS * max(log.period for log in logs)
    for length in options.horizons or ():
        if length < least:
            raise InputError(
                f"fit_run: horizon {length:g} s is shorter than {LEAST_HORIZON_PERIODS} sampling periods, {least:g} s. "
                "Lengthen it."
            )


def _as_unknowns(caller: str, unknowns: Any) -> list[Unknown]:
    if isinstance(unknowns, Mapping):
        listed = [Unknown(name, None, float(low), float(high)) for name, (low, high) in unknowns.items()]
    else:
        listed = [unknown if isinstance(unknown, Unknown) else Unknown(str(unknown)) for unknown in unknowns]
    if not listed:
        raise InputError(f"{caller}: no unknown is given. Name at least one parameter of the robot or its laws.")
    return listed


def _with_start(caller: str, unknown: Unknown, robot: Robot | Mechanism, laws: Sequence[ParametricLaw]) -> Unknown:
    if unknown.start is not None:
        return unknown
    if is_of_measurement(unknown.name):
        value = 0.0
    else:
        try:
            value = nominal_number(robot, laws, unknown.name)
        except InputError as error:
            owner = next((law for law in laws if unknown.name.startswith(f"{law.name}.")), None)
            if owner is not None:
                raise InputError(
                    f"{caller}: unknown {unknown.name!r}: law {owner.name!r} has no such number. "
                    f"{did_you_mean(unknown.name, parameter_names(owner))}"
                ) from None
            names = listed_names(law.name for law in laws)
            raise InputError(f"{caller}: unknown {unknown.name!r}: {error} Active laws: {names or 'none'}.") from None
    return replace(unknown, start=float(np.clip(value, unknown.lower, unknown.upper)))


def _all_starts(problem: FitProblem, options: RunFitOptions) -> list[StartResult]:
    """The ends of all starts; those of an earlier, interrupted fit are read from the store."""
    generator = np.random.default_rng(options.seed)
    store = None if options.store is None else Path(options.store)
    finished = _read_store(store, problem)
    results = []
    for k in range(options.starts):
        first = np.array([unknown.start for unknown in problem.unknowns], dtype=float)
        random = _random_values(problem, generator)
        if k < len(finished):
            results.append(finished[k])
            continue
        if any(result.is_explained and result.horizon is None for result in results):
            break
        growth = HorizonGrowth(
            problem, _horizons(problem, options), options.evaluations, options.free_starts, _part_of(options, k)
        )
        results.append(growth.run(first if k == 0 else random))
        _write_store(store, problem, results)
    if options.progress is not None:
        options.progress(1.0)
    return results


def _part_of(options: RunFitOptions, number: int) -> Callable[[float], None]:
    """Reports the progress of one start as a part of that of all."""

    def report(share: float) -> None:
        if options.progress is not None:
            options.progress((number + share) / options.starts)

    return report


def _random_values(problem: FitProblem, generator: np.random.Generator) -> Array:
    """Values between the bounds; unbounded ones within a factor of their start."""
    lower, upper = problem.bounds
    middle = problem.to_search(np.array([unknown.start for unknown in problem.unknowns], dtype=float))
    low = np.where(np.isfinite(lower), lower, middle - 1.0)
    high = np.where(np.isfinite(upper), upper, middle + 1.0)
    return problem.to_values(generator.uniform(low, high))


def _horizons(problem: FitProblem, options: RunFitOptions) -> list[float]:
    lengths = options.horizons
    if lengths is None:
        least = 10 * problem.simulator.logs[0].period
        lengths = [problem.longest * share for share in HORIZON_SHARES if problem.longest * share > least]
    return [*lengths, np.inf]


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
        uncorrected_costs = [float(item["uncorrected_cost"]) for item in items]
    except (ValueError, TypeError, KeyError, OverflowError):
        raise FileError(
            f"{store}: a start lacks its {len(unknowns)} finite `values`, its `cost` or its `starts`. Delete the file, "
            "and the fit begins again."
        ) from None
    for number, (result, stored_cost) in enumerate(zip(results, uncorrected_costs, strict=True), 1):
        cost = problem.cost(result)
        if not abs(cost - stored_cost) <= STORED_COST_TOLERANCE * max(cost, stored_cost):
            raise FileError(
                f"{store}: the cost of start {number} is {stored_cost:.6g}, here it is {cost:.6g}: the file belongs to "
                "another robot, log or choice of options. Delete it, or choose another store."
            )
    return results


def _stored_start(item: Mapping[str, Any], problem: FitProblem) -> StartResult:
    """The result of a start from a store; ValueError unless its numbers are finite and fit the problem."""
    values, cost, step = np.array(item["values"], float), float(item["cost"]), float(item["step"])
    horizon = None if item["horizon"] is None else float(item["horizon"])
    starts = tuple(tuple(map(float, row)) for row in item["starts"])
    result = StartResult(tuple(map(float, values)), cost, starts, horizon, step, bool(item["is_explained"]))
    coarsest, least = problem.simulator.step, min(log.period for log in problem.simulator.logs)
    if values.shape != (len(problem.names),) or not coarsest / (MOST_DIVISIONS + 1) < step < 1.001 * coarsest:
        raise ValueError
    if horizon is not None and not horizon > least:
        raise ValueError
    shape = (len(problem.windows_of(result)), len(problem.simulator.start_names)) if result.starts else (0,)
    if np.shape(result.starts) != shape:
        raise ValueError
    if not all(np.isfinite(np.array(x, float)).all() for x in (values, result.starts, cost)):
        raise ValueError
    return result


def _write_store(store: Path | None, problem: FitProblem, results: Sequence[StartResult]) -> None:
    if store is not None:
        # The cost of a start is without the error of the step; that with it is what a later fit can repeat.
        starts = [{**asdict(result), "uncorrected_cost": problem.cost(result)} for result in results]
        write_text(store, json.dumps({"unknowns": list(problem.names), "starts": starts}, indent=1))


def _first_predictions(problem: FitProblem) -> list[Mapping[str, Array]] | None:
    """The signals of every log with the start values of the unknowns; None where a motion diverges."""
    values = {unknown.name: float(unknown.start or 0.0) for unknown in problem.unknowns}
    outputs = problem.simulator.simulate(values, problem.simulator.windows(np.inf), False)
    return None if outputs is None else [output.values for output in outputs]


def _fit_result(
    problem: FitProblem,
    best: StartResult,
    results: Sequence[StartResult],
    first_remarks: tuple[list[str], list[str]],
    proposals: bool,
) -> RunFit:
    """The result from the best start; remarks on the logs, and on their clocks, by the prediction before the fit."""
    remarks, clocks = first_remarks
    problem, search, end = _end_of_fit(problem, best)
    values = dict(zip(problem.names, problem.to_values(end.point.z).tolist(), strict=True))
    windows = problem.simulator.windows(np.inf)
    first = [search.windows.index(next(w for w in search.windows if w.log == window.log)) for window in windows]
    starts = end.point.starts[first]
    predictions = simulated_outputs(problem.simulator, values, windows, starts, end.divisions)
    if predictions is None or end.rows is None:
        raise InputError(
            f"fit_run: no start could be simulated; the last one: {problem.simulator.failure} Narrow the bounds, "
            "shorten the step, or start nearer."
        )
    if best.horizon is not None:
        remarks.append(
            f"the model explains windows of {best.horizon:.3g} s down to the noise, but no longer ones: the motion is "
            "too sensitive, or a signal has a delay, which initial states of short windows absorb ('delay' as an "
            "unknown finds it). The values and their deviations are those of the windows."
        )
    if not end.converged:
        remarks.append(
            "the correction of the error of the step did not converge: values and deviations are approximate. Shorten "
            "the step (`RunFitOptions(step=...)`), or fit shorter logs."
        )
    known = end.information
    if proposals:
        numbers = np.array([*values.values()])
        known = known.with_proposals(proposed_experiments(problem, numbers, known, end.J, end.residuals))
    ratio = problem.residual_ratio(end.rows, end.point.starts.size + len(end.point.z))
    is_driven = any(np.ptp(series) > 0 for log in problem.simulator.logs for series in log.inputs.values())
    if ratio > REMARKED_NOISE_RATIO:
        remarks.append(
            f"the residuals are {ratio:.2g} times the noise of the signals: the model is incomplete, inputs change "
            "between their samples, or there is a better minimum. Deviations count correlated residuals as fewer, but "
            "contain no error of the model: compare other structures, validate, or try more starts."
            + ("" if is_driven else " The logs have no input that changes.")
        )
    logs = problem.simulator.logs
    if ratio > REMARKED_NOISE_RATIO or best.horizon is not None:
        remarks += _delay_remarks(problem, predictions, SearchPoint(end.point.z, starts)) or clocks
    remarks += poor_fit_remarks(problem, predictions)
    costs = [problem.total_cost(result) if result.horizon == best.horizon else np.inf for result in results]
    near = sum(cost < 1.02 * min(costs) + 1e-9 for cost in costs)
    return RunFit(
        problem,
        values,
        known,
        predictions,
        scores(logs, predictions),
        end.cost,
        near,
        len(results),
        (*remarks, *end.remarks, *_bound_remarks(problem, end.point.z)),
        tuple(map(tuple, starts.tolist())) if best.starts else (),
        end.divisions,
        best.horizon,
    )


def _end_of_fit(problem: FitProblem, best: StartResult) -> tuple[FitProblem, WindowSearch, CorrectedFit]:
    """The fit without the error of the step; the step is divided where its correction does not converge."""
    coarsest = problem.simulator.step
    problem = problem.with_step(best.step)
    windows = problem.windows_of(best)
    starts = np.array(best.starts) if best.starts else problem.simulator.measured_starts(windows)
    point = SearchPoint(problem.to_search(np.array(best.values)), starts)
    while True:
        search = WindowSearch(problem, windows, free=bool(best.starts))
        end = StepCorrection(search, FINAL_SHIFT).corrected_fit(point)
        if best.is_explained and not problem.explains(end.rows, point.starts.size + len(point.z)):
            end = end._replace(converged=False)
        step = problem.simulator.step / STEP_DIVISION
        if end.converged or end.rows is None or coarsest / step > MOST_DIVISIONS + 1:
            return problem, search, end
        problem = problem.with_step(step)
        point, _ = WindowSearch(problem, windows, free=bool(best.starts)).minimise_with_rest(point, STAGE_EVALUATIONS)


def _delay_remarks(problem: FitProblem, predictions: Sequence[Mapping[str, Array]], point: SearchPoint) -> list[str]:
    """Remarks on delays that explain what remains after a fit."""
    rows = WindowSearch(problem, problem.simulator.windows(np.inf)).rows_at(point, True)
    remarks = [] if rows is None else delay_remarks(problem, predictions, *_with_start_columns(rows))
    return remarks or clock_remarks(problem, predictions)


def _with_start_columns(rows: Sequence[WindowRows]) -> tuple[Array, Array]:
    """Residuals of all windows, (N,), and their derivatives by the values and by the initial state of each window."""
    from scipy.linalg import block_diag

    J = np.concatenate([part.by_values for part in rows])
    starts = block_diag(*(part.by_start for part in rows))
    return np.concatenate([part.residuals for part in rows]), np.concatenate([J, starts], axis=1)


def _bound_remarks(problem: FitProblem, z: Array) -> list[str]:
    """Remarks on unknowns at their bounds, in search variables: logarithms of positive unknowns."""
    remarks, (lower, upper) = [], problem.bounds
    for k, unknown in enumerate(problem.unknowns):
        for word, limit, bound in (("lower", lower[k], unknown.lower), ("upper", upper[k], unknown.upper)):
            if np.isfinite(upper[k] - lower[k]) and abs(z[k] - limit) < BOUND_SHARE * (upper[k] - lower[k]):
                remarks.append(
                    f"{unknown.name} is at its {word} bound, {bound:g}. Widen it, or check that the model is complete."
                )
    return remarks
