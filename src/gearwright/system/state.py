"""The state of a run, as given by users and passed to controllers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import real_number, require_unmasked
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions import neutral, whole_motion
from gearwright.mechanism import Mechanism, RobotOrMech, assemble_tree
from gearwright.parts import Robot
from gearwright.programs import machine_of
from gearwright.programs.inputs import checked_array
from gearwright.system.system import System
from gearwright.text import did_you_mean, listed_names


@dataclass(frozen=True)
class State:
    """Configuration and speeds of a machine, and states of its laws and controllers.

    Args:
        q: configuration [rad, m], (nq,).
        v: speeds [rad/s, m/s], (n,); default: zero.
        states: states of laws and controllers by name, such as {"shoulder.current": 1.5}.
        of_actuators: which of them are states of actuators (currents, temperatures): a run with given forces, in which
            these actuators do not act, starts without them.

    >>> State([0.1, 0.2]).with_states({"shoulder.current": 1.5})["shoulder.current"]
    1.5
    """

    q: ArrayLike
    v: ArrayLike | None = None
    states: Mapping[str, float] = field(default_factory=dict)
    of_actuators: frozenset[str] = frozenset()

    @classmethod
    def from_robot(cls, robot: Robot, name: str, mech: Mechanism | None = None) -> State:
        """A named state of the robot's file; coordinates that it does not list are at zero and at rest.

        Raises:
            InputError: the state or one of its coordinates is unknown.
        """
        machine = assemble_tree(robot) if mech is None else mech
        stated = robot.state(name)
        q, v = np.array(neutral(machine), dtype=float), np.zeros(machine.n)
        for word, values, values_by_name, names in (
            ("coordinate", q, stated.q, machine.coordinates),
            ("speed", v, stated.v, machine.speeds),
        ):
            for key, x in values_by_name.items():
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


def initial_state(mech: Mechanism, specification: Any, source: RobotOrMech | None = None) -> State:
    """The state of a user's argument: a State, (q, v), q alone (at rest), q and v concatenated, or None.

    With closed loops, q or v or both may be independent ones; `source` is the robot or machine with them.
    """
    if source is not None and source.loops:
        specification = _whole_state(mech, specification, source)
    if specification is None:
        specification = State(neutral(mech))
    if not isinstance(specification, State):
        specification = _state_from_arrays(mech, specification)
    q = checked_array("simulate", mech, "q", specification.q, mech.nq)
    v = np.zeros(mech.n) if specification.v is None else checked_array("simulate", mech, "v", specification.v, mech.n)
    for name, value in (("q", q), ("v", v)):
        if value.ndim != 1:
            raise InputError(
                f"simulate: {name} has shape {value.shape}, but a run starts from one state. For batches of states "
                "use gw.rollout."
            )
    states = {name: real_number("simulate", f"state {name!r}", x) for name, x in specification.states.items()}
    return replace(specification, q=_with_unit_quaternions(mech, q), v=v, states=states)


def _whole_state(tree: Mechanism, specification: Any, source: RobotOrMech) -> Any:
    """The state of all joints for independent coordinates of a machine with closed loops; other states unchanged."""
    if specification is None:
        return State(neutral(source))
    start = specification
    if not isinstance(start, State):
        start = State(*start) if isinstance(start, tuple) and len(start) == 2 else State(start)
    size, speed_count = np.shape(start.q)[-1:], np.shape(start.v)[-1:] if start.v is not None else (tree.n,)
    if size == (tree.nq + tree.n,) or (size == (tree.nq,) and speed_count == (tree.n,)):
        return specification
    mech = machine_of("simulate", source)
    if size not in ((tree.nq,), (len(mech.independent_indices),)):
        return specification
    v = np.zeros(mech.n) if start.v is None else start.v
    q, v, _ = whole_motion("simulate", mech, start.q, v, np.zeros(mech.n))
    return replace(start, q=q, v=v)


def state_vector(system: System, state: State) -> Array:
    """The initial state vector, with the states of laws as given or with their initial values."""
    x = np.zeros(system.size)
    x[system.q], x[system.v] = state.q, state.v
    initial = {**{s.name: s.initial for s in system.states.values()}, **system.controller_states}
    unknown = [name for name in state.states if name not in initial and name not in state.of_actuators]
    if unknown:
        raise InputError(
            f"simulate: the initial state contains {unknown[0]!r}, which is not a state of any law or controller. "
            f"Known states: {listed_names(initial) or 'none'}."
        )
    x[system.law_slice.start : system.controller_slice.stop] = [
        state.states.get(name, value) for name, value in initial.items()
    ]
    return x


def _state_from_arrays(mech: Mechanism, specification: Any) -> State:
    if (
        isinstance(specification, tuple)
        and len(specification) == 2
        and all(isinstance(x, Sequence | np.ndarray) for x in specification)
    ):
        return State(specification[0], specification[1])
    try:
        flat = np.asarray(require_unmasked("simulate", "state", specification), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"simulate: the initial state {specification!r} is not valid. Give a State, (q, v) or q."
        ) from None
    if flat.shape == (mech.nq + mech.n,):
        return State(flat[: mech.nq], flat[mech.nq :])
    if flat.shape != (mech.nq,):
        raise InputError(
            f"simulate: the initial state has shape {flat.shape}. Give q ({mech.nq}: "
            f"{listed_names(mech.coordinates)}), "
            f"or (q, v) with v ({mech.n}: {listed_names(mech.speeds)})."
        )
    return State(flat)


def _with_unit_quaternions(mech: Mechanism, q: Array) -> Array:
    from gearwright.dynamics.configuration import quaternion_slices

    normalised = q.copy()
    for four in quaternion_slices(mech):
        normalised[four] /= np.linalg.norm(normalised[four])
    return normalised
