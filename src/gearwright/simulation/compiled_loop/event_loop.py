"""The event loop of a run in machine code, as the simulation uses it: who calls whom, and when Python is needed.

Python is entered for controllers and events of users, every hundred steps (to be interrupted, to show how far it is, to
look whether the method still fits), for settling that the loop does not manage, and where machine code does not take a
state (an angle too large for its sine).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.host.machine_code import MachineCode
from gearwright.simulation.compiled_loop.chebyshev_inputs import fitted
from gearwright.simulation.compiled_loop.driver import Driver, LoopInputs, LoopKernels
from gearwright.simulation.compiled_loop.source import loop as status
from gearwright.simulation.events import Watch
from gearwright.simulation.integrators.stiffness_detection import Patience
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run import RunEvent
from gearwright.simulation.run_inputs import Driving
from gearwright.simulation.run_point import Here
from gearwright.system.controllers.law_controller import controller_kernel
from gearwright.system.kernels.event_structure import EventStructure
from gearwright.system.kernels.event_table import EventTable
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.kernels.observation import observe
from gearwright.system.system import Modes, System
from gearwright.system.vector_program import NoKernelError


class Met(Enum):
    """Why the loop came back: at its bound, at an event of a user's, or where Python must do it."""

    BOUND = "bound"
    EVENT = "event"
    UNSETTLED = "unsettled"
    STUCK = "stuck"
    LOST = "lost"
    LEFT = "left"
    RESTLESS = "restless"


COMES_BACK = {
    status.ARRIVED: Met.BOUND,
    status.MET: Met.EVENT,
    status.NOT_SETTLED: Met.UNSETTLED,
    status.STUCK: Met.STUCK,
    status.LOST: Met.LOST,
    status.LEFT_TO_PYTHON: Met.LEFT,
    status.RESTLESS: Met.RESTLESS,
}


@dataclass
class EventLoop:
    """The loop of one run.

    Args:
        system: the machine with its laws.
        source: its kernels: a table of all modes, or the rates of laws that act by forces alone.
        driving: inputs and controller.
        watch: events of a user's.
        recorder: takes samples, changes of modes and remarks.
        times: of the samples [s].
        patience: looks whether the method still fits.
        tolerances: relative and absolute.
        longest: the longest step where there is something to look for [s].
        report: is told how far the run is.
        obey: raises if the run is to stop.
    """

    system: System
    source: EventTable | MotionRates
    driving: Driving
    watch: Watch
    recorder: Recorder
    times: Array
    patience: Patience
    tolerances: tuple[float, float] = (1e-8, 1e-10)
    longest: float = np.inf
    report: Callable[[float], None] = lambda _: None
    obey: Callable[[], None] = lambda: None
    _at: Here | None = field(default=None, init=False)
    _fed: int = field(default=0, init=False)
    _last_x: Array | None = field(default=None, init=False)
    _last_modes: Modes | None = field(default=None, init=False)

    def march(self, here: Here, bound: float) -> Met:
        """March to the bound, through events, or to where Python has something to do."""
        self._go_on_from(here)
        memory = self.driver.memory
        memory["bound"], memory["latest"] = bound, float(np.nextafter(bound, here.t))
        memory["begun"] = 0  # inputs may have jumped at the bound before
        return self._marched(here, "advance")

    def after_event(self, here: Here) -> Met:
        """Settle after an event that Python has looked at."""
        self._go_on_from(here)
        return self._marched(here, "after_event")

    def settle(self, here: Here) -> Met:
        """Choose modes in which every guard holds."""
        self._go_on_from(here)
        settled = self.driver.call("settle")
        self._note(here)
        return Met.BOUND if settled == 0 else Met.UNSETTLED

    def record(self, here: Here) -> bool:
        """Keep a sample; False where machine code does not take the state."""
        self._go_on_from(here)
        return self.driver.call("record_here") == 0

    def rates(self, here: Here, t: float) -> Callable[[Array], Array]:
        """The rates near a state, in its modes."""
        self._go_on_from(here)
        return lambda x: self.driver.rates(t, x)

    def sampled(self, t: float) -> None:
        """A sampled controller was asked."""
        effect = self.driving.held_effect(t)
        if effect is not None:
            self.driver.hold(*effect)

    def leave(self) -> None:
        """Hand the samples over, since somebody else goes on."""
        self._feed()
        self._at = None

    def _marched(self, here: Here, entry: str) -> Met:
        while True:
            steps = self.patience.steps_to_look
            self.driver.memory["pause"] = steps
            came = self.driver.call(entry)
            taken = steps - self.driver.memory["pause"]
            self._note(here)
            self.obey()
            self.report(here.t)
            entry = self._next_entry(came, entry)
            self.patience.take(taken)
            if came == status.PAUSED:
                self.patience.look(here.t, here.x, self.driver.memory["h_taken"], self.driver.rates)
            if came in COMES_BACK:
                return COMES_BACK[came]

    def _next_entry(self, came: int, entry: str) -> str:
        """What to call next; a remark where kinks are passed over from now on."""
        if came == status.NO_ROOM:
            return "after_event"
        if came == status.CHATTERS:
            self.recorder.remarks.append(CHATTERING.format(self.driver.memory["t"]))
        return "advance" if came != status.ARRIVED else entry

    def _go_on_from(self, here: Here) -> None:
        """Take over a state that somebody else has changed."""
        if self._at is not here or here.x is not self._last_x or here.modes is not self._last_modes:
            memory = self.driver.memory
            if self._at is not here:
                self._feed()
                memory["sampled"] = self._fed = len(self.recorder)
                self.sampled(here.t)
            self.driver.go_on_from(here.t, here.x, here.modes, here.step)
            memory["still"] = here.still
            self._at, self._last_x, self._last_modes = here, here.x, here.modes

    def _note(self, here: Here) -> None:
        """Write down where the loop is, and what happened."""
        memory = self.driver.memory
        here.t, here.still = memory["t"], memory["still"]
        here.step = memory["h"] if 0.0 < memory["h"] < np.inf else None
        here.x = self._last_x = memory["x"].copy()
        if memory["events"]:
            here.modes = self._last_modes = self.driver.modes
            self.recorder.events.extend(RunEvent(*change) for change in self.driver.changes())

    def _feed(self) -> None:
        """Hand samples over to the recorder."""
        if self._at is None or self.driver.memory["sampled"] == self._fed:
            return
        found, begin = self.driver.samples(self._fed), self._fed
        self._fed = self.driver.memory["sampled"]
        t = self.times[begin : self._fed]
        if isinstance(self.source, MotionRates):
            observed = observe(self.system, found["x"][:, : self.system.own.stop], found["u"], t)
            self.recorder.keep_all(t, found["x"], found["u"], observed)
        else:
            values = self.source.observed(t, found)
            self.recorder.keep(t, found["x"], found["u"], found["modes"], found["a"], values[:, :-1], values[:, -1])

    @cached_property
    def driver(self) -> Driver:
        """The loop with its workspace."""
        kernels, inputs = self._kernels(), self._inputs()
        made = kernels.structure
        longest = self.longest if made.guards + made.kinks + inputs.watched else np.inf
        driver = Driver(self.system, kernels, inputs, self.times, self.tolerances, longest)
        self.recorder.feed = self._feed
        return driver

    def _kernels(self) -> LoopKernels:
        if isinstance(self.source, MotionRates):
            kinks = self.source.kink_count
            made = EventStructure(kinks=kinks)
            look: MachineCode | None = self.source.kink_code if kinks else None
            return LoopKernels(made, None, self.source.code, look, None)
        codes = self.source.codes
        return LoopKernels(
            self.source.structure, codes["tied"], codes["follow"], codes.get("look"), codes.get("settling")
        )

    def _control(self) -> MachineCode | None:
        """The kernel of a continuous controller over scalars; None for any other."""
        controller = self.driving.controller
        if controller is None or not controller.scalars or controller.period is not None:
            return None
        try:
            return controller_kernel(self.system, controller, self.driving.inputs.names)
        except NoKernelError as reason:
            self.recorder.remarks.append(str(reason))
            return None

    def _inputs(self) -> LoopInputs:
        inputs, driving, watched = self.driving.inputs, self.driving, len(self.watch.events)
        start, until = float(self.times[0]), float(self.times[-1])
        control = self._control()
        pieces = None if driving.depends_on_state and control is None else fitted(inputs, start, until)
        control = None if pieces is None else control

        def drive(t: float, x: Array, u: Array, rates: Array) -> None:
            self.obey()
            u[:], found = driving.at(t, x)
            rates[: len(found)] = found

        def watch(t: float, x: Array, levels: Array) -> None:
            levels[:] = self.watch.levels(t, driving.state(x))

        return LoopInputs(pieces, control, drive, inputs.bounds, watch if watched else None, watched)


CHATTERING = (
    "from t = {:g} s on, steps pass over the kinks of the laws: hundreds of them came within a millionth of the run. A "
    "law that jumps to and fro needs modes, or a smooth variant."
)
