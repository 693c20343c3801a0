"""The kernels of the event loop as programs: how a machine moves with its laws in modes that are an input.

With the directions b of all holds and drags, $Y = M^{-1} b'$ is the response of the machine to a unit force along each,
and $a_0$ its acceleration without any: then $a = a_0 + Y z$, and the loop solves for the few forces z alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.elimination import solve_all
from gearwright.dynamics.forward_dynamics import bias
from gearwright.dynamics.mass_matrix import mass_matrix
from gearwright.dynamics.pose import place
from gearwright.forces.branch_points import kinks_of
from gearwright.forces.law import Action, Force, Guard, Law, Outcome, Reaction, Situation
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import along, spread
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.event_structure import Places
from gearwright.system.kernels.motion_rates import contents_of
from gearwright.system.kernels.traced_laws import Choice
from gearwright.system.modes.mode_changes import CROSSED, ZERO
from gearwright.system.system import System, booked
from gearwright.system.vector_program import vector_program
from gearwright.tracing.simplify.equivalent_machine import prepare
from gearwright.tracing.symbols import depend_on, distinct, operations, symbols

# Formulas

Formula = Callable[["Instant"], list[Any]]

HOLDS = 1.0
"""The level of a guard that does not count."""


@dataclass(frozen=True)
class Instant:
    """The laws of a system at one instant, in modes that flags choose."""

    places: Places
    system: System
    ops: Operations
    given: Inputs

    @property
    def situations(self) -> list[Situation]:
        """What each law sees."""
        x = self.system.moving(self.given["x"])
        return self.system.situations(self.ops, self.given["t"][0], x, self.given["u"])

    def chosen(self, k: int, values: Mapping[str, Scalar], otherwise: Scalar | None = None) -> Scalar:
        """Of the values per mode of a law the one of the mode at hand; without `otherwise` other modes do not count."""
        law, first, left = self.system.laws[k], self.places.first_choice[k], dict(values)
        total = otherwise
        if total is None or len(left) == len(law.modes):
            total = left.pop(next(iter(left)))
        for mode, value in left.items():
            total = self.ops.where(self.given["chosen"][first + law.modes.index(mode)], value, total)
        return total

    def reaction(self, choice: Choice) -> Reaction:
        """What a law feels in a mode."""
        felt, made = self.given["felt"], self.places.structure
        held, dragged = self.places.holds[choice], self.places.drags[choice]
        flows = [felt[made.holds + k] for k in dragged]
        answers = [felt[made.holds + made.drags + k] for k in dragged]
        return Reaction(self.given["a"], [felt[k] for k in held], flows, answers)

    def by_mode(self, k: int, value: Callable[[str], Any]) -> dict[str, Any]:
        """Something of a law in each of its modes."""
        return {mode: value(mode) for mode in self.system.laws[k].modes}


def tied(now: Instant) -> list[Any]:
    """What the balance of forces needs; `tied_sizes` has the order."""
    system, ops, given, situations = now.system, now.ops, now.given, now.situations
    v = given["x"][system.v]
    lines = [line.placed(situations[0].scene) for line in now.places.directions.lines]
    actions = {
        (k, mode): law.act(mode, situations[k]).placed(situations[k].scene)
        for k, law in enumerate(system.laws)
        for mode in law.modes
    }
    acting = [_at_hand(now, k, actions) for k in range(len(system.laws))]
    ready = prepare(system.mech)
    pose = place(ready.mech, ready.placed_at(given["x"][system.q]), ops)
    right = [x - y for x, y in zip(system.forces(given["u"], acting), bias(pose, v), strict=True)]
    rows = [spread(line.terms, system.mech.n) for line in lines]
    a, *Y = solve_all(mass_matrix(pose), ready.mech.couplings, ready.mech.elimination, [right, *rows])
    gains, inflows, senses = _drags(now, actions, system.inflows(given["u"], acting))
    return [
        a,
        Y,
        [[along(line.terms, column) for column in Y] for line in lines],
        [along(line.terms, a) for line in lines],
        [line.speed(v) for line in lines],
        [line.rate for line in lines],
        *_holds(now, actions),
        gains,
        inflows,
        [_product(sense, a) for sense in senses],
        [[_product(sense, column) for column in Y] for sense in senses],
    ]


def tied_sizes(n: int, directions: int, holds: int, drags: int) -> dict[str, int]:
    """What `tied` gives, in its order.

    a0; Y, direction by direction; b Y, row by row; b a0; speeds along the directions, and what explicit time adds to
    them; per hold its target less the drift, its compliance and speed; per drag its gain, what enters less its offset,
    its sense times a0 and times each Y.
    """
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
        "gain": drags,
        "inflow": drags,
        "sensed": drags,
        "sensing": drags * directions,
    }


def _at_hand(now: Instant, k: int, actions: Mapping[Choice, Action]) -> Action:
    """How a law acts in the mode at hand: forces along one line through one port are one, drags are those of all modes.

    The drags are those whose inflows are asked for.
    """
    values: dict[Hashable, dict[str, Scalar]] = {}
    first: dict[Hashable, Force] = {}
    mine = {mode: actions[k, mode] for mode in now.system.laws[k].modes}
    for mode, action in mine.items():
        for force in action.forces:
            line: Hashable = force.line if force.line.constant else id(force.line)
            count = 0
            while mode in values.setdefault((line, force.port, count), {}):  # twice along one line in one mode
                count += 1
            values[line, force.port, count][mode] = force.value
            first.setdefault((line, force.port, count), force)
    forces = (replace(force, value=now.chosen(k, values[key], 0.0)) for key, force in first.items())
    return Action(tuple(forces), drags=tuple(drag for action in mine.values() for drag in action.drags))


def _holds(now: Instant, actions: Mapping[Choice, Action]) -> list[list[Scalar]]:
    """Targets, compliances and speeds, each per place; those of holds that are not at hand do not count."""
    asked = [
        ((k, mode), at, (hold.wanted, hold.compliance, 0.0 if hold.speed is None else hold.speed))
        for (k, mode), action in actions.items()
        for at, hold in zip(now.places.holds[k, mode], action.holds, strict=True)
    ]
    return _per_place(now, now.places.structure.holds, 3, asked)


def _drags(
    now: Instant, actions: Mapping[Choice, Action], inflows: Sequence[Scalar]
) -> tuple[list[Scalar], list[Scalar], list[list[Scalar]]]:
    """Gains, what enters less the offset, and senses, each per place; those of drags not at hand do not count."""
    n, entering = now.system.mech.n, iter(inflows)
    asked = [
        ((k, mode), at, (drag.gain, next(entering) - drag.offset, *drag.sense))
        for (k, mode), action in actions.items()
        for at, drag in zip(now.places.drags[k, mode], action.drags, strict=True)
    ]
    gains, flows, *senses = _per_place(now, now.places.structure.drags, 2 + n, asked)
    return gains, flows, [list(row) for row in zip(*senses, strict=True)]


def _per_place(
    now: Instant, count: int, width: int, asked: Sequence[tuple[Choice, int, Sequence[Scalar]]]
) -> list[list[Scalar]]:
    """Columns of numbers: at every place those of the mode at hand. A place belongs to one law."""
    found: list[list[Scalar]] = [[0.0] * count for _ in range(width)]
    for at in range(count):
        mine = [(choice, values) for choice, place, values in asked if place == at]
        for j, column in enumerate(found):
            column[at] = now.chosen(mine[0][0][0], {mode: values[j] for (_, mode), values in mine})
    return found


def _product(row: Sequence[Scalar], column: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0.0
    for x, y in zip(row, column, strict=True):
        total = total + x * y
    return total


def follow(now: Instant) -> list[Any]:
    """The rates of [q, v, states of the laws, supplied work, dissipated work]."""
    system, x, outcomes = now.system, now.system.moving(now.given["x"]), _outcomes(now)
    return [*system.rates(now.ops, x, now.given["a"], outcomes), *system.powers(x.v, now.given["u"], outcomes)]


def observed(now: Instant) -> list[Any]:
    """The signals of the laws, and the energy that they store."""
    outcomes, total = _outcomes(now), 0.0  # type: tuple[list[Outcome], Scalar]
    for outcome in outcomes:
        total = total + outcome.stored
    signals = [out.signals[x.name] for law, out in zip(now.system.laws, outcomes, strict=True) for x in law.signals]
    return [*signals, total]


def _outcomes(now: Instant) -> list[Outcome]:
    situations = now.situations
    return [_outcome(now, k, situations[k]) for k in range(len(now.system.laws))]


def _outcome(now: Instant, k: int, situation: Situation) -> Outcome:
    """What follows for a law in the mode at hand."""
    law = now.system.laws[k]
    found: dict[str, Outcome] = now.by_mode(k, lambda mode: _booked(law, mode, situation, now.reaction((k, mode))))

    def chosen(value: Callable[[Outcome], Scalar]) -> Scalar:
        return now.chosen(k, {mode: value(one) for mode, one in found.items()}, 0.0)

    return Outcome(
        tuple(chosen(lambda one, j=j: one.rates[j]) for j in range(len(law.states))),  # type: ignore[misc]
        chosen(lambda one: one.supplied),
        chosen(lambda one: one.dissipated),
        chosen(lambda one: one.stored),
        {x.name: chosen(lambda one, name=x.name: one.signals[name]) for x in law.signals},  # type: ignore[misc]
    )


def _booked(law: Law, mode: str, situation: Situation, felt: Reaction) -> Outcome:
    """What follows for a law in a mode, with the power of what moves its lines by themselves."""
    outcome, action = law.follow(mode, situation, felt), law.act(mode, situation)
    if all(line.constant for line in action.lines):
        return outcome
    return booked(outcome, action.placed(situation.scene), felt)


def look(now: Instant) -> list[Any]:
    """The values of all guards, each in its own scale, and the numbers at whose zeros laws bend."""
    return [*_guards(now, lambda guard: guard.value / guard.scale), *kinks(now)]


def settling(now: Instant) -> list[Any]:
    """Per guard how much it is violated: its rate decides where it is zero, and it holds where it does not count."""
    return _guards(now, lambda guard: _violation(guard, now.ops))


def _violation(guard: Guard, ops: Operations) -> Scalar:
    level = guard.value / guard.scale
    if guard.rate is not None:
        near = ops.absolute(level) <= 2 * CROSSED
        level = ops.where(near, ops.where(guard.rate < 0, -ZERO, 0.0), level)
    return level if guard.when is True else ops.where(guard.when, level, HOLDS)


def _guards(now: Instant, value: Callable[[Guard], Scalar]) -> list[Scalar]:
    """Something per guard, those of all modes of a law in the same places."""
    situations, found = now.situations, []
    for k, law in enumerate(now.system.laws):
        mine = now.by_mode(k, lambda mode: law.guards(mode, situations[k], now.reaction((k, mode))))  # noqa: B023
        for j in range(max(map(len, mine.values()))):
            values = {mode: value(guards[j]) for mode, guards in mine.items() if j < len(guards)}
            found.append(now.chosen(k, values, HOLDS))
    return found


def kinks(now: Instant) -> list[Scalar]:
    """The numbers at whose zeros laws bend, those of all modes of a law in the same places."""
    situations, found = now.situations, []
    for k, law in enumerate(now.system.laws):
        mine = now.by_mode(k, lambda mode: distinct(kinks_of(law, mode, situations[k], now.reaction((k, mode)))))  # noqa: B023
        for j in range(max(map(len, mine.values()))):
            found.append(now.chosen(k, {mode: kinks[j] for mode, kinks in mine.items() if j < len(kinks)}, 0.0))
    return found


# Programs

FORMULAS: dict[str, tuple[Formula, bool]] = {
    "tied": (tied, False),
    "follow": (follow, True),
    "look": (look, True),
    "settling": (settling, True),
    "observed": (observed, True),
}
"""Per kernel what it computes, and whether it takes what the balance of forces gave."""


def program_of(name: str, places: Places) -> VectorProgram:
    """One of the kernels as a program."""
    formula, solved = FORMULAS[name]

    def run(mech: Mechanism, ops: Operations, given: Inputs) -> list[Any]:
        return formula(Instant(places, places.system.on(mech), ops, given))

    return vector_program(title(name), contents(places, solved), sizes_of(places)[name], run)


def title(name: str) -> str:
    """What a kernel is called in the cache."""
    return f"event_{name}"


def contents(places: Places, solved: bool) -> dict[str, int]:
    """The inputs of a kernel: state, time, inputs, a 1 per choice at hand; accelerations and what laws feel."""
    made, system = places.structure, places.system
    known = {**contents_of(system), "chosen": max(sum(made.mode_count), 1)}
    return {**known, "a": system.mech.n, "felt": made.felt} if solved else known


def sizes_of(places: Places) -> dict[str, int]:
    """Per kernel how many numbers it gives."""
    made, system = places.structure, places.system
    return {
        "tied": sum(tied_sizes(system.mech.n, made.directions, made.holds, made.drags).values()),
        "follow": system.own.stop + 2,
        "look": made.guards + made.kinks,
        "settling": made.guards,
        "observed": len(system.signals) + 1,
    }


def looks_that_need_forces(places: Places) -> list[int]:
    """Per guard and kink 1 where it depends on accelerations or on what laws feel; others follow from the state."""
    given = {name: symbols(name, size) for name, size in contents(places, solved=True).items()}
    found = look(Instant(places, places.system, operations(), given))
    return [int(depend_on([one], [*given["a"], *given["felt"]])) for one in found]


def needs_answers(name: str, places: Places) -> bool:
    """Whether a kernel depends on how flows answer; finding that out at every instant takes as long as the rest."""
    given = {name: symbols(name, size) for name, size in contents(places, solved=True).items()}
    made, now = places.structure, Instant(places, places.system, operations(), given)
    return depend_on(FORMULAS[name][0](now), given["felt"][made.holds + made.drags :])
