"""The branch points of a run's laws, at which its steps must end."""

from __future__ import annotations

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.event_tolerances import MAX_NEAR_BRANCH_POINTS, NEAR_BRANCH_SPAN_RATIO
from gearwright.simulation.integrators.branch_crossing import LevelFunction
from gearwright.simulation.integrators.rates import InputsAt
from gearwright.simulation.python_loop.rates_in_modes import RatesInModes
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.system import System


class BranchPoints:
    """The branch functions of a run, and the count of branch points that were met."""

    def __init__(self, system: System, motion: MotionRates | None, span: float) -> None:
        self._system, self._motion, self._span = system, motion, span
        self._crossing_times: list[float] = []
        self.are_ignored = False

    def branch_levels(self, t: float, x: Array, inputs: InputsAt, in_modes: RatesInModes) -> LevelFunction | None:
        """The functions whose signs must not change within a step; None if the laws are smooth in their modes."""
        if self.are_ignored or not self._system.laws:
            return None
        levels_at = (
            in_modes.branch_levels if self._motion is None else self._compiled_levels(self._motion, inputs, in_modes)
        )
        return levels_at if levels_at is not None and len(levels_at(t, x)) else None

    def _compiled_levels(self, motion: MotionRates, inputs: InputsAt, in_modes: RatesInModes) -> LevelFunction | None:
        end, padding = self._system.law_slice.stop, np.zeros(self._system.size - self._system.law_slice.stop)
        clock = np.empty(1)

        def by_laws(x: Array, now: Array, _: Array) -> Array:
            return in_modes.branch_levels(float(now[0]), np.concatenate((x, padding)))

        compiled = motion.compiled_branch_levels(by_laws)
        if compiled is None:
            return None

        def levels(t: float, x: Array) -> Array:
            clock[0] = t
            return compiled(x[:end], clock, inputs(t, x)[0])

        return levels

    def add_crossing(self, t: float) -> str | None:
        """Count a step that ended at a branch point; returns a remark if there are too many to continue so."""
        self._crossing_times = [*self._crossing_times[1 - MAX_NEAR_BRANCH_POINTS :], t]
        if (
            len(self._crossing_times) < MAX_NEAR_BRANCH_POINTS
            or t - self._crossing_times[0] > NEAR_BRANCH_SPAN_RATIO * self._span
        ):
            return None
        self.are_ignored = True
        return (
            f"from t = {t:g} s on, branch points of the laws are not located: {MAX_NEAR_BRANCH_POINTS} of them "
            f"occurred within {t - self._crossing_times[0]:.1e} s. A chattering law needs modes, or a smooth variant."
        )
