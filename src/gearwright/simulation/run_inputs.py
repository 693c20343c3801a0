"""What drives a run: inputs over time, and a controller that sees the state."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.system.controllers.controller import Controller, effect_of, with_answer
from gearwright.system.inputs import Inputs
from gearwright.system.state import State
from gearwright.system.system import System


@dataclass
class Driving:
    """Inputs and controller of one run; what a sampled controller said is held until it is asked again."""

    system: System
    inputs: Inputs
    controller: Controller | None
    _held: Any = field(default=None, init=False)

    def at(self, t: float, x: Array) -> tuple[Array, Array]:
        """All inputs, and the rates of the controller's states."""
        known = self.inputs.at(t)
        if self.controller is None:
            return known, np.zeros(0)
        answer, rates = self._held, np.zeros(len(self.controller.states))
        if self.controller.period is None:
            answer, rates = self.controller.answer(t, self.state(x))
        return self.inputs.cut(with_answer(known, answer, t, self.inputs.names, self.system.mech.n)), rates

    def sample(self, t: float, x: Array) -> Array:
        """Ask a sampled controller; the state vector with the next values of its states."""
        if self.controller is None or self.controller.period is None:
            return x
        self._held, following = self.controller.answer(t, self.state(x))
        if following.size:
            x = x.copy()
            x[self.system.controlled] = following
        return x

    def held_effect(self, t: float) -> tuple[Array, Array] | None:
        """What a sampled controller makes of the inputs until it is asked again; None where there is none."""
        if self.controller is None or self.controller.period is None:
            return None
        return effect_of(self._held, t, self.inputs.names, self.system.mech.n)

    def state(self, x: Array) -> State:
        """A state vector as users see it."""
        system = self.system
        names = [*system.states, *system.controller_states]
        values = x[system.own.start : system.controlled.stop].tolist()
        return State(x[system.q].copy(), x[system.v].copy(), dict(zip(names, values, strict=True)))

    def stops(self, start: float, until: float) -> list[float]:
        """Times at which a step must end: kinks of inputs, samples of the controller, the end."""
        kinks = (*self.inputs.breaks, *(self.controller.breaks if self.controller else ()))
        stops = {t for t in kinks if start < t < until}
        if self.controller is not None and self.controller.period is not None:
            count = int(np.ceil((until - start) / self.controller.period - 1e-9))
            stops.update(start + k * self.controller.period for k in range(1, count))
        return [*sorted(stops), until]

    @property
    def depends_on_state(self) -> bool:
        """Whether a continuous controller acts."""
        return self.controller is not None and self.controller.period is None
