"""Errors that end a run: divergence, no progress in time, tolerances that cannot be met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces.event_tolerances import MAX_EVENTS_WITHOUT_PROGRESS
from gearwright.simulation.integrators.rates import is_diverged
from gearwright.simulation.recorder import Recorder
from gearwright.simulation.run_point import RunPoint
from gearwright.system.system import System
from gearwright.text import listed_names

RATE_PROBES = 16
"""Fractions of a step at which the rates are evaluated."""

FINE_STEP_RATIO = 1e-3
"""Ratio of the shorter duration over which they are evaluated again."""

STATE_ROUNDING_RATIO = 100 * float(np.finfo(float).eps)
"""Relative changes of a state below this are rounding."""


class UnmetTolerance(NamedTuple):
    """A tolerance that cannot be met: the error to raise, and whether a discontinuous rate is the cause."""

    error: SimulationError
    has_jump: bool


def unmet_tolerance(
    names: Sequence[str],
    t: float,
    x: Array,
    rates: Callable[[float, Array], Array],
    step: float,
    tolerances: tuple[float, float],
) -> UnmetTolerance | None:
    """The error of a run that makes no progress from (t, x) with a step; None if the rates are not finite.

    Args:
        names: of the entries of the state vector.
        t: time [s].
        x: state vector.
        rates: (t, x) -> rates of the state vector.
        step: the last step [s].
        tolerances: relative and absolute.
    """
    rtol, atol = tolerances
    scale = atol + rtol * np.abs(x)
    coarse, fine = (_rate_variation(t, x, rates, part * step) for part in (1.0, FINE_STEP_RATIO))
    if coarse is None or fine is None:
        return None
    k = int(np.argmax((coarse * step / scale)[: len(names)]))
    error = SimulationError(
        f"simulate: the tolerance (rtol={rtol:g}, atol={atol:g}) cannot be met at t = {t:g} s, where {names[k]!r} is "
        f"{x[k]:g} and the step has shrunk to {step:.1e} s: {_failure_reason(coarse[k], fine[k], scale[k], x[k])} The "
        "run up to that time is in the error's `run`."
    )
    return UnmetTolerance(error, _is_jump(coarse[k], fine[k]))


def _rate_variation(t: float, x: Array, rates: Callable[[float, Array], Array], duration: float) -> Array | None:
    """The variation of the rates over a duration; None if they are not finite."""
    first = rates(t, x)
    samples = np.array(
        [rates(t + k / RATE_PROBES * duration, x + k / RATE_PROBES * duration * first) for k in range(RATE_PROBES + 1)]
    )
    return np.asarray(np.ptp(samples, axis=0)) if np.isfinite(samples).all() else None


def _is_jump(coarse: float, fine: float) -> bool:
    """Whether a rate is discontinuous: it varies as much over a much shorter duration."""
    return bool(fine > 0.3 * coarse > 0)


def _failure_reason(coarse: float, fine: float, scale: float, x: float) -> str:
    if scale < STATE_ROUNDING_RATIO * abs(x):
        return "the tolerance is below the rounding error of this state. Give a larger rtol or atol in `integrator`."
    if _is_jump(coarse, fine):
        return (
            f"its rate varies by {coarse:.3g} 1/s within a step, and as much within a thousandth of it: it is "
            "discontinuous. Look for noise or switching in inputs, a controller or a law; declare jumps as `breaks`, "
            "give noise as samples, or a larger rtol and atol."
        )
    return (
        f"its rate changes by {coarse:.3g} 1/s within a step. Check the forces there: one grows without bound, or is "
        "far stiffer than the others. Try a larger rtol and atol, or method='stiff'."
    )


RateFunction = Callable[[float, Array], Array]


@dataclass(frozen=True)
class FailureChecks:
    """Failure checks of a run, and the errors they raise.

    Args:
        system: the machine with its laws.
        recorder: has the last events.
        span: length of the run [s].
        tolerances: relative and absolute.
    """

    system: System
    recorder: Recorder
    span: float
    tolerances: tuple[float, float]

    def divergence_error(self, t: float, x: Array, reason: str) -> SimulationError:
        """The error of a run whose state has diverged."""
        names = [*self.system.mech.coordinates, *self.system.mech.speeds, *self.system.states]
        bad = np.flatnonzero(~np.isfinite(x[: len(names)]))
        k = int(bad[0]) if bad.size else self.system.mech.nq + int(np.argmax(np.abs(x[self.system.v])))
        return SimulationError(
            f"simulate: the run diverged at t = {t:g} s, where {names[k]!r} is {x[k]:g} ({reason.rstrip('.')}). Check "
            "the forces and gains there, and the signs of ratios; fast decay needs method='stiff'."
        )

    def no_progress_error(
        self, point: RunPoint, rates: RateFunction, step: float | None, reason: str
    ) -> SimulationError:
        """The error of an integrator without progress: the tolerance cannot be met, or the state has diverged."""
        failure = self._unmet_tolerance(point, rates, step)
        return self.divergence_error(point.t, point.x, reason) if failure is None else failure.error

    def raise_if_stalled(self, point: RunPoint, rates: RateFunction, step: float, may_change: bool) -> None:
        """Raise an error for short steps if no other method is allowed, or if a rate is discontinuous."""
        failure = self._unmet_tolerance(point, rates, step)
        if failure is not None and (failure.has_jump or not may_change):
            raise failure.error
        if not may_change:
            raise self.divergence_error(point.t, point.x, "short steps")

    def _unmet_tolerance(self, point: RunPoint, rates: RateFunction, step: float | None) -> UnmetTolerance | None:
        if is_diverged(self.system, point.x):
            return None
        mech = self.system.mech
        names = [*(f"q.{x}" for x in mech.coordinates), *(f"v.{x}" for x in mech.speeds), *self.system.states]
        shortest = 1e-12 * max(self.span, point.t)
        return unmet_tolerance(names, point.t, point.x, rates, step or shortest, self.tolerances)

    def raise_if_chattering(self, point: RunPoint) -> None:
        """Raise an error if too many events follow each other without progress in time."""
        if point.events_without_progress > MAX_EVENTS_WITHOUT_PROGRESS:
            last = listed_names(f"{h.name} {h.kind}" for h in self.recorder.events[-4:])
            hint = f"Check the last ones: {last}." if last else "Check whether a joint starts beyond its stop."
            raise SimulationError(
                f"simulate: at t = {point.t:g} s {MAX_EVENTS_WITHOUT_PROGRESS} events occurred without progress in "
                f"time (chattering). {hint}"
            )
