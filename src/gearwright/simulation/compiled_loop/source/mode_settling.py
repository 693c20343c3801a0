"""The event loop, consistent modes: every guard holds, after impacts and new holds have changed the speeds.

The algorithm is that of `system.modes.mode_settling`: apply the most violated guard until none is violated. Sets of
modes that it does not find within a limit, and impacts through lossy gears, are left to that module.
"""

from __future__ import annotations

from gearwright.forces.event_tolerances import (
    BREAKAWAY_SPEED,
    GUARD_VIOLATION_LEVEL,
    HELD_SPEED_ROUNDING,
    MAX_CHANGES_PER_LAW,
)
from gearwright.simulation.compiled_loop.source.elimination import solve_by_elimination
from gearwright.simulation.compiled_loop.source.force_balance import (
    DEPENDENT_PIVOT_RATIO,
    HOLD_CONFLICT_RATIO,
    set_active_modes,
)
from gearwright.simulation.compiled_loop.source.inputs_and_rates import solve_accelerations
from gearwright.simulation.compiled_loop.source.intrinsics import run_kernel
from gearwright.simulation.compiled_loop.source.redundant_constraints import in_order_of_unknowns, solve_dependent
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

UNBOUNDED_TIME = 1e300
"""A time that no run reaches [s]."""

MODES_CONSISTENT = 0
MODES_INCONSISTENT = 1
MODES_LEFT_TO_PYTHON = 2
MODES_EVENTS_FULL = 3


def worst_guard(s: LoopWorkspace) -> int:
    """The most violated guard of the laws with the least weight, as its index among all guards; -1: none."""
    worst = -1
    least = 0.0
    lightest = 0
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        weight = s.weights[law]
        for k in range(s.guard_begin[choice], s.guard_begin[choice + 1]):
            now = s.violations[s.guard_first[law] + k - s.guard_begin[choice]]
            if now <= -GUARD_VIOLATION_LEVEL:
                better = 0
                if worst < 0 or weight < lightest or (weight == lightest and now < least):
                    better = 1
                if better != 0:
                    worst = k
                    least = now
                    lightest = weight
    return worst


def guard_owner(s: LoopWorkspace, guard: int) -> int:
    """The law whose current mode has a guard."""
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        if s.guard_begin[choice] <= guard and guard < s.guard_begin[choice + 1]:
            return law
    return 0


def evaluate_guards(s: LoopWorkspace) -> int:
    """Evaluate the violation of every guard at the current state."""
    if solve_accelerations(s, s.t, s.x, UNBOUNDED_TIME, 1) != 0:
        return 1
    return run_kernel(s.settling, s.settling_table)


def change_mode(s: LoopWorkspace, law: int, mode: int, visits: int) -> int:
    """Set the mode of a law and record it; returns the number of modes visited so far."""
    s.changed[law] += 1
    s.event_t[s.events] = s.t
    s.event_law[s.events] = law
    s.event_mode[s.events] = mode
    s.events += 1
    s.modes[law] = mode
    set_active_modes(s)
    is_repeated = 0
    for k in range(visits):
        same = 1
        for j in range(s.laws):
            if s.visited[k * s.laws + j] != s.modes[j]:
                same = 0
        if same != 0:
            is_repeated = 1
    for j in range(s.laws):
        s.weights[j] = s.changed[j] if is_repeated != 0 else 0
    if is_repeated != 0:
        return visits
    for j in range(s.laws):
        s.visited[visits * s.laws + j] = s.modes[j]
    return visits + 1


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
        guard = worst_guard(s)
        if guard < 0:
            speeds_changed = restore_held_speeds(s)
            if speeds_changed < 0:
                return MODES_LEFT_TO_PYTHON
            if speeds_changed == 0:
                return MODES_CONSISTENT
            if evaluate_guards(s) != 0:
                return MODES_LEFT_TO_PYTHON
            guard = worst_guard(s)
            if guard < 0:
                return MODES_CONSISTENT
        if s.events + 1 >= s.event_room:
            return MODES_EVENTS_FULL
        if s.guard_direction[guard] >= 0 and impact_of_guard(s, guard) != 0:
            return MODES_LEFT_TO_PYTHON
        law = guard_owner(s, guard)
        visits = change_mode(s, law, s.guard_to[guard], visits)
    return MODES_INCONSISTENT


def restore_held_speeds(s: LoopWorkspace) -> int:
    """Set the speeds along held lines to those of the holds, as by a simultaneous plastic impact; 1 if they changed."""
    columns = 1
    s.columns = columns
    fastest = 0.0
    for i in range(s.n):
        fastest = max(fastest, abs(s.x[s.nq + i]))
    worst = 0.0
    count = 0
    for j in range(s.held):
        s.z[j] = 0.0
    for m in range(s.member_count):
        if s.member_keeps[m] != 0:
            place = s.member_place[m]
            j = s.member_unknown[m]
            factor = s.place_factor[place]
            missing = s.kept[place] - factor * s.pace[s.way[j]]
            worst = max(worst, abs(missing))
            s.z[j] = missing / factor
            count += 1
    if count == 0 or not (worst > HELD_SPEED_ROUNDING * (1.0 + fastest)):
        return 0
    size = 0
    for m in range(s.member_count):  # unknowns that hold a speed take part in the impact, each once
        j = s.member_unknown[m]
        if s.member_keeps[m] != 0:
            is_listed = 0
            for k in range(size):
                if s.blow_unknown[k] == j:
                    is_listed = 1
            if is_listed == 0:
                s.blow_unknown[size] = j
                s.blow_way[size] = s.way[j]
                s.blow_jump[size] = s.z[j]
                size += 1
    if solve_impact(s, size, worst) != 0:
        return -1
    return 1


def impact_of_guard(s: LoopWorkspace, guard: int) -> int:
    """The impact of a guard: its line is stopped and rebounds, and rigidly held lines stay held."""
    direction = s.guard_direction[guard]
    arriving = s.pace[direction]
    s.blow_way[0] = direction
    s.blow_jump[0] = -(1.0 + s.guard_restitution[guard]) * arriving
    worst = abs(arriving * s.guard_factor[guard])
    size = 1
    for m in range(s.member_count):
        if s.member_keeps[m] != 0 and s.member_firm[m] != 0:
            place = s.member_place[m]
            other_direction = s.place_direction[place]
            is_listed = 0
            for k in range(size):
                if s.blow_way[k] == other_direction:
                    is_listed = 1
            if is_listed == 0:
                s.blow_way[size] = other_direction
                s.blow_jump[size] = s.kept[place] / s.place_factor[place] - s.pace[other_direction]
                size += 1
    return solve_impact(s, size, worst)


def solve_impact(s: LoopWorkspace, holds: int, worst: float) -> int:
    """Change the speeds along some directions at once, and add the energy loss to the balance; 1 if left to Python.

    Turning gears transmit the impulse of the wheels before them with their losses, on the flanks in contact. Impacts
    that may change the loaded flanks are left to Python.
    """
    size = holds
    for k in range(s.active_drags):
        e = s.drag_at[k]
        turns = abs(s.drag_factor[e] * s.pace[s.drag_direction[e]])
        if turns > BREAKAWAY_SPEED and s.gain[e] > -1.0 and s.gain[e] != 0.0:
            s.blow_way[size] = s.drag_direction[e]
            s.blow_unknown[size] = e
            size += 1
    if size > holds and worst > BREAKAWAY_SPEED:
        return 1
    write_impact_equations(s, holds, size)
    if solve_by_elimination(s.matrix, s.right, s.z, size, 1) != 0:
        if s.projects == 0:
            return 1
        write_impact_equations(s, holds, size)
        solve_dependent(s, size, 1, DEPENDENT_PIVOT_RATIO)
        if not (s.residual <= HOLD_CONFLICT_RATIO * (1.0 + worst)):
            return 1
        in_order_of_unknowns(s, size, 1)
    lost_energy = 0.0
    for j in range(size):
        changed = 0.0
        for i in range(size):
            changed += s.G[s.blow_way[j] * s.directions + s.blow_way[i]] * s.right[i]
        lost_energy -= s.right[j] * (s.pace[s.blow_way[j]] - s.carried[s.blow_way[j]] + 0.5 * changed)
    for j in range(size):
        for i in range(s.n):
            s.x[s.nq + i] += s.Y[s.blow_way[j] * s.n + i] * s.right[j]
    s.x[s.nx - 1] += lost_energy
    return 0


def write_impact_equations(s: LoopWorkspace, holds: int, size: int) -> None:
    """Write the equations of an impact: jumps along the directions, then the impulses of turning gears."""
    for j in range(holds):
        for i in range(size):
            s.matrix[j * size + i] = s.G[s.blow_way[j] * s.directions + s.blow_way[i]]
        s.right[j] = s.blow_jump[j]
    for j in range(holds, size):
        e = s.blow_unknown[j]
        gain = s.drag_factor[e] * s.gain[e]
        for i in range(size):
            s.matrix[j * size + i] = gain * s.sensing[e * s.directions + s.blow_way[i]]
        s.matrix[j * size + j] += 1.0
        s.right[j] = 0.0
