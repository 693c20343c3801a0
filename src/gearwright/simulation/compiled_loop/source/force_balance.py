r"""The event loop, balance of forces: the active holds and drags, solved by Gaussian elimination with row pivoting.

With z the forces along the directions of all unknowns, $a = a_0 + Y z$. A hold with the factor c of its direction b
requires $b a + C/c^2 z = target / c$; a drag $z = c\, g\, (inflow + Q \lambda - S a)$. Rigid holds along one direction
are one unknown; they share its force in proportion to their factors, which is the least-squares solution.
"""

from __future__ import annotations

from gearwright.compiling import Floats
from gearwright.functions.constrained.dependent_equations import solve_dependent
from gearwright.simulation.compiled_loop.source.contact_cone import move_into_cone
from gearwright.simulation.compiled_loop.source.elimination import (
    in_order_of_unknowns,
    solve_by_elimination,
    take_least_forces,
)
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace
from gearwright.system.constraints.projection_tolerances import DEPENDENT_ROWS_RATIO

HOLD_CONFLICT_RATIO = 1e-9
"""Allowed relative difference between the targets of holds along one direction."""

DEPENDENT_CONFLICT_RATIO = 1e-6
"""Allowed relative residual of linearly dependent constraints: trial steps violate them slightly."""

DEPENDENT_PIVOT_RATIO = DEPENDENT_ROWS_RATIO * DEPENDENT_ROWS_RATIO
"""Squared ratio: pivots of G below this, relative to the largest, belong to dependent rows."""

IMMOVABLE_SHARE = 1e-9
"""Share of a force in another one up to which they do not depend on each other."""


def set_active_modes(s: LoopWorkspace) -> None:
    """Set the unknowns and flags of the current modes."""
    for k in range(s.first_choice[s.laws]):
        s.chosen[k] = 0.0
    s.unknowns = 0
    s.member_count = 0
    s.active_drags = 0
    s.projects = 0
    s.deficient = 0
    s.contacts = 0
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        s.chosen[choice] = 1.0
        if s.modes_together[law] != 0 and s.hold_begin[choice + 1] > s.hold_begin[choice]:
            s.contacts += 1
        for k in range(s.hold_begin[choice], s.hold_begin[choice + 1]):
            add_hold(s, k)
        for k in range(s.drag_begin[choice], s.drag_begin[choice + 1]):
            s.drag_at[s.active_drags] = s.drag_place[k]
            s.active_drags += 1
    s.held = s.unknowns
    for k in range(s.active_drags):
        s.drag_unknown[k] = s.unknowns
        s.way[s.unknowns] = s.drag_direction[s.drag_at[k]]
        s.unknowns += 1


def add_hold(s: LoopWorkspace, k: int) -> None:
    """Add a hold: as a new unknown, or as a member of a rigid one along the same direction."""
    place = s.hold_place[k]
    direction = s.place_direction[place]
    factor = s.place_factor[place]
    unknown = -1
    if s.place_rigid[place] != 0:
        for j in range(s.unknowns):
            if s.way[j] == direction and s.place_rigid[s.lead[j]] != 0:
                unknown = j
    if unknown < 0:
        unknown = s.unknowns
        s.way[unknown] = direction
        s.lead[unknown] = place
        s.squares[unknown] = 0.0
        s.unknowns += 1
    s.squares[unknown] += factor * factor
    m = s.member_count
    s.member_place[m] = place
    s.member_unknown[m] = unknown
    s.member_keeps[m] = s.hold_keeps[k]
    s.member_firm[m] = s.hold_firm[k]
    s.member_projects[m] = s.hold_projects[k]
    if s.hold_projects[k] != 0:
        s.projects = 1
    s.member_count = m + 1


def solve_force_balance(s: LoopWorkspace, answers: int) -> int:
    """Solve for accelerations, multipliers and flows; 1 if holds are contradictory."""
    columns = 1
    if answers != 0:
        columns += s.active_drags
    s.columns = columns
    if s.unknowns > 0 and solve_unknowns(s, answers) != 0:
        return 1
    felt = s.felt
    for k in range(s.holds + 2 * s.drags):
        felt[k] = 0.0
    n = s.n
    for i in range(n):
        s.a[i] = s.a0[i]
    for j in range(s.unknowns):
        force = s.right[j * columns]
        d = s.way[j]
        for i in range(n):
            s.a[i] += s.Y[d * n + i] * force
    set_held_accelerations(s)
    for m in range(s.member_count):
        j = s.member_unknown[m]
        place = s.member_place[m]
        felt[place] = s.place_factor[place] / s.squares[j] * s.right[j * columns]
    for k in range(s.active_drags):
        e = s.drag_at[k]
        felt[s.holds + e] = s.inflow[e] - s.sensed[e] + drag_flow(s, e, s.right, 0)
        if answers != 0:
            own_response = s.sensing[e * s.directions + s.drag_direction[e]] * s.drag_factor[e]
            felt[s.holds + s.drags + e] = drag_flow(s, e, s.right, 1 + k) - own_response
    return 0


def solve_unknowns(s: LoopWorkspace, answers: int) -> int:
    """Solve for the forces of all unknowns; 1 if holds are contradictory or forces have no solution."""
    size = s.unknowns
    if s.deficient == 0:
        if write_equations(s, answers) != 0:
            return 1
        if solve_by_elimination(s.matrix, s.right, s.z, size, s.columns) == 0:
            return 0
        s.deficient = 1
    if write_equations(s, answers) != 0:
        return 1
    return solve_deficient(s, size)


def solve_deficient(s: LoopWorkspace, size: int) -> int:
    """Solve the written equations of linearly dependent holds for the least forces; 1 if they have no solution."""
    largest = 0.0
    for j in range(s.held):
        largest = max(largest, abs(s.right[j * s.columns]))
    rank = solve_dependent(s, size, s.columns, DEPENDENT_PIVOT_RATIO)
    if not (s.residual <= DEPENDENT_CONFLICT_RATIO * (1.0 + largest)):
        return 1
    if rank < size and take_least_forces(s, rank, size, s.columns) != 0:
        return 1
    if rank < size and has_ambiguous_contacts(s, rank, size) != 0:
        if s.contact_law < 0:
            return 1
        move_into_cone(s, rank, size)
    in_order_of_unknowns(s, size, s.columns)
    return 0


def has_ambiguous_contacts(s: LoopWorkspace, rank: int, size: int) -> int:
    """Whether contacts are closed and forces are not unique: then those within friction cones are chosen.

    A direction in which nothing moves, as across a planar machine, has no force, and does not count.
    """
    if s.contacts == 0:
        return 0
    for f in range(size - rank):
        for j in range(rank):
            if abs(s.null[f * size + j]) > IMMOVABLE_SHARE:
                return 1
    return 0


def write_equations(s: LoopWorkspace, answers: int) -> int:
    """Write matrix and right sides of the force balance; 1 if holds are contradictory."""
    if write_hold_rows(s) != 0:
        return 1
    write_drag_rows(s)
    if answers != 0:
        write_response_columns(s)
    return 0


def set_held_accelerations(s: LoopWorkspace) -> None:
    """Set the accelerations of speeds with a rigid hold to its target exactly, so that rounding causes no drift."""
    for j in range(s.held):
        place = s.lead[j]
        i = s.direction_speed[s.way[j]]
        if i >= 0 and s.place_rigid[place] != 0:
            s.a[i] = s.target[place] / s.place_factor[place] / s.direction_term[s.way[j]]


def write_hold_rows(s: LoopWorkspace) -> int:
    """Write the rows of the holds; 1 if two along one direction require different accelerations."""
    size = s.unknowns
    columns = s.columns
    for j in range(s.held):
        place = s.lead[j]
        factor = s.place_factor[place]
        d = s.way[j]
        for i in range(size):
            s.matrix[j * size + i] = s.G[d * s.directions + s.way[i]]
        s.matrix[j * size + j] += s.compliance[place] / (factor * factor)
        s.right[j * columns] = s.target[place] / factor - s.along[d]
    for m in range(s.member_count):
        lead = s.lead[s.member_unknown[m]]
        place = s.member_place[m]
        wanted = s.target[lead] / s.place_factor[lead]
        differs = s.target[place] / s.place_factor[place] - wanted
        if abs(differs) > HOLD_CONFLICT_RATIO * (1.0 + abs(wanted)):
            return 1
    return 0


def write_drag_rows(s: LoopWorkspace) -> None:
    """Write the rows of the drags."""
    size = s.unknowns
    columns = s.columns
    for k in range(s.active_drags):
        e = s.drag_at[k]
        j = s.drag_unknown[k]
        gain = s.drag_factor[e] * s.gain[e]
        for i in range(size):
            s.matrix[j * size + i] = gain * s.sensing[e * s.directions + s.way[i]]
        s.matrix[j * size + j] += 1.0
        for m in range(s.member_count):
            place = s.member_place[m]
            i = s.member_unknown[m]
            through = s.shares[e * s.holds + place] * s.place_factor[place] / s.squares[i]
            s.matrix[j * size + i] -= gain * through
        s.right[j * columns] = gain * (s.inflow[e] - s.sensed[e])


def write_response_columns(s: LoopWorkspace) -> None:
    """Write per drag the column of a unit force along its direction."""
    columns = s.columns
    for k in range(s.active_drags):
        d = s.drag_direction[s.drag_at[k]]
        factor = s.drag_factor[s.drag_at[k]]
        for j in range(s.held):
            s.right[j * columns + 1 + k] = -factor * s.G[s.way[j] * s.directions + d]
        for i in range(s.active_drags):
            e = s.drag_at[i]
            gain = s.drag_factor[e] * s.gain[e]
            s.right[s.drag_unknown[i] * columns + 1 + k] = -gain * factor * s.sensing[e * s.directions + d]


def drag_flow(s: LoopWorkspace, e: int, forces: Floats, column: int) -> float:
    """The contribution of the forces of all unknowns to the flow of a drag."""
    total = 0.0
    for m in range(s.member_count):
        place = s.member_place[m]
        j = s.member_unknown[m]
        through = s.shares[e * s.holds + place] * s.place_factor[place] / s.squares[j]
        total += through * forces[j * s.columns + column]
    for j in range(s.unknowns):
        total -= s.sensing[e * s.directions + s.way[j]] * forces[j * s.columns + column]
    return total


def contact_response(s: LoopWorkspace) -> int:
    """Accelerations along the lines of the open contact, and their change per unit force along each; 1 on failure.

    The terms of the force balance are those of the state, with the contact open.
    """
    rows = s.contact_rows
    s.columns = 1 + rows
    for i in range(9):
        s.contact_matrix[i] = 0.0
    for i in range(3):
        s.contact_speeds[i] = 0.0
    if s.unknowns > 0:
        if write_contact_equations(s) != 0:
            return 1
        singular = solve_by_elimination(s.matrix, s.right, s.z, s.unknowns, s.columns)
        if singular != 0 and (write_contact_equations(s) != 0 or solve_deficient(s, s.unknowns) != 0):
            return 1
    for r in range(rows):
        place = s.contact_places[r]
        d = s.place_direction[place]
        for i in range(1 + rows):
            total = s.along[d]
            if i > 0:
                acting = s.contact_places[i - 1]
                total = s.place_factor[acting] * s.G[d * s.directions + s.place_direction[acting]]
            for j in range(s.unknowns):
                total += s.G[d * s.directions + s.way[j]] * s.right[j * s.columns + i]
            total = total * s.place_factor[place]
            if i == 0:
                s.contact_speeds[r] = total - s.target[place]
            else:
                s.contact_matrix[3 * r + i - 1] = total
    return 0


def write_contact_equations(s: LoopWorkspace) -> int:
    """Write the equations of all unknowns, with a column per unit force of the contact; 1 if holds contradict."""
    if write_hold_rows(s) != 0:
        return 1
    write_drag_rows(s)
    columns = s.columns
    for i in range(s.contact_rows):
        place = s.contact_places[i]
        d = s.place_direction[place]
        for j in range(s.held):
            s.right[j * columns + 1 + i] = -s.place_factor[place] * s.G[s.way[j] * s.directions + d]
        for k in range(s.active_drags):
            e = s.drag_at[k]
            gain = s.drag_factor[e] * s.gain[e]
            flow = s.place_factor[place] * s.sensing[e * s.directions + d]
            s.right[s.drag_unknown[k] * columns + 1 + i] = -gain * flow
    return 0
