"""The system: a machine with its laws, defined once, over generic scalars.

It defines the situation and action of each law, the generalised forces and the flows through ports (motors act through
the ports of their gears), the outcomes, and the power of moving lines. Its users add only their own part:

- `evaluation`: accelerations in numbers, law by law.
- `kernels.motion_rates`: the rates in one kernel, for laws that act by forces only.
- `kernels.all_modes`: all laws in all their modes as kernels.
- `simulation.fixed_step.step_program`, `simulation.fixed_step.step_stability`: fixed steps, and their stability limit.
- `motion_demands`: the forces that a prescribed motion requires, and the motion of elastic drives; vectorised over
  states for planning.
- `modes.impacts`: impacts, and their effect on gears.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.arrays import Array
from gearwright.dynamics.configuration import coordinate_rates
from gearwright.dynamics.integration_steps import StepState
from gearwright.errors import InputError
from gearwright.forces import Action, Drag, Force, Guard, Law, Line, Outcome, Quantity, Reaction, Situation
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.functions.actuation import motor_shares
from gearwright.mechanism import Actuator, Mechanism, row_dot
from gearwright.programs import ClosedMechanism
from gearwright.system.compiled_machine import CompiledMachine


def has_numeric_ratios(mech: Mechanism) -> bool:
    """Whether all motor ratios are numbers, not symbols."""
    return all(is_number(x) for motor in mech.actuators for x in motor.row)


def as_lists(rows: Mapping[str, Array]) -> Mapping[str, Sequence[Scalar]]:
    """Rows as lists of plain numbers, which symbols and floats multiply fastest."""
    return {name: row.tolist() for name, row in rows.items()}


def single_speed_shares(mech: Mechanism) -> Mapping[str, Sequence[Scalar]]:
    """Per motor the row from generalised forces to its torque, where each motor drives one speed alone.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> single_speed_shares(gw.Mechanism([arm], actuators=[gw.Actuator("motor", [100.0])]))
    {'motor': [0.01]}
    """
    return {motor.name: _single_speed_share(motor) for motor in mech.actuators}


def _single_speed_share(motor: Actuator) -> list[Scalar]:
    row: list[Scalar] = list(motor.row)
    if sum(not is_zero(x) for x in row) != 1:
        raise InputError(
            f"motor {motor.name!r} drives several speeds, so its ratios must be numbers. Leave them out of the "
            "parameters."
        )
    return [0.0 if is_zero(x) else 1.0 / x for x in row]


def has_same_row(line: Line, reference: Line) -> bool:
    """Whether two lines have identical rows, symbols included."""
    pairs = zip(line.terms, reference.terms, strict=False)
    same_terms = len(line.terms) == len(reference.terms) and all(j == k and x is y for (j, x), (k, y) in pairs)
    return same_terms and reference.inlet is None


def with_line_power(outcome: Outcome, action: Action, reaction: Reaction) -> Outcome:
    """An outcome with the power of moving lines.

    A law counts f ds/dt along its line, of which the machine gets f (row . v). The rest, f times the rate due to
    explicit time, is exchanged with the source of the prescribed motion and counts as supplied.
    """
    line_power: Scalar = 0.0
    for line, force in forces_on_lines(action, reaction):
        if not is_zero(line.time_rate):
            line_power = line_power + force * line.time_rate
    return outcome if is_zero(line_power) else replace(outcome, supplied=outcome.supplied - line_power)


def forces_on_lines(action: Action, reaction: Reaction) -> list[tuple[Line, Scalar]]:
    """The lines of a law's action, and its forces along them."""
    held = zip(action.holds, reaction.multipliers, strict=True)
    dragged = zip(action.drags, reaction.flows, strict=True)
    return [
        *((force.line, force.value) for force in action.forces),
        *((hold.line, force) for hold, force in held),
        *((drag.push, drag.gain * flow) for drag, flow in dragged),
    ]


Modes: TypeAlias = tuple[str, ...]
"""The mode of each law."""


@dataclass(frozen=True)
class System:
    """A machine and the laws that act on it.

    The state vector is x = [q, v, states of laws, states of the controller, supplied work, dissipated work]: both works
    are integrated with the motion, so the energy balance is as accurate as the motion. The inputs are u = [tau, inputs
    of laws]; laws that name the same input share it.

    Args:
        mech: the machine.
        laws: its laws.
        controller_states: states of a controller with their initial values.
        closed: the machine whose loops are embedded: the independent speeds are integrated, the others follow. Its tree
            is `mech`. None: loops are constraints among the laws.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> system = System(gw.assemble(arm), gw.laws(arm), {"integral": 0.0})
    >>> system.q, system.v, system.controller_slice, system.size
    (slice(0, 3, None), slice(3, 6, None), slice(6, 7, None), 9)
    """

    mech: Mechanism
    laws: tuple[Law, ...] = ()
    controller_states: Mapping[str, float] = field(default_factory=dict)
    closed: ClosedMechanism | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "laws", tuple(self.laws))
        for law in self.laws:
            if not isinstance(law, Law):
                raise InputError(f"{law!r} is not a law. Give instances of gearwright.forces.Law.")
        state_names = [state.name for law in self.laws for state in law.states]
        _refuse_duplicates("state", [*state_names, *self.controller_states])
        _refuse_duplicates("law", [law.name for law in self.laws])

    def on_machine(self, mech: Mechanism) -> System:
        """The system of the same laws on another machine with the same speeds, such as one with symbolic parameters."""
        if mech is self.mech:
            return self
        return replace(self, mech=mech, closed=None if self.closed is None else self.closed.with_tree(mech))

    @cached_property
    def compiled_machine(self) -> CompiledMachine:
        """The compiled functions of the machine."""
        return CompiledMachine(self.mech)

    @cached_property
    def states(self) -> dict[str, Quantity]:
        """The states of the laws by name."""
        return {state.name: state for law in self.laws for state in law.states}

    @cached_property
    def inputs(self) -> dict[str, Quantity]:
        """The inputs of the laws by name, in their order after tau."""
        inputs_by_name: dict[str, Quantity] = {}
        for quantity in (quantity for law in self.laws for quantity in law.inputs):
            inputs_by_name.setdefault(quantity.name, quantity)
        return inputs_by_name

    @cached_property
    def signals(self) -> dict[str, Quantity]:
        """The signals of the laws by name."""
        return {signal.name: signal for law in self.laws for signal in law.signals}

    @cached_property
    def q(self) -> slice:
        """The slice of the configuration in the state vector."""
        return slice(0, self.mech.nq)

    @cached_property
    def v(self) -> slice:
        """The slice of the speeds."""
        return slice(self.mech.nq, self.mech.nq + self.mech.n)

    @cached_property
    def law_slice(self) -> slice:
        """The slice of the states of the laws."""
        return slice(self.v.stop, self.v.stop + len(self.states))

    @cached_property
    def controller_slice(self) -> slice:
        """The slice of the states of the controller."""
        return slice(self.law_slice.stop, self.law_slice.stop + len(self.controller_states))

    @cached_property
    def supplied_index(self) -> int:
        """The index of the supplied work."""
        return self.controller_slice.stop

    @cached_property
    def dissipated_index(self) -> int:
        """The index of the dissipated work."""
        return self.supplied_index + 1

    @cached_property
    def size(self) -> int:
        """The length of the state vector."""
        return self.dissipated_index + 1

    @cached_property
    def input_size(self) -> int:
        """The length of the vector of inputs."""
        return self.mech.n + len(self.inputs)

    @property
    def initial_inputs(self) -> list[float]:
        """The default inputs: zero forces, and the default of each law's input."""
        return [0.0] * self.mech.n + [quantity.initial for quantity in self.inputs.values()]

    @property
    def first_modes(self) -> Modes:
        """The first mode of each law; the only one of a law without modes."""
        return tuple(law.modes[0] for law in self.laws)

    @cached_property
    def has_modes(self) -> bool:
        """Whether a law may change its mode."""
        return any(len(law.modes) > 1 for law in self.laws)

    def motion_of(self, x: Sequence[Scalar]) -> StepState:
        """The dynamic part of a state vector: q, v and the states of the laws."""
        return StepState(x[self.q], x[self.v], x[self.law_slice])

    @cached_property
    def _law_places(self) -> tuple[tuple[slice, tuple[int, ...]], ...]:
        """Per law the slice of its states among those of all laws, and the indices of its inputs."""
        order = {name: self.mech.n + k for k, name in enumerate(self.inputs)}
        places, first = [], 0
        for law in self.laws:
            last = first + len(law.states)
            places.append((slice(first, last), tuple(order[quantity.name] for quantity in law.inputs)))
            first = last
        return tuple(places)

    def law_state_slice(self, index: int) -> slice:
        """The slice of a law's states in the state vector."""
        law_slice = self._law_places[index][0]
        return slice(self.law_slice.start + law_slice.start, self.law_slice.start + law_slice.stop)

    def law_situations(
        self, ops: Operations, t: Scalar, x: StepState, u: Sequence[Scalar], kinematics: SharedKinematics | None = None
    ) -> list[Situation]:
        """The situation of each law; `kinematics` is the shared kinematics, if it is already available."""
        shared = SharedKinematics(self.mech, x.q, x.v, ops, t) if kinematics is None else kinematics
        return [
            Situation(t, x.q, x.v, x.states[state_slice], [u[k] for k in input_indices], ops, self.mech, shared)
            for state_slice, input_indices in self._law_places
        ]

    def law_actions(self, modes: Modes, situations: Sequence[Situation]) -> list[Action]:
        """The action of each law along placed lines."""
        law_modes = zip(self.laws, modes, situations, strict=True)
        return [law.act(mode, situation).placed_in(situation.kinematics) for law, mode, situation in law_modes]

    def generalized_forces(self, u: Sequence[Scalar], actions: Sequence[Action]) -> list[Scalar]:
        """Generalised forces (n,): tau and those of the laws."""
        total = list(u[: self.mech.n])
        for force in all_forces(actions):
            add_force(total, force.line, force.value)
        return total

    def port_inflows(self, u: Sequence[Scalar], actions: Sequence[Action]) -> list[Scalar]:
        """Per drag the force of tau and of all laws through its port, along its line."""
        through = [force for force in all_forces(actions) if force.port is not None]
        return [self._tau_inflow(drag, u) + port_inflow(drag, through) for drag in all_drags(actions)]

    def _tau_inflow(self, drag: Drag, u: Sequence[Scalar]) -> Scalar:
        """The force of tau through a drag's port."""
        return row_dot(self._motor_shares.get(drag.port, ()), u)

    @cached_property
    def _motor_shares(self) -> Mapping[str | None, tuple[tuple[int, Scalar], ...]]:
        """Per actuator its torque from generalised forces, as (speed, share)."""
        plain = has_numeric_ratios(self.mech)
        shares = as_lists(motor_shares(self.mech)) if plain else single_speed_shares(self.mech)
        return {name: tuple((k, x) for k, x in enumerate(row) if not is_zero(x)) for name, row in shares.items()}

    def law_outcomes(
        self,
        modes: Modes,
        situations: Sequence[Situation],
        actions: Sequence[Action],
        reactions: Sequence[Reaction],
    ) -> list[Outcome]:
        """The outcome of each law, with the power of its moving lines."""
        law_states = zip(self.laws, modes, situations, actions, reactions, strict=True)
        return [
            with_line_power(law.follow(mode, situation, reaction), action, reaction)
            for law, mode, situation, action, reaction in law_states
        ]

    def indexed_guards(
        self, modes: Modes, situations: Sequence[Situation], reactions: Sequence[Reaction]
    ) -> list[tuple[int, Guard]]:
        """All guards, with the index of their law and placed impacts."""
        law_states = zip(self.laws, modes, situations, reactions, strict=True)
        guards_by_law = (
            (situation, law.guards(mode, situation, reaction)) for law, mode, situation, reaction in law_states
        )
        return [
            (k, guard.placed_in(situation.kinematics))
            for k, (situation, guards) in enumerate(guards_by_law)
            for guard in guards
        ]

    def motion_rates(
        self, ops: Operations, x: StepState, a: Sequence[Scalar], outcomes: Sequence[Outcome]
    ) -> list[Scalar]:
        """The rates of q, v and the states of the laws."""
        return [
            *coordinate_rates(self.mech, x.q, x.v, ops),
            *a,
            *(state_rate for outcome in outcomes for state_rate in outcome.rates),
        ]

    def supplied_and_dissipated(
        self, v: Sequence[Scalar], u: Sequence[Scalar], outcomes: Sequence[Outcome]
    ) -> list[Scalar]:
        """Supplied power, with that of tau, and dissipated power, with that of the machine's own dampers [W]."""
        supplied: Scalar = 0.0
        dissipated: Scalar = 0.0
        for torque, speed in zip(u, v, strict=False):
            supplied = supplied + torque * speed
        for spring in self.mech.springs:
            spring_speed = row_dot(spring.terms, v)
            dissipated = dissipated + spring.damping * (spring_speed * spring_speed)
        for outcome in outcomes:
            supplied, dissipated = supplied + outcome.supplied, dissipated + outcome.dissipated
        return [supplied, dissipated]


def all_forces(actions: Sequence[Action]) -> list[Force]:
    """The forces of all laws."""
    return [force for action in actions for force in action.forces]


def all_drags(actions: Sequence[Action]) -> list[Drag]:
    """The drags of all laws."""
    return [drag for action in actions for drag in action.drags]


def add_force(total: list[Scalar], line: Line, value: Scalar) -> None:
    """Add a force along a line to generalised forces."""
    for index, factor in line.terms:
        total[index] = total[index] + factor * value


def port_inflow(drag: Drag, forces: Sequence[Force]) -> Scalar:
    """The sum of forces through a drag's port, along its line."""
    total: Scalar = 0.0
    for force in forces:
        if force.port is not None and force.port == drag.port:
            total = total + symbolic_line_share(force.line, drag.push) * force.value
    return total


def drag_flow(drag: Drag, entering: Scalar, a: Sequence[Scalar]) -> Scalar:
    """The flow through a drag: the inflow minus the torque that accelerates the wheels before it."""
    flow_left = entering - drag.offset
    for sensed, acceleration in zip(drag.sense, a, strict=True):
        flow_left = flow_left - sensed * acceleration
    return flow_left


def line_share(line: Line, reference: Line) -> float:
    """The factor from another parallel line to this one."""
    return (
        _constant_line_share(line, reference)
        if line.is_constant and reference.is_constant
        else line.share_of(reference)
    )


@lru_cache(maxsize=4096)
def _constant_line_share(line: Line, reference: Line) -> float:
    return line.share_of(reference)


def symbolic_line_share(line: Line, reference: Line) -> Scalar:
    """As `line_share`, also of rows with symbols, where both are the same."""
    return 1.0 if has_same_row(line, reference) else line_share(line, reference)


def _refuse_duplicates(kind: str, names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two {kind}s are called {name!r}. Give each a unique name.")
