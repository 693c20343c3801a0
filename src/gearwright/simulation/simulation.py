"""The loop of a simulation: integrate to events, change modes, continue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.event_tolerances import MIN_STEPS_WITH_EVENTS
from gearwright.simulation.checks.energy_balance import with_zero_energy_balance
from gearwright.simulation.checks.failures import FailureChecks
from gearwright.simulation.compiled_loop.event_loop import EventLoop, LoopExit
from gearwright.simulation.engine_choice import EngineChoice, KernelSource
from gearwright.simulation.events import Event, EventWatch
from gearwright.simulation.integrators.constraint_projection import projection_at
from gearwright.simulation.integrators.integrate_to_event import (
    IntegrationProblem,
    IntegrationResult,
    Integrator,
    JacobianAt,
    NoProgressError,
    RatesAt,
    never_stop,
)
from gearwright.simulation.integrators.methods import make_integrator
from gearwright.simulation.integrators.rates import InputsAt, exact_jacobian, is_diverged, rates_by_kernel
from gearwright.simulation.integrators.stiffness_detection import (
    StepsTooShortError,
    StiffnessMonitor,
    fastest_decay,
    needs_implicit_method,
)
from gearwright.simulation.progress import RunMonitor
from gearwright.simulation.python_loop.branch_points import BranchPoints
from gearwright.simulation.python_loop.rates_in_modes import RatesInModes
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import RunEvent
from gearwright.simulation.run_inputs import ControlledInputs
from gearwright.simulation.run_point import RunPoint
from gearwright.system import Controller
from gearwright.system.evaluation import evaluate_system, situations_at
from gearwright.system.inputs import InputSignals
from gearwright.system.modes.mode_settling import find_consistent_modes
from gearwright.system.state import State
from gearwright.system.system import Modes, System

LOOP_METHODS = ("adaptive", "stiff")
"""The methods of the event loop in machine code: explicit and implicit steps with error control."""

RETURNED_REMARK = "method: adaptive again at t = {:g} s, from where on the motion is not stiff."
SWITCHED_REMARK = "method: stiff from t = {:g} s on, where the steps of the explicit method became too short."


@dataclass
class Simulation:
    """One run of a simulation."""

    system: System
    inputs: InputSignals
    controller: Controller | None
    method: str
    rtol: float
    atol: float
    events: tuple[Event, ...]
    recorder: Recorder
    times: Array
    engine: EngineChoice
    monitor: RunMonitor = field(default_factory=RunMonitor)
    may_switch: bool = False
    step: float | None = None
    _loop: EventLoop | None = field(default=None, init=False)
    _has_switched: bool = field(default=False, init=False)

    def run_to_end(self, x: Array) -> None:
        """Simulate from the first of the times to the last; the recorder stores the samples, also before an error."""
        try:
            self._run_to_last_time(x)
        finally:
            if self._loop is not None:
                self._loop.pass_samples()

    def _run_to_last_time(self, x: Array) -> None:
        point = self._start_point(x)
        for bound in self._controlled_inputs.stop_times(point.t, float(self.times[-1])):
            while point.t < bound:
                if self._ends_before(point, bound):
                    return
            point.x = self._update_controller(point.t, point.x)
            self._find_modes(point)

    def _update_controller(self, t: float, x: Array) -> Array:
        """Sample the controller; returns the state vector with the next values of its states."""
        x = self._controlled_inputs.update_controller(t, x)
        if self._event_loop is not None:
            self._event_loop.update_held_inputs(t)
        return x

    def _start_point(self, x: Array) -> RunPoint:
        """The start with consistent modes, zero work and the first sample."""
        t = float(self.times[0])
        x = self._update_controller(t, x)
        point = RunPoint(t, x, self.first_modes(t, x))
        self._find_modes(point)
        point.x, remarks = with_zero_energy_balance(self.system, point.x)
        self.recorder.remarks.extend(remarks)
        self._event_watch.initialise_sides(t, self._controlled_inputs.state(point.x))
        if self._event_loop is None or not self._event_loop.record_sample(point):
            self._record_sample(point.t, point.x, point.modes)
        return point

    def _ends_before(self, point: RunPoint, bound: float) -> bool:
        """Integrate to the bound, or to an event before it; True if that ends the run."""
        if self._event_loop is not None:
            try:
                loop_exit = self._event_loop.advance_to(point, bound, self.method == "stiff", self._has_switched)
            except StepsTooShortError as slow:
                self._switch_to_stiff(point, slow)
                return False
            if loop_exit is not LoopExit.LEFT_TO_PYTHON and loop_exit is not LoopExit.NO_PROGRESS:
                return self._ends_after_exit(point, loop_exit)
            self._event_loop.hand_over()
        return self._ends_in_python(point, bound)

    def _ends_after_exit(self, point: RunPoint, loop_exit: LoopExit) -> bool:
        """Handle an exit of the loop in machine code; True if that ends the run."""
        if loop_exit is LoopExit.DIVERGED:
            raise self._failure_checks.divergence_error(point.t, point.x, "faster than any machine")
        if loop_exit is LoopExit.NOT_STIFF:
            self._use_explicit_method(point.t)
        if loop_exit is LoopExit.EVENT:
            if self._ends_at_event(point):
                return True
            loop_exit = self._event_loop.after_event(point) if self._event_loop is not None else loop_exit
        if loop_exit is LoopExit.INCONSISTENT_MODES:
            self._find_modes_in_python(point)
        self._failure_checks.raise_if_chattering(point)
        return False

    def _ends_in_python(self, point: RunPoint, bound: float) -> bool:
        """Integrate in Python, law by law or with kernels; True if that ends the run."""
        problem = self._integration_problem(point, bound)
        engine = make_integrator(self.method, problem, self.step)
        try:
            result = self._integrate_and_record(problem, engine, point.modes)
        except NoProgressError as stuck:
            failure_point = RunPoint(stuck.t, stuck.x, point.modes)
            raise self._failure_checks.no_progress_error(
                failure_point, self._rates_at(failure_point), engine.step_size, stuck.reason
            ) from None
        except StepsTooShortError as slow:
            point.move_to(slow.t, slow.x, None)
            self._switch_to_stiff(point, slow)
            return False
        # The other loop chooses its own step.
        handed_over = not (result.is_event or result.is_branch_point) and problem.should_stop()
        point.move_to(result.t, result.x, None if handed_over else engine.step_size, result.is_event)
        if is_diverged(self.system, point.x):
            raise self._failure_checks.divergence_error(point.t, point.x, "faster than any machine")
        is_over = result.is_event and self._ends_at_event(point)
        if result.is_event and not is_over:
            self._find_modes(point)
            self._return_to_explicit(point)
        self._failure_checks.raise_if_chattering(point)
        return is_over

    def _integrate_and_record(self, problem: IntegrationProblem, engine: Integrator, modes: Modes) -> IntegrationResult:
        """Integrate to the bound, the next event or the next branch point, and record samples."""
        while True:
            due = len(self.recorder)
            is_due = due < len(self.times)
            result = engine.advance_to(min(problem.bound, float(self.times[due])) if is_due else problem.bound)
            if problem.project is not None:  # the dense output is not on the constraints
                result = replace(result, x=problem.project(result.t, result.x))
            if is_due and result.t >= self.times[due]:
                self._record_sample(result.t, result.x, modes)
            if result.is_branch_point:
                self.recorder.remarks.extend(filter(None, [self._branch_points.add_crossing(result.t)]))
            if result.is_event or result.is_branch_point or result.t >= problem.bound or problem.should_stop():
                return result

    def _switch_to_stiff(self, point: RunPoint, slow: StepsTooShortError) -> None:
        """Switch to an implicit method, unless the user has chosen the explicit one or no method would help."""
        if self._loop is not None:
            self._loop.hand_over()
        self._failure_checks.raise_if_stalled(point, self._rates_at(point), slow.step, self.may_switch)
        if not self._has_switched:
            self.recorder.remarks.append(SWITCHED_REMARK.format(point.t))
        self.method, self._has_switched = "stiff", True

    def _return_to_explicit(self, point: RunPoint) -> None:
        """Return to the explicit method after a switch if the current modes are no longer stiff.

        A sliding contact shortly before it sticks may be stiff; what follows is not.
        """
        if not self._has_switched or self.method != "stiff":
            return
        decay = fastest_decay(partial(self._rates_at(point), point.t), point.x)
        if not needs_implicit_method(decay, float(self.times[-1]) - point.t):
            self._use_explicit_method(point.t)

    def _use_explicit_method(self, t: float) -> None:
        self.method = "adaptive"
        self.recorder.remark_once([RETURNED_REMARK.format(t)])

    def _rates_at(self, point: RunPoint) -> RatesAt:
        """The rates in the current modes."""
        return self._integration_problem(point, point.t).rates

    def _find_modes(self, point: RunPoint) -> None:
        """Find modes in which every guard holds; changes are recorded."""
        if self.system.has_modes and (
            self._event_loop is None or self._event_loop.find_modes(point) is LoopExit.INCONSISTENT_MODES
        ):
            self._find_modes_in_python(point)

    def _find_modes_in_python(self, point: RunPoint) -> None:
        consistent_modes = find_consistent_modes(
            self.system, point.t, point.x, self._controlled_inputs.inputs_at(point.t, point.x)[0], point.modes
        )
        self.recorder.events.extend(RunEvent(point.t, name, mode) for name, mode in consistent_modes.changes)
        self.recorder.remark_once(consistent_modes.remarks)
        point.x, point.modes = consistent_modes.x, consistent_modes.modes

    def _ends_at_event(self, point: RunPoint) -> bool:
        """Record the user's events at this time; True if one of them ends the run."""
        crossed = self._event_watch.take_crossed_events(point.t, self._controlled_inputs.state(point.x))
        self.recorder.events.extend(RunEvent(point.t, event.name, "event") for event in crossed)
        return any(event.terminal for event in crossed)

    def _record_sample(self, t: float, x: Array, modes: Modes) -> None:
        u = self._controlled_inputs.inputs_at(t, x)[0]
        if self.engine.motion_rates is not None:
            self.recorder.defer(t, x, u)
        else:
            self.recorder.record_sample(t, x, u, modes, evaluate_system(self.system, t, x, u, modes))
        self.monitor.report(t)

    def smooth_rates(self, x: Array) -> Callable[[Array], Array]:
        """The rates near the start, in the initial modes of the laws."""
        t = float(self.times[0])
        self._update_controller(t, x)
        if self._event_loop is not None:
            return self._event_loop.rates_near(RunPoint(t, x, self.first_modes(t, x)), t)
        return partial(self._integration_problem(RunPoint(t, x, self.first_modes(t, x)), t).rates, t)

    def first_modes(self, t: float, x: Array) -> Modes:
        """The initial modes of the laws."""
        situations = situations_at(self.system, t, x, self._controlled_inputs.inputs_at(t, x)[0])
        return tuple(law.initial_mode(s) for law, s in zip(self.system.laws, situations, strict=True))

    def held_inputs(self, t: float, x: Array) -> Array:
        """The inputs at a sample of the controller."""
        self._controlled_inputs.update_controller(t, x)
        return self._controlled_inputs.inputs_at(t, x)[0]

    def state(self, x: Array) -> State:
        """A state vector as a State for controllers."""
        return self._controlled_inputs.state(x)

    def _integration_problem(self, point: RunPoint, bound: float) -> IntegrationProblem:
        """The initial value problem from the current point on, in the current modes."""
        latest = float(np.nextafter(bound, point.t)) if bound > point.t else bound  # no input has jumped yet there

        def inputs(now: float, y: Array) -> tuple[Array, Array]:
            self.monitor.raise_if_interrupted()
            return self._controlled_inputs.inputs_at(min(now, latest), y)

        def levels(now: float, y: Array) -> Array:
            watched = self._event_watch.event_levels(now, self._controlled_inputs.state(y)) if self.events else ()
            return (
                np.concatenate((in_modes.guard_levels(now, y), watched)) if self.system.has_modes else np.array(watched)
            )

        in_modes = RatesInModes(point.modes, inputs, self.engine, self.method in LOOP_METHODS)
        rates, slopes = self._rates_and_jacobian(point.modes, inputs, in_modes.state_rates)
        explicit = self.method == "adaptive"
        kinks = self._branch_points.branch_levels(point.t, point.x, inputs, in_modes) if explicit else None
        watched = levels if self.events or self.system.has_modes else None
        return IntegrationProblem(
            rates,
            watched,
            point.t,
            point.x,
            bound,
            self.rtol,
            self.atol,
            point.step,
            longest_step=np.inf if watched is None and kinks is None else self._duration / MIN_STEPS_WITH_EVENTS,
            jacobian=slopes,
            branch_levels=kinks,
            stiffness=self._stiffness if explicit else None,
            should_stop=self._has_loop if self._event_loop is None else never_stop,
            project=projection_at(self.system, point, inputs(point.t, point.x)[0], self.recorder.remarks),
        )

    def _rates_and_jacobian(
        self, modes: Modes, inputs: InputsAt, otherwise: RatesAt
    ) -> tuple[RatesAt, JacobianAt | None]:
        """The rates in given modes, and for a stiff method their Jacobian if it is known."""
        if self.engine.motion_rates is None:
            return otherwise, None
        rates = rates_by_kernel(self.system, modes, inputs, self.engine.motion_rates)
        if self._controlled_inputs.depends_on_state or self.method != "stiff":
            return rates, None
        return rates, exact_jacobian(self.system, inputs, self.engine.motion_rates, rates)

    @cached_property
    def _duration(self) -> float:
        return float(self.times[-1] - self.times[0])

    @cached_property
    def _failure_checks(self) -> FailureChecks:
        return FailureChecks(self.system, self.recorder, self._duration, (self.rtol, self.atol))

    @cached_property
    def _controlled_inputs(self) -> ControlledInputs:
        return ControlledInputs(self.system, self.inputs, self.controller)

    @cached_property
    def _event_watch(self) -> EventWatch:
        return EventWatch(self.events)

    @cached_property
    def _stiffness(self) -> StiffnessMonitor:
        return StiffnessMonitor(float(self.times[-1]), self._duration, self.may_switch)

    @cached_property
    def _branch_points(self) -> BranchPoints:
        return BranchPoints(self.system, self.engine.motion_rates, self._duration)

    def _has_loop(self) -> bool:
        """Whether the loop in machine code can take over."""
        return self._event_loop is not None

    @property
    def _event_loop(self) -> EventLoop | None:
        """The event loop in machine code, for the methods with error control."""
        if self.method not in LOOP_METHODS:
            return None
        if self._loop is None:
            kernels = self.engine.loop_kernels()
            self._loop = None if kernels is None else self._make_loop(kernels)
        return self._loop

    def _make_loop(self, kernels: KernelSource) -> EventLoop:
        return EventLoop(
            self.system,
            kernels,
            self._controlled_inputs,
            self._event_watch,
            self.recorder,
            self.times,
            self._stiffness,
            (self.rtol, self.atol),
            self._duration / MIN_STEPS_WITH_EVENTS,
            self.monitor,
        )
