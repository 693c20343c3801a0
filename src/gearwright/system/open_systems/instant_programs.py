"""A machine with its laws at one instant, in any modes, as programs of named vectors for exported C code.

A fixed C library does what `evaluation` and the folder `modes` do in numbers; these programs are its only interface to
a machine. Each takes x = [q, v, states of the laws], the time, the inputs, the parameters, and all but the first a 1
per current mode.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.energy import kinetic_energy, potential_energy
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose, place_machine
from gearwright.forces import Guard, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import dense_row
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.all_modes import LawTable
from gearwright.system.kernels.traced_laws import LawMode, law_survey
from gearwright.system.open_systems.open_system import OpenSystem
from gearwright.system.system import System, all_drags, symbolic_line_share
from gearwright.system.vector_program import vector_program
from gearwright.tracing.branching import trace_choice
from gearwright.tracing.simplify.equivalent_machine import simplify_machine
from gearwright.tracing.symbols import new_symbols, symbol_operations
from gearwright.tracing.trace import PARAMETERS_INPUT


class InstantScope(NamedTuple):
    """A system with its parameters, its laws in all modes, and its inputs, all over the same scalars."""

    system: System
    table: LawTable
    arguments: Inputs


class InstantPrograms:
    """The programs of one open system.

    Args:
        opened: the machine with its laws, with parameters as inputs.
    """

    def __init__(self, opened: OpenSystem) -> None:
        self.opened, self.system = opened, opened.system
        self.table = LawTable(opened.system)

    @property
    def input_sizes(self) -> dict[str, int]:
        """The inputs that describe an instant, with their sizes (at least 1: C has no empty arrays)."""
        inputs, parameters = len(self.opened.inputs), len(self.opened.parameters)
        return {"x": self.system.law_slice.stop, "t": 1, "u": max(inputs, 1), PARAMETERS_INPUT: max(parameters, 1)}

    @property
    def _mode_input_sizes(self) -> dict[str, int]:
        return {**self.input_sizes, "chosen": max(len(self.table.choices), 1)}

    @property
    def _solved_input_sizes(self) -> dict[str, int]:
        """The inputs with accelerations; multipliers of all holds, flows and responses of all drags."""
        reaction_size = max(len(self.table.holds) + 2 * len(self.table.drags), 1)
        return {**self._mode_input_sizes, "a": self.system.mech.n, "felt": reaction_size}

    @property
    def law_modes(self) -> list[tuple[str, ...]]:
        """The modes of each law."""
        return [law.modes for law in self.system.laws]

    @cached_property
    def impact_guards(self) -> list[tuple[LawMode, Guard]]:
        """The guards that depend on impulses, of laws and modes with drags and without holds."""
        arguments = {name: new_symbols(name, size) for name, size in self._solved_input_sizes.items()}
        return self._scope_impact_guards(self._scope(symbol_operations(), arguments), symbol_operations())

    def start_program(self) -> VectorProgram:
        """The index of the initial mode of each law."""
        return vector_program("start", self.input_sizes, len(self.system.laws), self._start_formula)

    def balance_program(self) -> VectorProgram:
        """The force balance: mass matrix, forces, holds, drags, shares of holds in drags.

        M, tau - bias; per hold its row, target, compliance, required speed of the row and whether it is firm; per drag
        its push, gain, inflow minus offset, and sense; per drag and hold the share.
        """
        n, holds, drags = self.system.mech.n, len(self.table.holds), len(self.table.drags)
        size = n * n + n + holds * (n + 4) + drags * (2 * n + 2) + drags * holds
        return vector_program("act", self._mode_input_sizes, size, self._balance_formula)

    def rates_program(self) -> VectorProgram:
        """The rates of [q, v, states of the laws, supplied work, dissipated work]."""
        return vector_program("follow", self._solved_input_sizes, self.system.law_slice.stop + 2, self._rates_formula)

    def signals_program(self) -> VectorProgram:
        """Signals of the laws; stored, kinetic and potential energy; generalised forces of inputs and laws."""
        return vector_program(
            "observe",
            self._solved_input_sizes,
            len(self.system.signals) + 3 + self.system.mech.n,
            self._signals_formula,
        )

    def guards_program(self) -> VectorProgram:
        """Levels, rates and applicability of all guards; of those with an impact also its line.

        Of the line: restitution, the speed along it while the machine rests, and the row.
        """
        impacts = sum(guard.impact is not None for _, guard in self.table.guards)
        size = 3 * len(self.table.guards) + impacts * (2 + self.system.mech.n)
        return vector_program("guards", self._solved_input_sizes, size, self._guards_formula)

    def impact_program(self) -> VectorProgram:
        """Levels and applicability of the guards that depend on impulses."""
        return vector_program("blow", self._solved_input_sizes, 2 * len(self.impact_guards), self._impact_formula)

    def _scope(self, ops: Operations, arguments: Inputs) -> InstantScope:
        opened = self.opened
        system = opened.with_values(arguments[PARAMETERS_INPUT][: len(opened.parameters)])
        table = self.table if system is self.system else LawTable(system, law_survey(self.system))
        u = opened.all_inputs(system, arguments["u"][: len(opened.inputs)])
        chosen = arguments["chosen"][: len(table.choices)] if "chosen" in arguments else ()
        return InstantScope(system, table, {**arguments, "u": u, "chosen": chosen})

    def _start_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        def scope_and_situations(symbols_given: Inputs) -> tuple[InstantScope, list[Situation]]:
            scope = self._scope(ops, symbols_given)
            return scope, scope.table.law_situations(scope.system.mech, ops, scope.arguments)

        def initial_index(k: int, at: tuple[InstantScope, list[Situation]]) -> int:
            law = at[0].system.laws[k]
            return law.modes.index(law.initial_mode(at[1][k]))

        return [
            trace_choice(scope_and_situations, partial(initial_index, k), arguments)
            for k in range(len(self.system.laws))
        ]

    def _balance_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Any]:
        system, table, scope_arguments = self._scope(ops, arguments)
        actions, n = table.mode_actions(system.mech, ops, scope_arguments), system.mech.n
        forces, targets, compliances, gains, inflows, senses, *_rest = table.acting_parts(
            system.mech, ops, scope_arguments
        )
        x, pose = system.motion_of(scope_arguments["x"]), _equivalent_pose(system, scope_arguments, ops)
        holds, drags = [hold for action in actions for hold in action.holds], all_drags(actions)
        return [
            mass_matrix(pose),
            [force - lost for force, lost in zip(forces, bias(pose, x.v), strict=True)],
            [dense_row(hold.line.terms, n) for hold in holds],
            targets,
            compliances,
            [0.0 if hold.speed is None else hold.speed - hold.line.speed([0.0] * n) for hold in holds],
            [_as_number(hold.is_firm, ops) for hold in holds],
            [dense_row(drag.push.terms, n) for drag in drags],
            gains,
            inflows,
            senses,
            [
                [
                    symbolic_line_share(hold.line, drag.push) if hold.port and hold.port == drag.port else 0.0
                    for hold in holds
                ]
                for drag in drags
            ],
        ]

    def _rates_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        system, table, scope_arguments = self._scope(ops, arguments)
        outcomes, x = table.law_outcomes(system.mech, ops, scope_arguments), system.motion_of(scope_arguments["x"])
        return [
            *system.motion_rates(ops, x, scope_arguments["a"], outcomes),
            *system.supplied_and_dissipated(x.v, scope_arguments["u"], outcomes),
        ]

    def _signals_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Scalar]:
        system, table, scope_arguments = self._scope(ops, arguments)
        outcomes, x = table.law_outcomes(system.mech, ops, scope_arguments), system.motion_of(scope_arguments["x"])
        signals = {name: value for outcome in outcomes for name, value in outcome.signals.items()}
        pose = _equivalent_pose(system, scope_arguments, ops)
        stored: Scalar = 0.0
        for outcome in outcomes:
            stored = stored + outcome.stored
        return [
            *(signals[name] for name in system.signals),
            stored,
            kinetic_energy(pose, x.v),
            potential_energy(place_machine(system.mech, x.q, ops)),
            *inverse_dynamics(pose, x.v, scope_arguments["a"]),
        ]

    def _guards_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Any]:
        system, table, scope_arguments = self._scope(ops, arguments)
        situations = table.law_situations(system.mech, ops, scope_arguments)
        reactions = [
            (k, mode, table.mode_reaction((k, mode), scope_arguments["a"], scope_arguments["felt"]))
            for k, mode in table.choices
        ]
        guards = [
            guard.placed_in(situations[k].kinematics)
            for k, mode, reaction in reactions
            for guard in system.laws[k].guards(mode, situations[k], reaction)
        ]
        impacts = [guard.impact for guard in guards if guard.impact is not None]
        return [
            [guard.value / guard.scale for guard in guards],
            [0.0 if guard.rate is None else guard.rate for guard in guards],
            [_as_number(guard.when, ops) for guard in guards],
            [impact.restitution for impact in impacts],
            [impact.line.speed([0.0] * system.mech.n) for impact in impacts],
            [dense_row(impact.line.terms, system.mech.n) for impact in impacts],
        ]

    def _impact_formula(self, _: Mechanism, ops: Operations, arguments: Inputs) -> list[Any]:
        guards = [guard for _, guard in self._scope_impact_guards(self._scope(ops, arguments), ops)]
        return [[guard.value / guard.scale for guard in guards], [_as_number(guard.when, ops) for guard in guards]]

    def _scope_impact_guards(self, scope: InstantScope, ops: Operations) -> list[tuple[LawMode, Guard]]:
        system, table, arguments = scope
        situations, indexed_guards = table.law_situations(system.mech, ops, arguments), []
        for k, mode in table.choices:
            reaction = table.mode_reaction((k, mode), arguments["a"], arguments["felt"])
            if reaction.flows and not reaction.multipliers:
                guards = system.laws[k].guards(mode, situations[k], Reaction(arguments["a"], (), reaction.flows))
                indexed_guards += [((k, mode), guard) for guard in guards if guard.rate is None]
        return indexed_guards


def _equivalent_pose(system: System, arguments: Inputs, ops: Operations) -> Pose:
    """The pose of the equivalent machine with the fewest parameters (same equations of motion)."""
    simplified_machine = simplify_machine(system.mech)
    return place_machine(
        simplified_machine.mech, simplified_machine.coordinates_for(system.motion_of(arguments["x"]).q), ops
    )


def _as_number(truth: Scalar, ops: Operations) -> Scalar:
    return ops.where(truth, 1.0, 0.0)
