"""Where a machine with its laws is linearised: a state and inputs at which it rests or moves steadily."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.arguments import as_floats
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.branch_points import kinks_of
from gearwright.forces.law import Action, Guard, Law, Outcome, Quantity, Reaction, Situation
from gearwright.mechanism import RobotOrMech
from gearwright.system.evaluation import evaluate, situations_at
from gearwright.system.modes.mode_settling import settle
from gearwright.system.open_systems.open_system import all_inputs, open_system
from gearwright.system.open_systems.rates import OpenRates, open_rates
from gearwright.system.system import Modes, System
from gearwright.tracing.trace import traced_function

STEADY = 1e-9
"""Rates below this, of the largest force or rate, are taken for zero."""
TURNS = 30
"""Newton steps towards an operating point."""
ASIDE = 1e-7
"""How far to the side one looks whether a law that bends at a point has two slopes there."""


@dataclass(frozen=True)
class InMode(Law):
    """A law that stays in one of its modes."""

    law: Law
    mode: str

    @property
    def name(self) -> str:  # type: ignore[override]
        """Its name."""
        return self.law.name

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states."""
        return self.law.states

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Its inputs."""
        return self.law.inputs

    def act(self, mode: str, situation: Situation) -> Action:
        """How it acts in its mode."""
        return self.law.act(self.mode, situation)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """What follows in its mode."""
        return self.law.follow(self.mode, situation, reaction)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """Nothing ends it."""
        return ()


class OperatingRates:
    """The rates of a system in fixed modes, with their slopes."""

    def __init__(self, rates: OpenRates) -> None:
        self.rates, self.system = rates, rates.system

    @cached_property
    def _values(self) -> Any:
        return traced_function(self.rates.job())

    @cached_property
    def _slopes(self) -> Any:
        return traced_function(self.rates.job(tuple(self.rates.program.inputs)))

    def values(self, x: Array, u: Array) -> Array:
        """Dx."""
        return np.asarray(self._values(*self._given(x, u))[1]).ravel()

    def slopes(self, x: Array, u: Array) -> tuple[Array, Array]:
        """d(dx)/dx and d(dx)/du."""
        both = np.asarray(self._slopes(*self._given(x, u))[1]).reshape(len(x), len(x) + len(u))
        return both[:, : len(x)], both[:, len(x) :]

    def _given(self, x: Array, u: Array) -> tuple[Array, ...]:
        return (x, u) if len(u) else (x,)


@dataclass(frozen=True)
class OperatingPoint:
    """A state and inputs, the modes of the laws there, and the rates around it."""

    x: Array
    u: Array
    modes: dict[str, str]
    around: OperatingRates


def operating_point(
    caller: str,
    robot_or_mech: RobotOrMech,
    x: Mapping[str, Any],
    inputs: str | Iterable[str],
    given: Array | Mapping[str, float] | None,
    laws: Iterable[Law] | None,
    extra_laws: Iterable[Law] = (),
) -> OperatingPoint:
    """The point at a state with given inputs, or with those that keep it steady.

    `x` has q, v and states of laws by name; `given` are the inputs, None for those that are to be found. Then states of
    laws are found too, and shafts give way under their load where q alone cannot be held.
    """
    inputs = inputs if isinstance(inputs, str) else tuple(inputs)
    opened = open_system(caller, robot_or_mech, inputs, laws=laws, extra_laws=extra_laws, smooth=False)
    system, names = opened.system, opened.inputs
    start = np.concatenate([x["q"], x["v"], _own_states(caller, system, x)])
    u = _input_values(caller, names, given)
    modes = tuple(
        law.start(situation) for law, situation in zip(system.laws, _situations(system, names, start, u), strict=True)
    )
    for _ in range(len(system.laws) + 2):
        frozen = tuple(InMode(law, mode) for law, mode in zip(system.laws, modes, strict=True))
        around = OperatingRates(open_rates(caller, system.mech, names, laws=frozen))
        at, u = (start, u) if given is not None else _steady(caller, around, start, u)
        whole = np.array([*at, 0.0, 0.0])
        settled: Modes = settle(system, 0.0, whole, np.array(all_inputs(system, names, u.tolist())), modes).modes
        if settled == modes:
            _refuse_bends(caller, system, around, at, u, modes)
            named = {law.name: mode for law, mode in zip(system.laws, modes, strict=True) if len(law.modes) > 1}
            return OperatingPoint(at, u, named, around)
        modes = settled
    raise InputError(f"{caller}: the modes of the laws do not settle at this state. Give another q, or u.")


def _own_states(caller: str, system: System, x: Mapping[str, Any]) -> list[float]:
    for name in x:
        if name not in ("q", "v") and name not in system.states:
            raise InputError(f"{caller}: there is no state {name!r}. Known are: {', '.join(system.states) or 'none'}.")
    return [float(x.get(name, state.initial)) for name, state in system.states.items()]


def _input_values(caller: str, names: tuple[str, ...], given: Array | Mapping[str, float] | None) -> Array:
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        if unknown:
            raise InputError(f"{caller}: there is no input {unknown[0]!r}. Known are: {', '.join(names)}.")
        given = np.array([float(given.get(name, 0.0)) for name in names])
    u = np.zeros(len(names)) if given is None else as_floats(caller, "u", given)
    if u.shape != (len(names),) or not np.isfinite(u).all():
        raise InputError(f"{caller}: u must be {len(names)} finite numbers ({', '.join(names)}).")
    return u


def _situations(system: System, names: tuple[str, ...], x: Array, u: Array) -> list[Situation]:
    return situations_at(system, 0.0, np.array([*x, 0.0, 0.0]), np.array(all_inputs(system, names, u.tolist())))


def _steady(caller: str, around: OperatingRates, x: Array, u: Array) -> tuple[Array, Array]:
    """The nearest states of laws and inputs at which speeds and states do not change, shafts kept if they can be."""
    system = around.system
    own = list(range(system.own.start, system.own.stop))
    first = system.mech.nq - len(system.mech.shafts)
    for free in (own, [*range(first, system.mech.nq), *own]):
        at, inputs, left = _newton(around, x, u, free)
        if left is None:
            return at, inputs
    raise InputError(
        f"{caller}: no inputs keep {left!r} steady at this state ({', '.join(around.rates.inputs)} cannot). Drive it "
        "too, give another q, or give u= to linearise about a state that moves."
    )


def _newton(around: OperatingRates, x: Array, u: Array, free: list[int]) -> tuple[Array, Array, str | None]:
    """Newton steps of the least size; the name of the state whose rate stays furthest from zero, None if none does."""
    x, u, rows = x.copy(), u.copy(), slice(around.system.v.start, around.system.own.stop)
    for _ in range(TURNS):
        A, B = around.slopes(x, u)
        rates, slopes = around.values(x, u)[rows], np.hstack([A[rows][:, free], B[rows]])
        if not np.isfinite(slopes).all():
            break
        step = np.linalg.lstsq(slopes, -rates, rcond=None)[0]
        x[free] += step[: len(free)]
        u += step[len(free) :]
        size = np.abs(slopes) @ np.abs(np.concatenate([x[free], u])) + 1.0
        left = np.abs(around.values(x, u)[rows]) / size
        if left.max(initial=0.0) < STEADY:
            return x, u, None
    names = around.rates.states[rows]
    return x, u, names[int(np.argmax(np.abs(around.values(x, u)[rows])))]


def _refuse_bends(caller: str, system: System, around: OperatingRates, x: Array, u: Array, modes: Modes) -> None:
    """Refuse a law that has two slopes at the point: on one side of its bend and on the other."""
    full = np.array(all_inputs(system, around.rates.inputs, u.tolist()))
    found = evaluate(system, 0.0, np.array([*x, 0.0, 0.0]), full, modes)
    asked = zip(system.laws, modes, found.situations, found.reactions, strict=True)
    bent = [
        law for law, mode, situation, felt in asked if any(abs(k) < ASIDE for k in kinks_of(law, mode, situation, felt))
    ]
    if not bent:
        return
    aside = ASIDE * np.random.default_rng(0).choice([-1.0, 1.0], len(x))
    one, other = around.slopes(x + aside, u)[0], around.slopes(x - aside, u)[0]
    if np.abs(one - other).max() > 1e-3 * np.abs(one).max():
        raise InputError(
            f"{caller}: law {bent[0].name!r} bends at this state and has no slope there. Linearise at another state, "
            "or give laws= without it."
        )
