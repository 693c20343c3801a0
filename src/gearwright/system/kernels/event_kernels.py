"""The kernels of the event loop as programs: the motion of a machine with its laws, with the modes as an input.

With the directions b of all holds and drags, $Y = M^{-1} b'$ is the response of the machine to a unit force along each,
and $a_0$ its acceleration without these forces: then $a = a_0 + Y z$, and the loop solves for the few forces z only.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.configuration import integrate
from gearwright.dynamics.elimination import solve_all_by_elimination
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place_machine
from gearwright.errors import InputError
from gearwright.forces import Action, Force, Guard, Hold, Law, Outcome, Reaction, Situation
from gearwright.forces.branch_points import law_branch_levels
from gearwright.forces.event_tolerances import EVENT_LOCATION_LEVEL, GUARD_VIOLATION_LEVEL
from gearwright.mechanism import Mechanism, dense_row, row_dot
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.event_structure import EventStructure, LawPlaces
from gearwright.system.kernels.motion_rates import system_input_sizes
from gearwright.system.kernels.traced_laws import LawMode
from gearwright.system.system import System, with_line_power
from gearwright.system.vector_program import vector_program
from gearwright.tracing.branching import trace_choice
from gearwright.tracing.simplify.equivalent_machine import simplify_machine
from gearwright.tracing.symbols import distinct_symbols, has_dependence, new_symbols, symbol_operations

# Formulas

InstantFormula = Callable[["ModeInstant"], list[Any]]

REFUSED_MODE = -1
"""The index of the initial mode of a law that cannot start in a state."""

INACTIVE_GUARD_LEVEL = 1.0
"""The level of a guard that does not apply, relative to its scale."""


@dataclass(frozen=True)
class ModeInstant:
    """The laws of a system at one instant, in modes that flags select."""

    places: LawPlaces
    system: System
    ops: Operations
    arguments: Inputs

    @property
    def law_situations(self) -> list[Situation]:
        """The situation of each law."""
        x = self.system.motion_of(self.arguments["x"])
        return self.system.law_situations(self.ops, self.arguments["t"][0], x, self.arguments["u"])

    def select_mode_value(self, k: int, values: Mapping[str, Scalar], default: Scalar | None = None) -> Scalar:
        """The value of the current mode among the values per mode of a law; `default` for modes without a value."""
        law, first, remaining = self.system.laws[k], self.places.first_choice[k], dict(values)
        total = default
        if total is None or len(remaining) == len(law.modes):
            total = remaining.pop(next(iter(remaining)))
        for mode, value in remaining.items():
            total = self.ops.where(self.arguments["chosen"][first + law.modes.index(mode)], value, total)
        return total

    def mode_reaction(self, choice: LawMode) -> Reaction:
        """The reaction of a law in a mode."""
        multipliers_and_flows, structure = self.arguments["felt"], self.places.structure
        hold_places, drag_places = self.places.holds[choice], self.places.drags[choice]
        flows = [multipliers_and_flows[structure.hold_count + k] for k in drag_places]
        responses = [multipliers_and_flows[structure.hold_count + structure.drag_count + k] for k in drag_places]
        return Reaction(self.arguments["a"], [multipliers_and_flows[k] for k in hold_places], flows, responses)

    def values_by_mode(self, k: int, value: Callable[[str], Any]) -> dict[str, Any]:
        """The value of a function for each mode of a law."""
        return {mode: value(mode) for mode in self.system.laws[k].modes}


def balance_terms(instant: ModeInstant) -> list[Any]:
    """The terms of the force balance, in the order of `balance_term_sizes`."""
    system, ops, arguments, situations = instant.system, instant.ops, instant.arguments, instant.law_situations
    v = arguments["x"][system.v]
    lines = [line.placed_in(situations[0].kinematics) for line in instant.places.directions.lines]
    actions = {
        (k, mode): law.act(mode, situations[k]).placed_in(situations[k].kinematics)
        for k, law in enumerate(system.laws)
        for mode in law.modes
    }
    current_actions = [_current_action(instant, k, actions) for k in range(len(system.laws))]
    simplified_machine = simplify_machine(system.mech)
    pose = place_machine(simplified_machine.mech, simplified_machine.coordinates_for(arguments["x"][system.q]), ops)
    right = [
        x - y for x, y in zip(system.generalized_forces(arguments["u"], current_actions), bias(pose, v), strict=True)
    ]
    rows = [dense_row(line.terms, system.mech.n) for line in lines]
    a, *Y = solve_all_by_elimination(
        mass_matrix(pose), simplified_machine.mech.couplings, simplified_machine.mech.elimination_order, [right, *rows]
    )
    gains, inflows, senses = _drag_columns(instant, actions, system.port_inflows(arguments["u"], current_actions))
    return [
        a,
        Y,
        [[row_dot(line.terms, column) for column in Y] for line in lines],
        [row_dot(line.terms, a) for line in lines],
        [line.speed(v) for line in lines],
        [line.time_rate for line in lines],
        *_hold_columns(instant, actions),
        gains,
        inflows,
        [_row_product(sense, a) for sense in senses],
        [[_row_product(sense, column) for column in Y] for sense in senses],
    ]


def balance_term_sizes(n: int, structure: EventStructure) -> dict[str, int]:
    """The results of `balance_terms` with their sizes, in order.

    a0; Y, direction by direction; b Y, row by row; b a0; speeds along the directions, and their parts due to explicit
    time; per hold its target minus the drift, its compliance and speed, and where positions are held its position
    error; per drag its gain, its inflow minus its offset,
    its sense times a0 and times each Y.
    """
    directions, holds, drags = structure.directions, structure.hold_count, structure.drag_count
    return {
        "a0": n,
        "Y": directions * n,
        "G": directions * directions,
        "along": directions,
        "pace": directions,
        "carried": directions,
        "target": holds,
        "compliance": holds,
        "kept": holds,
        "placed": holds if structure.has_position_holds else 0,
        "gain": drags,
        "inflow": drags,
        "sensed": drags,
        "sensing": drags * directions,
    }


def _current_action(instant: ModeInstant, k: int, actions: Mapping[LawMode, Action]) -> Action:
    """The action of a law in the current mode: forces along one line through one port are merged.

    The drags are those of all modes, whose inflows are needed.
    """
    values: dict[Hashable, dict[str, Scalar]] = {}
    first: dict[Hashable, Force] = {}
    law_actions = {mode: actions[k, mode] for mode in instant.system.laws[k].modes}
    for mode, action in law_actions.items():
        for force in action.forces:
            line: Hashable = force.line if force.line.is_constant else id(force.line)
            count = 0
            while mode in values.setdefault((line, force.port, count), {}):  # twice along one line in one mode
                count += 1
            values[line, force.port, count][mode] = force.value
            first.setdefault((line, force.port, count), force)
    forces = (replace(force, value=instant.select_mode_value(k, values[key], 0.0)) for key, force in first.items())
    return Action(tuple(forces), drags=tuple(drag for action in law_actions.values() for drag in action.drags))


def _hold_columns(instant: ModeInstant, actions: Mapping[LawMode, Action]) -> list[list[Scalar]]:
    """Targets, compliances, speeds and position errors, each per place; holds of other modes have no effect."""
    has_positions = instant.places.structure.has_position_holds
    entries = [
        ((k, mode), place, _hold_values(instant, hold)[: 4 if has_positions else 3])
        for (k, mode), action in actions.items()
        for place, hold in zip(instant.places.holds[k, mode], action.holds, strict=True)
    ]
    return _columns_by_place(instant, instant.places.structure.hold_count, 4 if has_positions else 3, entries)


def _hold_values(instant: ModeInstant, hold: Hold) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Target, compliance, speed and position error of a hold along a placed line."""
    speed: Scalar = 0.0 if hold.speed is None else hold.speed
    q = instant.arguments["x"][instant.system.q]
    error: Scalar = 0.0 if hold.position is None else hold.line.position(q) - hold.position
    return hold.row_target, hold.compliance, speed, error


def displaced_configuration(instant: ModeInstant) -> list[Any]:
    """The configuration after a displacement by the speeds of the state."""
    x = instant.system.motion_of(instant.arguments["x"])
    return integrate(instant.system.mech, x.q, x.v, instant.ops)


def _drag_columns(
    instant: ModeInstant, actions: Mapping[LawMode, Action], inflows: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar], list[list[Scalar]]]:
    """Gains, inflows minus offsets, and senses, each per place; drags of other modes have no effect."""
    n, inflow_iterator = instant.system.mech.n, iter(inflows)
    entries = [
        ((k, mode), place, (drag.gain, next(inflow_iterator) - drag.offset, *drag.sense))
        for (k, mode), action in actions.items()
        for place, drag in zip(instant.places.drags[k, mode], action.drags, strict=True)
    ]
    gains, flows, *senses = _columns_by_place(instant, instant.places.structure.drag_count, 2 + n, entries)
    return gains, flows, [list(row) for row in zip(*senses, strict=True)]


def _columns_by_place(
    instant: ModeInstant, count: int, width: int, entries: Sequence[tuple[LawMode, int, Sequence[Scalar]]]
) -> list[list[Scalar]]:
    """Columns of numbers: at every place those of the current mode. A place belongs to one law."""
    columns: list[list[Scalar]] = [[0.0] * count for _ in range(width)]
    for index in range(count):
        place_entries = [(choice, values) for choice, place, values in entries if place == index]
        for j, column in enumerate(columns):
            column[index] = instant.select_mode_value(
                place_entries[0][0][0], {mode: values[j] for (_, mode), values in place_entries}
            )
    return columns


def _row_product(row: Sequence[Scalar], column: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(row, column, strict=True):
        total = total + x * y
    return total


def rate_values(instant: ModeInstant) -> list[Any]:
    """The rates of [q, v, states of the laws, supplied work, dissipated work]."""
    system, x, outcomes = instant.system, instant.system.motion_of(instant.arguments["x"]), _law_outcomes(instant)
    return [
        *system.motion_rates(instant.ops, x, instant.arguments["a"], outcomes),
        *system.supplied_and_dissipated(x.v, instant.arguments["u"], outcomes),
    ]


def signal_values(instant: ModeInstant) -> list[Any]:
    """The signals of the laws, and their stored energy."""
    outcomes, total = _law_outcomes(instant), 0.0  # type: tuple[list[Outcome], Scalar]
    for outcome in outcomes:
        total = total + outcome.stored
    signals = [out.signals[x.name] for law, out in zip(instant.system.laws, outcomes, strict=True) for x in law.signals]
    return [*signals, total]


def _law_outcomes(instant: ModeInstant) -> list[Outcome]:
    situations = instant.law_situations
    return [_law_outcome(instant, k, situations[k]) for k in range(len(instant.system.laws))]


def _law_outcome(instant: ModeInstant, k: int, situation: Situation) -> Outcome:
    """The outcome of a law in the current mode."""
    law = instant.system.laws[k]
    outcomes: dict[str, Outcome] = instant.values_by_mode(
        k, lambda mode: _outcome_with_line_power(law, mode, situation, instant.mode_reaction((k, mode)))
    )

    def select_value(value: Callable[[Outcome], Scalar]) -> Scalar:
        return instant.select_mode_value(k, {mode: value(outcome) for mode, outcome in outcomes.items()}, 0.0)

    return Outcome(
        tuple(select_value(lambda outcome, j=j: outcome.rates[j]) for j in range(len(law.states))),  # type: ignore[misc]
        select_value(lambda outcome: outcome.supplied),
        select_value(lambda outcome: outcome.dissipated),
        select_value(lambda outcome: outcome.stored),
        {x.name: select_value(lambda outcome, name=x.name: outcome.signals[name]) for x in law.signals},  # type: ignore[misc]
    )


def _outcome_with_line_power(law: Law, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
    """The outcome of a law in a mode, with the power of its moving lines."""
    outcome, action = law.follow(mode, situation, reaction), law.act(mode, situation)
    if all(line.is_constant for line in action.acting_lines):
        return outcome
    return with_line_power(outcome, action.placed_in(situation.kinematics), reaction)


def event_values(instant: ModeInstant) -> list[Any]:
    """The values of all guards, each in its own scale, and the branch-point functions."""
    return [*_guard_values(instant, lambda guard: guard.value / guard.scale), *branch_levels(instant)]


def guard_violations(instant: ModeInstant) -> list[Any]:
    """The violation of each guard: its rate decides where it is zero; a guard that does not apply is satisfied."""
    return _guard_values(instant, lambda guard: _guard_violation(guard, instant.ops))


def _guard_violation(guard: Guard, ops: Operations) -> Scalar:
    level = guard.value / guard.scale
    if guard.rate is not None:
        near = ops.absolute(level) <= 2 * EVENT_LOCATION_LEVEL
        level = ops.where(near, ops.where(guard.rate < 0, -GUARD_VIOLATION_LEVEL, 0.0), level)
    return level if guard.when is True else ops.where(guard.when, level, INACTIVE_GUARD_LEVEL)


def _guard_values(instant: ModeInstant, value: Callable[[Guard], Scalar]) -> list[Scalar]:
    """A value per guard; the guards of all modes of a law share their places."""
    situations, guard_values = instant.law_situations, []
    for k, law in enumerate(instant.system.laws):
        guards_by_mode = instant.values_by_mode(
            k,
            lambda mode, k=k, law=law: law.guards(mode, situations[k], instant.mode_reaction((k, mode))),  # type: ignore[misc]
        )
        for j in range(max(map(len, guards_by_mode.values()))):
            values = {mode: value(guards[j]) for mode, guards in guards_by_mode.items() if j < len(guards)}
            guard_values.append(instant.select_mode_value(k, values, INACTIVE_GUARD_LEVEL))
    return guard_values


def flank_violations(instant: ModeInstant) -> list[Any]:
    """The violation of each guard that depends on impulses, of turning gears; others are satisfied."""
    situations, structure = instant.law_situations, instant.places.structure
    values: list[Scalar] = [INACTIVE_GUARD_LEVEL] * structure.guards
    for k, law in enumerate(instant.system.laws):
        levels = {
            mode: [
                _guard_violation(guard, instant.ops) if guard.rate is None else INACTIVE_GUARD_LEVEL
                for guard in law.guards(mode, situations[k], _impulse_reaction(instant.mode_reaction((k, mode))))
            ]
            for mode in law.modes
            if instant.places.has_flanks((k, mode))
        }
        for j in range(max(map(len, levels.values()), default=0)):
            level_by_mode = {mode: law_levels[j] for mode, law_levels in levels.items() if j < len(law_levels)}
            values[structure.guard_first[k] + j] = instant.select_mode_value(k, level_by_mode, INACTIVE_GUARD_LEVEL)
    return values


def _impulse_reaction(reaction: Reaction) -> Reaction:
    return Reaction(reaction.a, (), reaction.flows)


def initial_gear_modes(instant: ModeInstant) -> list[Any]:
    """The index of the initial mode of each law with turning gears, 0 for others."""
    return initial_mode_indices(
        len(instant.system.laws),
        lambda arguments: replace(instant, arguments=arguments),
        instant.arguments,
        instant.places.laws_with_flanks,
    )


def initial_mode_indices(
    count: int, instant_of: Callable[[Inputs], ModeInstant], arguments: Inputs, chosen_laws: Container[int]
) -> list[Scalar]:
    """The index of the initial mode of some laws, 0 for others; the choice may branch with `if`.

    `REFUSED_MODE` where a law refuses to start.
    """

    def initial_index(k: int, at: tuple[System, list[Situation]]) -> int:
        law = at[0].laws[k]
        try:
            return law.modes.index(law.initial_mode(at[1][k]))
        except InputError:  # a branch of states in which it cannot start
            return REFUSED_MODE

    def observe(symbols: Inputs) -> tuple[System, list[Situation]]:
        instant = instant_of(symbols)
        return instant.system, instant.law_situations

    return [
        trace_choice(observe, partial(initial_index, k), arguments) if k in chosen_laws else 0.0 for k in range(count)
    ]


def branch_levels(instant: ModeInstant) -> list[Scalar]:
    """The branch-point functions; those of all modes of a law share their places."""
    situations, selected_values = instant.law_situations, []
    for k, law in enumerate(instant.system.laws):
        values_by_mode = instant.values_by_mode(
            k,
            lambda mode, k=k, law=law: distinct_symbols(  # type: ignore[misc]
                law_branch_levels(law, mode, situations[k], instant.mode_reaction((k, mode)))
            ),
        )
        for j in range(max(map(len, values_by_mode.values()))):
            selected_values.append(
                instant.select_mode_value(
                    k,
                    {mode: mode_values[j] for mode, mode_values in values_by_mode.items() if j < len(mode_values)},
                    0.0,
                )
            )
    return selected_values


# Programs

EVENT_FORMULAS: dict[str, tuple[InstantFormula, bool]] = {
    "tied": (balance_terms, False),
    "follow": (rate_values, True),
    "look": (event_values, True),
    "settling": (guard_violations, True),
    "observed": (signal_values, True),
    "displace": (displaced_configuration, False),
    "initial": (initial_gear_modes, False),
    "flanks": (flank_violations, True),
}
"""The formula of each kernel, and whether it takes the solution of the force balance."""


def event_program(name: str, places: LawPlaces) -> VectorProgram:
    """One of the kernels as a program."""
    formula, after_solve = EVENT_FORMULAS[name]

    def run_formula(mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Any]:
        return formula(ModeInstant(places, places.system.on_machine(mech), ops, arguments))

    return vector_program(
        kernel_title(name), kernel_inputs(places, after_solve), kernel_sizes(places)[name], run_formula
    )


def kernel_title(name: str) -> str:
    """The name of a kernel in the cache."""
    return f"event_{name}"


def kernel_inputs(places: LawPlaces, after_solve: bool) -> dict[str, int]:
    """The inputs of a kernel: state, time, inputs, a 1 per current mode; accelerations and reactions."""
    structure, system = places.structure, places.system
    sizes = {**system_input_sizes(system), "chosen": max(sum(structure.mode_count), 1)}
    return {**sizes, "a": system.mech.n, "felt": structure.reaction_size} if after_solve else sizes


def kernel_sizes(places: LawPlaces) -> dict[str, int]:
    """The number of results of each kernel."""
    structure, system = places.structure, places.system
    return {
        "tied": sum(balance_term_sizes(system.mech.n, structure).values()),
        "follow": system.law_slice.stop + 2,
        "look": structure.guards + structure.kinks,
        "settling": structure.guards,
        "observed": len(system.signals) + 1,
        "displace": system.mech.nq,
        "initial": len(structure.mode_count),
        "flanks": structure.guards,
    }


def analyse_dependence(places: LawPlaces) -> None:
    """Complete the structure: which guards and branch points depend on forces, and what depends on flow responses."""
    structure = places.structure
    structure.look_solved = event_values_needing_forces(places)
    structure.kinks = len(structure.look_solved) - structure.guards
    if structure.drag_count:
        structure.answers = needs_flow_responses("follow", places)
        structure.look_answers = needs_flow_responses("look", places)


def event_values_needing_forces(places: LawPlaces) -> list[int]:
    """Per guard and branch point 1 if it depends on accelerations or reactions, 0 if on the state only."""
    arguments = {name: new_symbols(name, size) for name, size in kernel_inputs(places, after_solve=True).items()}
    values = event_values(ModeInstant(places, places.system, symbol_operations(), arguments))
    return [int(has_dependence([value], [*arguments["a"], *arguments["felt"]])) for value in values]


def needs_flow_responses(name: str, places: LawPlaces) -> bool:
    """Whether a kernel depends on the responses of flows, whose computation takes as long as the rest."""
    arguments = {name: new_symbols(name, size) for name, size in kernel_inputs(places, after_solve=True).items()}
    structure, instant = places.structure, ModeInstant(places, places.system, symbol_operations(), arguments)
    return has_dependence(
        EVENT_FORMULAS[name][0](instant), arguments["felt"][structure.hold_count + structure.drag_count :]
    )
