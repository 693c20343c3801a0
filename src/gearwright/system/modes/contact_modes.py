r"""The modes of all contacts that touch, decided together from accelerations.

With the contact forces $\lambda$ the accelerations along normals and tangents are $A \lambda + b$, other laws being in
their modes. A contact that slides has friction against its speed; one that rests along the surface sticks inside its
cone, or begins to slide against the friction that it has then; each normal force pushes or the contact leaves. All of
it is one problem (`ContactProblem`). Where it has no solution, sliding presses a contact ever harder into its surface
(the paradox of Painleve): its impulse then grows within no time, until it slides no more (an impact without collision).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.contact.contact import FREE, SLIDE, SLOW, TINY, TOUCH, Contact
from gearwright.forces.friction.stick_slip import NOISE, RESTING, STICK
from gearwright.forces.law import Impact
from gearwright.forces.line import Line
from gearwright.functions.constrained.impulse_cone import ContactProblem
from gearwright.functions.constrained.impulse_path import impulse_without_collision
from gearwright.system.evaluation import Evaluation
from gearwright.system.force_balance import Ties, responses, rows_of
from gearwright.system.modes.impacts import Blow, felt_along
from gearwright.system.modes.mode_changes import CROSSED, ModeChanges
from gearwright.system.system import drags_in

ROUNDING = 1e-10
"""Accelerations below this part of the largest are rounding."""

LEFT_OVER = 1e-13
"""Speeds [m/s] of contacts that rest above which they are taken away."""

PAINLEVE = (
    "contact {!r}: at t = {:g} s no force is consistent with its sliding (the paradox of Painleve): friction ended it "
    "by an impulse within no time (an impact without collision). Lower its friction, or let the surface give way: "
    "SoftContact(...)."
)


@dataclass(frozen=True)
class _Touching:
    """A contact that touches: its law, its lines where the machine is, and how fast it slides."""

    index: int
    law: Contact
    impact: Impact
    slip: Array

    @cached_property
    def speed(self) -> float:
        """How fast it slides."""
        return float(np.linalg.norm(self.slip))

    @property
    def rests(self) -> bool:
        """Whether it does not slide."""
        return self.speed <= SLOW


def touching_contacts(evaluation: Evaluation) -> list[_Touching]:
    """The contacts that are closed and neither approach nor leave."""
    found = []
    asked = zip(evaluation.system.laws, evaluation.modes, evaluation.situations, strict=True)
    for k, (law, mode, situation) in enumerate(asked):
        if not isinstance(law, Contact):
            continue
        impact = law.blow(situation).placed(situation.scene)
        gap, speed = float(impact.line.position(situation.q)), float(impact.line.speed(situation.v))
        if mode != FREE or (gap <= 2 * CROSSED and abs(speed) <= RESTING):
            slip = np.array([line.speed(situation.v) for line in impact.across], dtype=float)
            found.append(_Touching(k, law, impact, slip))
    return found


def decide_contacts(x: Array, u: Array, evaluation: Evaluation, changes: ModeChanges) -> Array | None:
    """The state after the modes of all contacts that touch were changed together; None where that changes nothing."""
    touching = touching_contacts(evaluation)
    problem, A, b, lines = _problem(x, u, evaluation, touching)
    forces = problem.solved(_present(evaluation, touching))
    if forces is None:
        forces = problem.solved()
    if forces is None:
        return _pressed(x, evaluation, touching, A, lines, changes)
    after, before = A @ forces + b, changes.modes
    noise = max(NOISE, ROUNDING * float(np.abs(b).max(initial=0.0)))
    out, start = x.copy(), 0
    for one in touching:
        rows = after[start : start + 1 + len(one.impact.across)]
        start += len(rows)
        mode, way = _mode(one, rows, noise)
        changes.change_to(one.index, mode)
        if way is not None:
            out[evaluation.system.states_of(one.index)] = way
    out = _at_rest(out, evaluation, touching, changes.modes)
    return None if changes.modes == before and np.array_equal(out, x) else out


def begun_to_slide(x: Array, evaluation: Evaluation, index: int) -> Array:
    """The state where a contact that stuck slides against its friction: at the edge of the cone, before it moves."""
    out, (_, *friction) = x.copy(), evaluation.reactions[index].multipliers
    out[evaluation.system.states_of(index)] = -np.array(friction) / max(float(np.linalg.norm(friction)), TINY)
    return out


def _mode(contact: _Touching, after: Array, noise: float) -> tuple[str, Array | None]:
    """The mode of a contact with these accelerations, and the direction in which it slides."""
    if after[0] > noise:
        return FREE, None
    if not contact.law.rubs:
        return TOUCH, None
    if not contact.rests:
        return SLIDE, contact.slip / contact.speed
    onward = float(np.linalg.norm(after[1:]))
    return (SLIDE, after[1:] / onward) if onward > noise else (STICK, None)


def _problem(
    x: Array, u: Array, evaluation: Evaluation, touching: Sequence[_Touching]
) -> tuple[ContactProblem, Array, Array, list[slice]]:
    """The problem, A and b of its accelerations, and where the rows of each contact stand."""
    system, free = evaluation.system, list(evaluation.modes)
    for one in touching:
        free[one.index] = FREE
    actions = system.actions(tuple(free), evaluation.situations)
    given, machine, q, v = u.tolist(), system.compiled, x[system.q], x[system.v]
    holds, drags = [hold for action in actions for hold in action.holds], drags_in(actions)
    ties = Ties.of(system.mech.n, holds, drags, system.inflows(given, actions))
    lines = [line for one in touching for line in (one.impact.line, *one.impact.across)]
    J = rows_of(lines, system.mech.n)
    right = np.array(system.forces(given, actions)) - machine.bias(q, v)
    a, across = responses(machine.mass_matrix(q), right, ties, J.T)
    A, b = J @ across, J @ a + np.array([line.drift for line in lines], dtype=float)
    ends = np.cumsum([1 + len(one.impact.across) for one in touching]).tolist()
    blocks = [slice(end - 1 - len(one.impact.across), end) for end, one in zip(ends, touching, strict=True)]
    ways = [None if one.rests else one.slip / one.speed for one in touching]
    friction = [one.law.friction for one in touching]
    return ContactProblem.of(A, b, blocks, friction, np.zeros(len(touching)), ways), A, b, blocks


def _present(evaluation: Evaluation, touching: Sequence[_Touching]) -> Array:
    """The forces in the modes that were, to begin with."""
    found: list[float] = []
    for one in touching:
        signals, name = evaluation.outcomes[one.index].signals, one.law.name
        words = ("force", "force_1", "force_2")[: 1 + len(one.impact.across)]
        found += [float(signals[f"{name}.{word}"]) for word in words]
    return np.array(found)


def _at_rest(x: Array, evaluation: Evaluation, touching: Sequence[_Touching], modes: Sequence[str]) -> Array:
    """The state without what is left of the speeds of contacts that rest.

    A contact that leaves from rest keeps its zero speed meanwhile: what the others lose would press it in, and it would
    strike and leave in turn.
    """
    v = x[evaluation.system.v]
    lines: list[Line] = []
    for one in touching:
        normal = one.impact.line
        if modes[one.index] != FREE:
            lines += [normal, *(one.impact.across if one.rests else ())]
        elif abs(normal.speed(v.tolist())) <= RESTING:
            lines.append(normal)
    left = np.array([line.speed(v.tolist()) for line in lines], dtype=float)
    if not np.abs(left).max(initial=0.0) > LEFT_OVER:
        return x
    return Blow(evaluation.system, evaluation, v).changed(x, lines, -left)


def _pressed(
    x: Array,
    evaluation: Evaluation,
    touching: Sequence[_Touching],
    A: Array,
    blocks: Sequence[slice],
    changes: ModeChanges,
) -> Array | None:
    """The state after an impact without collision of the contact that sliding presses in most; None without one."""
    system, worst, least = evaluation.system, None, 0.0
    for one, rows in zip(touching, blocks, strict=True):
        if one.law.rubs and not one.rests:
            own = A[rows, rows]
            pressing = float(own[0, 0] - one.law.friction * own[0, 1:] @ one.slip / one.speed) / float(own[0, 0])
            if pressing < least:
                worst, least = one, pressing
    if worst is None:
        return None
    contacts = {law.name for law in system.laws if isinstance(law, Contact)}
    holds = [hold for hold in evaluation.holds if hold.speed is not None and hold.firm and hold.port not in contacts]
    lines = [worst.impact.line, *worst.impact.across]
    felt = felt_along(system, x, lines, holds)
    impulse = impulse_without_collision(felt, worst.slip, worst.law.friction, worst.law.restitution)
    jump = np.concatenate([felt @ impulse, np.zeros(len(holds))])
    changes.remarks.append(PAINLEVE.format(worst.law.name, evaluation.situations[worst.index].t))
    leaves = jump[0] > worst.law.capture
    changes.change_to(worst.index, FREE if leaves else worst.law.modes[-1])
    return Blow(system, evaluation, x[system.v]).changed(x, [*lines, *(hold.line for hold in holds)], jump)
