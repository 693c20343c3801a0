"""Fixed steps with a control law: the loop of machine, laws and controller as one program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.arrays import Array
from gearwright.dynamics.configuration import integrate
from gearwright.dynamics.integration_steps import STEP_METHODS, StateRateFunction, StepState
from gearwright.errors import InputError
from gearwright.forces import Quantity
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.simulation.fixed_step.step_program import (
    IMPULSE_ITERATE,
    INPUT_MOMENTS,
    LAW_NUMBERS,
    MOREAU_METHOD,
    StepPlan,
    after_moreau_step,
)
from gearwright.system import LawController
from gearwright.system.controllers.control_law import (
    SENSORS,
    STATES,
    ControlLaw,
    Decision,
    Q,
    V,
    checked_decision,
    measurement_of,
)
from gearwright.system.kernels.motion_rates import motion_field
from gearwright.system.system import System
from gearwright.system.vector_program import VectorFormula, vector_program
from gearwright.text import did_you_mean

REFERENCE_INPUTS, DECISION_DUE = "references", "due"
"""Inputs of a step: references at the times that it uses, and whether a sampled law is due."""
HELD_OUTPUT_PREFIX = "held."
"""The outputs of a sampled law are states between its samples, called held.<output>."""


def controller_states(law: ControlLaw | None) -> tuple[Quantity, ...]:
    """The states of a control law in a simulation: its own, and the held outputs of a sampled law."""
    if law is None:
        return ()
    held = () if law.period is None else tuple(Quantity(HELD_OUTPUT_PREFIX + name, "") for name in law.outputs)
    return (*law.states, *held)


def require_known_ports(law: ControlLaw, system: System) -> None:
    """Raise an error for outputs that are no inputs of the system, and for laws of another machine."""
    input_names = [*(f"tau.{speed}" for speed in system.mech.speeds), *system.inputs]
    for name in law.outputs:
        if name not in input_names:
            raise InputError(f"rollout: the controller drives {name!r}. {did_you_mean(name, input_names)}")
    for name in law.sensors:
        if name not in system.states:
            raise InputError(
                f"rollout: the controller measures {name!r}, which no law has. Put the contact into `extra_laws` as "
                "gw.contact.ForceSensor(contact)."
            )
    if tuple(law.mech.speeds) != tuple(system.mech.speeds):
        raise InputError("rollout: the controller was made for a machine with other speeds. Make it for this one.")


def reference_size(law: ControlLaw) -> int:
    """Number of entries of all references of a law; 1, unused, if it has none."""
    return max(1, sum(len(entries) for entries in law.references.values()))


def controlled_step_program(system: System, plan: StepPlan, law: ControlLaw) -> VectorProgram:
    """One step of a method with a law: x = [q, v, states of laws, of the controller, works], inputs and references."""
    after = (_moreau_formula if plan.method == MOREAU_METHOD else _smooth_formula)(system, plan, law)
    plain = plan.input_sizes(system)
    contents = {name: size for name, size in plain.items() if name != LAW_NUMBERS}
    contents |= dict.fromkeys(_moment_names(REFERENCE_INPUTS, plan), reference_size(law))
    if law.period is not None:
        contents[DECISION_DUE] = 1
    contents |= {name: size for name, size in plain.items() if name == LAW_NUMBERS}
    return vector_program(f"{plan.method}_step_{law.name}", contents, plain["x"] + plain.get(IMPULSE_ITERATE, 0), after)


def _moment_names(word: str, plan: StepPlan) -> list[str]:
    """Names of an input, one per time within a step that the method uses."""
    return [f"{word}{k}" for k, _ in enumerate(INPUT_MOMENTS[plan.method])]


def _smooth_formula(system: System, plan: StepPlan, law: ControlLaw) -> VectorFormula:
    step = STEP_METHODS[plan.method].step
    input_names, reference_names = _moment_names("inputs", plan), _moment_names(REFERENCE_INPUTS, plan)

    def after(mech: Mechanism, ops: Operations, values: Inputs) -> StepState:
        symbolic, x, (t, h) = plan.symbolic_system(system, mech, values), values["x"], values["clock"]
        loop = _ControlField(
            symbolic, plan.symbolic_controller(law, values), ops, motion_field(symbolic, ops, plan.work)
        )
        machine = symbolic.closed or mech
        now = StepState(x[symbolic.q], x[symbolic.v], x[symbolic.v.stop :])
        u, wanted = [values[name] for name in input_names], [values[name] for name in reference_names]
        if law.period is None:
            together = [[*inputs, *refs] for inputs, refs in zip(u, wanted, strict=True)]
            return step(machine, loop.continuous_rates, t, h, now, together, ops)
        sampled = loop.with_sampled_decision(now, wanted[0], values[DECISION_DUE][0])
        return step(machine, loop.held_rates, t, h, sampled, u, ops)

    return after


def _moreau_formula(system: System, plan: StepPlan, law: ControlLaw) -> VectorFormula:
    """A continuous law acts at the midpoint of a step with the initial speeds, as all forces of the method do."""

    def after(mech: Mechanism, ops: Operations, values: Inputs) -> list[Sequence[Scalar]]:
        symbolic, x, (_, h) = plan.symbolic_system(system, mech, values), values["x"], values["clock"]
        loop, wanted = (
            _ControlLoop(symbolic, plan.symbolic_controller(law, values), ops),
            values[f"{REFERENCE_INPUTS}0"],
        )
        now = StepState(x[symbolic.q], x[symbolic.v], x[symbolic.v.stop :])
        if law.period is None:
            middle = integrate(mech, now.q, [0.5 * h * speed for speed in now.v], ops)
            decision = loop.decide(now._replace(q=middle), wanted)
            outputs = decision.outputs
            controller_values = [
                old + h * rate for old, rate in zip(now.states[loop.controller_slice], decision.rates, strict=True)
            ]
        else:
            controller_values = list(
                loop.with_sampled_decision(now, wanted, values[DECISION_DUE][0]).states[loop.controller_slice]
            )
            outputs = controller_values[len(law.states) :]
        return after_moreau_step(
            symbolic, plan, ops, values, loop.inputs_with_outputs(values["inputs0"], outputs), controller_values
        )

    return after


@dataclass(frozen=True)
class _ControlLoop:
    """The closed loop of machine, laws and controller."""

    system: System
    law: ControlLaw
    ops: Operations

    @property
    def controller_slice(self) -> slice:
        """Position of the control law's states among the states other than q and v."""
        first = len(self.system.states)
        return slice(first, first + len(controller_states(self.law)))

    def decide(self, x: StepState, references: Sequence[Scalar]) -> Decision:
        """The outputs and state rates of the control law."""
        measured: dict[str, Sequence[Scalar]] = {Q: x.q, V: x.v}
        begin = 0
        for name, entries in self.law.references.items():
            measured[name] = references[begin : begin + len(entries)]
            begin += len(entries)
        names = list(self.system.states)
        measured[SENSORS] = [x.states[names.index(name)] for name in self.law.sensors]
        measured[STATES] = x.states[self.controller_slice][: len(self.law.states)]
        return checked_decision(self.law, measurement_of(self.law, measured, self.ops, self.law.model))

    def inputs_with_outputs(self, u: Sequence[Scalar], outputs: Sequence[Scalar]) -> list[Scalar]:
        """Inputs with a law's outputs: forces are added unless the law replaces them, named inputs are replaced."""
        inputs = list(u[: self.system.input_size])
        names = [*(f"tau.{speed}" for speed in self.system.mech.speeds), *self.system.inputs]
        for name, value in zip(self.law.outputs, outputs, strict=True):
            k = names.index(name)
            inputs[k] = inputs[k] + value if k < self.system.mech.n and self.law.adds_forces else value
        return inputs

    def with_sampled_decision(self, x: StepState, references: Sequence[Scalar], due: Scalar) -> StepState:
        """The states after the sample of a control law, if it is due."""
        decision = self.decide(x, references)
        fresh, before = [*decision.next, *decision.outputs], x.states[self.controller_slice]
        controller_values = [self.ops.where(due > 0.5, new, old) for new, old in zip(fresh, before, strict=True)]
        return StepState(
            x.q,
            x.v,
            [*x.states[: self.controller_slice.start], *controller_values, *x.states[self.controller_slice.stop :]],
        )


@dataclass(frozen=True)
class _ControlField(_ControlLoop):
    """The closed loop as a vector field, for methods without modes."""

    field: StateRateFunction

    def _rates_with_controller(
        self, t: Scalar, x: StepState, u: Sequence[Scalar], rates: Sequence[Scalar]
    ) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        a, rates_beside = self.field(t, StepState(x.q, x.v, x.states[: self.controller_slice.start]), u)
        return a, [*rates_beside[: self.controller_slice.start], *rates, *rates_beside[self.controller_slice.start :]]

    def continuous_rates(
        self, t: Scalar, x: StepState, u: Sequence[Scalar]
    ) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        """The rates under a continuous law; its references follow the inputs."""
        decision = self.decide(x, u[self.system.input_size :])
        return self._rates_with_controller(t, x, self.inputs_with_outputs(u, decision.outputs), decision.rates)

    def held_rates(self, t: Scalar, x: StepState, u: Sequence[Scalar]) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
        """The rates between two samples of a sampled law."""
        controller_values = x.states[self.controller_slice]
        return self._rates_with_controller(
            t, x, self.inputs_with_outputs(u, controller_values[len(self.law.states) :]), [0.0] * len(controller_values)
        )


def closed_loop_inputs(
    system: System, law: ControlLaw, ops: Operations, values: tuple[Sequence[Scalar], Sequence[Scalar]], references: Any
) -> list[Scalar]:
    """The inputs of a system under a control law for states and given inputs `values`, at the references' time."""
    x, u = values
    loop, now = _ControlLoop(system, law, ops), StepState(x[system.q], x[system.v], x[system.v.stop :])
    if law.period is None:
        return loop.inputs_with_outputs(u, loop.decide(now, references).outputs)
    return loop.inputs_with_outputs(u, now.states[loop.controller_slice][len(law.states) :])


def controller_feeds(control: LawController, method: str, h: float, steps: int) -> list[Array]:
    """References at the times of every step, and when a sampled law is due, each (steps or 1, 1, size)."""
    return feeds_of_references(control.law, method, (h, steps), lambda t: reference_values(control, t)[:, None])


def feeds_of_references(
    law: ControlLaw, method: str, clock: tuple[float, int], references: Callable[[Array], Array]
) -> list[Array]:
    """As `controller_feeds`, for references as a function of times (T,), (T, states or 1, size); clock: step, steps."""
    (h, steps), moments = clock, INPUT_MOMENTS[method]
    if law.period is None:
        values = references(np.arange(2 * steps + 1, dtype=np.float64) * (0.5 * h))
        parts = values[:-1:2], values[1::2], values[2::2]
        return [np.ascontiguousarray(parts[moment]) for moment in moments]
    every = round(law.period / h)
    if not every or abs(every * h - law.period) > 1e-9 * law.period:
        raise InputError(
            f"rollout: the controller's period of {law.period:g} s is not a whole number of steps of {h:g} s. "
            "Change the step or the period."
        )
    due = (np.arange(steps) % every == 0).astype(float)
    return [*[references(np.arange(steps, dtype=np.float64) * h)] * len(moments), due[:, None, None]]


def reference_values(control: LawController, t: Array) -> Array:
    """The references of a controller at times t (T,), (T, size)."""
    size = reference_size(control.law)
    return np.ascontiguousarray(control.follow(t)) if control.law.references else np.zeros((len(t), size))
