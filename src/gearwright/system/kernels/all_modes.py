"""All laws in all their modes as kernels: how they act, what follows, what ends a mode and where laws bend.

Which modes the laws are in is an input of all, so that one compilation serves all of them. Holds and drags are
listed for every mode; the balance of forces takes those of the modes at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

from gearwright.algebra import Operations, Scalar, is_number, is_zero
from gearwright.arrays import Array
from gearwright.forces.branch_points import kinks_of
from gearwright.forces.law import Action, Guard, Outcome, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import spread
from gearwright.programs.program import Inputs
from gearwright.system.kernels.motion_rates import contents_of
from gearwright.system.kernels.traced_laws import Choice, OncePerSystem, Survey, require_traceable, surveyed
from gearwright.system.system import System, booked, drags_in
from gearwright.system.vector_program import kernel, vector_program
from gearwright.tracing.symbols import operations, symbols

Kernel = Callable[..., Array]


class NotInMachineCodeError(Exception):
    """A state that machine code does not take: an angle too large for its sine, or something that is not finite."""


class LawTable:
    """The kernels of a machine's laws; `law_table` makes it.

    All take (x, t, u, chosen), x = [q, v, states of the laws] and chosen a 1 per mode at hand; `follow` and `levels`
    take the accelerations and what all holds and drags feel besides. `NotInMachineCodeError` where they cannot.

    Args:
        system: the machine and its laws, all of which can be traced in every mode.
        known: what the laws do in each of their modes, if the same laws with other numbers have told it.
    """

    def __init__(self, system: System, known: Survey | None = None) -> None:
        self.system = system
        found = surveyed(system) if known is None else known
        self.choices: tuple[Choice, ...] = tuple(found.actions)
        self.holds, self.drags = found.holds, found.drags
        self._carried = {
            choice for choice, action in found.actions.items() if not all(is_zero(line.rate) for line in action.lines)
        }
        self.bent_holds = [k for k, (_, hold) in enumerate(self.holds) if not hold.line.constant]
        self.bent_drags = [k for k, (_, drag) in enumerate(self.drags) if not drag.push.constant]
        self.guards: list[tuple[Choice, Guard]] = [(x, guard) for x, mine in found.guards.items() for guard in mine]

    @cached_property
    def act(self) -> Kernel:
        """Generalized forces; targets less drifts and compliances of holds; gains of drags, what enters, and senses.

        At last the rows of holds and of pushes that depend on the configuration (`bent_holds`, `bent_drags`).
        """
        n, holds, drags = self.system.mech.n, len(self.holds), len(self.drags)
        bent = len(self.bent_holds) + len(self.bent_drags)
        return self._compiled("laws_act", self._acting, n + 2 * holds + (2 + n) * drags + n * bent, {})

    @cached_property
    def follow(self) -> Kernel:
        """The rates of [q, v, states of the laws, supplied work, dissipated work]."""
        return self._compiled("laws_follow", self._following, self.system.own.stop + 2, self._felt)

    @cached_property
    def levels(self) -> Kernel:
        """The values of all guards of all modes, each in its own scale."""
        return self._compiled("laws_guards", self._ending, len(self.guards), self._felt)

    @cached_property
    def kinks(self) -> Kernel:
        """The numbers of all modes at whose zeros a law bends, `kink_owners` of them."""
        return self._compiled("laws_kinks", self._bending, len(self.kink_owners), self._felt)

    @cached_property
    def kink_owners(self) -> list[Choice]:
        """Per kink its law and mode."""
        contents = self._contents(self._felt)
        given = {name: symbols(name, size) for name, size in contents.items()}
        return [choice for choice, _ in self._bends(self.system.mech, operations(), given)]

    @property
    def _felt(self) -> dict[str, int]:
        """Accelerations; multipliers of all holds, flows and answers of all drags."""
        return {"a": self.system.mech.n, "felt": max(len(self.holds) + 2 * len(self.drags), 1)}

    def _compiled(self, name: str, formula: Callable[..., Any], size: int, more: Mapping[str, int]) -> Kernel:
        program = vector_program(name, self._contents(more), size, formula)
        return kernel(program, self.system.mech).builtin(name, _refuse)

    def _contents(self, more: Mapping[str, int]) -> dict[str, int]:
        return {**contents_of(self.system), "chosen": len(self.choices), **more}

    def _acting(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Any]:
        system, u = self.system.on(mech), given["u"]
        actions = self.actions(mech, ops, given)
        holds, drags = [hold for action in actions for hold in action.holds], drags_in(actions)
        return [
            system.forces(u, actions),
            [hold.wanted for hold in holds],
            [hold.compliance for hold in holds],
            [drag.gain for drag in drags],
            [entering - drag.offset for entering, drag in zip(system.inflows(u, actions), drags, strict=True)],
            [list(drag.sense) for drag in drags],
            [spread(holds[k].line.terms, system.mech.n) for k in self.bent_holds],
            [spread(drags[k].push.terms, system.mech.n) for k in self.bent_drags],
        ]

    def _following(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        system, outcomes = self.system.on(mech), self.outcomes(mech, ops, given)
        x = system.moving(given["x"])
        return [*system.rates(ops, x, given["a"], outcomes), *system.powers(x.v, given["u"], outcomes)]

    def acting(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Any]:
        """What `act` computes, part by part."""
        return self._acting(mech, ops, given)

    def outcomes(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Outcome]:
        """What follows for every law in the modes at hand."""
        situations, at_hand = self.situations(mech, ops, given), _AtHand(self.choices, ops, given)
        return [self._outcome(k, situations[k], given, at_hand) for k in range(len(self.system.laws))]

    def _ending(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        situations = self.situations(mech, ops, given)
        found = (
            self.system.laws[k].guards(mode, situations[k], self.reaction((k, mode), given["a"], given["felt"]))
            for k, mode in self.choices
        )
        return [guard.value / guard.scale for guards in found for guard in guards]

    def _bending(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Scalar]:
        return [kink for _, kink in self._bends(mech, ops, given)]

    def _bends(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[tuple[Choice, Scalar]]:
        situations, found = self.situations(mech, ops, given), []
        for k, mode in self.choices:
            felt = self.reaction((k, mode), given["a"], given["felt"])
            kinks = kinks_of(self.system.laws[k], mode, situations[k], felt)
            found += [((k, mode), kink) for kink in kinks if not is_number(kink)]
        return found

    def situations(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Situation]:
        """What each law sees."""
        system = self.system.on(mech)
        return system.situations(ops, given["t"][0], system.moving(given["x"]), given["u"])

    def actions(self, mech: Mechanism, ops: Operations, given: Inputs) -> list[Action]:
        """How every law acts in every mode; forces of modes that are not at hand are zero."""
        situations, at_hand = self.situations(mech, ops, given), _AtHand(self.choices, ops, given)
        found = []
        for k, mode in self.choices:
            action = self.system.laws[k].act(mode, situations[k]).placed(situations[k].scene)
            forces = (replace(force, value=at_hand((k, mode), force.value)) for force in action.forces)
            found.append(replace(action, forces=tuple(forces)))
        return found

    def _outcome(self, k: int, situation: Situation, given: Inputs, at_hand: _AtHand) -> Outcome:
        """What follows for a law: the sum over its modes, of which one is at hand."""
        law = self.system.laws[k]
        rates: list[Scalar] = [0.0] * len(law.states)
        signals: dict[str, Scalar] = {one.name: 0.0 for one in law.signals}
        supplied: Scalar = 0.0
        dissipated: Scalar = 0.0
        stored: Scalar = 0.0
        for mode in law.modes:
            choice = (k, mode)
            felt = self.reaction(choice, given["a"], given["felt"])
            outcome = law.follow(mode, situation, felt)
            if choice in self._carried:
                outcome = booked(outcome, law.act(mode, situation).placed(situation.scene), felt)
            rates = [total + at_hand(choice, one) for total, one in zip(rates, outcome.rates, strict=True)]
            supplied = supplied + at_hand(choice, outcome.supplied)
            dissipated = dissipated + at_hand(choice, outcome.dissipated)
            stored = stored + at_hand(choice, outcome.stored)
            signals = {name: total + at_hand(choice, outcome.signals[name]) for name, total in signals.items()}
        return Outcome(tuple(rates), supplied, dissipated, stored, signals)

    def reaction(self, choice: Choice, a: Sequence[Scalar], felt: Sequence[Scalar]) -> Reaction:
        """What a law feels in a mode, from the multipliers, flows and answers of all."""
        return Reaction(a, *([felt[k] for k in places] for places in self._places[choice]))

    @cached_property
    def _places(self) -> dict[Choice, tuple[list[int], list[int], list[int]]]:
        """Where the multipliers, flows and answers of a law in a mode stand."""
        found = {}
        for choice in self.choices:
            held = [k for k, (owner, _) in enumerate(self.holds) if owner == choice]
            flowing = [len(self.holds) + k for k, (owner, _) in enumerate(self.drags) if owner == choice]
            found[choice] = (held, flowing, [k + len(self.drags) for k in flowing])
        return found


class _AtHand:
    """(law and mode, value) -> the value if the law is in that mode, else 0; a law with one mode always is."""

    def __init__(self, choices: Sequence[Choice], ops: Operations, given: Inputs) -> None:
        laws = [k for k, _ in choices]
        pairs = zip(choices, given["chosen"], strict=True)
        self._flags = {choice: flag for choice, flag in pairs if laws.count(choice[0]) > 1}
        self._ops = ops

    def __call__(self, choice: Choice, value: Scalar) -> Scalar:
        return self._ops.where(self._flags[choice], value, 0.0) if choice in self._flags else value


def _refuse(*_: Array) -> NoReturn:
    raise NotInMachineCodeError


_TABLES = OncePerSystem(LawTable, 8)


def law_table(system: System) -> LawTable:
    """The table, made once per machine and laws; NoKernelError where there can be none."""
    require_traceable(system)
    return _TABLES.of(system)
