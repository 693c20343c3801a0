"""Runs that cannot go on: what is said about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.simulation.here import Here
from gearwright.simulation.rates import is_lost
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.unmet_tolerance import Unmet, unmet_tolerance
from gearwright.system.system import System
from gearwright.text import listed

RESTLESS = 200
"""Events without progress in time before a run gives up."""

Rates = Callable[[float, Array], Array]


@dataclass(frozen=True)
class Failures:
    """What may go wrong in a run.

    Args:
        system: the machine with its laws.
        recorder: knows what happened last.
        span: length of the run [s].
        tolerances: relative and absolute.
    """

    system: System
    recorder: Recorder
    span: float
    tolerances: tuple[float, float]

    def blown_up(self, t: float, x: Array, reason: str) -> SimulationError:
        """A state that no machine is in."""
        names = [*self.system.mech.coordinates, *self.system.mech.speeds, *self.system.states]
        bad = np.flatnonzero(~np.isfinite(x[: len(names)]))
        k = int(bad[0]) if bad.size else self.system.mech.nq + int(np.argmax(np.abs(x[self.system.v])))
        return SimulationError(
            f"simulate: the run blew up at t = {t:g} s, where {names[k]!r} is {x[k]:g} ({reason.rstrip('.')}). Look at "
            "the forces and gains there, or at the sign of a ratio; fast decay needs method='stiff'."
        )

    def stuck(self, here: Here, rates: Rates, step: float | None, reason: str) -> SimulationError:
        """An integrator that does not get on: the tolerance cannot be met, or the state itself is the trouble."""
        unmet = self._unmet(here, rates, step)
        return self.blown_up(here.t, here.x, reason) if unmet is None else unmet.error

    def refuse_hopeless(self, here: Here, rates: Rates, step: float, may_change: bool) -> None:
        """Refuse to go on with short steps where no other method may, or where none gets past what jumps to and fro."""
        unmet = self._unmet(here, rates, step)
        if unmet is not None and (unmet.jumps or not may_change):
            raise unmet.error
        if not may_change:
            raise self.blown_up(here.t, here.x, "short steps")

    def _unmet(self, here: Here, rates: Rates, step: float | None) -> Unmet | None:
        if is_lost(self.system, here.x):
            return None
        mech = self.system.mech
        names = [*(f"q.{x}" for x in mech.coordinates), *(f"v.{x}" for x in mech.speeds), *self.system.states]
        shortest = 1e-12 * max(self.span, here.t)
        return unmet_tolerance(names, here.t, here.x, rates, step or shortest, self.tolerances)

    def refuse_restless(self, here: Here) -> None:
        """Refuse to go on where events follow each other without any motion."""
        if here.still > RESTLESS:
            last = listed(f"{h.name} {h.what}" for h in self.recorder.events[-4:])
            look = f"Look at the last ones: {last}." if last else "Does a joint begin beyond its stop?"
            raise SimulationError(
                f"simulate: at t = {here.t:g} s {RESTLESS} events follow each other without any motion. {look}"
            )
