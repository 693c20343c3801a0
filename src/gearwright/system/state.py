"""The state of a run, as users give it and controllers see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number, unmasked
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import neutral
from gearwright.mechanism import Mechanism, assemble
from gearwright.parts import Robot
from gearwright.programs.inputs import checked
from gearwright.system.system import System
from gearwright.text import did_you_mean, listed


@dataclass(frozen=True)
class State:
    """Where a machine is, how it moves, and what its laws remember.

    Args:
        q: configuration [rad, m], (nq,).
        v: speeds [rad/s, m/s], (n,); zero unless given.
        states: states of laws and controllers by name, such as {"shoulder.current": 1.5}.
        of_actuators: which of them are states of actuators (currents, temperatures): a run whose forces are given, so
            that these actuators do not act, starts without them.

    >>> State([0.1, 0.2]).with_states({"shoulder.current": 1.5})["shoulder.current"]
    1.5
    """

    q: ArrayLike
    v: ArrayLike | None = None
    states: Mapping[str, float] = field(default_factory=dict)
    of_actuators: frozenset[str] = frozenset()

    @classmethod
    def named(cls, robot: Robot, name: str, mech: Mechanism | None = None) -> State:
        """A state that the robot's file names; what it does not mention is at its zero and at rest.

        Raises:
            InputError: there is no such state, or it names a coordinate that the robot does not have.
        """
        machine = assemble(robot) if mech is None else mech
        stated = robot.state(name)
        q, v = np.array(neutral(machine), dtype=float), np.zeros(machine.n)
        for word, values, given, names in (
            ("coordinate", q, stated.q, machine.coordinates),
            ("speed", v, stated.v, machine.speeds),
        ):
            for key, x in given.items():
                if key not in names:
                    raise InputError(f"state {name!r}: there is no {word} {key!r}. {did_you_mean(key, names)}")
                values[names.index(key)] = x
        return cls(q, v)

    def __getitem__(self, name: str) -> float:
        """A state of a law or controller by name."""
        if name not in self.states:
            raise InputError(f"state: there is no state {name!r}. {did_you_mean(name, self.states)}")
        return self.states[name]

    def with_states(self, states: Mapping[str, float]) -> State:
        """The same motion with some states of laws replaced or added."""
        return replace(self, states={**self.states, **states})


def initial_state(mech: Mechanism, given: Any) -> State:
    """A state from what a user gives: a State, (q, v), q alone (at rest), q and v side by side, or None."""
    if given is None:
        given = State(neutral(mech))
    if not isinstance(given, State):
        given = _from_arrays(mech, given)
    q = checked("simulate", mech, "q", given.q, mech.nq)
    v = np.zeros(mech.n) if given.v is None else checked("simulate", mech, "v", given.v, mech.n)
    for name, value in (("q", q), ("v", v)):
        if value.ndim != 1:
            raise InputError(
                f"simulate: {name} has shape {value.shape}, but a run starts from one state. For batches of states "
                "use gw.rollout."
            )
    states = {name: number("simulate", f"state {name!r}", x) for name, x in given.states.items()}
    return replace(given, q=_normalised(mech, q), v=v, states=states)


def state_vector(system: System, state: State) -> Array:
    """The state vector at the start, with the states of laws as given or as the laws begin."""
    x = np.zeros(system.size)
    x[system.q], x[system.v] = state.q, state.v
    initial = {**{s.name: s.initial for s in system.states.values()}, **system.controller_states}
    unknown = [name for name in state.states if name not in initial and name not in state.of_actuators]
    if unknown:
        raise InputError(
            f"simulate: the initial state names {unknown[0]!r}, which no law or controller has. Known are: "
            f"{listed(initial) or 'none'}."
        )
    x[system.own.start : system.controlled.stop] = [state.states.get(name, value) for name, value in initial.items()]
    return x


def _from_arrays(mech: Mechanism, given: Any) -> State:
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(x, Sequence | np.ndarray) for x in given):
        return State(given[0], given[1])
    try:
        flat = np.asarray(unmasked("simulate", "state", given), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"simulate: the initial state {given!r} is not a State, (q, v) or numbers.") from None
    if flat.shape == (mech.nq + mech.n,):
        return State(flat[: mech.nq], flat[mech.nq :])
    if flat.shape != (mech.nq,):
        raise InputError(
            f"simulate: the initial state has shape {flat.shape}. Give q ({mech.nq}: {listed(mech.coordinates)}), "
            f"or (q, v) with v ({mech.n}: {listed(mech.speeds)})."
        )
    return State(flat)


def _normalised(mech: Mechanism, q: Array) -> Array:
    from gearwright.dynamics.configuration import quaternions

    out = q.copy()
    for four in quaternions(mech):
        out[four] /= np.linalg.norm(out[four])
    return out
