"""Integration to a time or to the first event, whichever comes first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.event_tolerances import (
    EVENT_CHECKS_PER_STEP,
    EVENT_LOCATION_LEVEL,
    EVENT_TIME_TOLERANCE,
    MAX_BRANCH_TRIALS,
    NEGLIGIBLE_RATE,
    SAME_TIME_TOLERANCE,
    SCIPY_TIME_ROUNDING,
)
from gearwright.simulation.integrators.branch_crossing import BranchSides, LevelFunction
from gearwright.simulation.integrators.level_minima import minima_near_zero, time_below_zero
from gearwright.simulation.integrators.stiffness_detection import StiffnessMonitor

RatesAt = Callable[[float, Array], Array]
JacobianAt = Callable[[float, Array], Array]
"""The Jacobian of the rates by the state."""


class NoProgressError(Exception):
    """An integrator makes no progress from (t, x); the simulation turns it into its own error."""

    def __init__(self, t: float, x: Array, reason: str) -> None:
        super().__init__(reason)
        self.t, self.x, self.reason = t, x, reason


@dataclass(frozen=True)
class IntegrationResult:
    """The end of an integration, and whether it is an event or a branch point."""

    t: float
    x: Array
    is_event: bool
    is_branch_point: bool = False


def never_stop() -> bool:
    """Return False: the integration is not handed over to another integrator."""
    return False


@dataclass(frozen=True)
class IntegrationProblem:
    """An initial value problem: rates and guards in fixed modes from a state, never beyond `bound`.

    Guards are in their own scales: an event occurs when one of `guard_levels` falls below -`EVENT_LOCATION_LEVEL`.
    The rates are smooth across a guard, but not across a branch point: a step of an explicit method ends where one of
    `branch_levels` changes its sign. With `stiffness`, such a method stops when its steps become too short; it
    returns after a step once `should_stop` is true. `project` projects a state onto the constraints after every
    accepted step.
    """

    rates: RatesAt
    guard_levels: LevelFunction | None
    t: float
    x: Array
    bound: float
    rtol: float
    atol: float
    first_step: float | None = None
    longest_step: float = np.inf
    jacobian: JacobianAt | None = None
    branch_levels: LevelFunction | None = None
    stiffness: StiffnessMonitor | None = None
    project: Callable[[float, Array], Array] | None = None
    should_stop: Callable[[], bool] = never_stop


class Integrator(Protocol):
    """An integrator of one problem."""

    def advance_to(self, limit: float) -> IntegrationResult:
        """Integrate to `limit`, or to the first event before it."""

    @property
    def step_size(self) -> float | None:
        """The last step, to continue with after an event."""


class ScipyIntegrator:
    """SciPy's one-step solvers, advanced step by step; events are roots of the guards on the dense output."""

    def __init__(self, kind: str, problem: IntegrationProblem) -> None:
        self._kind, self._problem = kind, problem
        self._restart_solver(problem.t, problem.x, problem.bound, problem.first_step)
        self._checked_until, self._crossing = problem.t, None  # type: tuple[float, float | None]
        self._last_levels: tuple[float, Array] = (np.nan, problem.x)
        self._size: float | None = None
        self._trials, self._at_branch_point = 0, False
        kinks, band = problem.branch_levels, problem.atol
        self._sides = None if kinks is None else BranchSides(kinks, problem.t, problem.x, band)

    def _restart_solver(self, t: float, x: Array, bound: float, first: float | None) -> None:
        import scipy.integrate

        problem = self._problem
        self._solver: Any = getattr(scipy.integrate, self._kind)(
            self._clipped_rates,
            t,
            x,
            bound,
            rtol=problem.rtol,
            atol=problem.atol,
            first_step=None if first is None else min(first, bound - t),
            max_step=problem.longest_step,
            **({"jac": problem.jacobian} if self._kind == "Radau" else {}),
        )
        self._within: Callable[[float], Array] | None = None

    def _clipped_rates(self, t: float, x: Array) -> Array:
        """The rates, with very small ones set to zero: their squares would make the error estimate 0/0."""
        rates = self._problem.rates(t, x)
        rates[np.abs(rates) < NEGLIGIBLE_RATE] = 0.0
        return rates

    @property
    def step_size(self) -> float | None:
        """The last step that no branch point shortened."""
        size = self._solver.step_size if self._size is None else self._size
        return None if size is None else float(size)

    def advance_to(self, limit: float) -> IntegrationResult:
        """Integrate to `limit`, or to the first event or branch point before it."""
        while self._checked_until < limit and self._crossing is None and not self._at_branch_point:
            if self._problem.should_stop():
                return IntegrationResult(self._checked_until, self._solver.y.copy(), False)
            self._check_stiffness()
            self._take_step()
        if self._crossing is not None and self._crossing <= limit:
            return IntegrationResult(self._crossing, self._dense_output(self._crossing), True)
        if self._at_branch_point and self._checked_until <= limit:
            return IntegrationResult(self._checked_until, self._solver.y.copy(), False, is_branch_point=True)
        at_end = limit == self._solver.t
        return IntegrationResult(limit, self._solver.y.copy() if at_end else self._dense_output(limit), False)

    def _check_stiffness(self) -> None:
        if self._problem.stiffness is not None and self._solver.step_size is not None and self._size is None:
            now = float(self._checked_until)
            self._problem.stiffness.step(now, self._solver.y, self._solver.step_size, self._problem.rates)

    def _dense_output(self, t: float) -> Array:
        """The state at a time within the last step."""
        if self._within is None:
            self._within = self._solver.dense_output()
        return self._within(t)

    def _take_step(self) -> None:
        if self._solver.status == "finished":  # at the estimated branch point
            self._restart_solver(self._solver.t, self._solver.y, self._problem.bound, self._size)
        before = self._solver.y
        with np.errstate(over="ignore", invalid="ignore"):  # a trial step that overflows is rejected
            message = self._solver.step()
        if self._solver.status == "failed":
            raise NoProgressError(float(self._solver.t), self._solver.y, str(message))
        if self._problem.project is not None:
            self._project_step(self._problem.project)
        self._within, self._checked_until = None, self._solver.t
        begin, end = self._solver.t_old, self._solver.t
        if self._problem.guard_levels is not None:
            self._crossing = self._first_crossing(begin, end)
        if self._sides is not None:
            kink = self._sides.first_crossing(begin, end, self._dense_output)
            if kink is not None:
                self._end_at_branch(kink, begin, end, before)
            elif self._trials and self._crossing is None:
                self._at_branch_point = self._sides.is_at_branch(end, self._solver.y)

    def _project_step(self, project: Callable[[float, Array], Array]) -> None:
        """Continue from the projected state; the dense output of the step is interpolated to it."""
        self._solver.y = project(float(self._solver.t), self._solver.y)
        self._solver.f = self._clipped_rates(self._solver.t, self._solver.y)

    def _end_at_branch(self, kink: float, begin: float, end: float, before: Array) -> None:
        """End the step at a branch point; a step beyond it is repeated, since its stages used the other branch."""
        near = SAME_TIME_TOLERANCE * max(abs(begin), abs(end))
        if end - kink <= near or self._trials >= MAX_BRANCH_TRIALS:
            self._at_branch_point = self._crossing is None
            return
        self._trials += 1
        self._size = end - begin if self._size is None else self._size
        kink = max(kink, begin + near)
        self._restart_solver(begin, before, kink, kink - begin)
        self._checked_until, self._crossing = begin, None

    def _first_crossing(self, start: float, end: float) -> float | None:
        """The first time at which a guard falls below zero, between two checks included."""
        times = np.linspace(start, end, EVENT_CHECKS_PER_STEP + 1)
        checked_time, first = self._last_levels
        values = [self._levels_at(start) if checked_time != start else first]
        values += [self._levels_at(t) for t in times[1:]]
        self._last_levels, first_crossing = (end, values[-1]), end
        low = np.array([], dtype=int)
        for j, (before, t) in enumerate(pairwise(times), start=1):
            low = np.flatnonzero(values[j] < -EVENT_LOCATION_LEVEL)
            if low.size:
                first_crossing = min(self._crossing_time(int(k), before, t) for k in low)
                break
        between = self._crossing_between_checks(times, values, first_crossing, low)
        return between if between is not None else first_crossing if low.size else None

    def _crossing_between_checks(
        self, times: Array, values: Sequence[Array], before: float, low: Array
    ) -> float | None:
        """The first time before another event at which a guard, but for those `low`, dips below zero."""
        if any(len(value) != len(values[0]) for value in values):  # a law in Python may have another number of guards
            return None
        start, end, first = float(times[0]), float(times[-1]), None
        for k, minimum in minima_near_zero(np.array(values)):
            if k in low or start + minimum * (end - start) > before:
                continue
            below = time_below_zero(lambda t, k=k: float(self._levels_at(t)[k]), start, end, minimum)  # type: ignore[misc]
            if below is not None and below < before:
                first = before = self._crossing_time(k, float(times[times < below][-1]), below)
        return first

    def _levels_at(self, t: float) -> Array:
        levels = self._problem.guard_levels
        assert levels is not None
        return levels(t, self._dense_output(t))

    def _crossing_time(self, k: int, low: float, high: float) -> float:
        from scipy.optimize import brentq

        def level(t: float) -> float:
            return float(self._levels_at(t)[k]) + EVENT_LOCATION_LEVEL

        if level(low) <= 0:  # it starts at zero: it may have risen before it fell
            positive_times = [t for t in low + (high - low) * 0.5 ** np.arange(1, 40) if level(t) > 0]
            if not positive_times:
                return low
            low = positive_times[0]
        return float(brentq(level, low, high, xtol=EVENT_TIME_TOLERANCE, rtol=SCIPY_TIME_ROUNDING, maxiter=200))
