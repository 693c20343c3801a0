"""Stiffness detection: the fastest decay rate, and when an implicit integrator takes over from an explicit one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gearwright.arrays import Array


def forward_differences(function: Callable[[Array], Array], x: Array) -> Array:
    """The Jacobian by forward differences."""
    value = function(x)
    slope = np.empty((len(value), len(x)))
    for k in range(len(x)):
        nudge = 1e-7 * (1.0 + abs(x[k]))
        shifted = x.copy()
        shifted[k] += nudge
        slope[:, k] = (function(shifted) - value) / nudge
    return slope


def fastest_decay(rates: Callable[[Array], Array], x: Array) -> float:
    """The largest rate [1/s] of a decaying solution that does not oscillate faster than it decays.

    A decay with an equally fast growth does not count: near an unstable equilibrium without friction, both occur in
    pairs.

    >>> round(fastest_decay(lambda x: np.array([-3.0 * x[0], -500.0 * x[1]]), np.ones(2)), 3)
    500.0
    """
    slope = forward_differences(rates, x)
    values = np.linalg.eigvals(slope) if np.isfinite(slope).all() else np.zeros(1)
    damped = values[np.abs(values.real) > 0.5 * np.abs(values.imag)]
    decay = float(max(0.0, -damped.real.min())) if damped.size else 0.0
    return decay if decay > 2.0 * values.real.max() else 0.0


MAX_EXPLICIT_STEPS = 5e3
"""Largest number [1] of explicit steps, about one per 3 / (fastest decay rate), for which no implicit method pays."""

CHECK_EVERY = 100
"""Steps of an explicit integrator between two checks whether stability limits its steps."""

PROGRESS_EVERY = 1000
"""Steps between two checks of its progress."""

SWITCH_BELOW = 1e-5
"""Share of the run per thousand steps below which another method takes over."""

GIVE_UP_BELOW = 1e-6
"""Share of the run per thousand steps below which the run ends if no other method is allowed: it would need 1e9."""

WORTH_SWITCHING_STEPS = 0.5 * MAX_EXPLICIT_STEPS
"""Least number [1] of remaining steps for which another method pays."""

STIFF_STEP_DECAY = 2.0
"""Step times decay rate above which stability, at about 6, may limit explicit steps."""


EXPLICIT_STEP_DECAY = 1.0
"""Implicit step times decay rate below which explicit steps are as long."""


def needs_implicit_method(decay: float, duration: float) -> bool:
    """Whether the explicit method would take too many steps in a time [s] with this fastest decay rate [1/s]."""
    return decay * duration / 3 > MAX_EXPLICIT_STEPS


class StepsTooShortError(Exception):
    """The steps of an explicit integrator are so short at (t, x) that an implicit one should take over."""

    def __init__(self, t: float, x: Array, step: float) -> None:
        super().__init__("short steps")
        self.t, self.x, self.step = t, x, step


@dataclass
class StiffnessMonitor:
    """Counts the explicit steps of a run, across events and samples of a controller.

    Args:
        until: end of the run [s].
        span: its length [s].
        may_switch: whether another method may take over.
    """

    until: float
    span: float
    may_switch: bool = True
    _steps: int = field(default=0, init=False)
    _milestones: dict[int, float] = field(default_factory=dict, init=False)

    @property
    def steps_to_check(self) -> int:
        """Steps until the next check."""
        return CHECK_EVERY - self._steps % CHECK_EVERY

    def add_steps(self, steps: int) -> None:
        """Count steps taken without a check, no more than `steps_to_check`."""
        self._steps += steps

    def step(self, t: float, x: Array, step_value: float, rates: Callable[[float, Array], Array]) -> None:
        """Count one step and check; SlowError if the steps have become too short."""
        self.check(t, x, step_value, rates)
        self._steps += 1

    def check(self, t: float, x: Array, step: float, rates: Callable[[float, Array], Array]) -> None:
        """Check whether steps have become too short, if a check is due; SlowError if they have."""
        least = SWITCH_BELOW if self.may_switch else GIVE_UP_BELOW
        is_stalled = self._time_covered(PROGRESS_EVERY, t) < least * self.span
        if is_stalled or (self.may_switch and self._is_held_back(t, x, step, rates)):
            raise StepsTooShortError(t, x.copy(), step)

    def is_explicit_enough(self, t: float, x: Array, step: float, rates: Callable[[float, Array], Array]) -> bool:
        """Whether explicit steps would be as long as this implicit one."""
        return bool(step * fastest_decay(lambda y: rates(t, y), x) < EXPLICIT_STEP_DECAY)

    def _time_covered(self, every: int, t: float) -> float:
        """The time covered by the last `every` steps [s]; infinite between two checks."""
        if self._steps % every:
            return float("inf")
        covered = t - self._milestones.get(every, -float("inf"))
        self._milestones[every] = t
        return covered

    def _is_held_back(self, t: float, x: Array, step: float, rates: Callable[[float, Array], Array]) -> bool:
        """Whether many steps remain, and stability rather than accuracy limits them."""
        covered = self._time_covered(CHECK_EVERY, t)
        if (self.until - t) * CHECK_EVERY < WORTH_SWITCHING_STEPS * covered:
            return False
        return bool(step * fastest_decay(lambda y: rates(t, y), x) > STIFF_STEP_DECAY)
