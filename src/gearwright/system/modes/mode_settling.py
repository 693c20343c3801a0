"""Consistent modes: at the start and after an event the modes of all laws are determined together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.arrays import Array
from gearwright.errors import SimulationError, SingularityError
from gearwright.forces.contact.contact import FREE_MODE, SLIDE_MODE, Contact
from gearwright.forces.transmission.gear_losses import STUCK_MODE, GearLoss
from gearwright.system.evaluation import Evaluation
from gearwright.system.modes.impacts import with_held_speeds
from gearwright.system.modes.jamming import jam_by_contact, jam_by_itself
from gearwright.system.modes.mode_changes import ModeChanges, with_mode
from gearwright.system.modes.mode_search import ModeSearch, guard_successors, visited_neighbours
from gearwright.system.system import Modes, System
from gearwright.text import listed_names


@dataclass(frozen=True)
class ConsistentModes:
    """Modes in which every guard is satisfied, the state after impacts, and the mode changes."""

    modes: Modes
    x: Array
    changes: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...] = ()


def find_consistent_modes(system: System, t: float, x: Array, u: Array, modes: Modes) -> ConsistentModes:
    """Consistent modes by applying the most violated guard until none is violated; impacts and holds change speeds.

    If that cycles, neighbouring modes are searched. If none of them is consistent, the search restarts, and gears jam
    only if no other modes are consistent.
    """
    mode_search, changes = ModeSearch(system, t, u), ModeChanges(modes)
    try:
        after, is_consistent = mode_search.follow_guards(x, changes)
    except SingularityError:  # a jammed gear may leave no freedom for an impact
        return _modes_with_jams(mode_search, x, modes)
    if is_consistent:
        return ConsistentModes(changes.modes, after, changes.named_changes(system), tuple(changes.remarks))
    search_result = mode_search.search_modes(after, changes.modes, guard_successors, jumps=True)
    if search_result is not None:
        return ConsistentModes(*search_result, _mode_differences(system, modes, search_result[0]))
    return _modes_with_jams(mode_search, x, modes)


def _modes_with_jams(mode_search: ModeSearch, x: Array, modes: Modes) -> ConsistentModes:
    """Consistent modes without a jam, or with gears that jam in sequence."""
    system, all_changes = mode_search.system, list[tuple[str, str]]()
    for _ in range(len(system.laws) + 1):
        changes = ModeChanges(modes)
        x, is_consistent = mode_search.follow_guards(x, changes, jams=False)
        all_changes += changes.named_changes(system)
        if is_consistent:
            return ConsistentModes(changes.modes, x, tuple(all_changes))
        search_result = mode_search.search_modes(
            x, changes.modes, visited_neighbours(changes.visited_modes), jumps=False
        )
        if search_result is not None:
            return ConsistentModes(
                *search_result, (*all_changes, *_mode_differences(system, changes.modes, search_result[0]))
            )
        jammed = _jam_gears(x, mode_search.evaluate_modes(x, _modes_with_contacts(system, changes)))
        if jammed is None:
            break
        all_changes += _mode_differences(system, changes.modes, jammed[0])
        modes, x = jammed[0], with_held_speeds(system, jammed[1], mode_search.evaluate_modes(jammed[1], jammed[0]))
    raise _inconsistent_modes_error(system, mode_search.t, all_changes)


def _jam_gears(x: Array, touching: Evaluation) -> tuple[Modes, Array] | None:
    """The modes and the state after gears have jammed, by a contact or by themselves."""
    jam = jam_by_contact(x, touching)
    gear = None if jam else jam_by_itself(touching)
    return (with_mode(touching.modes, gear, STUCK_MODE), x) if gear is not None else jam


def _modes_with_contacts(system: System, changes: ModeChanges) -> Modes:
    """The modes with all contacts closed that were closed during the search; those that slid slide."""
    modes = changes.modes
    for k, law in enumerate(system.laws):
        touched = [mode for mode in law.modes[1:] if mode in changes.visited_modes[k]]
        if isinstance(law, Contact) and touched:
            modes = with_mode(modes, k, touched[0])
    return modes


def _mode_differences(system: System, before: Modes, after: Modes) -> tuple[tuple[str, str], ...]:
    return tuple((law.name, b) for law, a, b in zip(system.laws, before, after, strict=True) if a != b)


def _inconsistent_modes_error(system: System, t: float, changes: Sequence[tuple[str, str]]) -> SimulationError:
    last = changes[-6:]
    sliding = [name for name, mode in last if mode == SLIDE_MODE and (name, FREE_MODE) in last]
    if sliding:
        return SimulationError(
            f"simulate: at t = {t:g} s no contact force is consistent with the sliding of contact {sliding[0]!r}: its "
            "friction presses it without bound into the surface (Painleve paradox). Lower its friction, or use a "
            "compliant surface: SoftContact(...)."
        )
    law_by_name = {law.name: law for law in system.laws}
    touching = [name for name, _ in last if isinstance(law_by_name[name], Contact)]
    gears = [law.name for law in system.laws if isinstance(law, GearLoss) and law.may_lock]
    if touching and gears:
        return SimulationError(
            f"simulate: at t = {t:g} s no force of contact {touching[0]!r} is consistent with the self-locking gears "
            f"{listed_names(gears)} (Painleve paradox). Give these gears an efficiency above 0.5, or use a compliant "
            "surface: SoftContact(...)."
        )
    last_changes = listed_names(f"{name} -> {mode}" for name, mode in last)
    return SimulationError(
        f"simulate: no consistent set of contact and friction modes was found at t = {t:g} s (last changes: "
        f"{last_changes}). Two laws contradict each other: check their limits (static friction below sliding friction, "
        "two stops at the same position)."
    )
