r"""Directional derivatives of accelerations, reactions and rates, for exported models.

The force balance $A Z = R$ is differentiated as $A\,dZ = dR - dA\,Z$; its terms are differentiated by kernels.
"""

from __future__ import annotations

from gearwright.compiling import run_kernel
from gearwright.simulation.compiled_loop.source.elimination import solve_by_elimination
from gearwright.simulation.compiled_loop.source.force_balance import drag_flow, solve_deficient, write_equations
from gearwright.simulation.compiled_loop.source.inputs_and_rates import (
    UNBOUNDED_TIME,
    solve_accelerations,
    solved_rates,
)
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace


def evaluate_point(s: LoopWorkspace) -> int:
    """The rates at the current time and state, and accelerations, reactions and responses of flows."""
    if solve_accelerations(s, s.t, s.x, UNBOUNDED_TIME, 1) != 0:
        return 1
    return solved_rates(s, s.rates_found)


def differentiate_point(s: LoopWorkspace) -> int:
    """The derivatives of accelerations, reactions and rates at the current time and state along a direction."""
    if evaluate_point(s) != 0 or run_kernel(s.tied_along, s.tied_along_table) != 0:
        return 1
    size = s.unknowns
    for j in range(size * s.columns):
        s.forces[j] = s.right[j]
    if size > 0 and solve_changed_forces(s, size) != 0:
        return 1
    change_accelerations(s)
    for k in range(s.holds + 2 * s.drags):
        s.felt_along[k] = 0.0
    for m in range(s.member_count):
        j = s.member_unknown[m]
        place = s.member_place[m]
        s.felt_along[place] = s.place_factor[place] / s.squares[j] * s.right[j * s.columns]
    for k in range(s.active_drags):
        e = s.drag_at[k]
        own = e * s.directions + s.drag_direction[e]
        s.felt_along[s.holds + e] = s.inflow_along[e] - s.sensed_along[e] + changed_flow(s, e, 0)
        s.felt_along[s.holds + s.drags + e] = changed_flow(s, e, 1 + k) - s.sensing_along[own] * s.drag_factor[e]
    return run_kernel(s.follow_along, s.follow_along_table)


def solve_changed_forces(s: LoopWorkspace, size: int) -> int:
    """Solve for the derivatives of the forces of all unknowns; 1 if there are none."""
    if write_equations(s, 1) != 0:
        return 1
    write_changed_equations(s, size)
    if s.deficient != 0:
        return solve_deficient(s, size)
    return solve_by_elimination(s.matrix, s.right, s.z, size, s.columns)


def write_changed_equations(s: LoopWorkspace, size: int) -> None:
    """Write the right sides: derivatives of the right sides, minus those of the matrix times the forces."""
    columns = s.columns
    for j in range(size * columns):
        s.right[j] = 0.0
    for j in range(s.held):
        place = s.lead[j]
        factor = s.place_factor[place]
        row = s.way[j] * s.directions
        s.right[j * columns] = s.target_along[place] / factor - s.along_along[s.way[j]]
        for k in range(s.active_drags):
            drag = s.drag_at[k]
            s.right[j * columns + 1 + k] = -s.drag_factor[drag] * s.G_along[row + s.drag_direction[drag]]
        for c in range(columns):
            total = s.compliance_along[place] / (factor * factor) * s.forces[j * columns + c]
            for i in range(size):
                total += s.G_along[row + s.way[i]] * s.forces[i * columns + c]
            s.right[j * columns + c] -= total
    for k in range(s.active_drags):
        e = s.drag_at[k]
        j = s.drag_unknown[k]
        gain = s.drag_factor[e] * s.gain[e]
        changed = s.drag_factor[e] * s.gain_along[e]
        s.right[j * columns] = changed * (s.inflow[e] - s.sensed[e]) + gain * (s.inflow_along[e] - s.sensed_along[e])
        for i in range(s.active_drags):
            drag = s.drag_at[i]
            place = e * s.directions + s.drag_direction[drag]
            slope = changed * s.sensing[place] + gain * s.sensing_along[place]
            s.right[j * columns + 1 + i] = -s.drag_factor[drag] * slope
        for c in range(columns):
            s.right[j * columns + c] += changed * drag_flow(s, e, s.forces, c) + gain * flow_along(s, e, c)


def flow_along(s: LoopWorkspace, e: int, column: int) -> float:
    """The derivative of the contribution of constant forces to the flow of a drag."""
    total = 0.0
    for j in range(s.unknowns):
        total -= s.sensing_along[e * s.directions + s.way[j]] * s.forces[j * s.columns + column]
    return total


def changed_flow(s: LoopWorkspace, e: int, column: int) -> float:
    """The derivative of the contribution of all forces to the flow of a drag."""
    return flow_along(s, e, column) + drag_flow(s, e, s.right, column)


def change_accelerations(s: LoopWorkspace) -> None:
    """The derivatives of the accelerations."""
    for i in range(s.n):
        s.a_along[i] = s.a0_along[i]
    for j in range(s.unknowns):
        d = s.way[j]
        force = s.forces[j * s.columns]
        changed = s.right[j * s.columns]
        for i in range(s.n):
            s.a_along[i] += s.Y_along[d * s.n + i] * force + s.Y[d * s.n + i] * changed
