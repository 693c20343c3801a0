"""The loop of a simulation: march, meet events, change modes, go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError, SimulationError
from gearwright.simulation.marching import March, Problem, Rates, Reached, Slopes, SlowError, StuckError, march
from gearwright.simulation.moded_rates import InModes
from gearwright.simulation.rates import InputsAt, exact_slopes, is_lost, rates_by_kernel
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import RunEvent
from gearwright.system.controllers import Controller, put
from gearwright.system.modes import settle
from gearwright.system.motion_rates import MotionRates, motion_rates
from gearwright.system.signals import Inputs
from gearwright.system.state import State
from gearwright.system.system import Modes, System
from gearwright.text import listed

WATCHFUL = 50
"""Steps that a run with events takes at least, so that none is stepped over."""

CRAWL = 1e-5
"""A thousand steps that cover less of the run than this lead nowhere: another method goes on."""

RESTLESS = 200
"""Events without progress in time before a run gives up."""


@dataclass(frozen=True)
class Event:
    """Something to watch for during a run.

    Args:
        function: (t, State) -> number; the event is where it goes through zero.
        name: what it is called in the run's events.
        terminal: whether the run ends there.

    >>> Event(lambda t, state: state.q[0] - 1.0, "reached", terminal=True).name
    'reached'
    """

    function: Callable[[float, State], float]
    name: str = "event"
    terminal: bool = False


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
    _answer: Any = field(default=None, init=False)
    _sides: list[float] = field(default_factory=list, init=False)

    def run(self, x: Array) -> None:
        """From the first of the times to the last; the recorder keeps the samples."""
        t, until = float(self.times[0]), float(self.times[-1])
        self._call_sampled(t, x)
        x, modes = self._settled(t, x, self._first_modes(t, x))
        x = self._first_balance(x)
        self._sides = [self._side(event, t, x) for event in self.events]
        self._record(t, x, modes)
        step: float | None = None
        still = 0
        for bound in self._stops(t, until):
            while t < bound:
                engine = march(self.method, self._problem(t, x, modes, bound, step))
                try:
                    arrived, x, event = self._until_event(engine, bound, modes)
                except SlowError as slow:
                    t, x, step = slow.t, slow.x, None
                    self._change_method(t)
                    continue
                step = engine.step_size
                still = 0 if arrived > t else still + 1
                t = arrived
                if event:
                    if self._users_event(t, x):
                        return
                    x, modes = self._settled(t, x, modes)
                if still > RESTLESS:
                    raise SimulationError(
                        f"simulate: at t = {t:g} s {RESTLESS} events follow each other without any motion. Look at the "
                        f"last ones: {listed(f'{h.name} {h.what}' for h in self.recorder.events[-4:])}."
                    )
            self._call_sampled(t, x)
            x, modes = self._settled(t, x, modes)

    def _change_method(self, t: float) -> None:
        self.method = "stiff"
        self.recorder.remarks.append(f"method: stiff from t = {t:g} s on, where the steps of the explicit one crawled.")

    def _first_balance(self, x: Array) -> Array:
        """Books that begin at zero; what an inconsistent start lost is remarked upon."""
        lost = float(x[self.system.dissipated])
        if abs(lost) > 1e-12:
            self.recorder.remarks.append(f"the start was changed by holds or stops, which took {lost:.3g} J.")
        out = x.copy()
        out[self.system.supplied] = out[self.system.dissipated] = 0.0
        return out

    def smooth_rates(self, x: Array) -> Callable[[Array], Array]:
        """The rates near the start, in the modes that laws start in."""
        t = float(self.times[0])
        self._call_sampled(t, x)
        rates = self._problem(t, x, self._first_modes(t, x), t, None).rates
        return lambda y: rates(t, y)

    def _first_modes(self, t: float, x: Array) -> Modes:
        seen = self.system.situations(t, x, self._inputs_at(t, x)[0])
        return tuple(law.start(s) for law, s in zip(self.system.laws, seen, strict=True))

    def _stops(self, start: float, until: float) -> Iterator[float]:
        """Times at which a step must end: kinks of inputs, samples of the controller, the end."""
        kinks = (*self.inputs.breaks, *(self.controller.breaks if self.controller else ()))
        stops = {t for t in kinks if start < t < until}
        if self.controller is not None and self.controller.period is not None:
            count = int(np.ceil((until - start) / self.controller.period - 1e-9))
            stops.update(start + k * self.controller.period for k in range(1, count))
        yield from (*sorted(stops), until)

    def _until_event(self, engine: March, bound: float, modes: Modes) -> tuple[float, Array, bool]:
        """March to the bound or the next event, recording samples on the way."""
        while True:
            due = len(self.recorder)
            limit = min(bound, float(self.times[due]) if due < len(self.times) else bound)
            reached = self._advanced(engine, limit)
            if due < len(self.times) and reached.t >= self.times[due]:
                self._record(reached.t, reached.x, modes)
            if reached.event or reached.t >= bound:
                return reached.t, reached.x, reached.event

    def _advanced(self, engine: March, limit: float) -> Reached:
        try:
            reached = engine.advance(limit)
        except StuckError as stuck:
            raise self._blown_up(stuck.t, stuck.x, stuck.reason) from None
        if is_lost(self.system, reached.x):
            raise self._blown_up(reached.t, reached.x, "faster than any machine")
        return reached

    def _record(self, t: float, x: Array, modes: Modes) -> None:
        u = self._inputs_at(t, x)[0]
        if self._motion is not None:
            self.recorder.postpone(t, x, u, self._motion.seen)
        else:
            self.recorder.record(t, x, u, modes, self.system.evaluate(t, x, u, modes))
        self.report(t)

    def _problem(self, t: float, x: Array, modes: Modes, bound: float, step: float | None) -> Problem:
        system = self.system
        latest = float(np.nextafter(bound, t)) if bound > t else bound  # an input that jumps there has not jumped yet

        def inputs(now: float, y: Array) -> tuple[Array, Array]:
            self.obey()
            return self._inputs_at(min(now, latest), y)

        def levels(now: float, y: Array) -> Array:
            found = in_modes.guards(now, y) if self._moded else []
            mine = [guard.value / guard.scale for _, guard in found]
            state = self._state(y)
            watched = zip(self.events, self._sides, strict=True)
            return np.array([*mine, *(side * float(event.function(now, state)) for event, side in watched)])

        in_modes = InModes(system, modes, inputs)
        rates, slopes = self._smooth(modes, inputs, in_modes.rates)
        span = float(self.times[-1] - self.times[0])
        pace = CRAWL * span if self.may_change else 0.0
        if not (self.events or self._moded):
            return Problem(rates, None, t, x, bound, self.rtol, self.atol, step, slopes=slopes, pace=pace)
        return Problem(rates, levels, t, x, bound, self.rtol, self.atol, step, span / WATCHFUL, slopes, pace)

    def _smooth(self, modes: Modes, inputs: InputsAt, otherwise: Rates) -> tuple[Rates, Slopes | None]:
        """The rates in given modes, and for a stiff method their derivatives where these are known."""
        if self._motion is None:
            return otherwise, None
        rates = rates_by_kernel(self.system, modes, inputs, self._motion)
        felt = self.controller is not None and self.controller.period is None
        if felt or self.method != "stiff":
            return rates, None
        return rates, exact_slopes(self.system, inputs, self._motion, rates)

    @cached_property
    def _moded(self) -> bool:
        """Whether a law may change its mode."""
        return any(len(law.modes) > 1 for law in self.system.laws)

    @cached_property
    def _motion(self) -> MotionRates | None:
        """The compiled rates, where all laws can be compiled."""
        found = motion_rates(self.system.mech, self.system.laws)
        self.recorder.remarks.extend(f"rates: {remark}." for remark in (found.remarks if found else ()))
        return found

    def _settled(self, t: float, x: Array, modes: Modes) -> tuple[Array, Modes]:
        """Modes in which every guard holds; changes are noted."""
        if not self._moded:
            return x, modes
        settled = settle(self.system, t, x, self._inputs_at(t, x)[0], modes)
        self.recorder.events.extend(RunEvent(t, name, mode) for name, mode in settled.changes)
        return settled.x, settled.modes

    def _side(self, event: Event, t: float, x: Array) -> float:
        value = float(event.function(t, self._state(x)))
        return 1.0 if value >= 0 else -1.0

    def _users_event(self, t: float, x: Array) -> bool:
        """Note the user's events at this time; True when one of them ends the run."""
        over = False
        for k, event in enumerate(self.events):
            if self._sides[k] * float(event.function(t, self._state(x))) <= 0:
                self._sides[k] = -self._sides[k]
                self.recorder.events.append(RunEvent(t, event.name, "event"))
                over = over or event.terminal
        return over

    def _inputs_at(self, t: float, x: Array) -> tuple[Array, Array]:
        """All inputs, and the rates of the controller's states."""
        known = self.inputs.at(t)
        if self.controller is None:
            return known, np.zeros(0)
        answer, rates = self._answer, np.zeros(0)
        if self.controller.period is None:
            answer, rates = self.controller.answer(t, self._state(x))
        return put(answer, t, self.inputs.names, self.system.mech.n, known), rates

    def held_inputs(self, t: float, x: Array) -> Array:
        """The inputs at a time at which the controller is asked."""
        self._call_sampled(t, x)
        return self._inputs_at(t, x)[0]

    def _call_sampled(self, t: float, x: Array) -> None:
        if self.controller is not None and self.controller.period is not None:
            self._answer, _ = self.controller.answer(t, self._state(x))

    def _state(self, x: Array) -> State:
        system = self.system
        names = [*system.states, *system.controller_states]
        values = x[system.own.start : system.controlled.stop].tolist()
        return State(x[system.q].copy(), x[system.v].copy(), dict(zip(names, values, strict=True)))

    def _blown_up(self, t: float, x: Array, reason: str) -> SimulationError:
        names = [*self.system.mech.coordinates, *self.system.mech.speeds, *self.system.states]
        bad = np.flatnonzero(~np.isfinite(x[: len(names)]))
        k = int(bad[0]) if bad.size else self.system.mech.nq + int(np.argmax(np.abs(x[self.system.v])))
        return SimulationError(
            f"simulate: the run blew up at t = {t:g} s, where {names[k]!r} is {x[k]:g} ({reason.rstrip('.')}). Look at "
            "the forces and gains there, or at the sign of a ratio; fast decay needs method='stiff'."
        )


def started(system: System, state: State) -> Array:
    """The state vector at the start, with the states of laws as given or as the laws begin."""
    x = np.zeros(system.size)
    x[system.q], x[system.v] = state.q, state.v
    initial = {**{s.name: s.initial for s in system.states.values()}, **system.controller_states}
    unknown = [name for name in state.states if name not in initial]
    if unknown:
        raise InputError(
            f"simulate: the initial state names {unknown[0]!r}, which no law or controller has. Known are: "
            f"{listed(initial) or 'none'}."
        )
    merged: Sequence[float] = list({**initial, **state.states}.values())
    x[system.own.start : system.controlled.stop] = merged
    return x
