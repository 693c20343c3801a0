"""The system: a machine with its laws, stated once, over scalars of any kind.

It states what each law sees, how all act, which generalized forces and which flows through ports follow (motors act
through the ports of their gears), what the accelerations lead to, and the power of lines that move by themselves. Its
users add only what is their own:

- `evaluation`: accelerations in numbers, law by law.
- `kernels.motion_rates`: the rates in one kernel, for laws that act by forces alone.
- `kernels.all_modes`: all laws in all their modes as kernels.
- `simulation.fixed_step.step_program`, `simulation.fixed_step.step_stability`: fixed steps, and how long they may be.
- `motion_demands`: the forces that a prescribed motion requires, and how elastic drives follow it; at many states at
  once, for planning.
- `modes.impacts`: impacts, and their effect on gears.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.arrays import Array
from gearwright.dynamics.configuration import rate
from gearwright.dynamics.integration_steps import Moving
from gearwright.errors import InputError
from gearwright.forces.law import Action, Drag, Force, Guard, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.line import Line
from gearwright.forces.shared_kinematics import Scene
from gearwright.functions.actuation import motor_shares
from gearwright.mechanism import Actuator, Mechanism
from gearwright.mechanism.rows import along
from gearwright.system.compiled_machine import CompiledMachine


def has_plain_ratios(mech: Mechanism) -> bool:
    """Whether all motors turn by numbers, not by symbols."""
    return all(is_number(x) for motor in mech.actuators for x in motor.row)


def as_lists(rows: Mapping[str, Array]) -> Mapping[str, Sequence[Scalar]]:
    """Rows as lists of plain numbers, which symbols and floats multiply fastest."""
    return {name: row.tolist() for name, row in rows.items()}


def single_shares(mech: Mechanism) -> Mapping[str, Sequence[Scalar]]:
    """Per motor the row that gives its torque from generalized forces, where each alone drives one speed.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> single_shares(gw.Mechanism([arm], actuators=[gw.Actuator("motor", [100.0])]))
    {'motor': [0.01]}
    """
    return {motor.name: _single_share(motor) for motor in mech.actuators}


def _single_share(motor: Actuator) -> list[Scalar]:
    row: list[Scalar] = list(motor.row)
    if sum(not is_zero(x) for x in row) != 1:
        raise InputError(
            f"motor {motor.name!r} drives several speeds, so that its ratios must be numbers. Leave them out of the "
            "parameters."
        )
    return [0.0 if is_zero(x) else 1.0 / x for x in row]


def same_row(line: Line, other: Line) -> bool:
    """Whether two lines have the very same row, symbols included."""
    pairs = zip(line.terms, other.terms, strict=False)
    alike = len(line.terms) == len(other.terms) and all(j == k and x is y for (j, x), (k, y) in pairs)
    return alike and other.inlet is None


def booked(outcome: Outcome, action: Action, reaction: Reaction) -> Outcome:
    """An outcome with the power of what moves lines by themselves.

    A law books f ds/dt along its line, of which the machine gets f (row . v): the rest, f times the rate that explicit
    time adds, is taken up by what moves the frame, whose power is supplied from outside.
    """
    taken: Scalar = 0.0
    for line, force in forces_on_lines(action, reaction):
        if not is_zero(line.rate):
            taken = taken + force * line.rate
    return outcome if is_zero(taken) else replace(outcome, supplied=outcome.supplied - taken)


def forces_on_lines(action: Action, reaction: Reaction) -> list[tuple[Line, Scalar]]:
    """The lines along which a law acts, and its forces there."""
    held = zip(action.holds, reaction.multipliers, strict=True)
    dragged = zip(action.drags, reaction.flows, strict=True)
    return [
        *((force.line, force.value) for force in action.forces),
        *((hold.line, force) for hold, force in held),
        *((drag.push, drag.gain * flow) for drag, flow in dragged),
    ]


Modes: TypeAlias = tuple[str, ...]
"""Per law its mode."""


@dataclass(frozen=True)
class System:
    """A machine and the laws that act on it.

    The state vector is x = [q, v, states of laws, states of the controller, supplied work, dissipated work]: the two
    works are integrated along, so that the book-keeping is as exact as the motion. The inputs are u = [tau, inputs of
    laws]; laws that name the same input share it.

    Args:
        mech: the machine.
        laws: its laws.
        controller_states: states of a controller with their values at the start.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> system = System(gw.assemble(arm), gw.laws(arm), {"integral": 0.0})
    >>> system.q, system.v, system.controlled, system.size
    (slice(0, 3, None), slice(3, 6, None), slice(6, 7, None), 9)
    """

    mech: Mechanism
    laws: tuple[Law, ...] = ()
    controller_states: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "laws", tuple(self.laws))
        for law in self.laws:
            if not isinstance(law, Law):
                raise InputError(f"{law!r} is not a law. Give instances of gearwright.forces.Law.")
        own = [state.name for law in self.laws for state in law.states]
        _refuse_twins("state", [*own, *self.controller_states])
        _refuse_twins("law", [law.name for law in self.laws])

    def on(self, mech: Mechanism) -> System:
        """The same laws on another machine with the same speeds, such as one with symbols among its numbers."""
        return self if mech is self.mech else replace(self, mech=mech)

    @cached_property
    def compiled(self) -> CompiledMachine:
        """The machine's own functions for numbers."""
        return CompiledMachine(self.mech)

    @cached_property
    def states(self) -> dict[str, Quantity]:
        """The states of the laws by name."""
        return {state.name: state for law in self.laws for state in law.states}

    @cached_property
    def inputs(self) -> dict[str, Quantity]:
        """The inputs of the laws by name, in the order in which they follow tau."""
        found: dict[str, Quantity] = {}
        for one in (one for law in self.laws for one in law.inputs):
            found.setdefault(one.name, one)
        return found

    @cached_property
    def signals(self) -> dict[str, Quantity]:
        """The signals of the laws by name."""
        return {signal.name: signal for law in self.laws for signal in law.signals}

    @cached_property
    def q(self) -> slice:
        """Where the configuration stands in the state vector."""
        return slice(0, self.mech.nq)

    @cached_property
    def v(self) -> slice:
        """Where the speeds stand."""
        return slice(self.mech.nq, self.mech.nq + self.mech.n)

    @cached_property
    def own(self) -> slice:
        """Where the states of the laws stand."""
        return slice(self.v.stop, self.v.stop + len(self.states))

    @cached_property
    def controlled(self) -> slice:
        """Where the states of the controller stand."""
        return slice(self.own.stop, self.own.stop + len(self.controller_states))

    @cached_property
    def supplied(self) -> int:
        """Where the supplied work stands."""
        return self.controlled.stop

    @cached_property
    def dissipated(self) -> int:
        """Where the dissipated work stands."""
        return self.supplied + 1

    @cached_property
    def size(self) -> int:
        """The length of the state vector."""
        return self.dissipated + 1

    @cached_property
    def input_size(self) -> int:
        """The length of the vector of inputs."""
        return self.mech.n + len(self.inputs)

    @property
    def first_inputs(self) -> list[float]:
        """The inputs when nobody gives any: no forces, and what each law starts with."""
        return [0.0] * self.mech.n + [one.initial for one in self.inputs.values()]

    @property
    def first_modes(self) -> Modes:
        """Per law its first mode: the only one of a law without modes."""
        return tuple(law.modes[0] for law in self.laws)

    @cached_property
    def has_modes(self) -> bool:
        """Whether a law may change its mode."""
        return any(len(law.modes) > 1 for law in self.laws)

    def moving(self, x: Sequence[Scalar]) -> Moving:
        """The part of a state vector that moves the machine: q, v and the states of the laws."""
        return Moving(x[self.q], x[self.v], x[self.own])

    @cached_property
    def _places(self) -> tuple[tuple[slice, tuple[int, ...]], ...]:
        """Per law where its states stand among those of all laws, and its inputs among all inputs."""
        order = {name: self.mech.n + k for k, name in enumerate(self.inputs)}
        places, first = [], 0
        for law in self.laws:
            last = first + len(law.states)
            places.append((slice(first, last), tuple(order[one.name] for one in law.inputs)))
            first = last
        return tuple(places)

    def states_of(self, index: int) -> slice:
        """Where the states of a law stand in the state vector."""
        own = self._places[index][0]
        return slice(self.own.start + own.start, self.own.start + own.stop)

    def situations(
        self, ops: Operations, t: Scalar, x: Moving, u: Sequence[Scalar], scene: Scene | None = None
    ) -> list[Situation]:
        """What each law sees; `scene` is what all of them share, where somebody knows it already."""
        shared = Scene(self.mech, x.q, x.v, ops, t) if scene is None else scene
        return [
            Situation(t, x.q, x.v, x.states[own], [u[k] for k in given], ops, self.mech, shared)
            for own, given in self._places
        ]

    def actions(self, modes: Modes, situations: Sequence[Situation]) -> list[Action]:
        """How each law acts, along lines that are placed."""
        asked = zip(self.laws, modes, situations, strict=True)
        return [law.act(mode, situation).placed(situation.scene) for law, mode, situation in asked]

    def forces(self, u: Sequence[Scalar], actions: Sequence[Action]) -> list[Scalar]:
        """Generalized forces (n,): tau and those of the laws."""
        total = list(u[: self.mech.n])
        for force in forces_in(actions):
            push(total, force.line, force.value)
        return total

    def inflows(self, u: Sequence[Scalar], actions: Sequence[Action]) -> list[Scalar]:
        """Per drag what tau and the forces of all laws bring through its port, along its line."""
        through = [force for force in forces_in(actions) if force.port is not None]
        return [self._given(drag, u) + inflow(drag, through) for drag in drags_in(actions)]

    def _given(self, drag: Drag, u: Sequence[Scalar]) -> Scalar:
        """What tau brings through a drag's port."""
        return along(self._motor_shares.get(drag.port, ()), u)

    @cached_property
    def _motor_shares(self) -> Mapping[str | None, tuple[tuple[int, Scalar], ...]]:
        """Per actuator its torque from generalized forces, as (speed, share)."""
        plain = has_plain_ratios(self.mech)
        shares = as_lists(motor_shares(self.mech)) if plain else single_shares(self.mech)
        return {name: tuple((k, x) for k, x in enumerate(row) if not is_zero(x)) for name, row in shares.items()}

    def outcomes(
        self,
        modes: Modes,
        situations: Sequence[Situation],
        actions: Sequence[Action],
        reactions: Sequence[Reaction],
    ) -> list[Outcome]:
        """What follows for each law, with what moves its lines by themselves in the books."""
        asked = zip(self.laws, modes, situations, actions, reactions, strict=True)
        return [booked(law.follow(mode, situation, felt), action, felt) for law, mode, situation, action, felt in asked]

    def guards(
        self, modes: Modes, situations: Sequence[Situation], reactions: Sequence[Reaction]
    ) -> list[tuple[int, Guard]]:
        """All guards, with the index of their law and placed impacts."""
        asked = zip(self.laws, modes, situations, reactions, strict=True)
        found = ((situation, law.guards(mode, situation, felt)) for law, mode, situation, felt in asked)
        return [(k, guard.placed(situation.scene)) for k, (situation, guards) in enumerate(found) for guard in guards]

    def rates(self, ops: Operations, x: Moving, a: Sequence[Scalar], outcomes: Sequence[Outcome]) -> list[Scalar]:
        """The rates of q, v and the states of the laws."""
        return [*rate(self.mech, x.q, x.v, ops), *a, *(one for outcome in outcomes for one in outcome.rates)]

    def powers(self, v: Sequence[Scalar], u: Sequence[Scalar], outcomes: Sequence[Outcome]) -> list[Scalar]:
        """Supplied power, with that of tau, and dissipated power, with that of the machine's own dampers [W]."""
        supplied: Scalar = 0.0
        dissipated: Scalar = 0.0
        for torque, speed in zip(u, v, strict=False):
            supplied = supplied + torque * speed
        for spring in self.mech.springs:
            pace = along(spring.terms, v)
            dissipated = dissipated + spring.damping * (pace * pace)
        for outcome in outcomes:
            supplied, dissipated = supplied + outcome.supplied, dissipated + outcome.dissipated
        return [supplied, dissipated]


def forces_in(actions: Sequence[Action]) -> list[Force]:
    """The forces of all laws."""
    return [force for action in actions for force in action.forces]


def drags_in(actions: Sequence[Action]) -> list[Drag]:
    """The drags of all laws."""
    return [drag for action in actions for drag in action.drags]


def push(total: list[Scalar], line: Line, value: Scalar) -> None:
    """Add a force along a line to generalized forces."""
    for index, factor in line.terms:
        total[index] = total[index] + factor * value


def inflow(drag: Drag, forces: Sequence[Force]) -> Scalar:
    """What forces bring through a drag's port, along its line."""
    total: Scalar = 0.0
    for force in forces:
        if force.port is not None and force.port == drag.port:
            total = total + port_share(force.line, drag.push) * force.value
    return total


def flow(drag: Drag, entering: Scalar, a: Sequence[Scalar]) -> Scalar:
    """What goes through a drag: what enters less what the wheels before it take."""
    through = entering - drag.offset
    for sensed, acceleration in zip(drag.sense, a, strict=True):
        through = through - sensed * acceleration
    return through


def share(line: Line, other: Line) -> float:
    """The factor with which a line is another one; both are parallel."""
    return _constant_share(line, other) if line.constant and other.constant else line.share_of(other)


@lru_cache(maxsize=4096)
def _constant_share(line: Line, other: Line) -> float:
    return line.share_of(other)


def port_share(line: Line, other: Line) -> Scalar:
    """As `share`, also of rows with symbols, where both are the same."""
    return 1.0 if same_row(line, other) else share(line, other)


def _refuse_twins(kind: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two {kind}s are called {name!r}. Give each a name of its own.")
