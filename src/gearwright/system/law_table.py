"""All laws in all their modes as two kernels: how they act, and what follows.

Which modes the laws are in is an input of both, so that one compilation serves all of them. Holds and drags are listed
for every mode; the balance of forces takes those of the modes at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NoReturn

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.compiling.compile import graph_code
from gearwright.dynamics.configuration import rate
from gearwright.forces.law import Action, Drag, Force, Hold, Law, Outcome, Reaction
from gearwright.functions.actuation import motor_shares
from gearwright.functions.service import kernel_mode
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs
from gearwright.system.rollout_system import StepProgram, inputs_of, power, situations, split
from gearwright.tracing.trace import Task, traced

Choice = tuple[int, str]
"""A law by its number, and one of its modes."""


class Unusual(Exception):
    """A state that machine code does not take: an angle too large for its sine, or something that is not finite."""


class LawTable:
    """The two kernels of a machine's laws; `law_table` makes it.

    Args:
        mech: the machine.
        laws: its laws; `act` and `follow` must work on symbols in every mode.
    """

    def __init__(self, mech: Mechanism, laws: tuple[Law, ...]) -> None:
        self.mech, self.laws = mech, laws
        self.choices: tuple[Choice, ...] = tuple((k, mode) for k, law in enumerate(laws) for mode in law.modes)
        self.holds: list[tuple[Choice, Hold]] = []
        self.drags: list[tuple[Choice, Drag]] = []
        sizes = {"x": mech.nq + mech.n + sum(len(law.states) for law in laws), "t": 1}
        sizes |= {"u": mech.n + len(inputs_of(laws)), "chosen": len(self.choices)}
        self.act = self._compiled("laws_act", self._acting, sizes)
        felt = len(self.holds) + 2 * len(self.drags)
        self.follow = self._compiled("laws_follow", self._following, {**sizes, "a": mech.n, "felt": max(felt, 1)})

    def _compiled(self, name: str, run: Callable[..., Any], sizes: Mapping[str, int]) -> Callable[..., Array]:
        shape: Callable[..., tuple[int, ...]] = lambda *_: (self._size(name),)  # noqa: E731
        task = Task(StepProgram(name, tuple(sizes), run, shape, growth=2, contents=dict(sizes)), self.mech, {})
        code = graph_code(task, traced(task))
        if code is None:
            raise LookupError("too large for machine code")
        return code.builtin(name, _unusual)

    def _size(self, name: str) -> int:
        """How many numbers a kernel returns."""
        n, holds, drags = self.mech.n, len(self.holds), len(self.drags)
        if name == "laws_act":
            return n + 2 * holds + (2 + n) * drags
        return self.mech.nq + n + sum(len(law.states) for law in self.laws) + 2

    def _acting(self, mech: Mechanism, ops: Operations, given: Inputs, _: Fixed) -> list[Any]:
        """Generalized forces; per hold target and compliance; per drag gain, what enters it less its offset, sense."""
        actions = self._actions(mech, ops, given)
        self.holds = [(choice, hold) for choice, action in actions.items() for hold in action.holds]
        self.drags = [(choice, drag) for choice, action in actions.items() for drag in action.drags]
        forces = [
            (force, self._if(choice, force.value, ops, given)) for choice, x in actions.items() for force in x.forces
        ]
        tau = list(given["u"][: mech.n])
        for force, value in forces:
            for index, factor in force.line.terms:
                tau[index] = tau[index] + factor * value
        held = [[hold.target for _, hold in self.holds], [hold.compliance for _, hold in self.holds]]
        entering = [self._inflow(drag, forces, given["u"]) - drag.offset for _, drag in self.drags]
        return [
            tau,
            *held,
            [drag.gain for _, drag in self.drags],
            entering,
            [list(drag.sense) for _, drag in self.drags],
        ]

    def _actions(self, mech: Mechanism, ops: Operations, given: Inputs) -> dict[Choice, Action]:
        seen = situations(self.laws, mech, ops, given["t"][0], split(mech, given["x"]), given["u"])
        return {(k, mode): self.laws[k].act(mode, seen[k]) for k, mode in self.choices}

    def _if(self, choice: Choice, value: Scalar, ops: Operations, given: Inputs) -> Scalar:
        """The value if its law is in that mode, else 0."""
        if len(self.laws[choice[0]].modes) == 1:
            return value
        return ops.where(given["chosen"][self.choices.index(choice)], value, 0.0)

    def _inflow(self, drag: Drag, forces: Sequence[tuple[Force, Scalar]], u: Sequence[Scalar]) -> Scalar:
        """What forces bring through a drag's port, along its line."""
        total: Scalar = 0.0
        if drag.port is None:
            return total
        for share, torque in zip(motor_shares(self.mech).get(drag.port, ()), u, strict=False):
            total = total + float(share) * torque
        for force, value in forces:
            if force.port == drag.port:
                total = total + force.line.share_of(drag.push) * value
        return total

    def _following(self, mech: Mechanism, ops: Operations, given: Inputs, _: Fixed) -> list[Scalar]:
        """The rates of [q, v, states of the laws, supplied work, dissipated work]."""
        x, a, u = split(mech, given["x"]), given["a"], given["u"]
        seen = situations(self.laws, mech, ops, given["t"][0], x, u)
        rates, powers = [], []
        for k, law in enumerate(self.laws):
            mine: list[Scalar] = [0.0] * len(law.states)
            for mode in law.modes:
                outcome = law.follow(mode, seen[k], self.reaction((k, mode), a, given["felt"]))
                chosen = [self._if((k, mode), value, ops, given) for value in outcome.rates]
                mine = [total + value for total, value in zip(mine, chosen, strict=True)]
                flows = (self._if((k, mode), value, ops, given) for value in (outcome.supplied, outcome.dissipated))
                powers.append(Outcome((), *flows))
            rates += mine
        return [*rate(mech, x.q, x.v, ops), *a, *rates, *power(mech, x.v, u, powers)]

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


def _unusual(*_: Array) -> NoReturn:
    raise Unusual


def law_table(mech: Mechanism, laws: Sequence[Law]) -> LawTable | None:
    """The table, made once per machine and laws; None where kernels are off or a law does not work on symbols."""
    if kernel_mode() == "off":
        return None
    try:
        return _known(mech, tuple(laws))
    except Exception:  # laws may be anybody's: one that stumbles over symbols can still work on numbers
        return None


_known = lru_cache(maxsize=8)(LawTable)
