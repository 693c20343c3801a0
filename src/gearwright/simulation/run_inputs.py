"""Inputs of a run over time, and its controller."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.system.controllers.controller import Controller, output_effect, with_controller_output
from gearwright.system.inputs import InputSignals
from gearwright.system.state import State
from gearwright.system.system import System


@dataclass
class ControlledInputs:
    """Inputs and controller of one run; the outputs of a sampled controller are held until its next sample."""

    system: System
    inputs: InputSignals
    controller: Controller | None
    _held_outputs: Any = field(default=None, init=False)

    def inputs_at(self, t: float, x: Array) -> tuple[Array, Array]:
        """All inputs, and the rates of the controller's states."""
        open_loop = self.inputs.values_at(t)
        if self.controller is None:
            return open_loop, np.zeros(0)
        outputs, rates = self._held_outputs, np.zeros(len(self.controller.states))
        if self.controller.period is None:
            outputs, rates = self.controller.outputs_and_rates(t, self.state(x))
        return self.inputs.within_bounds(
            with_controller_output(open_loop, outputs, t, self.inputs.names, self.system.mech.n)
        ), rates

    def update_controller(self, t: float, x: Array) -> Array:
        """Sample the controller; returns the state vector with the next values of its states."""
        if self.controller is None or self.controller.period is None:
            return x
        self._held_outputs, following = self.controller.outputs_and_rates(t, self.state(x))
        if following.size:
            x = x.copy()
            x[self.system.controller_slice] = following
        return x

    def held_effect(self, t: float) -> tuple[Array, Array] | None:
        """The effect of a sampled controller on the inputs until its next sample; None without one."""
        if self.controller is None or self.controller.period is None:
            return None
        return output_effect(self._held_outputs, t, self.inputs.names, self.system.mech.n)

    def state(self, x: Array) -> State:
        """A state vector as a State for users."""
        system = self.system
        names = [*system.states, *system.controller_states]
        values = x[system.law_slice.start : system.controller_slice.stop].tolist()
        return State(x[system.q].copy(), x[system.v].copy(), dict(zip(names, values, strict=True)))

    def stop_times(self, start: float, until: float) -> list[float]:
        """Times at which a step must end: breaks of inputs, samples of the controller, the end."""
        kinks = (*self.inputs.break_times, *(self.controller.breaks if self.controller else ()))
        times = {t for t in kinks if start < t < until}
        if self.controller is not None and self.controller.period is not None:
            count = int(np.ceil((until - start) / self.controller.period - 1e-9))
            times.update(start + k * self.controller.period for k in range(1, count))
        return [*sorted(times), until]

    @property
    def depends_on_state(self) -> bool:
        """Whether a continuous controller acts."""
        return self.controller is not None and self.controller.period is None
