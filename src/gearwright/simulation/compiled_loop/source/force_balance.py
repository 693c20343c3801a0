r"""The event loop, balance of forces: the few forces of holds and drags at hand, by elimination with pivots.

With z the forces along the directions of all unknowns, $a = a_0 + Y z$. A hold with the factor c of its direction b
asks for $b a + C/c^2 z = target / c$; a drag for $z = c\, g\, (inflow + Q \lambda - S a)$. Rigid holds along one
direction are one unknown, and share its force as their factors: what least squares gives.
"""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.intrinsics import Floats, part
from gearwright.simulation.compiled_loop.source.workspace import Work

SINGULAR = 1e-11
"""A pivot that is smaller, beside what stood in its column at first, is taken for none."""

CONTRARY = 1e-9
"""How far targets of holds along one direction may differ, relative to themselves."""


def take_modes(s: Work) -> None:
    """The unknowns and the flags of the modes at hand."""
    for k in range(s.first_choice[s.laws]):
        s.chosen[k] = 0.0
    s.unknowns = 0
    s.member_count = 0
    s.active_drags = 0
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        s.chosen[choice] = 1.0
        for k in range(s.hold_begin[choice], s.hold_begin[choice + 1]):
            take_hold(s, k)
        for k in range(s.drag_begin[choice], s.drag_begin[choice + 1]):
            s.drag_at[s.active_drags] = s.drag_place[k]
            s.active_drags += 1
    s.held = s.unknowns
    for k in range(s.active_drags):
        s.drag_unknown[k] = s.unknowns
        s.way[s.unknowns] = s.drag_direction[s.drag_at[k]]
        s.unknowns += 1


def take_hold(s: Work, k: int) -> None:
    """One more hold: an unknown of its own, or a member of a rigid one along the same direction."""
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
    s.member_count = m + 1


def balance(s: Work, answers: int) -> int:
    """Accelerations, multipliers and flows; 1 where holds contradict each other or depend on each other."""
    columns = 1
    if answers != 0:
        columns += s.active_drags
    s.columns = columns
    if s.unknowns > 0:
        if write_holds(s) != 0:
            return 1
        write_drags(s)
        if answers != 0:
            write_answers(s)
        if eliminate(s.matrix, s.right, s.z, s.unknowns, columns) != 0:
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
    hold_exactly(s)
    for m in range(s.member_count):
        j = s.member_unknown[m]
        place = s.member_place[m]
        felt[place] = s.place_factor[place] / s.squares[j] * s.right[j * columns]
    for k in range(s.active_drags):
        e = s.drag_at[k]
        felt[s.holds + e] = s.inflow[e] - s.sensed[e] + flow_of(s, e, 0)
        if answers != 0:
            own = s.sensing[e * s.directions + s.drag_direction[e]] * s.drag_factor[e]
            felt[s.holds + s.drags + e] = flow_of(s, e, 1 + k) - own
    return 0


def hold_exactly(s: Work) -> None:
    """Speeds that are held rigidly one by one have the acceleration of their hold to the last digit: nothing creeps."""
    for j in range(s.held):
        place = s.lead[j]
        i = s.direction_speed[s.way[j]]
        if i >= 0 and s.place_rigid[place] != 0:
            s.a[i] = s.target[place] / s.place_factor[place] / s.direction_term[s.way[j]]


def write_holds(s: Work) -> int:
    """The rows of the holds; 1 where two along one direction want different accelerations."""
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
        if abs(differs) > CONTRARY * (1.0 + abs(wanted)):
            return 1
    return 0


def write_drags(s: Work) -> None:
    """The rows of the drags."""
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


def write_answers(s: Work) -> None:
    """Per drag a column for one more unit of force along its push."""
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


def flow_of(s: Work, e: int, column: int) -> float:
    """What the forces of all unknowns add to the flow of a drag."""
    total = 0.0
    for m in range(s.member_count):
        place = s.member_place[m]
        j = s.member_unknown[m]
        through = s.shares[e * s.holds + place] * s.place_factor[place] / s.squares[j]
        total += through * s.right[j * s.columns + column]
    for j in range(s.unknowns):
        total -= s.sensing[e * s.directions + s.way[j]] * s.right[j * s.columns + column]
    return total


def eliminate(matrix: Floats, right: Floats, scale: Floats, size: int, columns: int) -> int:
    """Solve in place, with row pivots; 1 where rows depend on each other. The scales are left as inverse pivots."""
    for j in range(size):
        scale[j] = 0.0
    for i in range(size):
        for j in range(size):
            scale[j] = max(scale[j], abs(matrix[i * size + j]))
    for j in range(size):
        best = j
        largest = abs(matrix[j * size + j])
        for i in range(j + 1, size):
            if abs(matrix[i * size + j]) > largest:
                largest = abs(matrix[i * size + j])
                best = i
        if not (largest > SINGULAR * scale[j]):
            return 1
        if best != j:
            swap(part(matrix, j * size), part(matrix, best * size), size)
            swap(part(right, j * columns), part(right, best * columns), columns)
        scale[j] = 1.0 / matrix[j * size + j]
        for k in range(j + 1, size):
            factor = matrix[k * size + j] * scale[j]
            if factor != 0.0:
                for i in range(j + 1, size):
                    matrix[k * size + i] -= factor * matrix[j * size + i]
                for i in range(columns):
                    right[k * columns + i] -= factor * right[j * columns + i]
    for j in range(size - 1, -1, -1):
        for i in range(columns):
            total = right[j * columns + i]
            for k in range(j + 1, size):
                total -= matrix[j * size + k] * right[k * columns + i]
            right[j * columns + i] = total * scale[j]
    return 0


def swap(row: Floats, other: Floats, count: int) -> None:
    """Exchange the first entries of two rows."""
    for i in range(count):
        old = row[i]
        row[i] = other[i]
        other[i] = old
