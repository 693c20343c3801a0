"""The integrators of adaptive runs by the names of their methods, including SUNDIALS."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.event_tolerances import EVENT_LOCATION_LEVEL, SAME_TIME_TOLERANCE
from gearwright.simulation.integrators.integrate_to_event import (
    IntegrationProblem,
    IntegrationResult,
    Integrator,
    JacobianAt,
    NoProgressError,
    ScipyIntegrator,
)


class SundialsIntegrator:
    """CVODE of SUNDIALS: backward differentiation formulas with its own root finding."""

    def __init__(self, problem: IntegrationProblem) -> None:
        from sksundae.cvode import CVODE

        self._problem, self._failure = problem, None  # type: tuple[IntegrationProblem, BaseException | None]
        options: dict[str, Any] = {}
        if problem.guard_levels is not None:
            count = len(problem.guard_levels(problem.t, problem.x))
            if count:
                options = {"eventsfn": self._event_function(count), "num_events": count}
        if problem.jacobian is not None:
            options["jacfn"] = self._jacobian_function(problem.jacobian)
        self._solver = CVODE(
            self._write_rates,
            method="BDF",
            rtol=problem.rtol,
            atol=problem.atol,
            first_step=problem.first_step or 0.0,
            max_num_steps=1_000_000,
            max_step=0.0 if np.isinf(problem.longest_step) else problem.longest_step,
            **options,
        )
        self._solver.init_step(problem.t, problem.x)
        self._last = IntegrationResult(problem.t, problem.x, False)

    @property
    def step_size(self) -> float | None:
        """CVODE chooses its first step itself."""
        return None

    def _write_rates(self, t: float, x: Array, out: Array) -> None:
        try:
            out[:] = self._problem.rates(t, x)
        except BaseException as error:  # the C library would not pass it on
            self._failure = self._failure or error
            out[:] = np.nan

    def _jacobian_function(self, slopes: JacobianAt) -> Any:
        def jacobian(t: float, x: Array, _: Array, out: Array) -> None:
            try:
                out[:] = slopes(t, x)
            except BaseException as error:
                self._failure = self._failure or error
                out[:] = 0.0

        return jacobian

    def _event_function(self, count: int) -> Any:
        levels = self._problem.guard_levels
        assert levels is not None

        def events(t: float, x: Array, out: Array) -> None:
            try:
                out[:] = levels(t, x) + EVENT_LOCATION_LEVEL
            except BaseException as error:
                self._failure = self._failure or error
                out[:] = 1.0

        events.terminal = [True] * count  # type: ignore[attr-defined]
        events.direction = [-1] * count  # type: ignore[attr-defined]
        return events

    def advance_to(self, limit: float) -> IntegrationResult:
        """March to `limit`, or to the first event before it."""
        if limit <= self._last.t:
            return self._last
        begin = self._problem.t
        if limit - begin <= SAME_TIME_TOLERANCE * max(abs(begin), abs(limit)):
            moved = (limit - begin) * self._problem.rates(begin, self._problem.x)
            return IntegrationResult(limit, self._problem.x + moved, False)
        answer = self._solver.step(limit, method="normal", tstop=self._problem.bound)
        if self._failure is not None:
            raise self._failure
        if not answer.success:
            raise NoProgressError(float(answer.t), self._last.x, str(answer.message))
        event = answer.t_events is not None and len(np.atleast_1d(answer.t_events)) > 0
        self._last = IntegrationResult(float(answer.t), np.array(answer.y, dtype=float).reshape(-1), event)
        return self._last


PROJECTED_METHOD = "projected"
"""Fixed steps of an explicit method with all laws and events, each projected onto the constraints."""

UNLIMITED_TOLERANCE = 1e9
"""A tolerance, relative to the states, that every step meets, so that no step is shortened."""

SCIPY_METHODS = {"stiff": "Radau", PROJECTED_METHOD: "RK45"}
"""SciPy's names of the methods other than the explicit one of order 8."""


def make_integrator(method: str, problem: IntegrationProblem, step: float | None = None) -> Integrator:
    """An integrator by the name of its method; the fixed-step method takes a step [s]."""
    if method == PROJECTED_METHOD:
        fixed = problem.longest_step if step is None else step
        problem = replace(
            problem, first_step=fixed, longest_step=fixed, rtol=UNLIMITED_TOLERANCE, atol=UNLIMITED_TOLERANCE
        )
    if method == "stiff" and has_sundials() and problem.project is None:  # CVODE cannot project its history
        return SundialsIntegrator(problem)
    return ScipyIntegrator(SCIPY_METHODS.get(method, "DOP853"), problem)


def has_sundials() -> bool:
    """Whether scikit-sundae is installed."""
    from importlib.util import find_spec

    return find_spec("sksundae") is not None
