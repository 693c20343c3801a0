"""Fixed steps with a control law: the loop of machine, laws and controller as one program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.dynamics.integration_steps import METHODS, Field, Moving
from gearwright.errors import InputError
from gearwright.forces.law import Quantity
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.simulation.fixed_step.step_program import ITERATE, MOMENTS, MOREAU, NUMBERS, StepPlan, moreau_after
from gearwright.system.controllers.control_law import (
    SENSORS,
    STATES,
    ControlLaw,
    Decision,
    Q,
    V,
    decided,
    measurement_of,
)
from gearwright.system.controllers.law_controller import LawController
from gearwright.system.kernels.motion_rates import field_of
from gearwright.system.system import System
from gearwright.system.vector_program import Formula, vector_program
from gearwright.text import did_you_mean

REFERENCES, DUE = "references", "due"
"""The inputs of a step: references at the moments that it looks at, and whether a sampled law decides now."""
HELD = "held."
"""A sampled law's outputs are states between its decisions, called held.<output>."""


def law_states(law: ControlLaw | None) -> tuple[Quantity, ...]:
    """The states that a law brings into a motion: its own, and the outputs that a sampled law holds."""
    if law is None:
        return ()
    held = () if law.period is None else tuple(Quantity(HELD + name, "") for name in law.outputs)
    return (*law.states, *held)


def require_driven(law: ControlLaw, system: System) -> None:
    """Refuse outputs that nothing in the system takes, and laws of another machine."""
    known = [*(f"tau.{speed}" for speed in system.mech.speeds), *system.inputs]
    for name in law.outputs:
        if name not in known:
            raise InputError(f"rollout: the controller drives {name!r}. {did_you_mean(name, known)}")
    for name in law.sensors:
        if name not in system.states:
            raise InputError(
                f"rollout: the controller measures {name!r}, which no law has. Put the contact into `extra_laws` as "
                "gw.contact.Measured(contact)."
            )
    if tuple(law.mech.speeds) != tuple(system.mech.speeds):
        raise InputError("rollout: the controller was made for a machine with other speeds. Make it for this one.")


def references_size(law: ControlLaw) -> int:
    """Numbers of all references of a law; one that nobody looks at where it has none."""
    return max(1, sum(len(entries) for entries in law.references.values()))


def controlled_step_program(system: System, plan: StepPlan, law: ControlLaw) -> VectorProgram:
    """One step of a method with a law: x = [q, v, states of laws, of the controller, works], inputs and references."""
    after = (_moreau if plan.method == MOREAU else _unheld)(system, plan, law)
    plain = plan.contents(system)
    contents = {name: size for name, size in plain.items() if name != NUMBERS}
    contents |= dict.fromkeys(_numbered(REFERENCES, plan), references_size(law))
    if law.period is not None:
        contents[DUE] = 1
    contents |= {name: size for name, size in plain.items() if name == NUMBERS}
    return vector_program(f"{plan.method}_step_{law.name}", contents, plain["x"] + plain.get(ITERATE, 0), after)


def _numbered(word: str, plan: StepPlan) -> list[str]:
    """An input per moment at which the method looks."""
    return [f"{word}{k}" for k, _ in enumerate(MOMENTS[plan.method])]


def _unheld(system: System, plan: StepPlan, law: ControlLaw) -> Formula:
    step = METHODS[plan.method].step
    at, told = _numbered("inputs", plan), _numbered(REFERENCES, plan)

    def after(mech: Mechanism, ops: Operations, given: Inputs) -> Moving:
        here, x, (t, h) = plan.on(system, mech, given), given["x"], given["clock"]
        loop = _MovingLoop(here, law, ops, field_of(here, ops, plan.work))
        now = Moving(x[here.q], x[here.v], x[here.v.stop :])
        u, wanted = [given[name] for name in at], [given[name] for name in told]
        if law.period is None:
            together = [[*inputs, *refs] for inputs, refs in zip(u, wanted, strict=True)]
            return step(mech, loop.closed, t, h, now, together, ops)
        return step(mech, loop.held, t, h, loop.decided(now, wanted[0], given[DUE][0]), u, ops)

    return after


def _moreau(system: System, plan: StepPlan, law: ControlLaw) -> Formula:
    """A continuous law decides in the middle of a step at the speeds of its beginning, as all forces of the method."""

    def after(mech: Mechanism, ops: Operations, given: Inputs) -> list[Sequence[Scalar]]:
        here, x, (_, h) = plan.on(system, mech, given), given["x"], given["clock"]
        loop, wanted = _Loop(here, law, ops), given[f"{REFERENCES}0"]
        now = Moving(x[here.q], x[here.v], x[here.v.stop :])
        if law.period is None:
            middle = integrate(mech, now.q, [0.5 * h * speed for speed in now.v], ops)
            decision = loop.decision(now._replace(q=middle), wanted)
            outputs = decision.outputs
            own = [old + h * rate for old, rate in zip(now.states[loop.own], decision.rates, strict=True)]
        else:
            own = list(loop.decided(now, wanted, given[DUE][0]).states[loop.own])
            outputs = own[len(law.states) :]
        return moreau_after(here, plan, ops, given, loop.driven(given["inputs0"], outputs), own)

    return after


@dataclass(frozen=True)
class _Loop:
    """Machine, laws and controller, closed."""

    system: System
    law: ControlLaw
    ops: Operations

    @property
    def own(self) -> slice:
        """Where the law's states stand among those beside q and v."""
        first = len(self.system.states)
        return slice(first, first + len(law_states(self.law)))

    def decision(self, x: Moving, references: Sequence[Scalar]) -> Decision:
        """What the law decides."""
        given: dict[str, Sequence[Scalar]] = {Q: x.q, V: x.v}
        begin = 0
        for name, entries in self.law.references.items():
            given[name] = references[begin : begin + len(entries)]
            begin += len(entries)
        names = list(self.system.states)
        given[SENSORS] = [x.states[names.index(name)] for name in self.law.sensors]
        given[STATES] = x.states[self.own][: len(self.law.states)]
        return decided(self.law, measurement_of(self.law, given, self.ops, self.law.model))

    def driven(self, u: Sequence[Scalar], outputs: Sequence[Scalar]) -> list[Scalar]:
        """Inputs with a law's outputs: forces are added unless the law says otherwise, named inputs replaced."""
        driven = list(u[: self.system.input_size])
        names = [*(f"tau.{speed}" for speed in self.system.mech.speeds), *self.system.inputs]
        for name, value in zip(self.law.outputs, outputs, strict=True):
            k = names.index(name)
            driven[k] = driven[k] + value if k < self.system.mech.n and self.law.adds_forces else value
        return driven

    def decided(self, x: Moving, references: Sequence[Scalar], due: Scalar) -> Moving:
        """The states after a sampled law decided, if it is due."""
        decision = self.decision(x, references)
        fresh, before = [*decision.next, *decision.outputs], x.states[self.own]
        own = [self.ops.where(due > 0.5, new, old) for new, old in zip(fresh, before, strict=True)]
        return Moving(x.q, x.v, [*x.states[: self.own.start], *own, *x.states[self.own.stop :]])


@dataclass(frozen=True)
class _MovingLoop(_Loop):
    """The loop as a field, which methods without modes follow."""

    field: Field

    def _moves(
        self, t: Scalar, x: Moving, u: Sequence[Scalar], rates: Sequence[Scalar]
    ) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        a, others = self.field(t, Moving(x.q, x.v, x.states[: self.own.start]), u)
        return a, [*others[: self.own.start], *rates, *others[self.own.start :]]

    def closed(self, t: Scalar, x: Moving, u: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        """How everything moves under a continuous law; its references stand behind the inputs."""
        decision = self.decision(x, u[self.system.input_size :])
        return self._moves(t, x, self.driven(u, decision.outputs), decision.rates)

    def held(self, t: Scalar, x: Moving, u: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        """How everything moves between two decisions of a sampled law."""
        own = x.states[self.own]
        return self._moves(t, x, self.driven(u, own[len(self.law.states) :]), [0.0] * len(own))


def controller_feeds(control: LawController, method: str, h: float, steps: int) -> list[Array]:
    """References at the moments of every step, and when a sampled law decides, each (steps or 1, 1, size)."""
    law, moments = control.law, MOMENTS[method]
    size = references_size(law)
    if law.period is None:
        flat = _followed(control, np.arange(2 * steps + 1, dtype=np.float64) * (0.5 * h), size)
        parts = flat[:-1:2], flat[1::2], flat[2::2]
        return [parts[moment][:, None] for moment in moments]
    every = round(law.period / h)
    if not every or abs(every * h - law.period) > 1e-9 * law.period:
        raise InputError(
            f"rollout: the controller decides every {law.period:g} s, which is not a whole number of steps of {h:g} s. "
            "Change the step or the period."
        )
    due = (np.arange(steps) % every == 0).astype(float)
    flat = _followed(control, np.arange(steps, dtype=np.float64) * h, size)
    return [*[flat[:, None]] * len(moments), due[:, None, None]]


def _followed(control: LawController, t: Array, size: int) -> Array:
    return np.ascontiguousarray(control.follow(t)) if control.law.references else np.zeros((len(t), size))
