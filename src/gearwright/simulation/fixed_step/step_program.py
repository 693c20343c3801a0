"""One step of a fixed-step method as a program: x, clock, inputs and numbers of laws in, the next x out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gearwright.algebra import Operations, Scalar
from gearwright.dynamics.integration_steps import STEP_METHODS, StepState
from gearwright.errors import InputError
from gearwright.forces import Law, Quantity
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Inputs, VectorProgram
from gearwright.system import ControlLaw, with_law_parameters
from gearwright.system.kernels.motion_rates import motion_field, require_one_mode
from gearwright.system.kernels.traced_laws import law_survey
from gearwright.system.system import System
from gearwright.system.time_stepping.step import MAX_STEP_TRIES, first_iterate, moreau_step, require_fixed_step_models
from gearwright.system.vector_program import VectorFormula, vector_program
from gearwright.tracing.trace import PARAMETERS_INPUT

MOREAU_METHOD = "moreau"
"""The method that takes laws with modes."""

INPUT_MOMENTS: dict[str, tuple[int, ...]] = {
    name: tuple(range(step_method.moments)) for name, step_method in STEP_METHODS.items()
} | {MOREAU_METHOD: (1,)}
"""Per method the times at which it uses the inputs: 0 at the beginning of a step, 1 in its middle, 2 at its end."""

WORK_STATES = (Quantity("work.supplied", "J"), Quantity("work.dissipated", "J"))
"""The quadratures that may be integrated with a motion."""

STEPPING_STATES = (
    Quantity("largest.penetration", ""),
    Quantity("largest.residual", ""),
    Quantity("inconsistent.steps", ""),
    Quantity("inconsistent.since", "s"),
    Quantity("contacts.gain", "J"),
    Quantity("jamming.law", ""),
    Quantity("jamming.at", "s"),
)
"""Diagnostics of laws with modes: the largest penetration and residual of the impulses (relative to the tolerance),
the number of steps above the tolerance, the time of the first one, the energy gained by contacts, 1 + the index of the
first law whose contact jammed by friction (Painleve), and its time."""

IMPULSE_ITERATE = "iterate"
"""The input and output that passes the iterate from try to try of a step."""

LAW_NUMBERS = "numbers"
"""The input that holds numbers of laws."""

InputSizes: TypeAlias = dict[str, int]


@dataclass(frozen=True)
class StepPlan:
    """Options of a step.

    Args:
        method: its name.
        work: whether the supplied and dissipated work are integrated too.
        law_paths: paths of the numbers of laws, and of a control law, that are inputs.
        control_paths: those of the control law.
        sweeps: of the projected Gauss-Seidel method.
        controller_states: states of a control law, which follow those of the laws.
        varied_laws: makes the laws of a robot from the parameters that are inputs and their machine; None if the laws
            do not depend on them.
        tries: of a step, until its impulses are consistent.
    """

    method: str
    work: bool = False
    law_paths: tuple[str, ...] = ()
    control_paths: tuple[str, ...] = ()
    sweeps: int = 10
    controller_states: tuple[Quantity, ...] = ()
    varied_laws: Callable[[Sequence[Scalar], Mechanism], tuple[Law, ...]] | None = None
    tries: int = MAX_STEP_TRIES

    def first_iterate(self, system: System) -> list[float]:
        """The initial iterate of the first try of a step; [] if there is only one try."""
        iterates = self.method == MOREAU_METHOD and self.tries > 1
        iterate = first_iterate(system) if iterates else []
        return iterate if len(iterate) > 3 else []

    def further_states(self, system: System) -> tuple[Quantity, ...]:
        """The states of a step other than q and v."""
        largest = STEPPING_STATES if self.method == MOREAU_METHOD else ()
        return (*system.states.values(), *self.controller_states, *(WORK_STATES if self.work else ()), *largest)

    def input_sizes(self, system: System) -> InputSizes:
        """The inputs of a step."""
        size = system.v.stop + len(self.further_states(system))
        moments = {f"inputs{k}": system.input_size for k, _ in enumerate(INPUT_MOMENTS[self.method])}
        iterate_size = len(self.first_iterate(system))
        iterate = {IMPULSE_ITERATE: iterate_size} if iterate_size else {}
        return {
            "x": size,
            **iterate,
            "clock": 2,
            **moments,
            **({LAW_NUMBERS: len(self.law_paths)} if self.law_paths else {}),
        }

    def symbolic_system(self, system: System, mech: Mechanism, values: Inputs) -> System:
        """The system with symbols for the parameters that are inputs."""
        symbolic = system.on_machine(mech)
        if self.varied_laws is not None:
            symbolic = replace(symbolic, laws=self.varied_laws(values[PARAMETERS_INPUT], mech))
        numbers = {path: x for path, x in self._law_numbers(values).items() if path not in self.control_paths}
        return replace(symbolic, laws=with_law_parameters(symbolic.laws, numbers)) if numbers else symbolic

    def symbolic_controller(self, law: ControlLaw, values: Inputs) -> ControlLaw:
        """A control law with symbols for its numbers that are inputs."""
        numbers = self._law_numbers(values)
        return with_law_parameters((law,), {path: numbers[path] for path in self.control_paths})[0]

    def _law_numbers(self, values: Inputs) -> dict[str, Scalar]:
        return dict(zip(self.law_paths, values[LAW_NUMBERS] if self.law_paths else (), strict=True))


def step_program(system: System, plan: StepPlan) -> VectorProgram:
    """One step of a method; with `work` the supplied and dissipated work follow the states of the laws."""
    contents = plan.input_sizes(system)
    formula = _moreau_formula(system, plan) if plan.method == MOREAU_METHOD else _smooth_formula(system, plan)
    return vector_program(f"{plan.method}_step", contents, contents["x"] + contents.get(IMPULSE_ITERATE, 0), formula)


def _smooth_formula(system: System, plan: StepPlan) -> VectorFormula:
    step = STEP_METHODS[plan.method].step
    input_names = [name for name in plan.input_sizes(system) if name.startswith("inputs")]

    def after(mech: Mechanism, ops: Operations, values: Inputs) -> StepState:
        symbolic, x, (t, h) = plan.symbolic_system(system, mech, values), values["x"], values["clock"]
        now = StepState(x[symbolic.q], x[symbolic.v], x[symbolic.v.stop :])
        field, inputs = motion_field(symbolic, ops, plan.work), [values[name] for name in input_names]
        return step(symbolic.closed or mech, field, t, h, now, inputs, ops)

    return after


def _moreau_formula(system: System, plan: StepPlan) -> VectorFormula:
    def after(mech: Mechanism, ops: Operations, values: Inputs) -> list[Sequence[Scalar]]:
        return after_moreau_step(plan.symbolic_system(system, mech, values), plan, ops, values, values["inputs0"])

    return after


def after_moreau_step(
    symbolic: System,
    plan: StepPlan,
    ops: Operations,
    values: Inputs,
    u: Sequence[Scalar],
    controller_values: Sequence[Scalar] = (),
) -> list[Sequence[Scalar]]:
    """The next x of Moreau's rule with the inputs u at the midpoint, and the next states of a controller."""
    x, (t, h) = values["x"], values["clock"]
    end = moreau_step(symbolic, plan.sweeps, ops, t, h, symbolic.motion_of(x), u, values.get(IMPULSE_ITERATE, ()))
    before, (depth, residual, count, since, gain, jamming, jam_time) = (
        x[symbolic.law_slice.stop + len(plan.controller_states) : -7],
        x[-7:],
    )
    works = [done + h * power for done, power in zip(before, end.powers, strict=False)]
    failed = ops.where(end.residual > 1, 1.0, 0.0)
    largest = [ops.maximum(depth, end.penetration), ops.maximum(residual, end.residual)]
    since = ops.where(count > 0, since, t * failed)
    first = ops.where(jamming > 0, 0.0, end.jamming)
    jam = [jamming + first, ops.where(first > 0, t, jam_time)]
    return [*end.x, controller_values, works, [*largest, count + failed, since, gain + end.gain, *jam], end.iterate]


def require_steppable(system: System, method: str) -> None:
    """Raise an error for laws that a method does not support: with modes, or not traceable."""
    if method == MOREAU_METHOD:
        require_fixed_step_models(system)
    else:
        require_one_mode(system)
    obstacles = law_survey(system).obstacles
    if obstacles:
        raise InputError(f"fixed-step methods need laws in machine code, but {obstacles[0]} Use the adaptive method.")
