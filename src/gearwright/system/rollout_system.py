"""What a fixed-step simulation moves: a machine with laws, as one vector of states and one of inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.forward_dynamics import forward_dynamics
from gearwright.dynamics.pose import place
from gearwright.dynamics.stepping import METHODS, Field, Moving
from gearwright.errors import InputError
from gearwright.forces.law import Action, Law, Outcome, Quantity, Reaction, Scene, Situation
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs, Program
from gearwright.tracing.prepare import prepare

WORK = (Quantity("work.supplied", "J"), Quantity("work.dissipated", "J"))
"""The quadratures that may run along with a motion."""


@dataclass(frozen=True)
class System:
    """A machine's laws; x = [q, v, states of the laws, work], u = [tau, inputs of the laws].

    Args:
        laws: laws with one mode, without holds and drags.
        work: whether the supplied and dissipated work are states too.
    """

    laws: tuple[Law, ...] = ()
    work: bool = False

    def __post_init__(self) -> None:
        for law in self.laws:
            if not isinstance(law, Law):
                raise InputError(f"{law!r} is no law. Give instances of gearwright.forces.Law.")
            if len(law.modes) > 1:
                raise _unfit(law.name, f"it has the modes {', '.join(law.modes)}")
        names = [quantity.name for quantity in self.states]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two laws have a state {name!r}. Give every law its own names.")

    @cached_property
    def states(self) -> tuple[Quantity, ...]:
        """The states beside q and v."""
        return (*(state for law in self.laws for state in law.states), *(WORK if self.work else ()))

    @cached_property
    def inputs(self) -> tuple[Quantity, ...]:
        """The inputs beside tau; laws that name the same input share it."""
        return inputs_of(self.laws)

    def field(self, mech: Mechanism, ops: Operations) -> Field:
        """How the machine moves under its laws."""
        ready = prepare(mech)

        def moves(t: Scalar, x: Moving, u: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
            seen = situations(self.laws, mech, ops, t, x, u)
            actions = [acting(law, situation) for law, situation in zip(self.laws, seen, strict=True)]
            tau = pushed(u[: mech.n], actions)
            a = forward_dynamics(place(ready.mech, ready.placed_at(x.q), ops), x.v, tau)
            outcomes = [following(law, situation, a) for law, situation in zip(self.laws, seen, strict=True)]
            rates = [rate for outcome in outcomes for rate in outcome.rates]
            return a, [*rates, *power(mech, x.v, u, outcomes)] if self.work else rates

        return moves

    def situations(
        self, mech: Mechanism, ops: Operations, t: Scalar, x: Moving, u: Sequence[Scalar]
    ) -> list[Situation]:
        """What each law sees."""
        return situations(self.laws, mech, ops, t, x, u)


def inputs_of(laws: Sequence[Law]) -> tuple[Quantity, ...]:
    """The inputs of laws; those that name the same one share it."""
    found: dict[str, Quantity] = {}
    for quantity in (x for law in laws for x in law.inputs):
        found.setdefault(quantity.name, quantity)
    return tuple(found.values())


def situations(
    laws: Sequence[Law], mech: Mechanism, ops: Operations, t: Scalar, x: Moving, u: Sequence[Scalar]
) -> list[Situation]:
    """What each law sees."""
    place_of = {quantity.name: mech.n + k for k, quantity in enumerate(inputs_of(laws))}
    seen, first = [], 0
    scene = Scene(mech, x.q, x.v, ops)
    for law in laws:
        own = x.states[first : first + len(law.states)]
        first += len(law.states)
        seen.append(Situation(t, x.q, x.v, own, [u[place_of[y.name]] for y in law.inputs], ops, mech, scene))
    return seen


def acting(law: Law, situation: Situation) -> Action:
    """How a law acts; only forces will do."""
    action = law.act(law.modes[0], situation)
    if action.holds or action.drags:
        raise _unfit(law.name, "its forces depend on the accelerations")
    return action


def following(law: Law, situation: Situation, a: Sequence[Scalar]) -> Outcome:
    """What follows for a law from the accelerations."""
    return law.follow(law.modes[0], situation, Reaction(a))


def pushed(tau: Sequence[Scalar], actions: Sequence[Action]) -> list[Scalar]:
    """Generalized forces: those given and those of the laws."""
    total = list(tau)
    for force in (force for action in actions for force in action.forces):
        for index, factor in force.line.terms:
            total[index] = total[index] + factor * force.value
    return total


def power(mech: Mechanism, v: Sequence[Scalar], u: Sequence[Scalar], outcomes: Sequence[Outcome]) -> list[Scalar]:
    """Supplied power, that of tau among it, and dissipated power, that of the machine's own dampers among it [W]."""
    supplied: Scalar = 0.0
    dissipated: Scalar = 0.0
    for torque, speed in zip(u, v, strict=False):
        supplied = supplied + torque * speed
    for spring in mech.springs:
        pace: Scalar = 0.0
        for index, factor in spring.terms:
            pace = pace + factor * v[index]
        dissipated = dissipated + spring.damping * (pace * pace)
    for outcome in outcomes:
        supplied, dissipated = supplied + outcome.supplied, dissipated + outcome.dissipated
    return [supplied, dissipated]


def _unfit(name: str, why: str) -> InputError:
    return InputError(
        f"law {name!r} cannot run in fixed steps: {why}. Use the adaptive method, or a smooth law (such as the smooth "
        "variant of friction)."
    )


@dataclass(frozen=True)
class StepProgram(Program):
    """One step as a program; its inputs are x, the clock (time, step) and the inputs at the moments of the method."""

    contents: dict[str, int] = field(default_factory=dict)

    def sizes(self, mech: Mechanism, fixed: Fixed) -> dict[str, int]:
        """Every input with its number of scalars."""
        return dict(self.contents)


def step_program(mech: Mechanism, system: System, method: str) -> StepProgram:
    """One step of a method from x to the next x."""
    step, moments, _ = METHODS[method]
    size, given = mech.nq + mech.n + len(system.states), mech.n + len(system.inputs)
    at = tuple(f"inputs{k}" for k in range(moments))

    def run(machine: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> Moving:
        t, h = x["clock"]
        now = split(machine, x["x"])
        return step(machine, system.field(machine, ops), t, h, now, [x[name] for name in at], ops)

    contents = {"x": size, "clock": 2, **dict.fromkeys(at, given)}
    shape: Callable[[Mechanism, Fixed], tuple[int, ...]] = lambda *_: (size,)  # noqa: E731
    return StepProgram(f"{method}_step", tuple(contents), run, shape, growth=2, contents=contents)


def split(mech: Mechanism, x: Sequence[Scalar]) -> Moving:
    """The parts of a vector of states."""
    end = mech.nq + mech.n
    return Moving(x[: mech.nq], x[mech.nq : end], x[end:])
