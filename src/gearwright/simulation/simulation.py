"""The loop of a simulation: march, meet events, change modes, go on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.simulation.driving import Driving
from gearwright.simulation.events import Event, Watch
from gearwright.simulation.integrators import march
from gearwright.simulation.keeping import Keeping, Projection
from gearwright.simulation.kinks import Kinks
from gearwright.simulation.marching import March, Problem, Rates, Reached, Slopes, StuckError
from gearwright.simulation.moded_rates import InModes, WorthwhileTable
from gearwright.simulation.patience import Patience, SlowError
from gearwright.simulation.rates import InputsAt, exact_slopes, is_lost, rates_by_kernel
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import RunEvent
from gearwright.system.controllers import Controller
from gearwright.system.evaluation import evaluate, situations_at
from gearwright.system.motion_rates import MotionRates, motion_rates
from gearwright.system.observation import Observation, observe
from gearwright.system.settling import settle
from gearwright.system.signals import Inputs
from gearwright.system.state import State
from gearwright.system.system import Modes, System
from gearwright.system.vector_program import NoKernelError
from gearwright.text import listed

WATCHFUL = 50
"""Steps that a run with events takes at least, so that none is stepped over."""

RESTLESS = 200
"""Events without progress in time before a run gives up."""


@dataclass
class Here:
    """Where a run is: time, state vector, modes; the last step; and how many events came without progress."""

    t: float
    x: Array
    modes: Modes
    step: float | None = None
    still: int = 0

    def move(self, t: float, x: Array, step: float | None, event: bool = False) -> None:
        """Go on to another time and state, where an event may have come; kinks are counted by their own watch."""
        self.still = 0 if t > self.t else self.still + event
        self.t, self.x, self.step = t, x, step


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

    def run(self, x: Array) -> None:
        """From the first of the times to the last; the recorder keeps the samples."""
        here = self._begun(x)
        for bound in self._driving.stops(here.t, float(self.times[-1])):
            while here.t < bound:
                if self._ends_before(here, bound):
                    return
            self._driving.sample(here.t, here.x)
            self._settle(here)

    def consistent(self, x: Array) -> Array:
        """The start on what constraints hold; InputError where it is far from it."""
        t = float(self.times[0])
        self._driving.sample(t, x)
        return self._keeping.start(t, x, self._driving.at(t, x)[0], self.first_modes(t, x))

    def _begun(self, x: Array) -> Here:
        """The start, with modes that fit it, books that begin at zero, and the first sample."""
        t = float(self.times[0])
        self._driving.sample(t, x)
        here = Here(t, x, self.first_modes(t, x))
        self._settle(here)
        self._open_books(here)
        self._watch.begin(t, self._driving.state(here.x))
        self._record(here.t, here.x, here.modes)
        return here

    def _ends_before(self, here: Here, bound: float) -> bool:
        """March on to the bound, or to an event before it; True when that ends the run."""
        problem = self._problem(here, bound)
        engine = march(self.method, problem)
        try:
            reached = self._recorded(engine, here.modes, bound, problem.project)
        except SlowError as slow:
            here.move(slow.t, slow.x, None)
            self._go_on_stiff(slow.t)
            return False
        here.move(reached.t, reached.x, engine.step_size, reached.event)
        over = reached.event and self._meets_end(here)
        if reached.event and not over:
            self._settle(here)
        self._refuse_restless(here)
        return over

    def _recorded(self, engine: March, modes: Modes, bound: float, project: Projection | None) -> Reached:
        """March to the bound, the next event or the next kink, recording samples on the way."""
        while True:
            due = len(self.recorder)
            limit = min(bound, float(self.times[due]) if due < len(self.times) else bound)
            reached = self._advanced(engine, limit)
            if project is not None:  # between two steps the state is interpolated
                reached = replace(reached, x=project(reached.t, reached.x))
            if due < len(self.times) and reached.t >= self.times[due]:
                self._record(reached.t, reached.x, modes)
            if reached.kink:
                self.recorder.remarks.extend(filter(None, [self._kinks.meet(reached.t)]))
            if reached.event or reached.kink or reached.t >= bound:
                return reached

    def _advanced(self, engine: March, limit: float) -> Reached:
        try:
            reached = engine.advance(limit)
        except StuckError as stuck:
            raise self._blown_up(stuck.t, stuck.x, stuck.reason) from None
        if is_lost(self.system, reached.x):
            raise self._blown_up(reached.t, reached.x, "faster than any machine")
        return reached

    def _go_on_stiff(self, t: float) -> None:
        self.method = "stiff"
        self.recorder.remarks.append(f"method: stiff from t = {t:g} s on, where the steps of the explicit one crawled.")

    def _open_books(self, here: Here) -> None:
        """Books that begin at zero; what an inconsistent start lost is remarked upon."""
        system, x = self.system, here.x.copy()
        lost = float(x[system.dissipated])
        if abs(lost) > 1e-12:
            self.recorder.remarks.append(f"the start was changed by holds or stops, which took {lost:.3g} J.")
        x[system.supplied] = x[system.dissipated] = 0.0
        here.x = x

    def _settle(self, here: Here) -> None:
        """Choose modes in which every guard holds; changes are noted."""
        if not self.system.has_modes:
            return
        settled = settle(self.system, here.t, here.x, self._driving.at(here.t, here.x)[0], here.modes)
        self.recorder.events.extend(RunEvent(here.t, name, mode) for name, mode in settled.changes)
        here.x, here.modes = settled.x, settled.modes

    def _meets_end(self, here: Here) -> bool:
        """Note the user's events at this time; True when one of them ends the run."""
        met = self._watch.met(here.t, self._driving.state(here.x))
        self.recorder.events.extend(RunEvent(here.t, event.name, "event") for event in met)
        return any(event.terminal for event in met)

    def _refuse_restless(self, here: Here) -> None:
        if here.still > RESTLESS:
            raise SimulationError(
                f"simulate: at t = {here.t:g} s {RESTLESS} events follow each other without any motion. Look at the "
                f"last ones: {listed(f'{h.name} {h.what}' for h in self.recorder.events[-4:])}."
            )

    def _record(self, t: float, x: Array, modes: Modes) -> None:
        u = self._driving.at(t, x)[0]
        if self._motion is not None:
            self.recorder.postpone(t, x, u, self._observe)
        else:
            self.recorder.record(t, x, u, modes, evaluate(self.system, t, x, u, modes))
        self.report(t)

    @cached_property
    def _observe(self) -> Callable[[Array, Array, Array], Observation]:
        return lambda x, u, t: observe(self.system, x, u, t)

    def smooth_rates(self, x: Array) -> Callable[[Array], Array]:
        """The rates near the start, in the modes that laws start in."""
        t = float(self.times[0])
        self._driving.sample(t, x)
        rates = self._problem(Here(t, x, self.first_modes(t, x)), t).rates
        return lambda y: rates(t, y)

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
            patience=self._patience if explicit and self.may_change else None,
            project=self._keeping.projection(here.t, here.x, inputs(here.t, here.x)[0], here.modes),
        )

    def _smooth(self, modes: Modes, inputs: InputsAt, otherwise: Rates) -> tuple[Rates, Slopes | None]:
        """The rates in given modes, and for a stiff method their derivatives where these are known."""
        if self._motion is None:
            return otherwise, None
        rates = rates_by_kernel(self.system, modes, inputs, self._motion)
        if self._driving.depends_on_state or self.method != "stiff":
            return rates, None
        return rates, exact_slopes(self.system, inputs, self._motion, rates)

    @property
    def _span(self) -> float:
        return float(self.times[-1] - self.times[0])

    @cached_property
    def _driving(self) -> Driving:
        return Driving(self.system, self.inputs, self.controller)

    @cached_property
    def _watch(self) -> Watch:
        return Watch(self.events)

    @cached_property
    def _patience(self) -> Patience:
        return Patience(float(self.times[-1]), self._span)

    @cached_property
    def _kinks(self) -> Kinks:
        return Kinks(self.system, self._motion, self._span)

    @cached_property
    def _keeping(self) -> Keeping:
        return Keeping(self.system, self.recorder.remarks.append)

    @cached_property
    def _table(self) -> WorthwhileTable:
        return WorthwhileTable(self.system, self.recorder.remarks.append)

    @cached_property
    def _motion(self) -> MotionRates | None:
        """The compiled rates of laws that act by forces alone; the run says so where they could be, and are not."""
        try:
            found = motion_rates(self.system)
        except NoKernelError as reason:
            self.recorder.remarks.append(str(reason))
            self._table.give_up()
            return None
        self.recorder.remarks.extend(f"rates: {remark}." for remark in (found.remarks if found else ()))
        return found

    def _blown_up(self, t: float, x: Array, reason: str) -> SimulationError:
        names = [*self.system.mech.coordinates, *self.system.mech.speeds, *self.system.states]
        bad = np.flatnonzero(~np.isfinite(x[: len(names)]))
        k = int(bad[0]) if bad.size else self.system.mech.nq + int(np.argmax(np.abs(x[self.system.v])))
        return SimulationError(
            f"simulate: the run blew up at t = {t:g} s, where {names[k]!r} is {x[k]:g} ({reason.rstrip('.')}). Look at "
            "the forces and gains there, or at the sign of a ratio; fast decay needs method='stiff'."
        )
