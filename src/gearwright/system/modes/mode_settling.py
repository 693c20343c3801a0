"""Consistent modes: at a start and after an event the modes of all laws are chosen together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.arrays import Array
from gearwright.errors import SimulationError, SingularityError
from gearwright.forces.contact.contact import FREE, SLIDE, Contact
from gearwright.forces.transmission.gear_losses import STUCK, GearLoss
from gearwright.system.evaluation import Evaluation
from gearwright.system.modes.impacts import kept
from gearwright.system.modes.jamming import own_jam, pressed_until_jammed
from gearwright.system.modes.mode_changes import ModeChanges, with_mode
from gearwright.system.modes.mode_search import Instant, among, led_to
from gearwright.system.system import Modes, System
from gearwright.text import listed


@dataclass(frozen=True)
class Settled:
    """Modes in which every guard holds, the state after impacts, and which laws changed."""

    modes: Modes
    x: Array
    changes: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...] = ()


def settle(system: System, t: float, x: Array, u: Array, modes: Modes) -> Settled:
    """Obey the most violated guard until none is violated; impacts and new holds change the speeds.

    Where that goes round in circles, modes near by are searched. Where none of these fit either, it begins again, and
    gears jam only where nothing else fits.
    """
    instant, changes = Instant(system, t, u), ModeChanges(modes)
    try:
        after, settled = instant.obeyed(x, changes)
    except SingularityError:  # a gear that jammed on the way may leave nothing that a blow could move
        return _with_jams(instant, x, modes)
    if settled:
        return Settled(changes.modes, after, changes.named(system), tuple(changes.remarks))
    found = instant.searched(after, changes.modes, led_to, jumps=True)
    if found is not None:
        return Settled(*found, _differences(system, modes, found[0]))
    return _with_jams(instant, x, modes)


def _with_jams(instant: Instant, x: Array, modes: Modes) -> Settled:
    """Modes that fit without a jam, or with gears that jam one after the other."""
    system, made = instant.system, list[tuple[str, str]]()
    for _ in range(len(system.laws) + 1):
        changes = ModeChanges(modes)
        x, settled = instant.obeyed(x, changes, jams=False)
        made += changes.named(system)
        if settled:
            return Settled(changes.modes, x, tuple(made))
        found = instant.searched(x, changes.modes, among(changes.modes_taken), jumps=False)
        if found is not None:
            return Settled(*found, (*made, *_differences(system, changes.modes, found[0])))
        jammed = _jammed(x, instant.evaluate(x, _touching(system, changes)))
        if jammed is None:
            break
        made += _differences(system, changes.modes, jammed[0])
        modes, x = jammed[0], kept(system, jammed[1], instant.evaluate(jammed[1], jammed[0]))
    raise _unsettled(system, instant.t, made)


def _jammed(x: Array, touching: Evaluation) -> tuple[Modes, Array] | None:
    """The modes and the state after gears have jammed: pressed by a contact, or each by itself."""
    found = pressed_until_jammed(x, touching)
    gear = None if found else own_jam(touching)
    return (with_mode(touching.modes, gear, STUCK), x) if gear is not None else found


def _touching(system: System, changes: ModeChanges) -> Modes:
    """The modes with contacts that touched on the way, as they then did: those that slid slide."""
    found = changes.modes
    for k, law in enumerate(system.laws):
        touched = [mode for mode in law.modes[1:] if mode in changes.modes_taken[k]]
        if isinstance(law, Contact) and touched:
            found = with_mode(found, k, touched[0])
    return found


def _differences(system: System, before: Modes, after: Modes) -> tuple[tuple[str, str], ...]:
    return tuple((law.name, b) for law, a, b in zip(system.laws, before, after, strict=True) if a != b)


def _unsettled(system: System, t: float, changes: Sequence[tuple[str, str]]) -> SimulationError:
    last = changes[-6:]
    sliding = [name for name, mode in last if mode == SLIDE and (name, FREE) in last]
    if sliding:
        return SimulationError(
            f"simulate: at t = {t:g} s contact {sliding[0]!r} slides, and no force at it is consistent: with this "
            "friction sliding presses it ever harder into the surface (the paradox of Painleve). Lower its friction, "
            "or let the surface give way: SoftContact(...)."
        )
    named = {law.name: law for law in system.laws}
    touching = [name for name, _ in last if isinstance(named[name], Contact)]
    gears = [law.name for law in system.laws if isinstance(law, GearLoss) and law.table[0].back <= 0]
    if touching and gears:
        return SimulationError(
            f"simulate: at t = {t:g} s no force of contact {touching[0]!r} is consistent with {listed(gears)}, which "
            "lock themselves (the paradox of Painleve). Give these gears an efficiency above 0.5, or let the surface "
            "give way: SoftContact(...)."
        )
    tail = listed(f"{name} -> {mode}" for name, mode in last)
    return SimulationError(
        f"simulate: at t = {t:g} s the modes of the laws do not settle ({tail}). Two laws want the opposite of each "
        "other: look at their levels (a static friction below the sliding one, two stops at one place)."
    )
