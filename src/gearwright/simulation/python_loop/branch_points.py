"""The kinks of a run's laws, which its steps must not pass over."""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.simulation.integrators.branch_crossing import Levels
from gearwright.simulation.integrators.rates import InputsAt
from gearwright.simulation.python_loop.rates_in_modes import InModes
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.system import System

CHATTER = 200
"""Kinks that are met one after the other, within CLOSE of a run, before they are not looked for any more."""

CLOSE = 1e-6


class Kinks:
    """Looks for kinks as long as that leads anywhere."""

    def __init__(self, system: System, motion: MotionRates | None, span: float) -> None:
        self._system, self._motion, self._span = system, motion, span
        self._met: list[float] = []
        self.ignored = False

    def levels(self, t: float, x: Array, inputs: InputsAt, in_modes: InModes) -> Levels | None:
        """The numbers whose signs may not change within a step; None where the laws are smooth in their modes."""
        if self.ignored or not self._system.laws:
            return None
        found = in_modes.kinks if self._motion is None else self._compiled(self._motion, inputs, in_modes)
        return found if found is not None and len(found(t, x)) else None

    def _compiled(self, motion: MotionRates, inputs: InputsAt, in_modes: InModes) -> Levels | None:
        end, rest = self._system.own.stop, np.zeros(self._system.size - self._system.own.stop)
        clock = np.empty(1)

        def slowly(x: Array, now: Array, _: Array) -> Array:
            return in_modes.kinks(float(now[0]), np.concatenate((x, rest)))

        quick = motion.quick_kinks(slowly)
        if quick is None:
            return None

        def levels(t: float, x: Array) -> Array:
            clock[0] = t
            return quick(x[:end], clock, inputs(t, x)[0])

        return levels

    def meet(self, t: float) -> str | None:
        """Note that a step ended at a kink; a remark when there are too many to go on so."""
        self._met = [*self._met[1 - CHATTER :], t]
        if len(self._met) < CHATTER or t - self._met[0] > CLOSE * self._span:
            return None
        self.ignored = True
        return (
            f"from t = {t:g} s on, steps pass over the kinks of the laws: {CHATTER} of them came within "
            f"{t - self._met[0]:.1e} s. A law that jumps to and fro needs modes, or a smooth variant."
        )
