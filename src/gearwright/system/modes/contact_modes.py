r"""The modes of all closed contacts, determined together from accelerations.

With the contact forces $\lambda$ the accelerations along normals and tangents are $A \lambda + b$ at fixed modes of the
other laws. A sliding contact has friction against its slip; one without slip sticks inside its cone, or begins to slide
against its friction at the edge of the cone; each normal force is compressive or the contact opens. This is one
complementarity problem (`ContactProblem`). Where it has no solution, sliding presses a contact without bound into its
surface (Painleve paradox): its impulse then grows instantaneously until the slip ends (an impact without collision).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.forces import Impact, Line
from gearwright.forces.contact.contact import (
    FREE_MODE,
    SLIDE_MODE,
    TOUCH_MODE,
    Contact,
)
from gearwright.forces.event_tolerances import (
    ACCELERATION_NOISE,
    ACCELERATION_ROUNDING_RATIO,
    CONTACT_REST_SPEED,
    DIRECTION_THRESHOLD,
    EVENT_LOCATION_LEVEL,
    LIMIT_REST_SPEED,
    RESIDUAL_CONTACT_SPEED,
)
from gearwright.forces.friction.stick_slip import STICK_MODE
from gearwright.functions.constrained.impulse_cone import ContactProblem
from gearwright.functions.constrained.impulse_path import impulse_without_collision
from gearwright.system.evaluation import Evaluation
from gearwright.system.force_balance import ConstraintArrays, line_rows, unit_responses
from gearwright.system.modes.impacts import ImpulsiveMotion, inverse_inertia_along
from gearwright.system.modes.mode_changes import ModeChanges
from gearwright.system.system import all_drags

PAINLEVE_REMARK = (
    "contact {!r}: at t = {:g} s no contact force is consistent with its sliding (Painleve paradox): an instantaneous "
    "friction impulse ended the slip (impact without collision). Lower its friction, or use a compliant surface: "
    "SoftContact(...)."
)


@dataclass(frozen=True)
class _TouchingContact:
    """A closed contact: its law, its placed lines, and its slip."""

    index: int
    law: Contact
    impact: Impact
    slip: Array

    @cached_property
    def slip_speed(self) -> float:
        """The magnitude of its slip [m/s]."""
        return float(np.linalg.norm(self.slip))

    @property
    def is_at_rest(self) -> bool:
        """Whether its slip is zero."""
        return self.slip_speed <= CONTACT_REST_SPEED


def touching_contacts(evaluation: Evaluation) -> list[_TouchingContact]:
    """The contacts that are closed and neither approach nor separate."""
    contacts = []
    law_states = zip(evaluation.system.laws, evaluation.modes, evaluation.situations, strict=True)
    for k, (law, mode, situation) in enumerate(law_states):
        if not isinstance(law, Contact):
            continue
        impact = law.surface_impact(situation).placed_in(situation.kinematics)
        gap, speed = float(impact.line.position(situation.q)), float(impact.line.speed(situation.v))
        if mode != FREE_MODE or (gap <= 2 * EVENT_LOCATION_LEVEL and abs(speed) <= LIMIT_REST_SPEED):
            slip = np.array([line.speed(situation.v) for line in impact.across], dtype=float)
            contacts.append(_TouchingContact(k, law, impact, slip))
    return contacts


def decide_contacts(x: Array, u: Array, evaluation: Evaluation, changes: ModeChanges) -> Array | None:
    """The state after a joint change of the modes of all closed contacts; None if no mode changes."""
    touching = touching_contacts(evaluation)
    problem, A, b, lines = _contact_problem(x, u, evaluation, touching)
    forces = problem.solve_impulses(_current_forces(evaluation, touching))
    if forces is None:
        forces = problem.solve_impulses()
    if forces is None:
        return _impact_without_collision(x, evaluation, touching, A, lines, changes)
    after, before = A @ forces + b, changes.modes
    noise = max(ACCELERATION_NOISE, ACCELERATION_ROUNDING_RATIO * float(np.abs(b).max(initial=0.0)))
    changed, start = x.copy(), 0
    for contact in touching:
        rows = after[start : start + 1 + len(contact.impact.across)]
        start += len(rows)
        mode, direction = _contact_mode(contact, rows, noise)
        changes.change_to(contact.index, mode)
        if direction is not None:
            changed[evaluation.system.law_state_slice(contact.index)] = direction
    changed = _without_residual_speeds(changed, evaluation, touching, changes.modes)
    return None if changes.modes == before and np.array_equal(changed, x) else changed


def with_slip_direction(x: Array, evaluation: Evaluation, index: int) -> Array:
    """The state at the start of sliding of a sticking contact, with the slip direction opposite to its friction."""
    changed, (_, *friction) = x.copy(), evaluation.reactions[index].multipliers
    changed[evaluation.system.law_state_slice(index)] = -np.array(friction) / max(
        float(np.linalg.norm(friction)), DIRECTION_THRESHOLD
    )
    return changed


def _contact_mode(contact: _TouchingContact, after: Array, noise: float) -> tuple[str, Array | None]:
    """The mode of a contact with these accelerations, and its slip direction."""
    if after[0] > noise:
        return FREE_MODE, None
    if not contact.law.has_friction:
        return TOUCH_MODE, None
    if not contact.is_at_rest:
        return SLIDE_MODE, contact.slip / contact.slip_speed
    tangential = float(np.linalg.norm(after[1:]))
    return (SLIDE_MODE, after[1:] / tangential) if tangential > noise else (STICK_MODE, None)


def _contact_problem(
    x: Array, u: Array, evaluation: Evaluation, touching: Sequence[_TouchingContact]
) -> tuple[ContactProblem, Array, Array, list[slice]]:
    """The problem, A and b of its accelerations, and the row indices of each contact."""
    system, free_modes = evaluation.system, list(evaluation.modes)
    for contact in touching:
        free_modes[contact.index] = FREE_MODE
    actions = system.law_actions(tuple(free_modes), evaluation.situations)
    inputs, machine, q, v = u.tolist(), system.compiled_machine, x[system.q], x[system.v]
    holds, drags = [hold for action in actions for hold in action.holds], all_drags(actions)
    constraints = ConstraintArrays.from_holds_and_drags(
        system.mech.n, holds, drags, system.port_inflows(inputs, actions)
    )
    lines = [line for contact in touching for line in (contact.impact.line, *contact.impact.across)]
    J = line_rows(lines, system.mech.n)
    right = np.array(system.generalized_forces(inputs, actions)) - machine.bias_forces(q, v)
    a, responses = unit_responses(machine.mass_matrix(q), right, constraints, J.T)
    A, b = J @ responses, J @ a + np.array([line.drift for line in lines], dtype=float)
    ends = np.cumsum([1 + len(contact.impact.across) for contact in touching]).tolist()
    blocks = [slice(end - 1 - len(contact.impact.across), end) for end, contact in zip(ends, touching, strict=True)]
    directions = [None if contact.is_at_rest else contact.slip / contact.slip_speed for contact in touching]
    friction = [contact.law.friction for contact in touching]
    return ContactProblem.from_blocks(A, b, blocks, friction, np.zeros(len(touching)), directions), A, b, blocks


def _current_forces(evaluation: Evaluation, touching: Sequence[_TouchingContact]) -> Array:
    """The forces of the previous modes, as the initial guess."""
    forces: list[float] = []
    for contact in touching:
        signals, name = evaluation.outcomes[contact.index].signals, contact.law.name
        words = ("force", "force_1", "force_2")[: 1 + len(contact.impact.across)]
        forces += [float(signals[f"{name}.{word}"]) for word in words]
    return np.array(forces)


def _without_residual_speeds(
    x: Array, evaluation: Evaluation, touching: Sequence[_TouchingContact], modes: Sequence[str]
) -> Array:
    """The state without residual speeds of resting contacts.

    A contact that separates from rest keeps its zero speed: the corrections of the others would otherwise press it in,
    and it would alternate between impact and separation.
    """
    v = x[evaluation.system.v]
    lines: list[Line] = []
    for contact in touching:
        normal = contact.impact.line
        if modes[contact.index] != FREE_MODE:
            lines += [normal, *(contact.impact.across if contact.is_at_rest else ())]
        elif abs(normal.speed(v.tolist())) <= LIMIT_REST_SPEED:
            lines.append(normal)
    residual_speeds = np.array([line.speed(v.tolist()) for line in lines], dtype=float)
    if not np.abs(residual_speeds).max(initial=0.0) > RESIDUAL_CONTACT_SPEED:
        return x
    return ImpulsiveMotion(evaluation.system, evaluation, v).apply_jump(x, lines, -residual_speeds)


def _impact_without_collision(
    x: Array,
    evaluation: Evaluation,
    touching: Sequence[_TouchingContact],
    A: Array,
    blocks: Sequence[slice],
    changes: ModeChanges,
) -> Array | None:
    """The state after an impact without collision of the contact that sliding presses in most, or None."""
    system, worst, least = evaluation.system, None, 0.0
    for contact, rows in zip(touching, blocks, strict=True):
        if contact.law.has_friction and not contact.is_at_rest:
            block = A[rows, rows]
            pressing_ratio = float(
                block[0, 0] - contact.law.friction * block[0, 1:] @ contact.slip / contact.slip_speed
            ) / float(block[0, 0])
            if pressing_ratio < least:
                worst, least = contact, pressing_ratio
    if worst is None:
        return None
    contacts = {law.name for law in system.laws if isinstance(law, Contact)}
    holds = [hold for hold in evaluation.holds if hold.speed is not None and hold.is_firm and hold.port not in contacts]
    lines = [worst.impact.line, *worst.impact.across]
    inertia_inverse = inverse_inertia_along(system, x, lines, holds)
    impulse = impulse_without_collision(inertia_inverse, worst.slip, worst.law.friction, worst.law.restitution)
    jump = np.concatenate([inertia_inverse @ impulse, np.zeros(len(holds))])
    changes.remarks.append(PAINLEVE_REMARK.format(worst.law.name, evaluation.situations[worst.index].t))
    leaves = jump[0] > worst.law.capture
    changes.change_to(worst.index, FREE_MODE if leaves else worst.law.modes[-1])
    return ImpulsiveMotion(system, evaluation, x[system.v]).apply_jump(
        x, [*lines, *(hold.line for hold in holds)], jump
    )
