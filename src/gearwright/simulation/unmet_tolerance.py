"""Why a tolerance cannot be met at a place of a run, however short the steps: what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError

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
