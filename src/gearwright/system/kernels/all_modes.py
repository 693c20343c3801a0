"""All laws in all their modes as kernels: actions, outcomes, guards and branch points.

The current modes are an input of the kernels, so one compilation serves all of them. Holds and drags are listed for
every mode; the force balance uses those of the current modes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.arrays import Array
from gearwright.forces import Action, Guard, Outcome, Reaction, Situation
from gearwright.forces.branch_points import law_branch_levels
from gearwright.mechanism import Mechanism, dense_row
from gearwright.programs.program import Inputs
from gearwright.system.kernels.motion_rates import system_input_sizes
from gearwright.system.kernels.traced_laws import LawMode, Survey, SystemCache, law_survey, require_traceable
from gearwright.system.system import System, all_drags, with_line_power
from gearwright.system.vector_program import compile_program, vector_program
from gearwright.tracing.symbols import new_symbols, symbol_operations

LawFormulaKernel = Callable[..., Array]


class NotInMachineCodeError(Exception):
    """A state that machine code cannot evaluate: an angle too large for its sine, or a number that is not finite."""


class LawTable:
    """The kernels of a machine's laws; `law_table` creates it.

    All take (x, t, u, chosen), x = [q, v, states of the laws] and chosen a 1 per current mode; `follow` and
    `guard_levels` also take the accelerations, multipliers and flows. `NotInMachineCodeError` for a state that they
    cannot evaluate.

    Args:
        system: the machine and its laws, all of which can be traced in every mode.
        given_survey: the survey of the same laws with other numbers, if there is one.
    """

    def __init__(self, system: System, given_survey: Survey | None = None) -> None:
        self.system = system
        survey = law_survey(system) if given_survey is None else given_survey
        self.choices: tuple[LawMode, ...] = tuple(survey.actions)
        self.holds, self.drags = survey.holds, survey.drags
        self._moving_choices = {
            choice
            for choice, action in survey.actions.items()
            if not all(is_zero(line.time_rate) for line in action.acting_lines)
        }
        self.coordinate_holds = [k for k, (_, hold) in enumerate(self.holds) if not hold.line.is_constant]
        self.coordinate_drags = [k for k, (_, drag) in enumerate(self.drags) if not drag.push.is_constant]
        self.guards: list[tuple[LawMode, Guard]] = [
            (x, guard) for x, law_guards in survey.guards.items() for guard in law_guards
        ]

    @cached_property
    def act(self) -> LawFormulaKernel:
        """Generalised forces; targets minus drifts and compliances of holds; gains, inflows and senses of drags.

        Then the rows of holds and of pushes that depend on the configuration (`bent_holds`, `bent_drags`).
        """
        n, holds, drags = self.system.mech.n, len(self.holds), len(self.drags)
        bent = len(self.coordinate_holds) + len(self.coordinate_drags)
        return self._compile_formula("laws_act", self._acting_formula, n + 2 * holds + (2 + n) * drags + n * bent, {})

    @cached_property
    def follow(self) -> LawFormulaKernel:
        """The rates of [q, v, states of the laws, supplied work, dissipated work]."""
        return self._compile_formula(
            "laws_follow", self._rates_formula, self.system.law_slice.stop + 2, self._reaction_sizes
        )

    @cached_property
    def guard_levels(self) -> LawFormulaKernel:
        """The values of all guards of all modes, each in its own scale."""
        return self._compile_formula("laws_guards", self.guard_formula, len(self.guards), self._reaction_sizes)

    @cached_property
    def branch_levels(self) -> LawFormulaKernel:
        """The numbers of all modes at whose zeros a law has a branch point, as many as `branch_owners`."""
        return self._compile_formula("laws_kinks", self.branch_formula, len(self.branch_owners), self._reaction_sizes)

    @cached_property
    def branch_owners(self) -> list[LawMode]:
        """The law and mode of each branch point."""
        contents = self._input_sizes(self._reaction_sizes)
        arguments = {name: new_symbols(name, size) for name, size in contents.items()}
        return [choice for choice, _ in self._owned_branch_levels(self.system.mech, symbol_operations(), arguments)]

    @property
    def _reaction_sizes(self) -> dict[str, int]:
        """Accelerations; multipliers of all holds, flows and responses of all drags."""
        return {"a": self.system.mech.n, "felt": max(len(self.holds) + 2 * len(self.drags), 1)}

    def _compile_formula(
        self, name: str, formula: Callable[..., Any], size: int, more: Mapping[str, int]
    ) -> LawFormulaKernel:
        program = vector_program(name, self._input_sizes(more), size, formula)
        return compile_program(program, self.system.mech).python_builtin(name, _refuse_state)

    def _input_sizes(self, more: Mapping[str, int]) -> dict[str, int]:
        return {**system_input_sizes(self.system), "chosen": len(self.choices), **more}

    def _acting_formula(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Any]:
        system, u = self.system.on_machine(mech), arguments["u"]
        actions = self.mode_actions(mech, ops, arguments)
        holds, drags = [hold for action in actions for hold in action.holds], all_drags(actions)
        return [
            system.generalized_forces(u, actions),
            [hold.row_target for hold in holds],
            [hold.compliance for hold in holds],
            [drag.gain for drag in drags],
            [inflow - drag.offset for inflow, drag in zip(system.port_inflows(u, actions), drags, strict=True)],
            [list(drag.sense) for drag in drags],
            [dense_row(holds[k].line.terms, system.mech.n) for k in self.coordinate_holds],
            [dense_row(drags[k].push.terms, system.mech.n) for k in self.coordinate_drags],
        ]

    def _rates_formula(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        system, outcomes = self.system.on_machine(mech), self.law_outcomes(mech, ops, arguments)
        x = system.motion_of(arguments["x"])
        return [
            *system.motion_rates(ops, x, arguments["a"], outcomes),
            *system.supplied_and_dissipated(x.v, arguments["u"], outcomes),
        ]

    def acting_parts(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Any]:
        """The parts of the result of `act`."""
        return self._acting_formula(mech, ops, arguments)

    def law_outcomes(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Outcome]:
        """The outcome of every law in the current modes."""
        situations, in_current_mode = (
            self.law_situations(mech, ops, arguments),
            _InCurrentMode(self.choices, ops, arguments),
        )
        return [self._law_outcome(k, situations[k], arguments, in_current_mode) for k in range(len(self.system.laws))]

    def guard_formula(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        """The values of all guards of all modes, each in its own scale."""
        situations = self.law_situations(mech, ops, arguments)
        guards_by_mode = (
            self.system.laws[k].guards(
                mode, situations[k], self.mode_reaction((k, mode), arguments["a"], arguments["felt"])
            )
            for k, mode in self.choices
        )
        return [guard.value / guard.scale for guards in guards_by_mode for guard in guards]

    def branch_formula(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        """The numbers of all modes at whose zeros a law has a branch point."""
        return [value for _, value in self._owned_branch_levels(mech, ops, arguments)]

    def _owned_branch_levels(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[tuple[LawMode, Scalar]]:
        situations, owned_values = self.law_situations(mech, ops, arguments), []
        for k, mode in self.choices:
            reaction = self.mode_reaction((k, mode), arguments["a"], arguments["felt"])
            branch_levels = law_branch_levels(self.system.laws[k], mode, situations[k], reaction)
            owned_values += [((k, mode), value) for value in branch_levels if not is_number(value)]
        return owned_values

    def law_situations(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Situation]:
        """The situation of each law."""
        system = self.system.on_machine(mech)
        return system.law_situations(ops, arguments["t"][0], system.motion_of(arguments["x"]), arguments["u"])

    def mode_actions(self, mech: Mechanism, ops: Operations, arguments: Inputs) -> list[Action]:
        """The action of every law in every mode; forces of modes that are not current are zero."""
        situations, in_current_mode = (
            self.law_situations(mech, ops, arguments),
            _InCurrentMode(self.choices, ops, arguments),
        )
        actions = []
        for k, mode in self.choices:
            action = self.system.laws[k].act(mode, situations[k]).placed_in(situations[k].kinematics)
            forces = (replace(force, value=in_current_mode((k, mode), force.value)) for force in action.forces)
            actions.append(replace(action, forces=tuple(forces)))
        return actions

    def _law_outcome(self, k: int, situation: Situation, arguments: Inputs, in_current_mode: _InCurrentMode) -> Outcome:
        """The outcome of a law: the sum over its modes, of which only the current one contributes."""
        law = self.system.laws[k]
        rates: list[Scalar] = [0.0] * len(law.states)
        signals: dict[str, Scalar] = {rate.name: 0.0 for rate in law.signals}
        supplied: Scalar = 0.0
        dissipated: Scalar = 0.0
        stored: Scalar = 0.0
        for mode in law.modes:
            choice = (k, mode)
            reaction = self.mode_reaction(choice, arguments["a"], arguments["felt"])
            outcome = law.follow(mode, situation, reaction)
            if choice in self._moving_choices:
                outcome = with_line_power(outcome, law.act(mode, situation).placed_in(situation.kinematics), reaction)
            rates = [total + in_current_mode(choice, rate) for total, rate in zip(rates, outcome.rates, strict=True)]
            supplied = supplied + in_current_mode(choice, outcome.supplied)
            dissipated = dissipated + in_current_mode(choice, outcome.dissipated)
            stored = stored + in_current_mode(choice, outcome.stored)
            signals = {name: total + in_current_mode(choice, outcome.signals[name]) for name, total in signals.items()}
        return Outcome(tuple(rates), supplied, dissipated, stored, signals)

    def mode_reaction(self, choice: LawMode, a: Sequence[Scalar], felt: Sequence[Scalar]) -> Reaction:
        """The reaction of a law in a mode, from the multipliers, flows and responses of all."""
        return Reaction(a, *([felt[k] for k in places] for places in self._reaction_places[choice]))

    @cached_property
    def _reaction_places(self) -> dict[LawMode, tuple[list[int], list[int], list[int]]]:
        """The indices of the multipliers, flows and responses of a law in a mode."""
        places = {}
        for choice in self.choices:
            hold_places = [k for k, (owner, _) in enumerate(self.holds) if owner == choice]
            flow_places = [len(self.holds) + k for k, (owner, _) in enumerate(self.drags) if owner == choice]
            places[choice] = (hold_places, flow_places, [k + len(self.drags) for k in flow_places])
        return places


class _InCurrentMode:
    """(law and mode, value) -> the value if the law is in that mode, else 0; a law with one mode always is."""

    def __init__(self, choices: Sequence[LawMode], ops: Operations, arguments: Inputs) -> None:
        laws = [k for k, _ in choices]
        pairs = zip(choices, arguments["chosen"], strict=True)
        self._flags = {choice: flag for choice, flag in pairs if laws.count(choice[0]) > 1}
        self._ops = ops

    def __call__(self, choice: LawMode, value: Scalar) -> Scalar:
        return self._ops.where(self._flags[choice], value, 0.0) if choice in self._flags else value


def _refuse_state(*_: Array) -> NoReturn:
    raise NotInMachineCodeError


_LAW_TABLES = SystemCache(LawTable, 8)


def law_table(system: System) -> LawTable:
    """The table, created once per machine and laws; NoKernelError if it cannot be created."""
    require_traceable(system)
    return _LAW_TABLES.for_system(system)
