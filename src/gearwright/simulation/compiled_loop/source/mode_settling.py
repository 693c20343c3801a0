"""The event loop, consistent modes: every guard holds, after impacts and new holds have changed the speeds.

The algorithm is that of `system.modes`: apply the most violated guard until none is violated; if that does not end,
search among the modes that guards near zero lead to. The mode of a single contact is determined from accelerations, as
in `system.modes.contact_modes`. Gears that jam, and several contacts, whose modes are determined together, are left to
those modules.
"""

from __future__ import annotations

from gearwright.compiling import run_kernel, sqrt
from gearwright.forces.event_tolerances import (
    ACCELERATION_NOISE,
    ACCELERATION_ROUNDING_RATIO,
    BREAKAWAY_SPEED,
    CONTACT_REST_SPEED,
    DIRECTION_THRESHOLD,
    LIMIT_REST_SPEED,
    MAX_CHANGES_PER_LAW,
    MAX_SEARCHED_MODES,
    NEAR_GUARD_LEVEL,
    RESIDUAL_CONTACT_SPEED,
)
from gearwright.functions.constrained.contact_impulses import solve_cone
from gearwright.simulation.compiled_loop.source.force_balance import contact_response, set_active_modes
from gearwright.simulation.compiled_loop.source.guard_choice import count_change, guard_owner, is_visited, worst_guard
from gearwright.simulation.compiled_loop.source.impacts import (
    change_speeds,
    impact_of_guard,
    impact_terms,
    restore_held_speeds,
)
from gearwright.simulation.compiled_loop.source.inputs_and_rates import UNBOUNDED_TIME, solve_accelerations
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

MODES_CONSISTENT = 0
MODES_INCONSISTENT = 1
MODES_LEFT_TO_PYTHON = 2
MODES_EVENTS_FULL = 3

GUARD_APPLIED = 0
GUARD_FAILED = 1
GUARD_DECIDED = 2
GUARD_WITHOUT_EFFECT = 3

CONTACT_FREE = 0
CONTACT_TOUCHES = 1
CONTACT_SLIDES = 1
CONTACT_STICKS = 2
"""Modes of a contact, in the order of its law: free and touching, with friction free, sliding and sticking."""


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
        applied = apply_guard(s, guard, law)
        if applied == GUARD_FAILED:
            return MODES_LEFT_TO_PYTHON
        if applied == GUARD_APPLIED:
            visits = count_change(s, law, s.visited, s.changed, s.weights, visits)
    return MODES_INCONSISTENT


def is_found_in_python(s: LoopWorkspace, guard: int, law: int) -> int:
    """Whether a guard changes modes that are determined together: of several contacts, or by an impact elsewhere."""
    if law == s.contact_law:
        return 0
    if s.contacts > 0 and s.guard_direction[guard] >= 0:
        return 1
    return s.modes_together[law]


def apply_guard(s: LoopWorkspace, guard: int, law: int) -> int:
    """Change the mode of a law as its guard states, with the impact and the modes that follow from it.

    Accelerations decide on the mode of a contact that does not collide.
    """
    if law == s.contact_law and collides(s, guard) == 0:
        decided = decide_contact(s)
        if decided != GUARD_WITHOUT_EFFECT:
            return decided
        if s.contact_rows > 1 and s.guard_direction[guard] < 0 and s.guard_to[guard] == CONTACT_SLIDES:
            begin_slip_against_friction(s)
    if s.guard_direction[guard] < 0:
        s.modes[law] = s.guard_to[guard]
        record_change(s, law)
        set_active_modes(s)
        return GUARD_APPLIED
    for j in range(s.laws):
        s.modes_kept[j] = s.modes[j]
    if impact_of_guard(s, guard) != 0:
        return GUARD_FAILED
    s.modes[law] = s.guard_to[guard]
    record_change(s, law)
    for j in range(s.laws):
        if j != law and s.modes[j] != s.modes_kept[j]:
            record_change(s, j)
    set_active_modes(s)
    return GUARD_APPLIED


def collides(s: LoopWorkspace, guard: int) -> int:
    """Whether a guard of the contact is an impact with a speed."""
    place = s.contact_places[0]
    if s.guard_direction[guard] >= 0 and s.place_factor[place] * s.pace[s.place_direction[place]] < -LIMIT_REST_SPEED:
        return 1
    return 0


def decide_contact(s: LoopWorkspace) -> int:
    """Change mode, slip direction and residual speeds of the contact as its accelerations require."""
    law = s.contact_law
    mode = s.modes[law]
    for i in range(s.nx):
        s.x_kept[i] = s.x[i]
    square = 0.0
    for r in range(1, s.contact_rows):
        place = s.contact_places[r]
        s.contact_slip[r - 1] = s.place_factor[place] * s.pace[s.place_direction[place]]
        square += s.contact_slip[r - 1] * s.contact_slip[r - 1]
    speed = sqrt(square)
    slides = 1 if speed > CONTACT_REST_SPEED else 0
    if slides != 0:
        s.contact_slip[0] = s.contact_slip[0] / speed
        s.contact_slip[1] = s.contact_slip[1] / speed
    s.modes[law] = CONTACT_FREE
    set_active_modes(s)
    if impact_terms(s, s.x) != 0 or contact_response(s) != 0 or solve_cone(s, slides) != 0:
        return GUARD_FAILED
    now = contact_mode(s, slides)
    if remove_contact_speeds(s, now, slides) != 0:
        return GUARD_FAILED
    s.modes[law] = now
    set_active_modes(s)
    if now != mode:
        record_change(s, law)
        return GUARD_DECIDED
    for i in range(s.nx):
        if s.x[i] != s.x_kept[i]:
            return GUARD_DECIDED
    return GUARD_WITHOUT_EFFECT


def contact_mode(s: LoopWorkspace, slides: int) -> int:
    """The mode of the contact with the forces of `solve_cone`; a sliding one stores the direction of its slip."""
    rows = s.contact_rows
    noise = ACCELERATION_NOISE
    for r in range(rows):
        noise = max(noise, ACCELERATION_ROUNDING_RATIO * abs(s.contact_speeds[r]))
    for r in range(rows):
        for i in range(rows):
            s.contact_speeds[r] += s.contact_matrix[3 * r + i] * s.contact_impulse[i]
    if s.contact_speeds[0] > noise:
        return CONTACT_FREE
    if rows == 1:
        return CONTACT_TOUCHES
    if slides == 0:
        x = s.contact_speeds[1]
        y = s.contact_speeds[2]
        size = sqrt(x * x + y * y)
        if not (size > noise):
            return CONTACT_STICKS
        s.contact_slip[0] = x / size
        s.contact_slip[1] = y / size
    for r in range(rows - 1):
        s.x[s.contact_state + r] = s.contact_slip[r]
    return CONTACT_SLIDES


def remove_contact_speeds(s: LoopWorkspace, mode: int, slides: int) -> int:
    """Remove residual speeds of the contact at rest: along its normal, and its tangents unless it slides; 1 on failure.

    A contact that separates from rest keeps its zero speed. Where normal and tangents are dependent, as of an arm that
    is stretched out, the normal alone is stopped.
    """
    size = 0
    largest = 0.0
    for r in range(s.contact_rows):
        place = s.contact_places[r]
        pace = s.pace[s.place_direction[place]]
        speed = abs(s.place_factor[place] * pace)
        rests = 0
        if r == 0 and (mode != CONTACT_FREE or speed <= LIMIT_REST_SPEED):
            rests = 1
        if r > 0 and mode != CONTACT_FREE and slides == 0:
            rests = 1
        if rests != 0:
            largest = max(largest, speed)
            s.blow_way[size] = s.place_direction[place]
            s.blow_jump[size] = -pace
            size += 1
    if not (largest > RESIDUAL_CONTACT_SPEED):
        return 0
    for i in range(s.n):
        s.sense[i] = s.x[s.nq + i]
    if change_speeds(s, size) == 0:
        return 0
    return change_speeds(s, 1)


def begin_slip_against_friction(s: LoopWorkspace) -> None:
    """Store the direction opposite to the friction of the contact that sticks no longer."""
    square = 0.0
    for r in range(1, s.contact_rows):
        force = s.felt[s.contact_places[r]]
        square += force * force
    size = max(sqrt(square), DIRECTION_THRESHOLD)
    for r in range(1, s.contact_rows):
        s.x[s.contact_state + r - 1] = -s.felt[s.contact_places[r]] / size


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
