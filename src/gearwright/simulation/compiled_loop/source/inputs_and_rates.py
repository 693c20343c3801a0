"""The event loop, inputs and rates of the state vector in the current modes.

Written in restricted Python, see `compiling.restricted_python.translation`. Functions that may fail return 0 on
success.
"""

from __future__ import annotations

from gearwright.compiling import Floats, array_tail, invoke_callback, run_kernel
from gearwright.forces.event_tolerances import LARGEST_SPEED, NEGLIGIBLE_RATE
from gearwright.simulation.compiled_loop.source.force_balance import solve_force_balance
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

UNBOUNDED_TIME = 1e300
"""A time that no run reaches [s]."""

MAX_SPEED_SQUARED = LARGEST_SPEED * LARGEST_SPEED
"""The square of the speed above which a run has diverged."""


def evaluate_inputs(s: LoopWorkspace, t: float) -> int:
    """The inputs at a time, from pieces of Chebyshev series or from a function that is called back."""
    if s.calls != 0:
        return invoke_callback(s.callback, t)
    p = s.piece
    begin = s.piece_begin
    while p + 1 < s.pieces and t >= begin[p + 1]:
        p += 1
    while p > 0 and t < begin[p]:
        p -= 1
    s.piece = p
    x = (t - s.piece_middle[p]) / s.piece_half[p]
    nu = s.nu
    u = s.u
    keep = s.held_keep
    add = s.held_add
    series = array_tail(s.coefficients, p * s.room * nu)
    degree = s.piece_degree[p]
    for i in range(nu):
        newer = 0.0
        older = 0.0
        for k in range(degree, 0, -1):
            new = 2.0 * x * newer - older + series[k * nu + i]
            older = newer
            newer = new
        u[i] = keep[i] * (x * newer - older + series[i]) + add[i]
    if s.has_control != 0:
        s.t_control[0] = t
        if run_kernel(s.control, s.control_table) != 0:
            return 1
        for i in range(nu):
            u[i] = s.commands[i]
        for i in range(s.controls):
            s.controlled[i] = s.commands[nu + i]
    if s.bounded != 0:
        for i in range(nu):
            u[i] = min(max(u[i], -s.bounds[i]), s.bounds[i])
    return 0


def set_kernel_state(s: LoopWorkspace, t: float, x: Floats, latest: float) -> int:
    """Pass time, state and inputs to the kernels; 1 if the state has diverged.

    Inputs are evaluated no later than at the time `latest`: at a bound they have not jumped yet.
    """
    nm = s.nm
    kernel_state = s.x_at
    for i in range(nm):
        kernel_state[i] = x[i]
    total = 0.0
    for i in range(s.nq, s.nq + s.n):
        total += x[i] * x[i]
    if not (total <= MAX_SPEED_SQUARED):
        return 1
    if s.calls != 0 or s.watched != 0 or s.has_control != 0:
        whole = s.state
        for i in range(s.nx):
            whole[i] = x[i]
    s.t_at[0] = t
    return evaluate_inputs(s, min(t, latest))


def solve_accelerations(s: LoopWorkspace, t: float, x: Floats, latest: float, answers: int) -> int:
    """Solve for the accelerations and the reactions of all laws."""
    if set_kernel_state(s, t, x, latest) != 0:
        return 1
    if s.has_ties == 0:
        return 0
    if run_kernel(s.tied, s.tied_table) != 0:
        return 1
    return solve_force_balance(s, answers)


def state_rates(s: LoopWorkspace, t: float, x: Floats, out: Floats) -> int:
    """The rates of the state vector."""
    if solve_accelerations(s, t, x, s.latest, s.answers) != 0:
        return 1
    return solved_rates(s, out)


def solved_rates(s: LoopWorkspace, out: Floats) -> int:
    """The same for an instant whose balance of forces is already solved."""
    if run_kernel(s.follow, s.follow_table) != 0:
        return 1
    nm = s.nm
    moved = s.moved
    controls = s.controls
    for i in range(nm):
        out[i] = moved[i] if abs(moved[i]) >= NEGLIGIBLE_RATE else 0.0
    for i in range(controls):
        out[nm + i] = s.controlled[i]
    out[nm + controls] = moved[nm] if abs(moved[nm]) >= NEGLIGIBLE_RATE else 0.0
    out[nm + controls + 1] = moved[nm + 1] if abs(moved[nm + 1]) >= NEGLIGIBLE_RATE else 0.0
    return 0
