"""Impacts in which several contacts take part: those that strike at the same instant and those that rest meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import SimulationError
from gearwright.forces.contact.contact import FREE, Contact
from gearwright.forces.friction.stick_slip import RESTING
from gearwright.forces.law import Impact
from gearwright.functions.constrained.several_impacts import impulses_together
from gearwright.parts.environment.loops_and_contacts import NEWTON
from gearwright.system.evaluation import Evaluation
from gearwright.system.modes.impacts import Blow, after_impact, felt_along
from gearwright.system.modes.mode_changes import ModeChanges
from gearwright.system.system import System

AT_ONCE = 1e-8
"""Gaps [m] below which contacts that approach strike at the same instant as another one."""

HALVINGS, ROUNDING = 40, 1e-12
"""How finely the largest restitution that gains nothing is looked for, and energy [J] that is rounding."""

JUMP = 1e-5
"""How deep [m] behind a surface a contact can be when it is struck; deeper, the surface has jumped."""

LIFTED = 1e-3
"""Speed [m/s] with which a contact must leave an impact while others rest, or they by it: a height of 50 nm.

Otherwise every small bounce of one contact would begin a new series of ever smaller bounces of another one."""


NEWTON_GAINS = (
    "contact {!r}: at t = {:g} s Newton's law of restitution with friction gained {:.3g} J, since sliding turned round "
    "within the impact. impact='energetic' never gains any."
)


def after_blow(system: System, x: Array, impact: Impact, evaluation: Evaluation, changes: ModeChanges) -> Array:
    """The state after an impact that the last change of modes brought, with all contacts that take part in it.

    Alone, a contact strikes by its own law. With others it is as `gw.impact` has it for contacts together: one that
    rests feels the blow with what it approaches by, that is plastically, and leaves where it would be pulled.
    """
    hit = changes.made[-1][0]
    _refuse_jump(system, evaluation, hit)
    if not isinstance(system.laws[hit], Contact):
        return after_impact(system, x, impact, evaluation)
    blows = {hit: impact, **dict(_others(system, evaluation, hit))}
    if len(blows) == 1:
        out = _without_gain(system, x, impact, evaluation)
    else:
        out = _all_at_once(system, x, blows, evaluation, changes)
    gained = float(x[system.dissipated] - out[system.dissipated])
    if gained > ROUNDING and any(blow.law == NEWTON for blow in blows.values()):
        name, t = system.laws[hit].name, evaluation.situations[hit].t
        changes.remarks.append(NEWTON_GAINS.format(name, t, gained))
    return out


def _all_at_once(
    system: System, x: Array, blows: Mapping[int, Impact], evaluation: Evaluation, changes: ModeChanges
) -> Array:
    """The state after an impact of several contacts, whose modes follow from the speeds with which they leave."""
    least = LIFTED * any(evaluation.modes[index] != FREE for index in blows)
    for index, blow in blows.items():
        if -blow.restitution * blow.line.speed(evaluation.situations[index].v) <= least:
            blows = {**blows, index: replace(blow, restitution=0.0)}
    out, leaving = _together(system, x, list(blows.values()), evaluation)
    for index, speed in zip(blows, leaving, strict=True):
        law = system.laws[index]
        assert isinstance(law, Contact)
        changes.change_to(index, FREE if speed > max(law.capture, least) else law.modes[-1])
    return out


def _without_gain(system: System, x: Array, impact: Impact, evaluation: Evaluation) -> Array:
    """The state after the impact of one contact, thrown back less where gears would let it gain energy.

    A gear resists otherwise when it is driven back: with Newton's law a contact may then return more than it took.
    Where gears that turn round within the blow let it gain energy without being thrown back at all, they lose nothing.
    """

    def gains(out: Array) -> bool:
        return bool(out[system.dissipated] < x[system.dissipated] - ROUNDING)

    out, low, high = after_impact(system, x, impact, evaluation), 0.0, float(impact.restitution)
    if not gains(out) or (impact.across and impact.law == NEWTON):
        return out
    if gains(after_impact(system, x, replace(impact, restitution=0.0), evaluation)):
        return after_impact(system, x, impact, evaluation, lossy=False)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        trial = after_impact(system, x, replace(impact, restitution=middle), evaluation)
        low, high = (middle, high) if trial[system.dissipated] >= x[system.dissipated] else (low, middle)
    return after_impact(system, x, replace(impact, restitution=low), evaluation)


def _refuse_jump(system: System, evaluation: Evaluation, hit: int) -> None:
    """A surface that moves by itself and has jumped is found behind what it strikes."""
    law, situation = system.laws[hit], evaluation.situations[hit]
    if not isinstance(law, Contact):
        return
    depth = -float(situation.position(law.blow(situation).line))
    if depth > JUMP:
        raise SimulationError(
            f"simulate: at t = {situation.t:g} s contact {law.name!r} is {depth:.3g} m behind its surface at once: the "
            "surface has jumped. The law of time of its frame must be smooth: blend the jump over a short time."
        )


def _others(system: System, evaluation: Evaluation, hit: int) -> Iterator[tuple[int, Impact]]:
    """Contacts beside the one that is hit: those that touch, and those that strike at the same instant."""
    asked = zip(system.laws, evaluation.modes, evaluation.situations, strict=True)
    for k, (law, mode, situation) in enumerate(asked):
        if not isinstance(law, Contact) or k == hit:
            continue
        line = law.blow(situation).line.placed(situation.scene)
        speed = float(line.speed(situation.v))
        approaching = line.position(situation.q) < AT_ONCE and speed < -RESTING
        if mode != FREE or approaching:
            bounces = -law.restitution * speed > law.capture
            yield k, law.blow(situation, None if bounces else 0.0).placed(situation.scene)


def _together(system: System, x: Array, blows: list[Impact], evaluation: Evaluation) -> tuple[Array, list[float]]:
    """The state after impacts at once, and per contact the speed with which it leaves."""
    contacts = {law.name for law in system.laws if isinstance(law, Contact)}
    holds = [hold for hold in evaluation.holds if hold.speed is not None and hold.firm and hold.port not in contacts]
    lines = [line for blow in blows for line in (blow.line, *blow.across)]
    ends = np.cumsum([1 + len(blow.across) for blow in blows])
    blocks = [slice(int(end) - 1 - len(blow.across), int(end)) for blow, end in zip(blows, ends, strict=True)]
    felt = felt_along(system, x, lines, holds)
    v = x[system.v].tolist()
    before = np.array([line.speed(v) for line in lines], dtype=float)
    friction = [blow.friction if blow.across else 0.0 for blow in blows]
    restitution, laws = [float(blow.restitution) for blow in blows], [blow.law for blow in blows]
    impulse = impulses_together(felt, before, blocks, friction, restitution, laws)
    jump = np.concatenate([felt @ impulse, np.zeros(len(holds))])
    out = Blow(system, evaluation, x[system.v]).changed(x, [*lines, *(hold.line for hold in holds)], jump)
    return out, [float((before + jump[: len(lines)])[rows.start]) for rows in blocks]
