"""Logs simulated with the compiled differentiated step: outputs at the measured times, with exact sensitivities."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.errors import GearwrightError, InputError, NotTraceableError, SimulationError
from gearwright.forces import Law, Reaction
from gearwright.identification.run_fit.measurement_unknowns import (
    DELAY,
    DELAY_PREFIX,
    OFFSET_PREFIX,
    delay_of,
    is_of_measurement,
    offset_of,
)
from gearwright.identification.run_fit.run_log import RunLog, require_known_signals
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.programs.program import Inputs
from gearwright.simulation.acting_laws import RobotLaws
from gearwright.simulation.fixed_step.batch_program import BatchProgram
from gearwright.simulation.fixed_step.compiled_rollout import FixedStep, fixed_step, parametric_system
from gearwright.simulation.fixed_step.controlled_step import (
    closed_loop_inputs,
    feeds_of_references,
    reference_size,
    reference_values,
)
from gearwright.simulation.fixed_step.differentiated_step import START_PREFIX, DifferentiatedStep, differentiated_step
from gearwright.simulation.fixed_step.gauss_seidel_sweeps import required_sweeps
from gearwright.simulation.fixed_step.step_program import LAW_NUMBERS, MOREAU_METHOD, STEPPING_STATES
from gearwright.system import LawController
from gearwright.system.vector_program import vector_program

MOTOR_SUFFIX = ".motor"
"""End of the name of the motor-side coordinate of an elastic drive."""

MOST_KEPT_INPUTS = 20_000_000
"""Numbers of sampled inputs that are kept for further simulations of the same windows."""

MOST_LOG_STEPS = 10_000_000
"""Steps of the simulation of one log, which are all stored."""


class Window(NamedTuple):
    """A part of a log that is simulated from its own start: the log, the first and the last row."""

    log: int
    first: int
    last: int


class Outputs(NamedTuple):
    """Outputs of one window: per signal its values (T,), derivatives (T, unknowns), and by its start (T, starts).

    `states` (T, starts) are the simulated states that have the names of unknown initial states.
    """

    values: dict[str, Array]
    slopes: dict[str, Array]
    start_slopes: dict[str, Array]
    states: Array


@dataclass(frozen=True)
class LogSimulator:
    """Simulates parts of logs, all of them in one batch.

    Args:
        source: the robot or machine.
        laws: the active laws, or those of the robot.
        logs: the logs.
        unknowns: names of the unknowns: paths, `offset.<signal>`, `delay`, `delay.<signal>`.
        step: of the simulation [s].
        controller: of the runs; its references are inputs `<reference>.<entry>` of the logs, or its own.
    """

    source: Robot | Mechanism
    laws: tuple[Law, ...] | RobotLaws
    logs: tuple[RunLog, ...]
    unknowns: tuple[str, ...]
    step: float
    controller: LawController | None = None

    def with_logs(self, logs: Sequence[RunLog]) -> LogSimulator:
        """The same with other logs of the same numbers, without compiling the steps again."""
        other = replace(self, logs=tuple(logs))
        signals = ({name for log in group for name in log.measured} for group in (self.logs, logs))
        programs = ("_measured_signals", "_signal_programs") if len({*map(frozenset, signals)}) == 1 else ()
        for word in ("plain", "tangent", "signal_laws", "start_names", *programs):
            if word in self.__dict__:
                other.__dict__[word] = self.__dict__[word]
        return other

    @property
    def paths(self) -> tuple[str, ...]:
        """The unknowns that are parameters of robot and laws."""
        return tuple(name for name in self.unknowns if not is_of_measurement(name))

    @cached_property
    def _numbers(self) -> tuple[str, ...]:
        """Paths of numbers that differ between the logs."""
        return tuple(dict.fromkeys(path for log in self.logs for path in log.numbers if path not in self.paths))

    @cached_property
    def plain(self) -> FixedStep:
        """The simulation without sensitivities."""
        paths = (*self.paths, *self._numbers)
        control = None if self.controller is None else self.controller.law
        first = fixed_step(self.source, self.laws, MOREAU_METHOD, parameters=paths, control=control)
        x = first.start_states(np.zeros((1, first.mech.nq)), np.zeros(first.mech.n))
        sweeps = required_sweeps(first.system, x, self.step)
        return fixed_step(
            self.source, self.laws, MOREAU_METHOD, parameters=paths, sweeps=sweeps, control=control, tries=1
        )

    @cached_property
    def start_names(self) -> tuple[str, ...]:
        """Initial states that are not known exactly: positions and speeds, and measured states of laws."""
        measured, states = {name for log in self.logs for name in log.measured}, set(self.plain.states)
        moving = self.plain.states[: self.plain.system.law_slice.stop]
        partners = {"q.": "v.", "v.": "q."}
        return tuple(
            START_PREFIX + state
            for state in moving
            if state in measured or f"{partners.get(state[:2], '?')}{state[2:]}" in states
        )

    @cached_property
    def _start_columns(self) -> list[int]:
        """Places of the unknown initial states among all states."""
        return [self.plain.states.index(name.removeprefix(START_PREFIX)) for name in self.start_names]

    @cached_property
    def speed_columns(self) -> tuple[int, ...]:
        """Places of speeds among the unknown initial states."""
        return tuple(k for k, name in enumerate(self.start_names) if name.startswith(f"{START_PREFIX}v."))

    @cached_property
    def tangent(self) -> DifferentiatedStep:
        """The simulation with sensitivities by the unknown parameters."""
        options = {"sweeps": self.plain.sweeps, "control": self.plain.control}
        names = (*self.paths, *self.start_names)
        return differentiated_step(self.source, self.laws, MOREAU_METHOD, names, options, self.plain.parameters)

    @cached_property
    def signal_laws(self) -> dict[str, int]:
        """Signals that follow from states and inputs: those of laws with one mode that do not need accelerations."""
        return {
            signal.name: k
            for k, law in enumerate(self.plain.system.laws)
            if len(law.modes) == 1
            for signal in law.signals
        }

    def require_known(self) -> None:
        """Raise an error for unknown signals, for numbers that are unknowns, and for logs of too many steps."""
        for log in self.logs:
            steps = log.duration / self.step
            if steps > MOST_LOG_STEPS:
                raise InputError(
                    f"{log.name}: {log.duration:g} s are {steps:.3g} steps of {self.step:g} s, more than "
                    f"{MOST_LOG_STEPS:g}. Check the unit of the times, split the log, or lengthen the step."
                )
            both = [name for name in log.numbers if name in self.unknowns]
            if both:
                raise InputError(f"{log.name}: {both[0]!r} is a given number and an unknown. Omit one of them.")
        diagnostics = {quantity.name for quantity in STEPPING_STATES}
        states = [state for state in self.plain.states if state not in diagnostics]
        require_known_signals(self.logs, [*self.plain.inputs, *self.reference_names], [*states, *self.signal_laws])

    @cached_property
    def reference_names(self) -> tuple[str, ...]:
        """The references of the controller as inputs of a log, such as `q_ref.j1`."""
        references = {} if self.controller is None else self.controller.law.references
        return tuple(f"{name}.{entry}" for name, entries in references.items() for entry in entries)

    def _references(self, log: RunLog, t: Array) -> Array:
        """The references of the controller at times of a log, (T, size): those of the log, otherwise its own."""
        assert self.controller is not None
        values = np.array(reference_values(self.controller, t))
        for k, name in enumerate(self.reference_names):
            if name in log.inputs:
                values[:, k] = log.input_at(name, t)
        return values

    def _control_feeds(self, windows: Sequence[Window], steps: int, step: float) -> Sequence[Array]:
        if self.controller is None:
            return ()
        begins = [(self.logs[window.log], self.logs[window.log].times[window.first]) for window in windows]

        def references(t: Array) -> Array:
            return np.stack([self._references(log, begin + t) for log, begin in begins], axis=1)

        return feeds_of_references(self.controller.law, MOREAU_METHOD, (step, steps), references)

    @cached_property
    def _measured_signals(self) -> tuple[str, ...]:
        """Measured signals that are not states."""
        names = dict.fromkeys(name for log in self.logs for name in log.measured)
        return tuple(name for name in names if name not in self.plain.states)

    @cached_property
    def _signal_programs(self) -> tuple[BatchProgram, BatchProgram]:
        control = self.plain.control
        parametric = parametric_system(self.source, self.laws, (*self.paths, *self._numbers), control=control)
        system, plan = parametric.system, parametric.plan(MOREAU_METHOD)
        sizes = {"x": self._signal_state_size, "t": 1, "u": system.input_size}
        sizes |= {} if control is None else {"references": reference_size(control)}
        sizes |= {LAW_NUMBERS: len(plan.law_paths)} if plan.law_paths else {}

        def formula(mech: Mechanism, ops: Operations, values: Inputs) -> list[Scalar]:
            symbolic = plan.symbolic_system(system, mech, values)
            x, u = values["x"], values["u"]
            if control is not None:
                law = plan.symbolic_controller(control, values)
                u = closed_loop_inputs(symbolic, law, ops, (x, u), values["references"])
            situations = symbolic.law_situations(ops, values["t"][0], symbolic.motion_of(x), u)
            results = []
            for name in self._measured_signals:
                k = self.signal_laws[name]
                source = symbolic.laws[k]
                results.append(source.follow(source.modes[0], situations[k], Reaction([0.0] * mech.n)).signals[name])
            return results

        program = vector_program("measured_signals", sizes, len(self._measured_signals), formula)
        job = replace(parametric.job, program=program)
        varied = tuple(name for name in job.input_sizes() if name not in ("t", "u", "references"))
        return BatchProgram(job), BatchProgram(replace(job, wrt=varied))

    @property
    def _signal_state_size(self) -> int:
        """Number of states on which signals depend: of machine, laws and controller."""
        return self.plain.system.law_slice.stop + len(self.plain.plan.controller_states)

    def windows(self, length: float) -> list[Window]:
        """Parts of about one length [s] of every log."""
        parts = []
        for k, log in enumerate(self.logs):
            count = max(1, round(log.duration / length)) if length < log.duration else 1
            edges = np.searchsorted(log.times, np.linspace(log.times[0], log.times[-1], count + 1))
            edges[-1] = len(log.times) - 1
            parts += [Window(k, int(a), int(b)) for a, b in itertools.pairwise(edges) if b - a > 2]
        return parts

    def measured_starts(self, windows: Sequence[Window], values: Mapping[str, float] | None = None) -> Array:
        """The unknown initial states of windows as measured, (windows, start_names).

        Args:
            windows: parts of the logs.
            values: offsets and delays, without which the states are returned; None: not known.
        """
        if values is None:
            return self._measured_states(windows)[:, self._start_columns]
        corrected = self.with_logs([_without_measurement(log, values) for log in self.logs])
        return corrected.measured_starts(windows)

    def _measured_states(self, windows: Sequence[Window]) -> Array:
        """The states at the starts of windows, (windows, states); those of every window are kept."""
        known: dict[Window, Array] = self.__dict__.setdefault("_states_by_window", {})
        for window in windows:
            if window not in known:
                known[window] = self.measured_state(window)
        return np.stack([known[window] for window in windows])

    def measured_state(self, window: Window) -> Array:
        """The state at the start of a window: measured states, and speeds from measured positions.

        Where only one end of an elastic drive is measured, the other end moves with it.
        """
        log, engine = self.logs[window.log], self.plain
        x = engine.start_states(np.zeros(engine.mech.nq), np.zeros(engine.mech.n))
        for k, state in enumerate(engine.states):
            if state in log.measured:
                x[k] = log.measured[state][window.first]
                continue
            name = _measured_position(state, log)
            if name is not None:
                y = np.asarray(log.measured[name])
                x[k] = y[window.first] if state.startswith("q.") else _slope_at(log.times, y, window.first)
        return np.asarray(x)

    def simulate(
        self,
        values: Mapping[str, float],
        windows: Sequence[Window],
        slopes: bool,
        starts: Array | None = None,
        divisions: int = 1,
    ) -> list[Outputs] | None:
        """The outputs of all windows; None where a motion diverges or a number is not allowed.

        Args:
            values: of the unknowns by name.
            windows: parts of the logs.
            slopes: whether derivatives are computed.
            starts: initial states (windows, start_names); None: the measured ones.
            divisions: steps into which each step is divided.
        """
        engine: FixedStep = self.tangent if slopes else self.plain
        step = self.step / divisions
        longest = max(self.step_count(window, divisions) for window in windows)
        plain = self._measured_states(windows)
        if starts is not None:
            plain[:, self._start_columns] = starts
        start = self.tangent.with_first_columns(plain) if slopes else plain
        rows = np.array([[self._number(values, window, path) for path in engine.parameters] for window in windows])
        inputs, references = self._driven_arrays(windows, longest, step)
        try:
            if self.plain.plan.law_paths:
                self._require_valid(plain[:1], rows[:1][:, self._plain_columns(engine)])
            with np.errstate(all="ignore"):
                record = engine.run_steps(
                    start,
                    inputs,
                    step,
                    longest,
                    parameters=rows if engine.parameters else None,
                    control=references,
                )
        except (SimulationError, GearwrightError, FloatingPointError) as error:
            if isinstance(error.__context__, NotTraceableError):
                raise
            self.__dict__["_failure"] = str(error)
            return None
        return [self._outputs(values, window, record[:, k], rows[k], slopes, step) for k, window in enumerate(windows)]

    def _require_valid(self, x: Array, numbers: Array) -> None:
        """Raise an error for invalid numbers of laws, or a step that is too long; the same numbers are checked once."""
        if self.__dict__.get("_valid_numbers") != (key := numbers.tobytes()):
            self.plain.require_valid(x, self.step, numbers)
            self.__dict__["_valid_numbers"] = key

    @property
    def failure(self) -> str:
        """Why the last simulation that failed has failed."""
        return str(self.__dict__.get("_failure", ""))

    def _plain_columns(self, engine: FixedStep) -> list[int]:
        return [engine.parameters.index(path) for path in self.plain.parameters]

    def _number(self, values: Mapping[str, float], window: Window, path: str) -> float:
        numbers = self.logs[window.log].numbers
        return float(values[path]) if path in values else float(numbers[path])

    def step_count(self, window: Window, divisions: int = 1) -> int:
        """Number of steps of a window, each divided."""
        times = self.logs[window.log].times
        return max(1, int(np.ceil((times[window.last] - times[window.first]) * divisions / self.step - 1e-6)))

    def _driven_arrays(self, windows: Sequence[Window], steps: int, step: float) -> tuple[Array, Sequence[Array]]:
        """Inputs (2 steps + 1, windows, inputs) and references of the controller; recent ones are kept."""
        known: dict[object, tuple[Array, Sequence[Array]]] = self.__dict__.setdefault("_arrays_by_windows", {})
        key = (tuple(windows), steps)
        if key not in known:
            while sum(inputs.size for inputs, _ in known.values()) > MOST_KEPT_INPUTS:
                known.pop(next(iter(known)))
            known[key] = self._input_array(windows, steps, step), self._control_feeds(windows, steps, step)
        return known[key]

    def _input_array(self, windows: Sequence[Window], steps: int, step: float) -> Array:
        """Inputs in the middle of every step, (2 steps + 1, windows, inputs)."""
        u = np.empty((2 * steps + 1, len(windows), len(self.plain.inputs)))
        u[:] = self.plain.system.initial_inputs
        for j, window in enumerate(windows):
            log = self.logs[window.log]
            t = log.times[window.first] + 0.5 * step * np.arange(2 * steps + 1)
            for name in log.inputs:
                if name in self.plain.inputs:
                    u[:, j, self.plain.inputs.index(name)] = log.input_at(name, t)
        return u

    def _outputs(
        self, values: Mapping[str, float], window: Window, record: Array, numbers: Array, slopes: bool, step: float
    ) -> Outputs:
        """The outputs of one window at its measured times."""
        log = self.logs[window.log]
        t = log.times[window.first : window.last + 1] - log.times[window.first]
        size, count = len(self.plain.states), len(self.unknowns)
        results, derivatives, by_start = {}, {}, {}
        parts: dict[float, tuple[Array, Array, Array, dict[str, tuple[Array, Array]]]] = {}
        for name in log.measured:
            delay = delay_of(name, values)
            if delay not in parts:
                rows, rates = _rows_at_times(record, step, t - delay)
                columns = self.tangent.split_columns(rows)[1] if slopes else np.zeros((len(t), 1, 1))
                at = log.times[window.first] + t - delay
                signals = self._signal_outputs(log, at, rows[:, :size], numbers, columns, slopes)
                parts[delay] = rows[:, :size], rates, columns, signals
            x, rates, columns, signals = parts[delay]
            if name in signals:
                y, dy = signals[name]
                rate = np.gradient(y, t) if len(t) > 2 else np.zeros(len(t))
            else:
                place = self.plain.states.index(name)
                y, dy, rate = x[:, place], columns[:, :, place] if slopes else columns[:, 0], rates[:, place]
            results[name] = y + offset_of(name, values)
            if slopes:
                by_start[name] = dy[:, len(self.paths) :]
                derivatives[name] = whole = np.zeros((len(t), count))
                whole[:, [self.unknowns.index(path) for path in self.paths]] = dy[:, : len(self.paths)]
                of_sensor = {OFFSET_PREFIX + name: np.ones(len(t)), DELAY: -rate, DELAY_PREFIX + name: -rate}
                for unknown in of_sensor.keys() & set(self.unknowns):
                    whole[:, self.unknowns.index(unknown)] = of_sensor[unknown]
        return Outputs(results, derivatives, by_start, _rows_at_times(record, step, t)[0][:, self._start_columns])

    def _signal_outputs(
        self, log: RunLog, t: Array, x: Array, numbers: Array, columns: Array, slopes: bool
    ) -> dict[str, tuple[Array, Array]]:
        """Signals that are not states at times of a log, with their derivatives by the unknown parameters."""
        if not self._measured_signals:
            return {}
        plain, jacobian = self._signal_programs
        u = np.tile(self.plain.system.initial_inputs, (len(t), 1))
        for name in log.inputs:
            if name in self.plain.inputs:
                u[:, self.plain.inputs.index(name)] = log.input_at(name, t)
        size, law_paths = self._signal_state_size, self.plain.plan.law_paths
        by_path = dict(zip((self.tangent if slopes else self.plain).parameters, numbers, strict=True))
        machine_paths = [path for path in self.plain.parameters if path not in law_paths]
        groups = [np.array([[by_path[path] for path in group]]) for group in (law_paths, machine_paths) if group]
        references = [] if self.controller is None else [self._references(log, t)]
        feeds = [np.ascontiguousarray(x[:, :size]), t[:, None], u, *references, *groups]
        values = plain.evaluate(feeds)
        if not slopes:
            return {name: (values[:, k], columns[:, 0]) for k, name in enumerate(self._measured_signals)}
        derivatives = jacobian.evaluate(feeds)
        ordered = [*law_paths, *machine_paths]
        total = np.einsum("tsx,tpx->tsp", derivatives[:, :, :size], columns[:, :, :size])
        total[:, :, : len(self.paths)] += derivatives[:, :, [size + ordered.index(path) for path in self.paths]]
        return {name: (values[:, k], total[:, k]) for k, name in enumerate(self._measured_signals)}


def _rows_at_times(record: Array, step: float, t: Array) -> tuple[Array, Array]:
    """Rows of a record and their rates at times [s]; linear between steps, before the first and after the last one."""
    k = np.clip(np.floor(t / step).astype(int), 0, len(record) - 2)
    share = (t / step - k)[:, None]
    return (1 - share) * record[k] + share * record[k + 1], (record[k + 1] - record[k]) / step


def candidate_outputs(
    simulator: LogSimulator, logs: Sequence[RunLog], values: Mapping[str, float]
) -> list[Outputs | None]:
    """Outputs with derivatives of every log with the signals of the simulator's own; None where a motion diverges."""
    candidates = simulator.with_logs(logs)
    outputs = candidates.simulate(values, candidates.windows(np.inf), True)
    if outputs is not None:
        return list(outputs)
    if len(logs) == 1:
        return [None]
    half = len(logs) // 2
    return [*candidate_outputs(simulator, logs[:half], values), *candidate_outputs(simulator, logs[half:], values)]


def _without_measurement(log: RunLog, values: Mapping[str, float]) -> RunLog:
    """A log without known offsets and delays."""
    t = log.times
    measured = {
        name: np.interp(t + delay_of(name, values), t, np.asarray(series)) - offset_of(name, values)
        for name, series in log.measured.items()
    }
    return replace(log, measured=measured)


def _measured_position(state: str, log: RunLog) -> str | None:
    """The measured position from which a state follows: its own, or that of the other end of its drive."""
    if not state.startswith(("q.", "v.")):
        return None
    position = f"q.{state[2:]}"
    other = position.removesuffix(MOTOR_SUFFIX) if position.endswith(MOTOR_SUFFIX) else position + MOTOR_SUFFIX
    return next((name for name in (position, other) if name in log.measured), None)


def _slope_at(t: Array, y: Array, row: int, half: int = 6) -> float:
    """The slope of measured values at a row, from a parabola through its neighbours."""
    rows = slice(max(0, row - half), row + half + 1)
    return float(np.polyfit(t[rows] - t[row], y[rows], 2)[1]) if rows.start or row + half < len(t) else 0.0
