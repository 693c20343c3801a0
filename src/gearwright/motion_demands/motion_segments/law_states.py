"""The states of laws along a prescribed motion: integrated, and as Taylor series of time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gearwright.algebra import FLOATS, Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import series_from_coefficients, time_coefficient, truncated_series
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import StepState
from gearwright.errors import InputError
from gearwright.forces import Reaction
from gearwright.mechanism import Mechanism
from gearwright.system.inputs import InputSignals
from gearwright.system.kernels.traced_laws import require_traceable
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError, compile_program, vector_program
from gearwright.text import did_you_mean, listed_names

EVALUATIONS_BEFORE_COMPILING = 1000
"""Evaluations of the rates of one segment after which machine code pays."""


def checked_states(states: Any) -> dict[str, float]:
    """Return initial states by name, as given by the user."""
    if states is not None and not isinstance(states, Mapping):
        raise InputError(f"demands: states={states!r} must be a mapping from names to numbers.")
    return {name: real_number("demands", f"states[{name!r}]", x) for name, x in (states or {}).items()}


def initial_law_states(system: System, states: Mapping[str, float], other_names: Collection[str] = ()) -> list[float]:
    """Return the initial states of the laws: given values or the laws' defaults; `other_names` are valid too."""
    names = [*system.states, *other_names]
    for name in states:
        if name not in names:
            raise InputError(f"demands: there is no state {name!r}. {did_you_mean(name, names)}")
    return [states.get(name, quantity.initial) for name, quantity in system.states.items()]


def raise_if_modes_and_states(system: System) -> None:
    """Raise an error for a law with both states and modes: a motion alone does not determine its states."""
    for law in system.laws:
        if law.states and len(law.modes) > 1:
            raise InputError(
                f"demands: law {law.name!r} has states ({listed_names(x.name for x in law.states)}) and modes "
                f"({listed_names(law.modes)}). Use its smooth variant (BoucWen for MaxwellSlip), or exclude it."
            )


class MotionFunction(Protocol):
    """A motion that can be evaluated at any time."""

    def at(self, t: float, derivative: int = 0, /) -> Array:
        """Return coordinates, speeds or accelerations at a time."""
        ...


def law_states_along(
    system: System, trajectory: MotionFunction, t: Array, start: Sequence[float], inputs: InputSignals
) -> Array:
    """Integrate the states of the laws over times t (T,) of a smooth segment, (T, states), from `start`."""
    from scipy.integrate import solve_ivp

    if not system.states or len(t) == 1:
        return np.array(start, dtype=float).reshape(1, -1).repeat(len(t), axis=0)
    last = float(np.nextafter(t[-1], t[0]))  # the next segment starts at its end
    rate_function = _StateRates(system)

    def rates(now: float, states: Array) -> Any:
        time = min(now, last)
        q, v, a = (trajectory.at(time, k) for k in range(3))
        return rate_function(states, q, v, a, inputs.values_at(time), time)

    solution = solve_ivp(rates, (t[0], t[-1]), start, "LSODA", t, rtol=1e-10, atol=1e-13)
    if not solution.success:
        raise InputError(
            f"demands: the states of the laws cannot be integrated along the motion: {solution.message} Check their "
            "parameters and initial values."
        )
    law_states: Array = solution.y.T
    return law_states


class _StateRates:
    """The rates of the laws' states: in Python, and in machine code once they have been needed often.

    Args:
        system: the machine with its laws.
    """

    def __init__(self, system: System) -> None:
        self._system, self._calls = system, 0
        self._kernel: Callable[..., Any] | None = None

    def __call__(self, states: Array, q: Array, v: Array, a: Array, u: Array, t: float) -> Any:
        self._calls += 1
        if self._calls == EVALUATIONS_BEFORE_COMPILING:
            self._kernel = self._compiled_rates()
        return (self._kernel or self._python_rates)(states, q, v, a, u, np.array([t]))

    def _python_rates(self, *values: Array) -> Array:
        states, q, v, a, u, (t,) = (x.tolist() for x in values)
        return np.array(law_state_rates(self._system, FLOATS, t, StepState(q, v, states), u, a))

    def _compiled_rates(self) -> Callable[..., Any] | None:
        system = self._system
        n, size = system.mech.n, len(system.states)
        contents = {"states": size, "q": system.mech.nq, "v": n, "a": n, "u": system.input_size, "t": 1}

        def formula(mech: Mechanism, ops: Operations, values: Any) -> list[Scalar]:
            x, (t,) = StepState(values["q"], values["v"], values["states"]), values["t"]
            return law_state_rates(system.on_machine(mech), ops, t, x, values["u"], values["a"])

        try:
            require_traceable(system)
            code = compile_program(vector_program("law_states", contents, size, formula), system.mech)
        except NoKernelError:
            return None
        return code.python_builtin("law_states", self._python_rates)


def law_state_rates(
    system: System, ops: Operations, t: Scalar, x: StepState, u: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """Return the rates of the laws' states along a known motion."""
    rates: list[Scalar] = []
    for law, mode, situation in zip(system.laws, system.first_modes, system.law_situations(ops, t, x, u), strict=True):
        if law.states:
            action = law.act(mode, situation)
            if action.holds or action.drags:
                raise InputError(
                    f"demands: law {law.name!r} has states ({listed_names(x.name for x in law.states)}) that "
                    "depend on its constraint or drag forces, which the motion does not determine. Give it among "
                    "`actuators`, or exclude it."
                )
            rates += law.follow(mode, situation, Reaction(a)).rates
    return rates


def law_state_series(
    system: System,
    ops: Operations,
    t: Scalar,
    x: StepState,
    u: Sequence[Scalar],
    a: Sequence[Scalar],
) -> list[Scalar]:
    """Return the states as series of time; `x` has their values, numbers or arrays, also dual ones.

    Every coefficient follows from the previous ones: s' = rate(s) gives (k + 1) s_(k+1) = rate_k.
    """
    length = len(t.c)
    coefficients: list[list[Scalar]] = [[value] for value in x.states]
    for k in range(length - 1 if coefficients else 0):
        so_far = StepState(x.q, x.v, [truncated_series(series_from_coefficients(c), length) for c in coefficients])
        for c, rate in zip(coefficients, law_state_rates(system, ops, t, so_far, u, a), strict=True):
            c.append(time_coefficient(rate, k) / (k + 1))
    return [truncated_series(series_from_coefficients(c), length) for c in coefficients]
