"""The loop of a simulation: march, meet events, change modes, go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from gearwright.arrays import Array
from gearwright.simulation.checks.energy_balance import opened_books
from gearwright.simulation.checks.failures import Failures
from gearwright.simulation.compiled_loop.event_loop import EventLoop, Met
from gearwright.simulation.compiled_loop.loop_choice import LoopChoice, Source
from gearwright.simulation.events import Event, Watch
from gearwright.simulation.integrators.constraint_projection import projection
from gearwright.simulation.integrators.integrate_to_event import Problem, Rates, Slopes, StuckError
from gearwright.simulation.integrators.methods import march
from gearwright.simulation.integrators.rates import InputsAt, exact_slopes, is_lost, rates_by_kernel
from gearwright.simulation.integrators.stiffness_detection import Patience, SlowError
from gearwright.simulation.python_loop.branch_points import Kinks
from gearwright.simulation.python_loop.rates_in_modes import InModes, WorthwhileTable
from gearwright.simulation.python_loop.sampled_integration import SampledMarch
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import RunEvent
from gearwright.simulation.run_inputs import Driving
from gearwright.simulation.run_point import Here
from gearwright.system.constraints.projection import keeps_places
from gearwright.system.controllers.controller import Controller
from gearwright.system.evaluation import evaluate, situations_at
from gearwright.system.inputs import Inputs
from gearwright.system.kernels.motion_rates import MotionRates, motion_rates
from gearwright.system.kernels.observation import observe
from gearwright.system.modes.mode_settling import settle
from gearwright.system.state import State
from gearwright.system.system import Modes, System
from gearwright.system.vector_program import NoKernelError

STIFF = "method: stiff from t = {:g} s on, where the steps of the explicit one crawled."

WATCHFUL = 50
"""Steps that a run with events takes at least, so that none is stepped over."""


@dataclass
class Simulation:
    """One run at work."""

    system: System
    inputs: Inputs
    controller: Controller | None
    method: str
    rtol: float
    atol: float
    events: tuple[Event, ...]
    recorder: Recorder
    times: Array
    report: Callable[[float], None] = lambda _: None
    obey: Callable[[], None] = lambda: None
    may_change: bool = False
    step: float | None = None

    def run(self, x: Array) -> None:
        """From the first of the times to the last; the recorder keeps the samples."""
        here = self._begun(x)
        for bound in self._driving.stops(here.t, float(self.times[-1])):
            while here.t < bound:
                if self._ends_before(here, bound):
                    return
            here.x = self._sample(here.t, here.x)
            self._settle(here)

    def _sample(self, t: float, x: Array) -> Array:
        """Ask a sampled controller; the state vector with the next values of its states."""
        x = self._driving.sample(t, x)
        if self._loop is not None:
            self._loop.sampled(t)
        return x

    def _begun(self, x: Array) -> Here:
        """The start, with modes that fit it, books that begin at zero, and the first sample."""
        t = float(self.times[0])
        x = self._sample(t, x)
        here = Here(t, x, self.first_modes(t, x))
        self._settle(here)
        here.x, remarks = opened_books(self.system, here.x)
        self.recorder.remarks.extend(remarks)
        self._watch.begin(t, self._driving.state(here.x))
        if self._loop is None or not self._loop.record(here):
            self._record(here.t, here.x, here.modes)
        return here

    def _ends_before(self, here: Here, bound: float) -> bool:
        """March on to the bound, or to an event before it; True when that ends the run."""
        if self._loop is not None:
            try:
                met = self._loop.march(here, bound)
            except SlowError as slow:
                self._go_on_stiff(here, slow)
                return False
            if met is not Met.LEFT and met is not Met.STUCK:
                return self._ends_at(here, met)
            self._loop.leave()
        return self._ends_in_python(here, bound)

    def _ends_at(self, here: Here, met: Met) -> bool:
        """What the loop in machine code leaves to Python; True when that ends the run."""
        if met is Met.LOST:
            raise self._failures.blown_up(here.t, here.x, "faster than any machine")
        if met is Met.EVENT:
            if self._meets_end(here):
                return True
            met = self._loop.after_event(here) if self._loop is not None else met
        if met is Met.UNSETTLED:
            self._settle_in_python(here)
        self._failures.refuse_restless(here)
        return False

    def _ends_in_python(self, here: Here, bound: float) -> bool:
        """The same law by law, or by kernels that Python calls."""
        problem = self._problem(here, bound)
        engine = march(self.method, problem, self.step)
        sampled = SampledMarch(engine, problem.enough, self.times, self.recorder, self._kinks, problem.project)
        try:
            reached = sampled.to(bound, lambda t, x: self._record(t, x, here.modes))
        except StuckError as stuck:
            at = Here(stuck.t, stuck.x, here.modes)
            raise self._failures.stuck(at, self._rates(at), engine.step_size, stuck.reason) from None
        except SlowError as slow:
            here.move(slow.t, slow.x, None)
            self._go_on_stiff(here, slow)
            return False
        handed_over = not (reached.event or reached.kink) and problem.enough()  # another engine finds its own step
        here.move(reached.t, reached.x, None if handed_over else engine.step_size, reached.event)
        if is_lost(self.system, here.x):
            raise self._failures.blown_up(here.t, here.x, "faster than any machine")
        over = reached.event and self._meets_end(here)
        if reached.event and not over:
            self._settle(here)
        self._failures.refuse_restless(here)
        return over

    def _go_on_stiff(self, here: Here, slow: SlowError) -> None:
        """Let an implicit method go on, unless the user has asked for the explicit one or no method would help."""
        self._loops.leave()
        self._failures.refuse_hopeless(here, self._rates(here), slow.step, self.may_change)
        self.method = "stiff"
        self.recorder.remarks.append(STIFF.format(here.t))

    def _rates(self, here: Here) -> Rates:
        """The rates in the modes at hand."""
        return self._problem(here, here.t).rates

    def _settle(self, here: Here) -> None:
        """Choose modes in which every guard holds; changes are noted."""
        if self.system.has_modes and (self._loop is None or self._loop.settle(here) is Met.UNSETTLED):
            self._settle_in_python(here)

    def _settle_in_python(self, here: Here) -> None:
        settled = settle(self.system, here.t, here.x, self._driving.at(here.t, here.x)[0], here.modes)
        self.recorder.events.extend(RunEvent(here.t, name, mode) for name, mode in settled.changes)
        self.recorder.remark_once(settled.remarks)
        here.x, here.modes = settled.x, settled.modes

    def _meets_end(self, here: Here) -> bool:
        """Note the user's events at this time; True when one of them ends the run."""
        met = self._watch.met(here.t, self._driving.state(here.x))
        self.recorder.events.extend(RunEvent(here.t, event.name, "event") for event in met)
        return any(event.terminal for event in met)

    def _record(self, t: float, x: Array, modes: Modes) -> None:
        u = self._driving.at(t, x)[0]
        if self._motion is not None:
            self.recorder.postpone(t, x, u, partial(observe, self.system))
        else:
            self.recorder.record(t, x, u, modes, evaluate(self.system, t, x, u, modes))
        self.report(t)

    def smooth_rates(self, x: Array) -> Callable[[Array], Array]:
        """The rates near the start, in the modes that laws start in."""
        t = float(self.times[0])
        self._sample(t, x)
        if self._loop is not None:
            return self._loop.rates(Here(t, x, self.first_modes(t, x)), t)
        return partial(self._problem(Here(t, x, self.first_modes(t, x)), t).rates, t)

    def first_modes(self, t: float, x: Array) -> Modes:
        """The modes that laws start in."""
        situations = situations_at(self.system, t, x, self._driving.at(t, x)[0])
        return tuple(law.start(s) for law, s in zip(self.system.laws, situations, strict=True))

    def held_inputs(self, t: float, x: Array) -> Array:
        """The inputs at a time at which the controller is asked."""
        self._driving.sample(t, x)
        return self._driving.at(t, x)[0]

    def state(self, x: Array) -> State:
        """A state vector as a controller sees it."""
        return self._driving.state(x)

    def _problem(self, here: Here, bound: float) -> Problem:
        """What is to be integrated from here on, in the modes at hand."""
        latest = float(np.nextafter(bound, here.t)) if bound > here.t else bound  # no input has jumped yet there
        alone = self._loop is None

        def inputs(now: float, y: Array) -> tuple[Array, Array]:
            self.obey()
            return self._driving.at(min(now, latest), y)

        def levels(now: float, y: Array) -> Array:
            watched = self._watch.levels(now, self._driving.state(y)) if self.events else ()
            return np.concatenate((in_modes.levels(now, y), watched)) if self.system.has_modes else np.array(watched)

        in_modes = InModes(self.system, here.modes, inputs, self._table)
        rates, slopes = self._smooth(here.modes, inputs, in_modes.rates)
        explicit = self.method == "adaptive"
        kinks = self._kinks.levels(here.t, here.x, inputs, in_modes) if explicit else None
        watched = levels if self.events or self.system.has_modes else None
        return Problem(
            rates,
            watched,
            here.t,
            here.x,
            bound,
            self.rtol,
            self.atol,
            here.step,
            longest_step=np.inf if watched is None and kinks is None else self._span / WATCHFUL,
            slopes=slopes,
            kinks=kinks,
            patience=self._patience if explicit else None,
            enough=lambda: alone and self._loop is not None,
            project=projection(self.system, here, inputs(here.t, here.x)[0], self.recorder.remarks),
        )

    def _smooth(self, modes: Modes, inputs: InputsAt, otherwise: Rates) -> tuple[Rates, Slopes | None]:
        """The rates in given modes, and for a stiff method their derivatives where these are known."""
        if self._motion is None:
            return otherwise, None
        rates = rates_by_kernel(self.system, modes, inputs, self._motion)
        if self._driving.depends_on_state or self.method != "stiff":
            return rates, None
        return rates, exact_slopes(self.system, inputs, self._motion, rates)

    @cached_property
    def _span(self) -> float:
        return float(self.times[-1] - self.times[0])

    @cached_property
    def _failures(self) -> Failures:
        return Failures(self.system, self.recorder, self._span, (self.rtol, self.atol))

    @cached_property
    def _driving(self) -> Driving:
        return Driving(self.system, self.inputs, self.controller)

    @cached_property
    def _watch(self) -> Watch:
        return Watch(self.events)

    @cached_property
    def _patience(self) -> Patience:
        return Patience(float(self.times[-1]), self._span, self.may_change)

    @cached_property
    def _kinks(self) -> Kinks:
        return Kinks(self.system, self._motion, self._span)

    @property
    def _loop(self) -> EventLoop | None:
        """The event loop in machine code, for the adaptive method."""
        return self._loops.asked() if self.method == "adaptive" else None

    @cached_property
    def _loops(self) -> LoopChoice:
        made = LoopChoice(self.system, lambda: self._motion, self._made_loop, self.recorder.remarks.append)
        made.refused = keeps_places(self.system)  # it does not project
        return made

    def _made_loop(self, source: Source) -> EventLoop:
        found = EventLoop(self.system, source, self._driving, self._watch, self.recorder, self.times, self._patience)
        found.tolerances, found.longest = (self.rtol, self.atol), self._span / WATCHFUL
        found.report, found.obey = lambda t: self.report(t), lambda: self.obey()
        return found

    @cached_property
    def _table(self) -> WorthwhileTable:
        remark = self.recorder.remarks.append
        return WorthwhileTable(self.system, self._loops, lambda: self.method == "adaptive", remark)

    @cached_property
    def _motion(self) -> MotionRates | None:
        """The compiled rates of laws that act by forces alone; the run says so where they could be, and are not."""
        try:
            found = motion_rates(self.system)
        except NoKernelError as reason:
            self._loops.refuse(reason)
            return None
        self.recorder.remarks.extend(f"rates: {remark}." for remark in (found.remarks if found else ()))
        return found
