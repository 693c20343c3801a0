"""Impacts with several contacts: simultaneous impacts, and contacts that are closed during an impact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces import Action, Guard, Hold, Impact, Law, Line, Reaction
from gearwright.forces.contact.contact import FREE_MODE, SLIDE_MODE, Contact
from gearwright.forces.event_tolerances import (
    ENERGY_ROUNDING,
    IMPACT_DURATION,
    LIMIT_REST_SPEED,
    MAX_IMPACT_DEPTH,
    RESTITUTION_HALVINGS,
)
from gearwright.functions.constrained.several_impacts import impulses_together
from gearwright.parts.environment.loops_and_contacts import NEWTON
from gearwright.system.evaluation import Evaluation
from gearwright.system.force_balance import line_rows
from gearwright.system.modes.impacts import ImpulsiveMotion, after_impact, inverse_inertia_along
from gearwright.system.modes.mode_changes import ModeChanges, most_violated
from gearwright.system.system import System

SIMULTANEOUS_GAP = 1e-8
"""Gaps [m] below which approaching contacts take part in the impact of another one."""

LEAVING_SPEED_RATIO, LEAST_LEAVING_SPEED = 1e3, 1e-3
"""Speed with which a contact must leave an impact while others rest, or they by it: relative to its capture speed, and
at least [m/s], a height of 50 nm.

Otherwise every small bounce of one contact would begin a new series of ever smaller bounces of another one."""

CALM = 0.2
"""Speed of an impact while others rest, relative to the one above, up to which all of them go on to rest.

Impacts are located 1 nm behind the surface: a fall over that height does not end by being put back to the surface."""


NEWTON_GAIN_REMARK = (
    "contact {!r}: at t = {:g} s Newton's law of restitution with friction gained {:.3g} J, because the slip reversed "
    "within the impact. impact='energetic' does not gain energy."
)


def after_contact_impact(
    system: System, x: Array, impact: Impact, evaluation: Evaluation, changes: ModeChanges
) -> Array:
    """The state after the impact of the last mode change, with all contacts that take part in it.

    A single contact follows its own law of impact. Several are solved as by `gw.impact` with order "together": a
    resting contact takes part plastically, and opens if its impulse would be tensile. So it is for the impact of
    another law, such as an end stop.
    """
    hit = changes.history[-1][0]
    _refuse_jump(system, evaluation, hit)
    impacts = {hit: impact, **dict(_other_impacts(system, evaluation, hit))}
    if len(impacts) == 1 and not isinstance(system.laws[hit], Contact):
        return after_impact(system, x, impact, evaluation)
    if len(impacts) == 1:
        out = _after_impact_without_gain(system, x, impact, evaluation)
    else:
        out = _after_joint_impact(system, x, impacts, evaluation, changes)
    gained = float(x[system.dissipated_index] - out[system.dissipated_index])
    if gained > ENERGY_ROUNDING and any(contact_impact.law == NEWTON for contact_impact in impacts.values()):
        name, t = system.laws[hit].name, evaluation.situations[hit].t
        changes.remarks.append(NEWTON_GAIN_REMARK.format(name, t, gained))
    return out


def _after_joint_impact(
    system: System, x: Array, impacts: Mapping[int, Impact], evaluation: Evaluation, changes: ModeChanges
) -> Array:
    """The state after an impact of several laws, of which the contacts have the modes of their separation speeds."""
    contacts = {index: impact for index, impact in impacts.items() if isinstance(system.laws[index], Contact)}
    rests = any(evaluation.modes[index] != FREE_MODE for index in contacts)
    calm, least = rests and len(contacts) == len(impacts), dict[int, float]()
    for index, impact in contacts.items():
        law, approach = system.laws[index], -impact.line.speed(evaluation.situations[index].v)
        assert isinstance(law, Contact)
        least[index] = _leaving_speed_at_rest(law) if rests else law.capture
        calm = calm and approach <= CALM * least[index]
        if impact.restitution * approach <= least[index]:
            impacts = {**impacts, index: replace(impact, restitution=0.0)}
    most = _capture_energy(system, x, contacts, evaluation, least)
    out, closed = _at_rest(system, x, impacts, evaluation) if calm else x, set(contacts)
    if not calm or _energy_loss(system, x, out) > most:
        out, leaving = _solve_joint_impact(system, x, impacts, evaluation)
        closed = {index for index in contacts if leaving[index] <= least[index]}
        while closed and leaving[fastest := max(closed, key=leaving.__getitem__)] > LIMIT_REST_SPEED:
            held = _at_rest(system, out, {index: impacts[index] for index in closed}, evaluation)
            if _energy_loss(system, out, held) <= most:
                break
            closed.remove(fastest)
    for index in contacts:
        changes.change_to(index, system.laws[index].modes[-1] if index in closed else FREE_MODE)
    return out


def _capture_energy(
    system: System, x: Array, impacts: Mapping[int, Impact], evaluation: Evaluation, least: Mapping[int, float]
) -> float:
    """The energy that contacts have at the speeds up to which they are held [J].

    It bounds what holding them may take away: feet that are close together separate slowly where a body rolls over
    them, and hold its whole motion.
    """
    lines = [impact.line for impact in impacts.values()]
    mobility = np.diag(inverse_inertia_along(system, x, lines, _other_holds(system, evaluation)))
    return float(sum(0.5 * least[index] ** 2 / part for index, part in zip(impacts, mobility, strict=True) if part > 0))


def _energy_loss(system: System, before: Array, after: Array) -> float:
    return float(after[system.dissipated_index] - before[system.dissipated_index])


def _leaving_speed_at_rest(law: Contact) -> float:
    """The speed with which a contact leaves an impact while others rest [m/s]."""
    return max(LEAVING_SPEED_RATIO * law.capture, LEAST_LEAVING_SPEED)


def _after_impact_without_gain(system: System, x: Array, impact: Impact, evaluation: Evaluation) -> Array:
    """The state after the impact of one contact, with reduced restitution where gears would add energy.

    A gear has another efficiency when it is back-driven: with Newton's law a contact may then return more energy than
    it absorbed. Where gears that reverse within the impact add energy even without restitution, they count as lossless.
    """

    def gains_energy(out: Array) -> bool:
        return bool(out[system.dissipated_index] < x[system.dissipated_index] - ENERGY_ROUNDING)

    out, low, high = after_impact(system, x, impact, evaluation), 0.0, float(impact.restitution)
    if not gains_energy(out) or (impact.across and impact.law == NEWTON):
        return out
    if gains_energy(after_impact(system, x, replace(impact, restitution=0.0), evaluation)):
        return after_impact(system, x, impact, evaluation, lossy=False)
    for _ in range(RESTITUTION_HALVINGS):
        middle = 0.5 * (low + high)
        trial = after_impact(system, x, replace(impact, restitution=middle), evaluation)
        low, high = (middle, high) if trial[system.dissipated_index] >= x[system.dissipated_index] else (low, middle)
    return after_impact(system, x, replace(impact, restitution=low), evaluation)


def opened_by_impact(
    system: System, x: Array, after: Array, hit: int, impact: Impact, evaluation: Evaluation
) -> tuple[int, str] | None:
    """The law that an impact elsewhere drives away from what it holds, such as an end stop, and its next mode; or None.

    Impulses are the forces of a short time: the guards of a law decide with them, the most violated one first. Contacts
    are not among these laws: the impact itself determines them.
    """
    actions = system.law_actions(evaluation.modes, evaluation.situations)
    holding = {k: action.holds for k, action in enumerate(actions) if _holds_firmly(system.laws[k], action)}
    if not holding:
        return None
    impacts = [impact, *(other for _, other in _other_impacts(system, evaluation, hit))]
    own_lines = [hold.line for holds in holding.values() for hold in holds]
    other_lines = [hold.line for hold in _other_holds(system, evaluation) if hold.line not in own_lines]
    lines = [*own_lines, *other_lines, *(line for each in impacts for line in (each.line, *each.across))]
    v, change = x[system.v], after[system.v] - x[system.v]
    jump = line_rows(lines, system.mech.n) @ change
    impulses = iter(ImpulsiveMotion(system, evaluation, v).impulses(x, lines, jump).tolist())
    a, guards = (change / IMPACT_DURATION).tolist(), list[tuple[int, Guard]]()
    for k, holds in holding.items():
        reaction = Reaction(a, [next(impulses) / IMPACT_DURATION for _ in holds])
        law_guards = system.laws[k].guards(evaluation.modes[k], evaluation.situations[k], reaction)
        guards += [(k, guard) for guard in law_guards if guard.impact is None and guard.rate is None]
    worst = most_violated(guards, {})
    return None if worst is None else (worst[0], worst[1].to)


def _holds_firmly(law: Law, action: Action) -> bool:
    """Whether a law other than a contact holds something firmly, and no gear turns with it."""
    is_firm = all(hold.is_firm and hold.speed is not None for hold in action.holds)
    return bool(action.holds) and is_firm and not action.drags and not isinstance(law, Contact)


def _refuse_jump(system: System, evaluation: Evaluation, hit: int) -> None:
    """Raise an error for a contact far inside a moving surface: the surface has jumped."""
    law, situation = system.laws[hit], evaluation.situations[hit]
    if not isinstance(law, Contact):
        return
    depth = -float(situation.position(law.surface_impact(situation).line))
    if depth > MAX_IMPACT_DEPTH:
        raise SimulationError(
            f"simulate: at t = {situation.t:g} s contact {law.name!r} is suddenly {depth:.3g} m inside its surface: "
            "the surface has jumped. The prescribed motion of its frame must be smooth: blend the jump over a short "
            "time."
        )


def _other_impacts(system: System, evaluation: Evaluation, hit: int) -> Iterator[tuple[int, Impact]]:
    """The other contacts of an impact: the closed ones, and those that meet at the same instant."""
    law_states = zip(system.laws, evaluation.modes, evaluation.situations, strict=True)
    for k, (law, mode, situation) in enumerate(law_states):
        if not isinstance(law, Contact) or k == hit:
            continue
        line = law.surface_impact(situation).line.placed_in(situation.kinematics)
        speed = float(line.speed(situation.v))
        approaching = line.position(situation.q) < SIMULTANEOUS_GAP and speed < -LIMIT_REST_SPEED
        if mode != FREE_MODE or approaching:
            bounces = -law.restitution * speed > law.capture
            yield k, law.surface_impact(situation, None if bounces else 0.0).placed_in(situation.kinematics)


def _at_rest(system: System, x: Array, blows: Mapping[int, Impact], evaluation: Evaluation) -> Array:
    """The state in which contacts that meet calmly rest, but for those that slide, and that none of them leaves."""
    holds, v, lines = _other_holds(system, evaluation), x[system.v].tolist(), list[Line]()
    for index, blow in blows.items():
        law, slip = system.laws[index], [float(line.speed(v)) for line in blow.across]
        assert isinstance(law, Contact)
        slides = evaluation.modes[index] == SLIDE_MODE or np.linalg.norm(slip) > CALM * _leaving_speed_at_rest(law)
        lines += [blow.line, *(() if slides else blow.across)]
    jump = np.array([*(-line.speed(v) for line in lines), *(0.0 for _ in holds)], dtype=float)
    lines += [hold.line for hold in holds]
    return ImpulsiveMotion(system, evaluation, x[system.v]).apply_jump(x, lines, jump)


def _other_holds(system: System, evaluation: Evaluation) -> list[Hold]:
    """What is held firmly by other laws than contacts."""
    contacts = {law.name for law in system.laws if isinstance(law, Contact)}
    return [hold for hold in evaluation.holds if hold.speed is not None and hold.is_firm and hold.port not in contacts]


def _solve_joint_impact(
    system: System, x: Array, impacts: Mapping[int, Impact], evaluation: Evaluation
) -> tuple[Array, dict[int, float]]:
    """The state after impacts at once, and per contact the speed with which it leaves."""
    holds, blows = _other_holds(system, evaluation), list(impacts.values())
    lines = [line for impact in blows for line in (impact.line, *impact.across)]
    ends = np.cumsum([1 + len(impact.across) for impact in blows])
    blocks = [slice(int(end) - 1 - len(impact.across), int(end)) for impact, end in zip(blows, ends, strict=True)]
    v = x[system.v].tolist()
    before = np.array([line.speed(v) for line in lines], dtype=float)
    senses = np.ones(len(lines))  # lines of other laws than contacts may open in their negative direction
    for index, rows in zip(impacts, blocks, strict=True):
        if not isinstance(system.laws[index], Contact):
            senses[rows] = -np.sign(before[rows])
    before = senses * before
    inertia_inverse = senses[:, None] * inverse_inertia_along(system, x, lines, holds) * senses
    friction = [impact.friction if impact.across else 0.0 for impact in blows]
    restitution, laws = [float(impact.restitution) for impact in blows], [impact.law for impact in blows]
    impulse = impulses_together(inertia_inverse, before, blocks, friction, restitution, laws)
    change = inertia_inverse @ impulse
    jump = np.concatenate([senses * change, np.zeros(len(holds))])
    out = ImpulsiveMotion(system, evaluation, x[system.v]).apply_jump(x, [*lines, *(hold.line for hold in holds)], jump)
    after = before + change
    return out, {index: float(after[rows.start]) for index, rows in zip(impacts, blocks, strict=True)}
