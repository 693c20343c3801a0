r"""The event loop, impacts: instantaneous changes of speeds by impulses along lines, through gears with losses.

The algorithm is that of `system.modes.impacts`. With the responses Y and G along all directions, impulses z of the
stopped lines and of turning gears change the speeds by $Y z$; a gear transmits the impulse of the wheels before it with
the loss of its loaded flank, $z_d + g\,S\,Y z = 0$. The flanks are those that the impulses themselves load.
"""

from __future__ import annotations

from gearwright.compiling import Floats, run_kernel
from gearwright.forces.event_tolerances import (
    BREAKAWAY_SPEED,
    ENERGY_ROUNDING,
    GUARD_VIOLATION_LEVEL,
    HELD_SPEED_ROUNDING,
    IMPACT_DURATION,
    MAX_FLANK_CHANGES,
    MAX_IMPACT_DEPTH,
    RESTITUTION_HALVINGS,
)
from gearwright.functions.constrained.contact_impulse_path import follow_impulse
from gearwright.functions.constrained.contact_impulses import solve_cone
from gearwright.functions.constrained.contact_workspace import NEWTON_LAW
from gearwright.functions.constrained.dependent_equations import solve_dependent
from gearwright.simulation.compiled_loop.source.elimination import (
    in_order_of_unknowns,
    solve_by_elimination,
)
from gearwright.simulation.compiled_loop.source.force_balance import (
    DEPENDENT_PIVOT_RATIO,
    HOLD_CONFLICT_RATIO,
    set_active_modes,
)
from gearwright.simulation.compiled_loop.source.guard_choice import count_change, guard_owner, worst_guard
from gearwright.simulation.compiled_loop.source.inputs_and_rates import UNBOUNDED_TIME, set_kernel_state
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace


def restore_held_speeds(s: LoopWorkspace) -> int:
    """Set the speeds along held lines to those of the holds, as by a simultaneous plastic impact.

    1 if they changed, 0 if not, -1 if no impulses do it. The terms of the force balance are those of the state.
    """
    fastest = 0.0
    for i in range(s.n):
        fastest = max(fastest, abs(s.x[s.nq + i]))
    worst = 0.0
    size = 0
    for m in range(s.member_count):
        if s.member_keeps[m] != 0:
            place = s.member_place[m]
            factor = s.place_factor[place]
            missing = s.kept[place] - factor * s.pace[s.place_direction[place]]
            worst = max(worst, abs(missing))
            size = add_jump(s, size, s.place_direction[place], missing / factor)
    if size == 0 or not (worst > HELD_SPEED_ROUNDING * (1.0 + fastest)):
        return 0
    for i in range(s.n):
        s.sense[i] = s.x[s.nq + i]
    return 1 if change_speeds(s, size) == 0 else -1


def add_jump(s: LoopWorkspace, size: int, direction: int, jump: float) -> int:
    """Add a direction with its change of speed, the later of two along one direction; returns their number."""
    for k in range(size):
        if s.blow_way[k] == direction:
            s.blow_jump[k] = jump
            return size
    s.blow_way[size] = direction
    s.blow_jump[size] = jump
    return size + 1


def impact_of_guard(s: LoopWorkspace, guard: int) -> int:
    """The impact of a guard, with less restitution where a contact would gain energy through gears; 1 on failure.

    Gears that are back-driven may have a better efficiency. Where they add energy even without restitution, they count
    as lossless. Newton's law with friction may gain energy.
    """
    restitution = s.guard_restitution[guard]
    if s.contact_law < 0 or guard_owner(s, guard) != s.contact_law:
        return strike(s, guard, restitution)
    if s.placed[s.contact_places[0]] < -MAX_IMPACT_DEPTH:
        return 1
    if s.contact_facts[1] == NEWTON_LAW:
        return strike(s, guard, restitution)
    for i in range(s.nx):
        s.x_contact[i] = s.x[i]
    gains = strike_gains_energy(s, guard, restitution)
    if gains <= 0:
        return -gains
    gains = strike_gains_energy(s, guard, 0.0)
    if gains < 0:
        return 1
    if gains > 0:
        s.lossless = 1
        gains = strike_gains_energy(s, guard, restitution)
        s.lossless = 0
        return 1 if gains < 0 else 0
    low = 0.0
    high = restitution
    for _ in range(RESTITUTION_HALVINGS):
        middle = 0.5 * (low + high)
        gains = strike_gains_energy(s, guard, middle)
        if gains < 0:
            return 1
        if s.x[s.nx - 1] >= s.x_contact[s.nx - 1]:
            low = middle
        else:
            high = middle
    return 1 if strike_gains_energy(s, guard, low) < 0 else 0


def strike_gains_energy(s: LoopWorkspace, guard: int, restitution: float) -> int:
    """Repeat the impact of the contact from its beginning: 1 if it gains energy, 0 if not, -1 on failure."""
    for i in range(s.nx):
        s.x[i] = s.x_contact[i]
    for j in range(s.laws):
        s.modes[j] = s.modes_kept[j]
    set_active_modes(s)
    if strike(s, guard, restitution) != 0:
        return -1
    return 1 if s.x[s.nx - 1] < s.x_contact[s.nx - 1] - ENERGY_ROUNDING else 0


def strike(s: LoopWorkspace, guard: int, restitution: float) -> int:
    """The impact of a guard: its line is stopped, then rebounds; 1 on failure.

    Rigidly held lines stay held, but for those that the impact drives away, as a stop that is pulled: these open.
    """
    rubs = 0
    if guard_owner(s, guard) == s.contact_law and s.contact_rows > 1:
        rubs = 1
    for i in range(s.nx):
        s.x_kept[i] = s.x[i]
    for _ in range(s.laws + 1):
        size = strike_with_friction(s, restitution) if rubs != 0 else stop_line(s, guard)
        if size < 0:
            return 1
        impulses_as_forces(s, size, size)
        if run_kernel(s.settling, s.settling_table) != 0:
            return 1
        opening = guard_opened_by_impulses(s)
        if opening < 0:
            return 0 if rubs != 0 else rebound(s, size, restitution)
        s.modes[guard_owner(s, opening)] = s.guard_to[opening]
        set_active_modes(s)
        for i in range(s.nx):
            s.x[i] = s.x_kept[i]
    return 1


def strike_with_friction(s: LoopWorkspace, restitution: float) -> int:
    """The impact of the contact with friction; the number of impulses, -1 on failure."""
    if impact_terms(s, s.x) != 0 or contact_mobility(s) != 0:
        return -1
    if s.contact_facts[1] == NEWTON_LAW:
        s.contact_speeds[0] = (1.0 + restitution) * s.contact_speeds[0]
        if solve_cone(s, 0) != 0:
            return -1
    elif s.contact_speeds[0] < 0.0 and restitution > 0.0:
        if follow_impulse(s, restitution) != 0:
            return -1
    elif solve_cone(s, 0) != 0:
        return -1
    size = s.contact_rows
    for r in range(size):
        jump = 0.0
        for i in range(size):
            jump += s.contact_matrix[3 * r + i] * s.contact_impulse[i]
        place = s.contact_places[r]
        s.blow_way[r] = s.place_direction[place]
        s.blow_jump[r] = jump / s.place_factor[place]
    size = add_firm_holds(s, size)
    for i in range(s.n):
        s.sense[i] = s.x[s.nq + i]
    if change_speeds(s, size) != 0:
        return -1
    return size


def contact_mobility(s: LoopWorkspace) -> int:
    """Speeds along the lines of the contact, and their change per unit impulse while firm holds hold; 1 on failure."""
    rows = s.contact_rows
    held = add_firm_holds(s, 0)
    for i in range(9):
        s.contact_matrix[i] = 0.0
    for j in range(held):
        for i in range(held):
            s.matrix[j * held + i] = s.G[s.blow_way[j] * s.directions + s.blow_way[i]]
        for i in range(rows):
            s.right[j * rows + i] = -s.G[s.blow_way[j] * s.directions + s.place_direction[s.contact_places[i]]]
    if held > 0:
        solve_dependent(s, held, rows, DEPENDENT_PIVOT_RATIO)
        in_order_of_unknowns(s, held, rows)
    for r in range(3):
        s.contact_speeds[r] = 0.0
    for r in range(rows):
        place = s.contact_places[r]
        d = s.place_direction[place]
        s.contact_speeds[r] = s.place_factor[place] * s.pace[d]
        for i in range(rows):
            acting = s.contact_places[i]
            total = s.G[d * s.directions + s.place_direction[acting]]
            for j in range(held):
                total += s.G[d * s.directions + s.blow_way[j]] * s.right[j * rows + i]
            s.contact_matrix[3 * r + i] = s.place_factor[place] * total * s.place_factor[acting]
    return 0


def add_firm_holds(s: LoopWorkspace, size: int) -> int:
    """Add the directions that are held firmly, without a jump; returns their number."""
    for m in range(s.member_count):
        if s.member_keeps[m] != 0 and s.member_firm[m] != 0:
            direction = s.place_direction[s.member_place[m]]
            known = 0
            for k in range(size):
                if s.blow_way[k] == direction:
                    known = 1
            if known == 0:
                s.blow_way[size] = direction
                s.blow_jump[size] = 0.0
                size += 1
    return size


def stop_line(s: LoopWorkspace, guard: int) -> int:
    """Stop the line of a guard while rigidly held lines stay held; the number of impulses, -1 on failure."""
    if impact_terms(s, s.x) != 0:
        return -1
    direction = s.guard_direction[guard]
    s.blow_way[0] = direction
    s.blow_jump[0] = -s.pace[direction]
    size = 1
    for m in range(s.member_count):
        place = s.member_place[m]
        if s.member_keeps[m] != 0 and s.member_firm[m] != 0 and s.place_direction[place] != direction:
            other = s.place_direction[place]
            size = add_jump(s, size, other, s.kept[place] / s.place_factor[place] - s.pace[other])
    for i in range(s.n):
        s.v_before[i] = s.x[s.nq + i]
        s.sense[i] = s.v_before[i]
    if change_speeds(s, size) != 0:
        return -1
    return size


def rebound(s: LoopWorkspace, size: int, restitution: float) -> int:
    """Reverse the speed along the line that was stopped; 1 on failure."""
    if restitution == 0.0:
        return 0
    for i in range(s.n):
        stopped = s.x[s.nq + i]
        s.sense[i] = stopped + restitution * (stopped - s.v_before[i])
    stopping = s.blow_jump[0]
    for k in range(size):
        s.blow_jump[k] = 0.0
    s.blow_jump[0] = restitution * stopping
    if impact_terms(s, s.x) != 0:
        return 1
    return change_speeds(s, size)


def guard_opened_by_impulses(s: LoopWorkspace) -> int:
    """The most violated guard of the laws that hold something firmly, without gears that turn with it; -1: none."""
    worst = -1
    least = -GUARD_VIOLATION_LEVEL
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        if s.drag_begin[choice] == s.drag_begin[choice + 1] and holds_firmly(s, choice) != 0:
            for k in range(s.guard_begin[choice], s.guard_begin[choice + 1]):
                level = s.violations[s.guard_first[law] + k - s.guard_begin[choice]]
                if s.guard_direction[k] < 0 and level <= least:
                    worst = k
                    least = level
    return worst


def holds_firmly(s: LoopWorkspace, choice: int) -> int:
    """Whether a law in a mode holds something, and all of it firmly."""
    for k in range(s.hold_begin[choice], s.hold_begin[choice + 1]):
        if s.hold_keeps[k] == 0 or s.hold_firm[k] == 0:
            return 0
    return s.hold_begin[choice + 1] - s.hold_begin[choice]


def impact_terms(s: LoopWorkspace, x: Floats) -> int:
    """The terms of the force balance at the current time and a state."""
    if set_kernel_state(s, s.t, x, UNBOUNDED_TIME) != 0:
        return 1
    return run_kernel(s.tied, s.tied_table)


def change_speeds(s: LoopWorkspace, holds: int) -> int:
    """Change the speeds along some directions at once, with work and loss; 1 on failure.

    Gears turn in the directions of the speeds `sense`.
    """
    size = holds
    if s.active_drags > 0 and s.lossless == 0:
        size = impulses_through_gears(s, holds)
    elif solve_impulses(s, holds, size) != 0:
        size = -1
    if size < 0:
        return 1
    lost_energy = 0.0
    supplied_work = 0.0
    for j in range(size):
        d = s.blow_way[j]
        changed = 0.0
        for i in range(size):
            changed += s.G[d * s.directions + s.blow_way[i]] * s.right[i]
        lost_energy -= s.right[j] * (s.pace[d] - s.carried[d] + 0.5 * changed)
        if j < holds:
            supplied_work -= s.right[j] * s.carried[d]
    add_responses(s, size, s.x, s.nq)
    s.x[s.nx - 2] += supplied_work
    s.x[s.nx - 1] += lost_energy + supplied_work
    return 0


def add_responses(s: LoopWorkspace, size: int, out: Floats, first: int) -> None:
    """Add the changes of all speeds by the impulses."""
    for j in range(size):
        for i in range(s.n):
            out[first + i] += s.Y[s.blow_way[j] * s.n + i] * s.right[j]


def impulses_through_gears(s: LoopWorkspace, holds: int) -> int:
    """The impulses with gears on the flanks that they load; the number of impulses, -1 on failure.

    Modes and terms of the force balance are those of the state afterwards.
    """
    for j in range(s.laws):
        s.modes_before[j] = s.modes[j]
    for i in range(s.nx):
        s.x_impact[i] = s.x[i]
    for i in range(s.n):
        s.x_impact[s.nq + i] = s.sense[i]
    size = -1
    if impact_terms(s, s.x_impact) == 0 and choose_initial_flanks(s) == 0:
        size = impulses_on_loaded_flanks(s, holds)
    for j in range(s.laws):
        s.modes[j] = s.modes_before[j]
    set_active_modes(s)
    if impact_terms(s, s.x) != 0:
        return -1
    return size


def choose_initial_flanks(s: LoopWorkspace) -> int:
    """Set the modes of turning gears by the directions of their speeds; other laws keep their modes."""
    if run_kernel(s.initial, s.initial_table) != 0:
        return 1
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        holds = s.hold_begin[choice + 1] - s.hold_begin[choice]
        if s.drag_begin[choice + 1] > s.drag_begin[choice] and holds == 0:
            s.modes[law] = int(s.initial_modes[law])
        s.flank_changed[law] = 0
        s.flank_weights[law] = 0
        s.flank_visited[law] = s.modes[law]
    set_active_modes(s)
    return 0


def impulses_on_loaded_flanks(s: LoopWorkspace, holds: int) -> int:
    """The impulses with consistent flanks, of lossless gears if there are none; their number, -1 on failure."""
    visits = 1
    for _ in range(MAX_FLANK_CHANGES):
        if impact_terms(s, s.x_impact) != 0:
            return -1
        size = list_turning_gears(s, holds)
        if solve_impulses(s, holds, size) != 0:
            return -1
        if size == holds:
            return holds
        if evaluate_flanks(s, holds, size) != 0:
            return -1
        guard = worst_guard(s, s.flank_weights)
        if guard < 0:
            return size
        law = guard_owner(s, guard)
        s.modes[law] = s.guard_to[guard]
        set_active_modes(s)
        visits = count_change(s, law, s.flank_visited, s.flank_changed, s.flank_weights, visits)
    if solve_impulses(s, holds, holds) != 0:
        return -1
    return holds


def list_turning_gears(s: LoopWorkspace, holds: int) -> int:
    """List the gears that turn and lose power; gears at rest and self-locking ones, which would jam, do not count."""
    size = holds
    for k in range(s.active_drags):
        e = s.drag_at[k]
        turns = abs(s.drag_factor[e] * s.pace[s.drag_direction[e]])
        if turns > BREAKAWAY_SPEED and s.gain[e] > -1.0 and s.gain[e] != 0.0:
            s.blow_way[size] = s.drag_direction[e]
            s.blow_unknown[size] = e
            size += 1
    return size


def evaluate_flanks(s: LoopWorkspace, holds: int, size: int) -> int:
    """Evaluate the guards of flanks with the impulses as forces; 1 on failure."""
    impulses_as_forces(s, holds, size)
    if run_kernel(s.flanks, s.flanks_table) != 0:
        return 1
    ignore_flanks_at_rest(s)
    return 0


def impulses_as_forces(s: LoopWorkspace, holds: int, size: int) -> None:
    """Set accelerations, multipliers and flows as if the impulses acted as forces of a short time."""
    for k in range(s.holds + 2 * s.drags):
        s.felt[k] = 0.0
    for i in range(s.n):
        s.a[i] = 0.0
    add_responses(s, size, s.a, 0)
    for i in range(s.n):
        s.a[i] = s.a[i] / IMPACT_DURATION
    for m in range(s.member_count):
        place = s.member_place[m]
        for j in range(holds):
            if s.blow_way[j] == s.place_direction[place] and s.member_firm[m] != 0:
                share = s.place_factor[place] / s.squares[s.member_unknown[m]]
                s.felt[place] = share * s.right[j] / IMPACT_DURATION
    for k in range(s.active_drags):
        e = s.drag_at[k]
        flow = 0.0
        for j in range(size):
            flow -= s.sensing[e * s.directions + s.blow_way[j]] * s.right[j]
        s.felt[s.holds + e] = flow / IMPACT_DURATION


def ignore_flanks_at_rest(s: LoopWorkspace) -> None:
    """Satisfy the guards of gears at rest: they transmit no impulse, and the sign of their speed is rounding."""
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        for k in range(s.drag_begin[choice], s.drag_begin[choice + 1]):
            e = s.drag_place[k]
            if abs(s.drag_factor[e] * s.pace[s.drag_direction[e]]) <= BREAKAWAY_SPEED:
                for g in range(s.guard_begin[choice + 1] - s.guard_begin[choice]):
                    s.violations[s.guard_first[law] + g] = 1.0


def solve_impulses(s: LoopWorkspace, holds: int, size: int) -> int:
    """Solve for the impulses; 1 if the required speeds contradict each other."""
    write_impact_equations(s, holds, size)
    if solve_by_elimination(s.matrix, s.right, s.z, size, 1) == 0:
        return 0
    write_impact_equations(s, holds, size)
    largest = 0.0
    for j in range(holds):
        largest = max(largest, abs(s.blow_jump[j]))
    solve_dependent(s, size, 1, DEPENDENT_PIVOT_RATIO)
    if not (s.residual <= HOLD_CONFLICT_RATIO * (1.0 + largest)):
        return 1
    in_order_of_unknowns(s, size, 1)
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
