"""The event loop of a run in machine code, as the simulation uses it, and the cases in which it returns to Python.

Python is entered for controllers and events of the user, every hundred steps (to check for Ctrl-C, to show progress, to
detect stiffness), for mode changes that the loop does not implement, and for states outside the range of machine code
(an angle too large for its sine).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.simulation.compiled_loop.chebyshev_inputs import fit_inputs
from gearwright.simulation.compiled_loop.driver import LoopDriver, LoopInputs, LoopKernels
from gearwright.simulation.compiled_loop.source import loop as status
from gearwright.simulation.events import EventWatch
from gearwright.simulation.integrators.constraint_projection import remark_dependent_rows
from gearwright.simulation.integrators.stiffness_detection import StiffnessMonitor
from gearwright.simulation.progress import RunMonitor
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import RunEvent
from gearwright.simulation.run_inputs import ControlledInputs
from gearwright.simulation.run_point import RunPoint
from gearwright.system.controllers.law_controller import controller_kernel
from gearwright.system.kernels.event_structure import EventStructure
from gearwright.system.kernels.event_table import EventTable
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.kernels.observation import observe_states
from gearwright.system.system import Modes, System
from gearwright.system.vector_program import NoKernelError


class LoopExit(Enum):
    """Why the loop returned: at its bound, at an event of the user, or for a task of Python."""

    BOUND = "bound"
    EVENT = "event"
    INCONSISTENT_MODES = "unsettled"
    NO_PROGRESS = "stuck"
    DIVERGED = "lost"
    LEFT_TO_PYTHON = "left"
    CHATTERING = "restless"
    NOT_STIFF = "not stiff"


EXIT_BY_STATUS = {
    status.LOOP_ARRIVED: LoopExit.BOUND,
    status.LOOP_AT_EVENT: LoopExit.EVENT,
    status.LOOP_INCONSISTENT_MODES: LoopExit.INCONSISTENT_MODES,
    status.LOOP_NO_PROGRESS: LoopExit.NO_PROGRESS,
    status.LOOP_DIVERGED: LoopExit.DIVERGED,
    status.LOOP_LEFT_TO_PYTHON: LoopExit.LEFT_TO_PYTHON,
    status.LOOP_CHATTERING_EVENTS: LoopExit.CHATTERING,
}


@dataclass
class EventLoop:
    """The loop of one run.

    Args:
        system: the machine with its laws.
        source: its kernels: a table of all modes, or the rates if laws act by forces alone.
        driving: inputs and controller.
        watch: events of the user.
        recorder: takes samples, changes of modes and remarks.
        times: of the samples [s].
        stiffness: stiffness detection.
        tolerances: relative and absolute.
        longest: the longest step if there are events to locate [s].
        monitor: progress and interruption.
    """

    system: System
    source: EventTable | MotionRates
    driving: ControlledInputs
    watch: EventWatch
    recorder: Recorder
    times: Array
    stiffness: StiffnessMonitor
    tolerances: tuple[float, float]
    longest: float
    monitor: RunMonitor
    _point: RunPoint | None = field(default=None, init=False)
    _flushed_samples: int = field(default=0, init=False)
    _may_return: bool = field(default=False, init=False)
    _last_x: Array | None = field(default=None, init=False)
    _last_modes: Modes | None = field(default=None, init=False)

    def advance_to(
        self, point: RunPoint, bound: float, is_implicit: bool = False, may_return: bool = False
    ) -> LoopExit:
        """Integrate to the bound, through events, or until Python is needed, with implicit or explicit steps.

        `may_return` selects whether to return where explicit steps would be as long.
        """
        self._continue_from(point)
        self._may_return = may_return
        memory = self.driver.memory
        memory["implicit"] = int(is_implicit)
        memory["bound"], memory["latest"] = bound, float(np.nextafter(bound, point.t))
        memory["begun"] = 0  # inputs may have jumped at the previous bound
        return self._run_entry(point, "advance")

    def after_event(self, point: RunPoint) -> LoopExit:
        """Find consistent modes after an event that Python has handled."""
        self._continue_from(point)
        return self._run_entry(point, "after_event")

    def find_modes(self, point: RunPoint) -> LoopExit:
        """Find modes in which every guard holds."""
        self._continue_from(point)
        status = self.driver.call_entry("find_consistent_modes")
        self._update_point(point)
        return LoopExit.BOUND if status == 0 else LoopExit.INCONSISTENT_MODES

    def record_sample(self, point: RunPoint) -> bool:
        """Record a sample; False if the state is outside the range of machine code."""
        self._continue_from(point)
        return self.driver.call_entry("record_current_state") == 0

    def rates_near(self, point: RunPoint, t: float) -> Callable[[Array], Array]:
        """The rates as a function of the state, in the modes of a run point."""
        self._continue_from(point)
        return lambda x: self.driver.state_rates(t, x)

    def update_held_inputs(self, t: float) -> None:
        """Update the outputs of a sampled controller."""
        effect = self.driving.held_effect(t)
        if effect is not None:
            self.driver.hold_inputs(*effect)

    def hand_over(self) -> None:
        """Pass the samples to the recorder; Python continues the run."""
        self.pass_samples()
        self._point = None

    def _run_entry(self, point: RunPoint, entry: str) -> LoopExit:
        while True:
            steps = self.stiffness.steps_to_check
            self.driver.memory["pause"] = steps
            exit_status = self.driver.call_entry(entry)
            steps_taken = steps - self.driver.memory["pause"]
            self._update_point(point)
            self._remark_dependence(point)
            self.monitor.raise_if_interrupted()
            self.monitor.report(point.t)
            entry = self._next_entry(exit_status, entry)
            self.stiffness.add_steps(steps_taken)
            if exit_status == status.LOOP_PAUSED and self._is_not_stiff(point):
                return LoopExit.NOT_STIFF
            if exit_status in EXIT_BY_STATUS:
                return EXIT_BY_STATUS[exit_status]

    def _is_not_stiff(self, point: RunPoint) -> bool:
        """Whether implicit steps no longer pay; StepsTooShortError if explicit ones are too short."""
        memory, rates = self.driver.memory, self.driver.state_rates
        if memory["implicit"]:
            return self._may_return and self.stiffness.is_explicit_enough(point.t, point.x, memory["h_taken"], rates)
        self.stiffness.check(point.t, point.x, memory["h_taken"], rates)
        return False

    def _remark_dependence(self, point: RunPoint) -> None:
        """Add a remark once if constraints are linearly dependent."""
        if self.driver.memory["deficient"]:
            u = self.driving.inputs_at(point.t, point.x)[0]
            remark_dependent_rows(self.system, point, u, self.recorder.remarks)

    def _next_entry(self, exit_status: int, entry: str) -> str:
        """The entry to call next; adds a remark if branch points are no longer located."""
        if exit_status == status.LOOP_EVENTS_FULL:
            return "after_event"
        if exit_status == status.LOOP_CHATTERING_BRANCHES:
            self.recorder.remarks.append(CHATTERING_REMARK.format(self.driver.memory["t"]))
        return "advance" if exit_status != status.LOOP_ARRIVED else entry

    def _continue_from(self, point: RunPoint) -> None:
        """Continue from a state that was changed outside the loop."""
        if self._point is not point or point.x is not self._last_x or point.modes is not self._last_modes:
            memory = self.driver.memory
            if self._point is not point:
                self.pass_samples()
                memory["sampled"] = self._flushed_samples = len(self.recorder)
                self.update_held_inputs(point.t)
            self.driver.continue_from(point.t, point.x, point.modes, point.step)
            memory["still"] = point.events_without_progress
            self._point, self._last_x, self._last_modes = point, point.x, point.modes

    def _update_point(self, point: RunPoint) -> None:
        """Copy time, state and mode changes from the loop to the run point."""
        memory = self.driver.memory
        point.t, point.events_without_progress = memory["t"], memory["still"]
        point.step = memory["h"] if 0.0 < memory["h"] < np.inf else None
        point.x = self._last_x = memory["x"].copy()
        if memory["events"]:
            point.modes = self._last_modes = self.driver.modes
            self.recorder.events.extend(RunEvent(*change) for change in self.driver.take_mode_changes())

    def pass_samples(self) -> None:
        """Pass new samples to the recorder."""
        if self._point is None or self.driver.memory["sampled"] == self._flushed_samples:
            return
        samples, begin = self.driver.samples_from(self._flushed_samples), self._flushed_samples
        self._flushed_samples = self.driver.memory["sampled"]
        t = self.times[begin : self._flushed_samples]
        if isinstance(self.source, MotionRates):
            observed = observe_states(self.system, samples["x"][:, : self.system.law_slice.stop], samples["u"], t)
            self.recorder.add_blocks(t, samples["x"], samples["u"], observed)
        else:
            values = self.source.signal_rows(t, samples)
            self.recorder.add_block(
                t, samples["x"], samples["u"], samples["modes"], samples["a"], values[:, :-1], values[:, -1]
            )

    @cached_property
    def driver(self) -> LoopDriver:
        """The loop with its workspace."""
        kernels, inputs = self._loop_kernels(), self._loop_inputs()
        structure = kernels.structure
        longest = self.longest if structure.guards + structure.kinks + inputs.watched_events else np.inf
        return LoopDriver(self.system, kernels, inputs, self.times, self.tolerances, longest)

    def _loop_kernels(self) -> LoopKernels:
        if isinstance(self.source, MotionRates):
            kinks = self.source.branch_count
            structure = EventStructure(kinks=kinks)
            look: MachineCode | None = self.source.branch_code if kinks else None
            return LoopKernels(structure, None, self.source.code, look, None)
        codes = self.source.codes
        optional = (codes.get(name) for name in ("look", "settling", "displace", "initial", "flanks"))
        return LoopKernels(self.source.structure, codes["tied"], codes["follow"], *optional)

    def _controller_kernel(self) -> MachineCode | None:
        """The kernel of a continuous controller over scalars; None for any other."""
        controller = self.driving.controller
        if controller is None or not controller.scalars or controller.period is not None:
            return None
        try:
            return controller_kernel(self.system, controller, self.driving.inputs.names)
        except NoKernelError as reason:
            self.recorder.remarks.append(str(reason))
            return None

    def _loop_inputs(self) -> LoopInputs:
        inputs, driving, watched = self.driving.inputs, self.driving, len(self.watch.events)
        start, until = float(self.times[0]), float(self.times[-1])
        control = self._controller_kernel()
        pieces = None if driving.depends_on_state and control is None else fit_inputs(inputs, start, until)
        control = None if pieces is None else control

        def write_inputs(t: float, x: Array, u: Array, rates: Array) -> None:
            self.monitor.raise_if_interrupted()
            u[:], controller_rates = driving.inputs_at(t, x)
            rates[: len(controller_rates)] = controller_rates

        def write_levels(t: float, x: Array, levels: Array) -> None:
            levels[:] = self.watch.event_levels(t, driving.state(x))

        return LoopInputs(pieces, control, write_inputs, inputs.bounds, write_levels if watched else None, watched)


CHATTERING_REMARK = (
    "from t = {:g} s on, branch points of the laws are not located: hundreds occurred within a millionth of the run. A "
    "chattering law needs modes, or a smooth variant."
)
