"""One step of a fixed-step method as a program: x, clock, inputs and numbers of laws in, the next x out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.integration_steps import METHODS, Moving
from gearwright.errors import InputError
from gearwright.forces.law import Law, Quantity
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system.kernels.motion_rates import field_of, require_one_mode
from gearwright.system.kernels.traced_laws import surveyed
from gearwright.system.law_parameters import laws_with
from gearwright.system.system import System
from gearwright.system.time_stepping.step import TRIES, first_iterate, moreau_step, require_stated
from gearwright.system.vector_program import Formula, vector_program
from gearwright.tracing.trace import PARAMETERS

MOREAU = "moreau"
"""The method that takes laws with modes."""

MOMENTS: dict[str, tuple[int, ...]] = {name: tuple(range(one.moments)) for name, one in METHODS.items()} | {
    MOREAU: (1,)
}
"""Per method when it looks at the inputs: 0 at the beginning of a step, 1 in its middle, 2 at its end."""

WORK = (Quantity("work.supplied", "J"), Quantity("work.dissipated", "J"))
"""The quadratures that may run along with a motion."""

LARGEST = (
    Quantity("largest.penetration", ""),
    Quantity("largest.residual", ""),
    Quantity("inconsistent.steps", ""),
    Quantity("inconsistent.since", "s"),
    Quantity("contacts.gain", "J"),
    Quantity("jamming.law", ""),
    Quantity("jamming.at", "s"),
)
"""What runs along with laws that have modes: the largest penetration and residual of the impulses (relative to what is
tolerated), how many steps ended with a residual that is not, when the first one did, what contacts have gained,
and 1 + the number of the first law whose contact was struck by its own friction (Painleve), and when."""

ITERATE = "iterate"
"""The input and output that goes from try to try of a step."""

NUMBERS = "numbers"
"""The input that holds numbers of laws."""

Contents: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class StepPlan:
    """What a step is to be.

    Args:
        method: its name.
        work: whether the supplied and dissipated work run along.
        numbers: paths of the numbers of laws that are inputs.
        sweeps: of the projected Gauss-Seidel method.
        beside: states of a control law, which stand behind those of the laws.
        brought: makes the laws of a robot from the parameters that are inputs and the machine that has them; None where
            the laws do not follow them.
        tries: of a step, until its impulses are consistent.
    """

    method: str
    work: bool = False
    numbers: tuple[str, ...] = ()
    sweeps: int = 10
    beside: tuple[Quantity, ...] = ()
    brought: Callable[[Sequence[Scalar], Mechanism], tuple[Law, ...]] | None = None
    tries: int = TRIES

    def first_iterate(self, system: System) -> list[float]:
        """What the first try of a step begins with; [] where there is only one."""
        iterates = self.method == MOREAU and self.tries > 1
        found = first_iterate(system) if iterates else []
        return found if len(found) > 3 else []

    def states(self, system: System) -> tuple[Quantity, ...]:
        """The states beside q and v that a step moves."""
        largest = LARGEST if self.method == MOREAU else ()
        return (*system.states.values(), *self.beside, *(WORK if self.work else ()), *largest)

    def contents(self, system: System) -> Contents:
        """The inputs of a step."""
        size = system.v.stop + len(self.states(system))
        at = {f"inputs{k}": system.input_size for k, _ in enumerate(MOMENTS[self.method])}
        kept = len(self.first_iterate(system))
        more = {ITERATE: kept} if kept else {}
        return {"x": size, **more, "clock": 2, **at, **({NUMBERS: len(self.numbers)} if self.numbers else {})}

    def on(self, system: System, mech: Mechanism, given: Inputs) -> System:
        """The system with symbols among its numbers."""
        here = system.on(mech)
        if self.brought is not None:
            here = replace(here, laws=self.brought(given[PARAMETERS], mech))
        if not self.numbers:
            return here
        return replace(here, laws=laws_with(here.laws, dict(zip(self.numbers, given[NUMBERS], strict=True))))


def step_program(system: System, plan: StepPlan) -> VectorProgram:
    """One step of a method; with `work` the supplied and dissipated work run along after the states of the laws."""
    contents = plan.contents(system)
    formula = _moreau(system, plan) if plan.method == MOREAU else _unheld(system, plan)
    return vector_program(f"{plan.method}_step", contents, contents["x"] + contents.get(ITERATE, 0), formula)


def _unheld(system: System, plan: StepPlan) -> Formula:
    step = METHODS[plan.method].step
    at = [name for name in plan.contents(system) if name.startswith("inputs")]

    def after(mech: Mechanism, ops: Operations, given: Inputs) -> Moving:
        here, x, (t, h) = plan.on(system, mech, given), given["x"], given["clock"]
        now = Moving(x[here.q], x[here.v], x[here.v.stop :])
        return step(mech, field_of(here, ops, plan.work), t, h, now, [given[name] for name in at], ops)

    return after


def _moreau(system: System, plan: StepPlan) -> Formula:
    def after(mech: Mechanism, ops: Operations, given: Inputs) -> list[Sequence[Scalar]]:
        return moreau_after(plan.on(system, mech, given), plan, ops, given, given["inputs0"])

    return after


def moreau_after(
    here: System, plan: StepPlan, ops: Operations, given: Inputs, u: Sequence[Scalar], beside: Sequence[Scalar] = ()
) -> list[Sequence[Scalar]]:
    """The next x of Moreau's rule with the inputs u in the middle of the step, and the next states of a controller."""
    x, (t, h) = given["x"], given["clock"]
    end = moreau_step(here, plan.sweeps, ops, t, h, here.moving(x), u, given.get(ITERATE, ()))
    before, (depth, residual, count, since, gain, jamming, at) = x[here.own.stop + len(plan.beside) : -7], x[-7:]
    works = [done + h * power for done, power in zip(before, end.powers, strict=False)]
    failed = ops.where(end.residual > 1, 1.0, 0.0)
    largest = [ops.maximum(depth, end.penetration), ops.maximum(residual, end.residual)]
    since = ops.where(count > 0, since, t * failed)
    first = ops.where(jamming > 0, 0.0, end.jamming)
    blow = [jamming + first, ops.where(first > 0, t, at)]
    return [*end.x, beside, works, [*largest, count + failed, since, gain + end.gain, *blow], end.iterate]


def require_steppable(system: System, method: str) -> None:
    """Refuse laws that a method does not take: with modes, or written so that they cannot be traced."""
    if method == MOREAU:
        require_stated(system)
    else:
        require_one_mode(system)
    obstacles = surveyed(system).obstacles
    if obstacles:
        raise InputError(f"a fixed step needs laws in machine code, but {obstacles[0]} The adaptive method takes it.")
