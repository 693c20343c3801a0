"""The event loop, settling: modes in which every guard holds, after impacts and new holds have changed the speeds.

The algorithm is that of `system.modes.mode_settling`: obey the most violated guard until none is violated. What it does
not solve within its patience, and blows through gears that lose power, are left to that.
"""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.force_balance import eliminate, take_modes
from gearwright.simulation.compiled_loop.source.inputs_and_rates import solve
from gearwright.simulation.compiled_loop.source.intrinsics import run
from gearwright.simulation.compiled_loop.source.workspace import Work

ZERO = 0.5e-9
"""Guards below minus this, in their own scale, are violated."""

CREEP = 1e-8
"""Speed [rad/s, m/s] from which on something turns."""

PATIENCE = 40
"""Changes per law before a set of modes counts as one that does not settle."""

FOREVER = 1e300

SETTLED = 0
UNSETTLED = 1
REFUSED = 2
FULL = 3


def violated(s: Work) -> int:
    """The most violated guard of the laws with the least weight, as its place among those of all choices; -1: none."""
    found = -1
    least = 0.0
    lightest = 0
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        weight = s.weights[law]
        for k in range(s.guard_begin[choice], s.guard_begin[choice + 1]):
            now = s.violations[s.guard_first[law] + k - s.guard_begin[choice]]
            if now <= -ZERO:
                better = 0
                if found < 0 or weight < lightest or (weight == lightest and now < least):
                    better = 1
                if better != 0:
                    found = k
                    least = now
                    lightest = weight
    return found


def owner(s: Work, guard: int) -> int:
    """The law whose mode at hand has a guard."""
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        if s.guard_begin[choice] <= guard and guard < s.guard_begin[choice + 1]:
            return law
    return 0


def judge(s: Work) -> int:
    """How much every guard is violated at the state at hand."""
    if solve(s, s.t, s.x, FOREVER, 1) != 0:
        return 1
    return run(s.settling, s.settling_table)


def change(s: Work, law: int, mode: int, visits: int) -> int:
    """Put a law into a mode and note it; the number of modes that were visited so far."""
    s.changed[law] += 1
    s.event_t[s.events] = s.t
    s.event_law[s.events] = law
    s.event_mode[s.events] = mode
    s.events += 1
    s.modes[law] = mode
    take_modes(s)
    again = 0
    for k in range(visits):
        same = 1
        for j in range(s.laws):
            if s.visited[k * s.laws + j] != s.modes[j]:
                same = 0
        if same != 0:
            again = 1
    for j in range(s.laws):
        s.weights[j] = s.changed[j] if again != 0 else 0
    if again != 0:
        return visits
    for j in range(s.laws):
        s.visited[visits * s.laws + j] = s.modes[j]
    return visits + 1


def settle(s: Work) -> int:
    """Change modes until every guard holds; where that fails, everything is as it was."""
    if s.guards == 0:
        return SETTLED
    events = s.events
    for i in range(s.nx):
        s.x_before[i] = s.x[i]
    for j in range(s.laws):
        s.visited[j] = s.modes[j]
    status = try_modes(s)
    if status != SETTLED:
        s.events = events
        for i in range(s.nx):
            s.x[i] = s.x_before[i]
        for j in range(s.laws):
            s.modes[j] = s.visited[j]
        take_modes(s)
    return status


def try_modes(s: Work) -> int:
    """Obey the most violated guard until none is violated."""
    for j in range(s.laws):
        s.changed[j] = 0
        s.weights[j] = 0
    visits = 1
    for _ in range(PATIENCE * (s.laws + 1)):
        if judge(s) != 0:
            return REFUSED
        guard = violated(s)
        if guard < 0:
            kept = keep(s)
            if kept < 0:
                return REFUSED
            if kept == 0:
                return SETTLED
            if judge(s) != 0:
                return REFUSED
            guard = violated(s)
            if guard < 0:
                return SETTLED
        if s.events + 1 >= s.event_room:
            return FULL
        if s.guard_direction[guard] >= 0 and strike(s, guard) != 0:
            return REFUSED
        law = owner(s, guard)
        visits = change(s, law, s.guard_to[guard], visits)
    return UNSETTLED


def keep(s: Work) -> int:
    """Speeds along held lines as the holds want them, as after a plastic impact of all at once; 1 if they changed."""
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
    if count == 0 or not (worst > 1e-14 * (1.0 + fastest)):
        return 0
    size = 0
    for m in range(s.member_count):  # unknowns that keep a speed come into the blow, each once
        j = s.member_unknown[m]
        if s.member_keeps[m] != 0:
            known = 0
            for k in range(size):
                if s.blow_unknown[k] == j:
                    known = 1
            if known == 0:
                s.blow_unknown[size] = j
                s.blow_way[size] = s.way[j]
                s.blow_jump[size] = s.z[j]
                size += 1
    if blow(s, size, worst) != 0:
        return -1
    return 1


def strike(s: Work, guard: int) -> int:
    """The impact of a guard: its line is stopped and thrown back, and lines that are held firmly stay so."""
    direction = s.guard_direction[guard]
    arriving = s.pace[direction]
    s.blow_way[0] = direction
    s.blow_jump[0] = -(1.0 + s.guard_restitution[guard]) * arriving
    worst = abs(arriving * s.guard_factor[guard])
    size = 1
    for m in range(s.member_count):
        if s.member_keeps[m] != 0 and s.member_firm[m] != 0:
            place = s.member_place[m]
            way = s.place_direction[place]
            known = 0
            for k in range(size):
                if s.blow_way[k] == way:
                    known = 1
            if known == 0:
                s.blow_way[size] = way
                s.blow_jump[size] = s.kept[place] / s.place_factor[place] - s.pace[way]
                size += 1
    return blow(s, size, worst)


def blow(s: Work, holds: int, worst: float) -> int:
    """Change the speeds along some directions at once; what is lost is booked. 1 where that is left to Python.

    Gears that turn take their part of what the wheels before them give back, on the flanks that are in contact. Which
    flanks a real blow presses is looked for in Python.
    """
    size = holds
    for k in range(s.active_drags):
        e = s.drag_at[k]
        turns = abs(s.drag_factor[e] * s.pace[s.drag_direction[e]])
        if turns > CREEP and s.gain[e] > -1.0 and s.gain[e] != 0.0:
            s.blow_way[size] = s.drag_direction[e]
            s.blow_unknown[size] = e
            size += 1
    if size > holds and worst > CREEP:
        return 1
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
    if eliminate(s.matrix, s.right, s.z, size, 1) != 0:
        return 1
    lost = 0.0
    for j in range(size):
        changed = 0.0
        for i in range(size):
            changed += s.G[s.blow_way[j] * s.directions + s.blow_way[i]] * s.right[i]
        lost -= s.right[j] * (s.pace[s.blow_way[j]] - s.carried[s.blow_way[j]] + 0.5 * changed)
    for j in range(size):
        for i in range(s.n):
            s.x[s.nq + i] += s.Y[s.blow_way[j] * s.n + i] * s.right[j]
    s.x[s.nx - 1] += lost
    return 0
