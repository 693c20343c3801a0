"""The errors of runs that cannot go on: divergence, no progress in time, tolerances that cannot be met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.simulation.integrators.rates import is_lost
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run_point import Here
from gearwright.system.system import System
from gearwright.text import listed

PROBES = 16
"""Places within a step where the rates are looked at."""

FINER = 1e-3
"""How much shorter the stretch is at which they are looked at again."""

ROUNDING = 100 * float(np.finfo(float).eps)
"""Changes of a number that are smaller, beside the number, are rounding."""


class Unmet(NamedTuple):
    """A tolerance that cannot be met: what to raise, and whether a rate jumps to and fro, so that no method can."""

    error: SimulationError
    jumps: bool


def unmet_tolerance(
    names: Sequence[str],
    t: float,
    x: Array,
    rates: Callable[[float, Array], Array],
    step: float,
    tolerances: tuple[float, float],
) -> Unmet | None:
    """The error for a run that does not get on from (t, x) with steps of that length; None where there are no rates.

    Args:
        names: of the numbers in the state vector, as far as they have any.
        t: time [s].
        x: state vector.
        rates: (t, x) -> rates of the state vector.
        step: the last step [s].
        tolerances: relative and absolute.
    """
    rtol, atol = tolerances
    scale = atol + rtol * np.abs(x)
    coarse, fine = (_spread(t, x, rates, part * step) for part in (1.0, FINER))
    if coarse is None or fine is None:
        return None
    k = int(np.argmax((coarse * step / scale)[: len(names)]))
    error = SimulationError(
        f"simulate: the tolerance (rtol={rtol:g}, atol={atol:g}) cannot be met at t = {t:g} s, where {names[k]!r} is "
        f"{x[k]:g} and steps have shrunk to {step:.1e} s: {_reason(coarse[k], fine[k], scale[k], x[k])} The run up to "
        "there is in the error's `run`."
    )
    return Unmet(error, _jumps(coarse[k], fine[k]))


def _spread(t: float, x: Array, rates: Callable[[float, Array], Array], stretch: float) -> Array | None:
    """By how much the rates vary over a stretch of time; None where they are not finite."""
    first = rates(t, x)
    found = np.array([rates(t + k / PROBES * stretch, x + k / PROBES * stretch * first) for k in range(PROBES + 1)])
    return np.asarray(np.ptp(found, axis=0)) if np.isfinite(found).all() else None


def _jumps(coarse: float, fine: float) -> bool:
    """Whether a rate varies within any stretch of time, however short."""
    return bool(fine > 0.3 * coarse > 0)


def _reason(coarse: float, fine: float, scale: float, x: float) -> str:
    if scale < ROUNDING * abs(x):
        return "the tolerance is finer than the rounding of this number. Give a larger rtol or atol."
    if _jumps(coarse, fine):
        return (
            f"its rate varies by {coarse:.3g} 1/s within a step, and as much within a thousandth of it: something "
            "jumps there. Look for noise or switching in inputs, a controller or a law; declare jumps as `breaks`, "
            "give noise as samples, or a larger rtol and atol."
        )
    return (
        f"its rate changes by {coarse:.3g} 1/s within a step. Look at the forces there: something grows beyond all "
        "bounds, or is far stiffer than the rest. A larger rtol and atol, or method='stiff', may get past it."
    )


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
