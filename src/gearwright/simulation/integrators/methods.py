"""The integrators of adaptive runs by the names of their methods, SUNDIALS' among them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.simulation.integrators.integrate_to_event import (
    NEAR,
    March,
    Problem,
    Reached,
    ScipyMarch,
    Slopes,
    StuckError,
)
from gearwright.system.modes.mode_changes import CROSSED


class SundialsMarch:
    """CVODE of SUNDIALS: backward differentiation formulas with its own root finding."""

    def __init__(self, problem: Problem) -> None:
        from sksundae.cvode import CVODE

        self._problem, self._failure = problem, None  # type: tuple[Problem, BaseException | None]
        options: dict[str, Any] = {}
        if problem.levels is not None:
            count = len(problem.levels(problem.t, problem.x))
            if count:
                options = {"eventsfn": self._events(count), "num_events": count}
        if problem.slopes is not None:
            options["jacfn"] = self._slopes(problem.slopes)
        self._solver = CVODE(
            self._rates,
            method="BDF",
            rtol=problem.rtol,
            atol=problem.atol,
            first_step=problem.first_step or 0.0,
            max_num_steps=1_000_000,
            max_step=0.0 if np.isinf(problem.longest_step) else problem.longest_step,
            **options,
        )
        self._solver.init_step(problem.t, problem.x)
        self._last = Reached(problem.t, problem.x, False)

    @property
    def step_size(self) -> float | None:
        """CVODE chooses its first step itself."""
        return None

    def _rates(self, t: float, x: Array, out: Array) -> None:
        try:
            out[:] = self._problem.rates(t, x)
        except BaseException as error:  # it would get lost on its way through the C library
            self._failure = self._failure or error
            out[:] = np.nan

    def _slopes(self, slopes: Slopes) -> Any:
        def jacobian(t: float, x: Array, _: Array, out: Array) -> None:
            try:
                out[:] = slopes(t, x)
            except BaseException as error:
                self._failure = self._failure or error
                out[:] = 0.0

        return jacobian

    def _events(self, count: int) -> Any:
        levels = self._problem.levels
        assert levels is not None

        def events(t: float, x: Array, out: Array) -> None:
            try:
                out[:] = levels(t, x) + CROSSED
            except BaseException as error:
                self._failure = self._failure or error
                out[:] = 1.0

        events.terminal = [True] * count  # type: ignore[attr-defined]
        events.direction = [-1] * count  # type: ignore[attr-defined]
        return events

    def advance(self, limit: float) -> Reached:
        """March to `limit`, or to the first event before it."""
        if limit <= self._last.t:
            return self._last
        begin = self._problem.t
        if limit - begin <= NEAR * max(abs(begin), abs(limit)):
            moved = (limit - begin) * self._problem.rates(begin, self._problem.x)
            return Reached(limit, self._problem.x + moved, False)
        answer = self._solver.step(limit, method="normal", tstop=self._problem.bound)
        if self._failure is not None:
            raise self._failure
        if not answer.success:
            raise StuckError(float(answer.t), self._last.x, str(answer.message))
        event = answer.t_events is not None and len(np.atleast_1d(answer.t_events)) > 0
        self._last = Reached(float(answer.t), np.array(answer.y, dtype=float).reshape(-1), event)
        return self._last


PROJECTED = "projected"
"""Fixed steps of an explicit method with all laws and events; what is held is put back after each."""

ANY_ERROR = 1e9
"""A tolerance that every step meets, so that none is made shorter."""

KINDS = {"stiff": "Radau", PROJECTED: "RK45"}
"""SciPy's names of the methods that are not the explicit one of order 8."""


def march(method: str, problem: Problem, step: float | None = None) -> March:
    """An integrator by the name of its method; that of fixed steps takes one [s]."""
    if method == PROJECTED:
        fixed = problem.longest_step if step is None else step
        problem = replace(problem, first_step=fixed, longest_step=fixed, rtol=ANY_ERROR, atol=ANY_ERROR)
    if method == "stiff" and has_sundials() and problem.project is None:  # CVODE cannot be put back within its history
        return SundialsMarch(problem)
    return ScipyMarch(KINDS.get(method, "DOP853"), problem)


def has_sundials() -> bool:
    """Whether scikit-sundae is installed."""
    from importlib.util import find_spec

    return find_spec("sksundae") is not None
