"""Operating points for linearisation: a state and inputs of steady motion or rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.arguments import as_float_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Action, Guard, Law, Outcome, Quantity, Reaction, Situation
from gearwright.forces.branch_points import law_branch_levels
from gearwright.forces.contact.contacts_of_robot import loop_laws
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.programs import machine_of
from gearwright.system.evaluation import evaluate_system, situations_at
from gearwright.system.modes.mode_settling import find_consistent_modes
from gearwright.system.open_systems.open_system import TORQUE_PREFIX, full_inputs, open_system
from gearwright.system.open_systems.rates import OpenRates, open_rates
from gearwright.system.system import Modes, System
from gearwright.tracing.trace import trace_function

STEADY_RATE_RATIO = 1e-9
"""Rates below this, relative to the largest force or rate, count as zero."""
OPERATING_NEWTON_STEPS = 30
"""Largest number of Newton steps to an operating point."""
SIDE_STEP = 1e-7
"""Offset of every state [its unit] for the one-sided derivatives at a branch point of a law."""


@dataclass(frozen=True)
class FixedModeLaw(Law):
    """A law that stays in one of its modes."""

    law: Law
    mode: str

    @property
    def name(self) -> str:  # type: ignore[override]
        """Its name."""
        return self.law.name

    @property
    def states(self) -> tuple[Quantity, ...]:
        """Its states."""
        return self.law.states

    @property
    def inputs(self) -> tuple[Quantity, ...]:
        """Its inputs."""
        return self.law.inputs

    def act(self, mode: str, situation: Situation) -> Action:
        """The action of its mode."""
        return self.law.act(self.mode, situation)

    def follow(self, mode: str, situation: Situation, reaction: Reaction) -> Outcome:
        """The outcome of its mode."""
        return self.law.follow(self.mode, situation, reaction)

    def guards(self, mode: str, situation: Situation, reaction: Reaction) -> tuple[Guard, ...]:
        """None: its mode does not end."""
        return ()


class OperatingRates:
    """The rates of a system in fixed modes, with their derivatives."""

    def __init__(self, rates: OpenRates) -> None:
        self.rates, self.system = rates, rates.system

    @cached_property
    def _traced_rates(self) -> Any:
        return trace_function(self.rates.trace_job())

    @cached_property
    def _traced_derivatives(self) -> Any:
        return trace_function(self.rates.trace_job(tuple(self.rates.program.inputs)))

    def state_rates(self, x: Array, u: Array) -> Array:
        """The rates dx."""
        return np.asarray(self._traced_rates(*self._function_arguments(x, u))[1]).ravel()

    def state_and_input_matrices(self, x: Array, u: Array) -> tuple[Array, Array]:
        """The derivatives of dx by x and by u."""
        derivatives = np.asarray(self._traced_derivatives(*self._function_arguments(x, u))[1]).reshape(
            len(x), len(x) + len(u)
        )
        return derivatives[:, : len(x)], derivatives[:, len(x) :]

    def _function_arguments(self, x: Array, u: Array) -> tuple[Array, ...]:
        return (x, u) if len(u) else (x,)


@dataclass(frozen=True)
class OperatingPoint:
    """A state and inputs, the modes of the laws there, and the rates around it."""

    x: Array
    u: Array
    modes: dict[str, str]
    around: OperatingRates


def operating_point(
    caller: str,
    robot_or_mech: RobotOrMech,
    x: Mapping[str, Any],
    inputs: str | Iterable[str],
    given_inputs: Array | Mapping[str, float] | None,
    laws: Iterable[Law] | None,
    extra_laws: Iterable[Law] = (),
    *,
    embeds_loops: bool = False,
) -> OperatingPoint:
    """The operating point at a state with given inputs, or with the inputs that keep it steady.

    `x` has q, v and states of laws by name; `given_inputs` are the inputs, None to solve for them. Then the states of
    laws are solved too, and elastic shafts deflect under their load where q alone is not an equilibrium. With
    `embeds_loops` the rates are those of closed loops, with torques of the independent speeds.
    """
    machine = machine_of(caller, robot_or_mech) if embeds_loops else tree_of(caller, robot_or_mech, "rates")
    inputs = inputs if isinstance(inputs, str) else tuple(inputs)
    loops = loop_laws(robot_or_mech)
    if embeds_loops:
        inputs = [f"{TORQUE_PREFIX}{name}" for name in machine.speeds] if inputs == "torque" else inputs
        extra_laws = (*extra_laws, *(loops if laws is not None else ()))
    opened = open_system(caller, robot_or_mech, inputs, laws=laws, extra_laws=extra_laws, smooth=False)
    system, names = opened.system, opened.inputs
    start = np.concatenate([x["q"], x["v"], _own_states(caller, system, x)])
    u = _input_values(caller, names, given_inputs)
    modes = tuple(
        law.initial_mode(situation)
        for law, situation in zip(system.laws, _law_situations(system, names, start, u), strict=True)
    )
    for _ in range(len(system.laws) + 2):
        fixed_laws = tuple(
            FixedModeLaw(law, mode)
            for law, mode in zip(system.laws, modes, strict=True)
            if not (embeds_loops and law in loops)
        )
        around = OperatingRates(open_rates(caller, machine, names, laws=fixed_laws, embeds_loops=embeds_loops))
        at, u = (start, u) if given_inputs is not None else _steady_state(caller, around, start, u)
        extended_state = np.array([*at, 0.0, 0.0])
        consistent_modes: Modes = find_consistent_modes(
            system, 0.0, extended_state, np.array(full_inputs(system, names, u.tolist())), modes
        ).modes
        if consistent_modes == modes:
            _refuse_branch_points(caller, system, around, at, u, modes)
            mode_by_law = {law.name: mode for law, mode in zip(system.laws, modes, strict=True) if len(law.modes) > 1}
            return OperatingPoint(at, u, mode_by_law, around)
        modes = consistent_modes
    raise InputError(f"{caller}: no consistent set of modes of the laws was found at this state. Give another q, or u.")


def _own_states(caller: str, system: System, x: Mapping[str, Any]) -> list[float]:
    for name in x:
        if name not in ("q", "v") and name not in system.states:
            raise InputError(
                f"{caller}: there is no state {name!r}. Known states: {', '.join(system.states) or 'none'}."
            )
    return [float(x.get(name, state.initial)) for name, state in system.states.items()]


def _input_values(caller: str, names: tuple[str, ...], specification: Array | Mapping[str, float] | None) -> Array:
    if isinstance(specification, Mapping):
        unknown = [name for name in specification if name not in names]
        if unknown:
            raise InputError(f"{caller}: there is no input {unknown[0]!r}. Inputs: {', '.join(names)}.")
        specification = np.array([float(specification.get(name, 0.0)) for name in names])
    u = np.zeros(len(names)) if specification is None else as_float_array(caller, "u", specification)
    if u.shape != (len(names),) or not np.isfinite(u).all():
        raise InputError(f"{caller}: u={u.tolist()} must be {len(names)} finite numbers ({', '.join(names)}).")
    return u


def _law_situations(system: System, names: tuple[str, ...], x: Array, u: Array) -> list[Situation]:
    return situations_at(system, 0.0, np.array([*x, 0.0, 0.0]), np.array(full_inputs(system, names, u.tolist())))


def _steady_state(caller: str, around: OperatingRates, x: Array, u: Array) -> tuple[Array, Array]:
    """The nearest states of laws and inputs with steady speeds and states; shafts are kept if possible."""
    system = around.system
    law_indices = list(range(system.law_slice.start, system.law_slice.stop))
    first = system.mech.nq - len(system.mech.shafts)
    for free in (law_indices, [*range(first, system.mech.nq), *law_indices]):
        at, inputs, left = _newton_steady_state(around, x, u, free)
        if left is None:
            return at, inputs
    raise InputError(
        f"{caller}: the inputs {', '.join(around.rates.inputs)} cannot keep {left!r} steady at this state. Add an "
        "input for it, give another q, or give u= to linearise about an unsteady state."
    )


def _newton_steady_state(
    around: OperatingRates, x: Array, u: Array, free: list[int]
) -> tuple[Array, Array, str | None]:
    """Least-norm Newton steps; and the name of the state whose rate stays farthest from zero, None if all converge."""
    x, u, rows = x.copy(), u.copy(), slice(around.system.v.start, around.system.law_slice.stop)
    for _ in range(OPERATING_NEWTON_STEPS):
        A, B = around.state_and_input_matrices(x, u)
        rates, slopes = around.state_rates(x, u)[rows], np.hstack([A[rows][:, free], B[rows]])
        if not np.isfinite(slopes).all():
            break
        step = np.linalg.lstsq(slopes, -rates, rcond=None)[0]
        x[free] += step[: len(free)]
        u += step[len(free) :]
        size = np.abs(slopes) @ np.abs(np.concatenate([x[free], u])) + 1.0
        relative_rates = np.abs(around.state_rates(x, u)[rows]) / size
        if relative_rates.max(initial=0.0) < STEADY_RATE_RATIO:
            return x, u, None
    names = around.rates.states[rows]
    return x, u, names[int(np.argmax(np.abs(around.state_rates(x, u)[rows])))]


def _refuse_branch_points(
    caller: str, system: System, around: OperatingRates, x: Array, u: Array, modes: Modes
) -> None:
    """Raise an error for a law whose one-sided derivatives differ at the point."""
    full = np.array(full_inputs(system, around.rates.inputs, u.tolist()))
    evaluation = evaluate_system(system, 0.0, np.array([*x, 0.0, 0.0]), full, modes)
    law_states = zip(system.laws, modes, evaluation.situations, evaluation.reactions, strict=True)
    branching_laws = [
        law
        for law, mode, situation, reaction in law_states
        if any(abs(k) < SIDE_STEP for k in law_branch_levels(law, mode, situation, reaction))
    ]
    if not branching_laws:
        return
    aside = SIDE_STEP * np.random.default_rng(0).choice([-1.0, 1.0], len(x))
    slopes_ahead, slopes_behind = (
        around.state_and_input_matrices(x + aside, u)[0],
        around.state_and_input_matrices(x - aside, u)[0],
    )
    if np.abs(slopes_ahead - slopes_behind).max() > 1e-3 * np.abs(slopes_ahead).max():
        raise InputError(
            f"{caller}: law {branching_laws[0].name!r} is not differentiable at this state (branch point). Linearise "
            "at another state, or give laws= without it."
        )
