"""A machine with its laws at one instant, in any modes, as programs of named vectors: for C that runs it elsewhere.

What `evaluation` and the folder `modes` do in numbers is done there by a fixed piece of C; these programs are all
that it knows of a machine. Each takes x = [q, v, states of the laws], the time, the inputs, the parameters, and all but
the first a 1 per mode at hand.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, NamedTuple

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.energy import kinetic_energy, potential_energy
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import Pose, place
from gearwright.forces.law import Guard, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.all_modes import LawTable
from gearwright.system.kernels.traced_laws import Choice, surveyed
from gearwright.system.open_systems.open_system import OpenSystem
from gearwright.system.system import System, drags_in, port_share
from gearwright.system.vector_program import vector_program
from gearwright.tracing.branching import decided
from gearwright.tracing.simplify.equivalent_machine import prepare
from gearwright.tracing.symbols import operations, symbols
from gearwright.tracing.trace import PARAMETERS


class Here(NamedTuple):
    """A system with its parameters, its laws in all modes, and what it is given, all of it over the same scalars."""

    system: System
    table: LawTable
    given: Inputs


class InstantPrograms:
    """The programs of one open system.

    Args:
        opened: the machine with its laws, whose parameters are inputs here.
    """

    def __init__(self, opened: OpenSystem) -> None:
        self.opened, self.system = opened, opened.system
        self.table = LawTable(opened.system)

    @property
    def known(self) -> dict[str, int]:
        """The inputs that describe an instant, with their sizes; C has no empty arrays."""
        inputs, parameters = len(self.opened.inputs), len(self.opened.parameters)
        return {"x": self.system.own.stop, "t": 1, "u": max(inputs, 1), PARAMETERS: max(parameters, 1)}

    @property
    def _in_modes(self) -> dict[str, int]:
        return {**self.known, "chosen": max(len(self.table.choices), 1)}

    @property
    def _solved(self) -> dict[str, int]:
        """With accelerations; multipliers of all holds, flows and answers of all drags."""
        felt = max(len(self.table.holds) + 2 * len(self.table.drags), 1)
        return {**self._in_modes, "a": self.system.mech.n, "felt": felt}

    @property
    def modes(self) -> list[tuple[str, ...]]:
        """Per law its modes."""
        return [law.modes for law in self.system.laws]

    @cached_property
    def blow_guards(self) -> list[tuple[Choice, Guard]]:
        """The guards that impulses decide, of laws and modes with drags and without holds."""
        given = {name: symbols(name, size) for name, size in self._solved.items()}
        return self._blow_guards(self._here(operations(), given), operations())

    def start(self) -> VectorProgram:
        """Per law the number of the mode in which it begins."""
        return vector_program("start", self.known, len(self.system.laws), self._starting)

    def act(self) -> VectorProgram:
        """The balance of forces: the mass matrix, what accelerates; holds; drags; shares of holds in drags.

        M, tau - bias; per hold its row, target, compliance, the speed that the row must have and whether it is firm;
        per drag its push, gain, inflow less offset, and sense; per drag and hold the share.
        """
        n, holds, drags = self.system.mech.n, len(self.table.holds), len(self.table.drags)
        size = n * n + n + holds * (n + 4) + drags * (2 * n + 2) + drags * holds
        return vector_program("act", self._in_modes, size, self._acting)

    def follow(self) -> VectorProgram:
        """The rates of [q, v, states of the laws, supplied work, dissipated work]."""
        return vector_program("follow", self._solved, self.system.own.stop + 2, self._following)

    def observe(self) -> VectorProgram:
        """Signals of the laws; stored, kinetic and potential energy; generalized forces of inputs and laws."""
        return vector_program(
            "observe", self._solved, len(self.system.signals) + 3 + self.system.mech.n, self._observed
        )

    def guards(self) -> VectorProgram:
        """Levels, their rates, and whether they count, of all guards; of those with an impact also its line.

        Of the line: restitution, the speed along it while the machine rests, and the row.
        """
        impacts = sum(guard.impact is not None for _, guard in self.table.guards)
        size = 3 * len(self.table.guards) + impacts * (2 + self.system.mech.n)
        return vector_program("guards", self._solved, size, self._ending)

    def blow(self) -> VectorProgram:
        """Levels of the guards that impulses decide, and whether they count."""
        return vector_program("blow", self._solved, 2 * len(self.blow_guards), self._pressed)

    def _here(self, ops: Operations, given: Inputs) -> Here:
        opened = self.opened
        system = opened.having(given[PARAMETERS][: len(opened.parameters)])
        table = self.table if system is self.system else LawTable(system, surveyed(self.system))
        u = opened.all_inputs(system, given["u"][: len(opened.inputs)])
        chosen = given["chosen"][: len(table.choices)] if "chosen" in given else ()
        return Here(system, table, {**given, "u": u, "chosen": chosen})

    def _starting(self, _: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        def situated(asked: Inputs) -> tuple[Here, list[Situation]]:
            here = self._here(ops, asked)
            return here, here.table.situations(here.system.mech, ops, here.given)

        def begins(k: int, at: tuple[Here, list[Situation]]) -> int:
            law = at[0].system.laws[k]
            return law.modes.index(law.start(at[1][k]))

        return [decided(situated, partial(begins, k), given) for k in range(len(self.system.laws))]

    def _acting(self, _: Mechanism, ops: Operations, given: Inputs) -> list[Any]:
        system, table, known = self._here(ops, given)
        actions, n = table.actions(system.mech, ops, known), system.mech.n
        forces, targets, compliances, gains, inflows, senses, *_rest = table.acting(system.mech, ops, known)
        x, pose = system.moving(known["x"]), _equivalent_pose(system, known, ops)
        holds, drags = [hold for action in actions for hold in action.holds], drags_in(actions)
        return [
            mass_matrix(pose),
            [force - lost for force, lost in zip(forces, bias(pose, x.v), strict=True)],
            [spread(hold.line.terms, n) for hold in holds],
            targets,
            compliances,
            [0.0 if hold.speed is None else hold.speed - hold.line.speed([0.0] * n) for hold in holds],
            [_as_number(hold.firm, ops) for hold in holds],
            [spread(drag.push.terms, n) for drag in drags],
            gains,
            inflows,
            senses,
            [
                [port_share(hold.line, drag.push) if hold.port and hold.port == drag.port else 0.0 for hold in holds]
                for drag in drags
            ],
        ]

    def _following(self, _: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        system, table, known = self._here(ops, given)
        outcomes, x = table.outcomes(system.mech, ops, known), system.moving(known["x"])
        return [*system.rates(ops, x, known["a"], outcomes), *system.powers(x.v, known["u"], outcomes)]

    def _observed(self, _: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        system, table, known = self._here(ops, given)
        outcomes, x = table.outcomes(system.mech, ops, known), system.moving(known["x"])
        signals = {name: value for outcome in outcomes for name, value in outcome.signals.items()}
        pose = _equivalent_pose(system, known, ops)
        stored: Scalar = 0.0
        for outcome in outcomes:
            stored = stored + outcome.stored
        return [
            *(signals[name] for name in system.signals),
            stored,
            kinetic_energy(pose, x.v),
            potential_energy(place(system.mech, x.q, ops)),
            *inverse_dynamics(pose, x.v, known["a"]),
        ]

    def _ending(self, _: Mechanism, ops: Operations, given: Inputs) -> list[Any]:
        system, table, known = self._here(ops, given)
        situations = table.situations(system.mech, ops, known)
        felt = [(k, mode, table.reaction((k, mode), known["a"], known["felt"])) for k, mode in table.choices]
        guards = [
            guard.placed(situations[k].scene)
            for k, mode, one in felt
            for guard in system.laws[k].guards(mode, situations[k], one)
        ]
        blows = [guard.impact for guard in guards if guard.impact is not None]
        return [
            [guard.value / guard.scale for guard in guards],
            [0.0 if guard.rate is None else guard.rate for guard in guards],
            [_as_number(guard.when, ops) for guard in guards],
            [impact.restitution for impact in blows],
            [impact.line.speed([0.0] * system.mech.n) for impact in blows],
            [spread(impact.line.terms, system.mech.n) for impact in blows],
        ]

    def _pressed(self, _: Mechanism, ops: Operations, given: Inputs) -> list[Any]:
        guards = [guard for _, guard in self._blow_guards(self._here(ops, given), ops)]
        return [[guard.value / guard.scale for guard in guards], [_as_number(guard.when, ops) for guard in guards]]

    def _blow_guards(self, here: Here, ops: Operations) -> list[tuple[Choice, Guard]]:
        system, table, known = here
        situations, found = table.situations(system.mech, ops, known), []
        for k, mode in table.choices:
            felt = table.reaction((k, mode), known["a"], known["felt"])
            if felt.flows and not felt.multipliers:
                guards = system.laws[k].guards(mode, situations[k], Reaction(known["a"], (), felt.flows))
                found += [((k, mode), guard) for guard in guards if guard.rate is None]
        return found


def _equivalent_pose(system: System, given: Inputs, ops: Operations) -> Pose:
    """The placed machine with the fewest numbers that has the same equations of motion."""
    ready = prepare(system.mech)
    return place(ready.mech, ready.placed_at(system.moving(given["x"]).q), ops)


def _as_number(truth: Scalar, ops: Operations) -> Scalar:
    return ops.where(truth, 1.0, 0.0)
