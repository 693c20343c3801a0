"""The states of laws along a prescribed motion: integrated, and as Taylor series of time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.algebra.differentiation.dual_numbers import coefficient, cut, series_of
from gearwright.algebra.operations import FLOATS
from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.dynamics.integration_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.law import Reaction
from gearwright.system.inputs import Inputs
from gearwright.system.system import System
from gearwright.text import did_you_mean, listed


def given_states(given: Any) -> dict[str, float]:
    """States at the start as a user gives them, by name."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(f"demands: states={given!r} must be a mapping from names to numbers.")
    return {name: number("demands", f"states[{name!r}]", x) for name, x in (given or {}).items()}


def first_states(system: System, given: Mapping[str, float], others: Collection[str] = ()) -> list[float]:
    """The states of the laws at the start: as given, or as the laws begin; `others` may be given too."""
    known = [*system.states, *others]
    for name in given:
        if name not in known:
            raise InputError(f"demands: there is no state {name!r}. {did_you_mean(name, known)}")
    return [given.get(name, one.initial) for name, one in system.states.items()]


def refuse_moded_states(system: System) -> None:
    """A law whose states depend on its modes would have to be simulated, not only followed."""
    for law in system.laws:
        if law.states and len(law.modes) > 1:
            raise InputError(
                f"demands: law {law.name!r} has states ({listed(x.name for x in law.states)}) and modes "
                f"({listed(law.modes)}). Use its smooth variant (BoucWen for MaxwellSlip), or leave it out."
            )


class Path(Protocol):
    """A motion that can be asked for at any time."""

    def at(self, t: float, derivative: int = 0, /) -> Array:
        """Coordinates, speeds or accelerations at a time."""
        ...


def states_along(system: System, trajectory: Path, t: Array, start: Sequence[float], inputs: Inputs) -> Array:
    """The states of the laws at times t (T,) of a smooth piece, (T, states); `start` is at the first of them."""
    from scipy.integrate import solve_ivp

    if not system.states or len(t) == 1:
        return np.array(start, dtype=float).reshape(1, -1).repeat(len(t), axis=0)
    last = float(np.nextafter(t[-1], t[0]))  # what comes after the piece is another motion

    def rates(now: float, states: Array) -> list[Scalar]:
        at = min(now, last)
        q, v, a = (trajectory.at(at, k).tolist() for k in range(3))
        return state_rates(system, FLOATS, at, Moving(q, v, states.tolist()), inputs.at(at).tolist(), a)

    done = solve_ivp(rates, (t[0], t[-1]), start, "LSODA", t, rtol=1e-10, atol=1e-13)
    if not done.success:
        raise InputError(f"demands: the states of the laws cannot be followed: {done.message}")
    found: Array = done.y.T
    return found


def state_rates(
    system: System, ops: Operations, t: Scalar, x: Moving, u: Sequence[Scalar], a: Sequence[Scalar]
) -> list[Scalar]:
    """The rates of the laws' states in a motion that is known."""
    found: list[Scalar] = []
    for law, mode, situation in zip(system.laws, system.first_modes, system.situations(ops, t, x, u), strict=True):
        if law.states:
            action = law.act(mode, situation)
            if action.holds or action.drags:
                raise InputError(
                    f"demands: law {law.name!r} has states ({listed(x.name for x in law.states)}) that "
                    "depend on what it holds or drags, which a motion does not tell. Give it among `actuators`, or "
                    "leave it out."
                )
            found += law.follow(mode, situation, Reaction(a)).rates
    return found


def state_series(
    system: System,
    ops: Operations,
    t: Scalar,
    x: Moving,
    u: Sequence[Scalar],
    a: Sequence[Scalar],
) -> list[Scalar]:
    """The states as series of time; `x` has their values, numbers or arrays, which may depend on parameters.

    Every coefficient follows from those before it: s' = rate(s) says (k + 1) s_(k+1) = rate_k.
    """
    length = len(t.c)
    known: list[list[Scalar]] = [[value] for value in x.states]
    for k in range(length - 1 if known else 0):
        so_far = Moving(x.q, x.v, [cut(series_of(c), length) for c in known])
        for c, rate in zip(known, state_rates(system, ops, t, so_far, u, a), strict=True):
            c.append(coefficient(rate, k) / (k + 1))
    return [cut(series_of(c), length) for c in known]
