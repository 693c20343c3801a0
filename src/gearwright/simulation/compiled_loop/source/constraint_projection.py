r"""The event loop, projection of position and speed onto the constraints, in the metric of the mass matrix.

As in `system.constraints.projection`: with the responses $Y = M^{-1} b'$ and $G = b Y$ along the directions b of all
holds that keep a position, $dq = -Y G^+ (s - s_0)$ until convergence, then $dv = -Y G^+ (\dot s - \dot s_0)$.
"""

from __future__ import annotations

from gearwright.compiling import Floats, array_tail, run_kernel
from gearwright.functions.constrained.dependent_equations import solve_dependent
from gearwright.simulation.compiled_loop.source.elimination import in_order_of_unknowns
from gearwright.simulation.compiled_loop.source.inputs_and_rates import set_kernel_state, state_rates
from gearwright.simulation.compiled_loop.source.step_coefficients import DOP853_STAGES
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace
from gearwright.system.constraints.projection_tolerances import (
    CONVERGED_PROJECTION_ERROR,
    MAX_PROJECTION_STEPS,
    POSITION_JUMP_LIMIT,
    PROJECTION_TOLERANCE,
    SPEED_JUMP_LIMIT,
    WEAK_DIRECTION_RATIO,
)

WEAK_PIVOT_RATIO = WEAK_DIRECTION_RATIO * WEAK_DIRECTION_RATIO
"""Pivots of G below this, relative to the largest, belong to directions that are not corrected."""

KEEPS_SPEED = 1
KEEPS_POSITION = 2


def project_state(s: LoopWorkspace, t: float, x: Floats) -> int:
    """Project position and speed of a state onto the constraints of the current modes; 1 on failure."""
    if s.projects == 0:
        return 0
    least = 1e300
    is_current = 0
    for _ in range(MAX_PROJECTION_STEPS):
        if constraint_terms(s, t, x) != 0:
            return 1
        largest = gather_errors(s, KEEPS_POSITION)
        most = 0.0
        for i in range(s.nq):
            most = max(most, abs(x[i]))
        if largest <= PROJECTION_TOLERANCE * (1.0 + most) or (
            largest < CONVERGED_PROJECTION_ERROR and largest >= least
        ):
            is_current = 1
            break
        if not (largest < POSITION_JUMP_LIMIT):
            return 1
        least = min(least, largest)
        correct_errors(s)
        for i in range(s.n):
            s.x_at[s.nq + i] = s.correction[i]
        if run_kernel(s.displace, s.displace_table) != 0:
            return 1
        for i in range(s.nq):
            x[i] = s.displaced[i]
    if is_current == 0 and constraint_terms(s, t, x) != 0:
        return 1
    if not (gather_errors(s, KEEPS_SPEED) < SPEED_JUMP_LIMIT):
        return 1
    correct_errors(s)
    for i in range(s.n):
        x[s.nq + i] += s.correction[i]
    return 0


def constraint_terms(s: LoopWorkspace, t: float, x: Floats) -> int:
    """The terms of the force balance at a state."""
    if set_kernel_state(s, t, x, s.latest) != 0:
        return 1
    return run_kernel(s.tied, s.tied_table)


def gather_errors(s: LoopWorkspace, kind: int) -> float:
    """Write the position or speed errors of all directions that keep them; returns the largest."""
    s.blow_count = 0
    largest = 0.0
    for m in range(s.member_count):
        if s.member_projects[m] >= kind:
            place = s.member_place[m]
            factor = s.place_factor[place]
            j = s.member_unknown[m]
            error = s.placed[place]
            if kind == KEEPS_SPEED:
                error = factor * s.pace[s.way[j]] - s.kept[place]
            largest = max(largest, abs(error))
            is_listed = 0
            for k in range(s.blow_count):
                if s.blow_way[k] == s.way[j]:
                    is_listed = 1
            if is_listed == 0:
                s.blow_way[s.blow_count] = s.way[j]
                s.blow_jump[s.blow_count] = error / factor
                s.blow_count += 1
    return largest


def correct_errors(s: LoopWorkspace) -> None:
    """The smallest change of the speeds, or of the configuration, that removes the gathered errors."""
    size = s.blow_count
    for j in range(size):
        for i in range(size):
            s.matrix[j * size + i] = s.G[s.blow_way[j] * s.directions + s.blow_way[i]]
        s.right[j] = s.blow_jump[j]
    solve_dependent(s, size, 1, WEAK_PIVOT_RATIO)
    in_order_of_unknowns(s, size, 1)
    for i in range(s.n):
        s.correction[i] = 0.0
    for j in range(size):
        for i in range(s.n):
            s.correction[i] -= s.Y[s.blow_way[j] * s.n + i] * s.right[j]


def project_step(s: LoopWorkspace) -> int:
    """Project the end of the last step, and compute the rates there."""
    if s.projects == 0:
        return 0
    if project_state(s, s.t_new, s.y_new) != 0:
        return 1
    return state_rates(s, s.t_new, s.y_new, array_tail(s.K, DOP853_STAGES * s.nx))
