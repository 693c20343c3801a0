"""The event loop, consistent modes: every guard holds, after impacts and new holds have changed the speeds.

The algorithm is that of `system.modes`: apply the most violated guard until none is violated; if that does not end,
search among the modes that guards near zero lead to. Gears that jam, and contacts, whose modes are determined together,
are left to those modules.
"""

from __future__ import annotations

from gearwright.forces.event_tolerances import (
    BREAKAWAY_SPEED,
    MAX_CHANGES_PER_LAW,
    MAX_SEARCHED_MODES,
    NEAR_GUARD_LEVEL,
)
from gearwright.simulation.compiled_loop.source.force_balance import set_active_modes
from gearwright.simulation.compiled_loop.source.guard_choice import count_change, guard_owner, is_visited, worst_guard
from gearwright.simulation.compiled_loop.source.impacts import impact_of_guard, restore_held_speeds
from gearwright.simulation.compiled_loop.source.inputs_and_rates import UNBOUNDED_TIME, solve_accelerations
from gearwright.simulation.compiled_loop.source.intrinsics import run_kernel
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

MODES_CONSISTENT = 0
MODES_INCONSISTENT = 1
MODES_LEFT_TO_PYTHON = 2
MODES_EVENTS_FULL = 3


def evaluate_guards(s: LoopWorkspace) -> int:
    """Evaluate the violation of every guard at the current state."""
    if solve_accelerations(s, s.t, s.x, UNBOUNDED_TIME, 1) != 0:
        return 1
    return run_kernel(s.settling, s.settling_table)


def record_change(s: LoopWorkspace, law: int) -> None:
    """Record the mode of a law as an event."""
    s.event_t[s.events] = s.t
    s.event_law[s.events] = law
    s.event_mode[s.events] = s.modes[law]
    s.events += 1


def find_consistent_modes(s: LoopWorkspace) -> int:
    """Change modes until every guard holds; on failure everything is restored."""
    if s.guards == 0:
        return MODES_CONSISTENT
    events = s.events
    for i in range(s.nx):
        s.x_before[i] = s.x[i]
    for j in range(s.laws):
        s.visited[j] = s.modes[j]
    status = follow_guards(s)
    if status == MODES_INCONSISTENT and s.contacts > 0:
        status = MODES_LEFT_TO_PYTHON
    if status == MODES_INCONSISTENT:
        s.events = events
        status = search_modes(s)
        if status == MODES_CONSISTENT:
            status = record_differences(s)
    if status != MODES_CONSISTENT:
        s.events = events
        for i in range(s.nx):
            s.x[i] = s.x_before[i]
        for j in range(s.laws):
            s.modes[j] = s.visited[j]
        set_active_modes(s)
    return status


def follow_guards(s: LoopWorkspace) -> int:
    """Apply the most violated guard until none is violated."""
    for j in range(s.laws):
        s.changed[j] = 0
        s.weights[j] = 0
    visits = 1
    for _ in range(MAX_CHANGES_PER_LAW * (s.laws + 1)):
        if evaluate_guards(s) != 0:
            return MODES_LEFT_TO_PYTHON
        guard = worst_guard(s, s.weights)
        if guard < 0:
            speeds_changed = restore_held_speeds(s)
            if speeds_changed < 0:
                return MODES_LEFT_TO_PYTHON
            if speeds_changed == 0:
                return MODES_CONSISTENT
            if evaluate_guards(s) != 0:
                return MODES_LEFT_TO_PYTHON
            guard = worst_guard(s, s.weights)
            if guard < 0:
                return MODES_CONSISTENT
        law = guard_owner(s, guard)
        if is_found_in_python(s, guard, law) != 0:
            return MODES_LEFT_TO_PYTHON
        if s.events + s.laws >= s.event_room:
            return MODES_EVENTS_FULL
        if remove_residual_speeds(s) != 0:
            return MODES_LEFT_TO_PYTHON
        if apply_guard(s, guard, law) != 0:
            return MODES_LEFT_TO_PYTHON
        visits = count_change(s, law, s.visited, s.changed, s.weights, visits)
    return MODES_INCONSISTENT


def is_found_in_python(s: LoopWorkspace, guard: int, law: int) -> int:
    """Whether a guard changes the modes of contacts, which are determined together: its own, or others by an impact."""
    if s.contacts > 0 and s.guard_direction[guard] >= 0:
        return 1
    return s.modes_together[law]


def apply_guard(s: LoopWorkspace, guard: int, law: int) -> int:
    """Change the mode of a law as its guard states, with the impact and the modes that follow from it; 1 on failure."""
    if s.guard_direction[guard] < 0:
        s.modes[law] = s.guard_to[guard]
        record_change(s, law)
        set_active_modes(s)
        return 0
    for j in range(s.laws):
        s.modes_kept[j] = s.modes[j]
    if impact_of_guard(s, guard) != 0:
        return 1
    s.modes[law] = s.guard_to[guard]
    record_change(s, law)
    for j in range(s.laws):
        if j != law and s.modes[j] != s.modes_kept[j]:
            record_change(s, j)
    set_active_modes(s)
    return 0


def remove_residual_speeds(s: LoopWorkspace) -> int:
    """Where modes recur, set held lines exactly to rest that are at rest up to the accuracy of event location.

    A line that sticks and breaks away begins to move from rest. With the residual speed of its stop, of the wrong sign,
    it would stick again, and so on without end.
    """
    is_recurrent = 0
    for j in range(s.laws):
        if s.weights[j] > 0:
            is_recurrent = 1
    if is_recurrent == 0:
        return 0
    for i in range(s.nx):
        s.x_kept[i] = s.x[i]
    if restore_held_speeds(s) < 0:
        return 1
    largest = 0.0
    for i in range(s.nq, s.nq + s.n):
        largest = max(largest, abs(s.x[i] - s.x_kept[i]))
    if largest > BREAKAWAY_SPEED:
        for i in range(s.nx):
            s.x[i] = s.x_kept[i]
    return 0


def search_modes(s: LoopWorkspace) -> int:
    """Search for consistent modes among those that guards near zero lead to, from the current ones, nearest first."""
    for i in range(s.nx):
        s.x_kept[i] = s.x[i]
    for j in range(s.laws):
        s.searched[j] = s.modes[j]
        s.weights[j] = 0
    count = 1
    place = 0
    while place < count:
        for i in range(s.nx):
            s.x[i] = s.x_kept[i]
        for j in range(s.laws):
            s.modes[j] = s.searched[place * s.laws + j]
        set_active_modes(s)
        place += 1
        if evaluate_guards(s) == 0:
            worst = worst_guard(s, s.weights)
            count = add_successors(s, place - 1, count)
            if worst < 0 and restore_held_speeds(s) >= 0 and evaluate_guards(s) == 0 and worst_guard(s, s.weights) < 0:
                return MODES_CONSISTENT
    return MODES_INCONSISTENT


def add_successors(s: LoopWorkspace, place: int, count: int) -> int:
    """Add the modes that a guard near or below zero leads to, without impacts; returns the number of all modes."""
    for law in range(s.laws):
        mode = s.searched[place * s.laws + law]
        choice = s.first_choice[law] + mode
        for k in range(s.guard_begin[choice], s.guard_begin[choice + 1]):
            level = s.violations[s.guard_first[law] + k - s.guard_begin[choice]]
            if level < NEAR_GUARD_LEVEL and s.guard_direction[k] < 0 and count < MAX_SEARCHED_MODES:
                s.modes[law] = s.guard_to[k]
                if is_visited(s, s.searched, count) == 0:
                    for j in range(s.laws):
                        s.searched[count * s.laws + j] = s.modes[j]
                    count += 1
                s.modes[law] = mode
    return count


def record_differences(s: LoopWorkspace) -> int:
    """Record all modes that differ from those at the start."""
    if s.events + s.laws >= s.event_room:
        return MODES_EVENTS_FULL
    for law in range(s.laws):
        if s.modes[law] != s.visited[law]:
            record_change(s, law)
    return MODES_CONSISTENT
