"""Stiffness detection: the fastest decay rate, and when an explicit integrator hands over to an implicit one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gearwright.arrays import Array


def differences(function: Callable[[Array], Array], x: Array) -> Array:
    """The derivative by forward differences."""
    at = function(x)
    slope = np.empty((len(at), len(x)))
    for k in range(len(x)):
        nudge = 1e-7 * (1.0 + abs(x[k]))
        moved = x.copy()
        moved[k] += nudge
        slope[:, k] = (function(moved) - at) / nudge
    return slope


def fastest_decay(rates: Callable[[Array], Array], x: Array) -> float:
    """The largest rate [1/s] of a decaying solution that does not oscillate faster than it decays.

    A decay beside as fast a growth is none: near an upper equilibrium without friction, motions come and go alike.

    >>> round(fastest_decay(lambda x: np.array([-3.0 * x[0], -500.0 * x[1]]), np.ones(2)), 3)
    500.0
    """
    slope = differences(rates, x)
    values = np.linalg.eigvals(slope) if np.isfinite(slope).all() else np.zeros(1)
    damped = values[np.abs(values.real) > 0.5 * np.abs(values.imag)]
    decay = float(max(0.0, -damped.real.min())) if damped.size else 0.0
    return decay if decay > 2.0 * values.real.max() else 0.0


OFTEN = 100
"""Steps after which an explicit integrator looks whether fast decay keeps its steps short."""

SELDOM = 1000
"""Steps after which it looks how far it came at all."""

CRAWL = 1e-5
"""A thousand steps that cover less of the run than this lead nowhere: another method goes on."""

HOPELESS = 1e-6
"""Where no other method may go on, a run that covers less than this in a thousand steps ends: it would need 1e9."""

AHEAD = 2500
"""Steps that must still be to come for another, less exact, method to pay."""

UNSTABLE = 2.0
"""Step times decay rate beyond which stability, at about 6, may be what keeps explicit steps short."""


class SlowError(Exception):
    """An explicit integrator whose steps have become so short at (t, x) that an implicit one should go on."""

    def __init__(self, t: float, x: Array, step: float) -> None:
        super().__init__("short steps")
        self.t, self.x, self.step = t, x, step


@dataclass
class Patience:
    """Counts the explicit steps of a run, whatever events and samples of a controller interrupt it.

    Args:
        until: end of the run [s].
        span: its length [s].
        may_change: whether another method may go on.
    """

    until: float
    span: float
    may_change: bool = True
    _steps: int = field(default=0, init=False)
    _milestones: dict[int, float] = field(default_factory=dict, init=False)

    @property
    def steps_to_look(self) -> int:
        """Steps that may be taken before it must look again."""
        return OFTEN - self._steps % OFTEN

    def take(self, steps: int) -> None:
        """Count steps that somebody took without a look, no more than `steps_to_look`."""
        self._steps += steps

    def wear(self, t: float, x: Array, step: float, rates: Callable[[float, Array], Array]) -> None:
        """One more step from (t, x) on; SlowError once it should be the last."""
        self.look(t, x, step, rates)
        self._steps += 1

    def look(self, t: float, x: Array, step: float, rates: Callable[[float, Array], Array]) -> None:
        """Look whether steps have become too short, if it is time to; SlowError if they have."""
        least = CRAWL if self.may_change else HOPELESS
        crawls = self._covered(SELDOM, t) < least * self.span
        if crawls or (self.may_change and self._is_held_back(t, x, step, rates)):
            raise SlowError(t, x.copy(), step)

    def _covered(self, every: int, t: float) -> float:
        """The time that the last so many steps covered; infinite between two looks."""
        if self._steps % every:
            return float("inf")
        covered = t - self._milestones.get(every, -float("inf"))
        self._milestones[every] = t
        return covered

    def _is_held_back(self, t: float, x: Array, step: float, rates: Callable[[float, Array], Array]) -> bool:
        """Whether many more steps are to come, which fast decay keeps short and not accuracy."""
        covered = self._covered(OFTEN, t)
        if (self.until - t) * OFTEN < AHEAD * covered:
            return False
        return bool(step * fastest_decay(lambda y: rates(t, y), x) > UNSTABLE)
