"""Integrators that march to a time or to the first event, whichever comes first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gearwright.arrays import Array
from gearwright.simulation.integrators.branch_crossing import LOOKS, Levels, Sides
from gearwright.simulation.integrators.stiffness_detection import Patience
from gearwright.system.modes.mode_changes import CROSSED

Rates = Callable[[float, Array], Array]
Slopes = Callable[[float, Array], Array]
"""Derivatives of the rates by the state."""

DENORMAL = 1e-100
"""Rates below this move nothing in any time."""

NEAR = 16 * float(np.finfo(float).eps)
"""Times that are closer, relative to themselves, count as one; CVODE cannot start between them."""

TRIALS = 12
"""How often a step over a kink is tried again, each time with a better end, before it is taken as it is."""


class StuckError(Exception):
    """An integrator that cannot go on from (t, x); the simulation makes a message of it."""

    def __init__(self, t: float, x: Array, reason: str) -> None:
        super().__init__(reason)
        self.t, self.x, self.reason = t, x, reason


@dataclass(frozen=True)
class Reached:
    """Where a march arrived, and whether an event stopped it, or a kink."""

    t: float
    x: Array
    event: bool
    kink: bool = False


@dataclass(frozen=True)
class Problem:
    """What is integrated: rates and guards in fixed modes from a state, never beyond `bound`.

    Guards are in their own scales: an event comes when one of `levels` falls below -CROSSED. The rates go on smoothly
    beyond a guard, but not beyond a kink: a step of an explicit method ends where one of `kinks` changes its sign. With
    `patience`, such a method gives up where its steps are too short; it comes back after a step once it is `enough`.
    `project` puts a state back onto what is held; it is asked after every accepted step.
    """

    rates: Rates
    levels: Levels | None
    t: float
    x: Array
    bound: float
    rtol: float
    atol: float
    first_step: float | None = None
    longest_step: float = np.inf
    slopes: Slopes | None = None
    kinks: Levels | None = None
    patience: Patience | None = None
    project: Callable[[float, Array], Array] | None = None
    enough: Callable[[], bool] = lambda: False


class March(Protocol):
    """An integrator at work."""

    def advance(self, limit: float) -> Reached:
        """March to `limit`, or to the first event before it."""

    @property
    def step_size(self) -> float | None:
        """The last step, to go on with after an event."""


class ScipyMarch:
    """SciPy's one-step solvers, stepped by hand; events are roots of the guards on the dense output."""

    def __init__(self, kind: str, problem: Problem) -> None:
        self._kind, self._problem = kind, problem
        self._restart(problem.t, problem.x, problem.bound, problem.first_step)
        self._clear, self._crossing = problem.t, None  # type: tuple[float, float | None]
        self._size: float | None = None
        self._trials, self._bent = 0, False
        kinks, band = problem.kinks, problem.atol
        self._sides = None if kinks is None else Sides(kinks, problem.t, problem.x, band)

    def _restart(self, t: float, x: Array, bound: float, first: float | None) -> None:
        import scipy.integrate

        problem = self._problem
        self._solver: Any = getattr(scipy.integrate, self._kind)(
            self._rates,
            t,
            x,
            bound,
            rtol=problem.rtol,
            atol=problem.atol,
            first_step=None if first is None else min(first, bound - t),
            max_step=problem.longest_step,
            **({"jac": problem.slopes} if self._kind == "Radau" else {}),
        )
        self._within: Callable[[float], Array] | None = None

    def _rates(self, t: float, x: Array) -> Array:
        """The rates; the squares of very small ones would make the estimate of errors 0/0."""
        rates = self._problem.rates(t, x)
        rates[np.abs(rates) < DENORMAL] = 0.0
        return rates

    @property
    def step_size(self) -> float | None:
        """The last step that no kink cut short."""
        size = self._solver.step_size if self._size is None else self._size
        return None if size is None else float(size)

    def advance(self, limit: float) -> Reached:
        """March to `limit`, or to the first event or kink before it."""
        while self._clear < limit and self._crossing is None and not self._bent:
            if self._problem.enough():
                return Reached(self._clear, self._solver.y.copy(), False)
            self._wear()
            self._step()
        if self._crossing is not None and self._crossing <= limit:
            return Reached(self._crossing, self._dense(self._crossing), True)
        if self._bent and self._clear <= limit:
            return Reached(self._clear, self._solver.y.copy(), False, kink=True)
        at_end = limit == self._solver.t
        return Reached(limit, self._solver.y.copy() if at_end else self._dense(limit), False)

    def _wear(self) -> None:
        if self._problem.patience is not None and self._solver.step_size is not None and self._size is None:
            now = float(self._clear)
            self._problem.patience.wear(now, self._solver.y, self._solver.step_size, self._problem.rates)

    def _dense(self, t: float) -> Array:
        """The state at a time within the last step."""
        if self._within is None:
            self._within = self._solver.dense_output()
        return self._within(t)

    def _step(self) -> None:
        if self._solver.status == "finished":  # at what was thought to be a kink
            self._restart(self._solver.t, self._solver.y, self._problem.bound, self._size)
        before = self._solver.y
        message = self._solver.step()
        if self._solver.status == "failed":
            raise StuckError(float(self._solver.t), self._solver.y, str(message))
        if self._problem.project is not None:
            self._put_back(self._problem.project)
        self._within, self._clear = None, self._solver.t
        begin, end = self._solver.t_old, self._solver.t
        if self._problem.levels is not None:
            self._crossing = self._first_crossing(begin, end)
        if self._sides is not None:
            kink = self._sides.crossed(begin, end, self._dense)
            if kink is not None:
                self._end_at(kink, begin, end, before)
            elif self._trials and self._crossing is None:
                self._bent = self._sides.reached(end, self._solver.y)

    def _put_back(self, project: Callable[[float, Array], Array]) -> None:
        """Go on from what is held; the state between two steps is interpolated to it."""
        self._solver.y = project(float(self._solver.t), self._solver.y)
        self._solver.f = self._rates(self._solver.t, self._solver.y)

    def _end_at(self, kink: float, begin: float, end: float, before: Array) -> None:
        """Have the step end at a kink: if it went beyond, it is taken again, since its stages saw the other side."""
        near = NEAR * max(abs(begin), abs(end))
        if end - kink <= near or self._trials >= TRIALS:
            self._bent = self._crossing is None
            return
        self._trials += 1
        self._size = end - begin if self._size is None else self._size
        kink = max(kink, begin + near)
        self._restart(begin, before, kink, kink - begin)
        self._clear, self._crossing = begin, None

    def _first_crossing(self, start: float, end: float) -> float | None:
        levels = self._problem.levels
        assert levels is not None
        before = start
        for t in np.linspace(start, end, LOOKS + 1)[1:]:
            low = np.flatnonzero(levels(t, self._dense(t)) < -CROSSED)
            if low.size:
                return min(self._root(int(k), before, t) for k in low)
            before = t
        return None

    def _root(self, k: int, low: float, high: float) -> float:
        from scipy.optimize import brentq

        levels = self._problem.levels
        assert levels is not None

        def level(t: float) -> float:
            return float(levels(t, self._dense(t))[k]) + CROSSED

        if level(low) <= 0:  # it begins at zero: it may have risen before it fell
            risen = [t for t in low + (high - low) * 0.5 ** np.arange(1, 40) if level(t) > 0]
            if not risen:
                return low
            low = risen[0]
        return float(brentq(level, low, high, xtol=1e-15, rtol=8.9e-16, maxiter=200))
