"""The event loop, inputs and rates: what drives the machine, and how it moves in the modes at hand.

Written in restricted Python, see `compiling.restricted_python.translation`. Functions that may fail return 0 if all
went well.
"""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.force_balance import balance
from gearwright.simulation.compiled_loop.source.intrinsics import Floats, ask, part, run
from gearwright.simulation.compiled_loop.source.workspace import Work

FASTEST = 1e12
"""The square of a speed that no machine has."""

DENORMAL = 1e-100
"""Rates below this move nothing in any time; their squares would make the estimate of errors 0/0."""


def inputs_at(s: Work, t: float) -> int:
    """The inputs at a time, from pieces of Chebyshev series or from a function that is called back."""
    if s.calls != 0:
        return ask(s.callback, t)
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
    series = part(s.coefficients, p * s.room * nu)
    degree = s.piece_degree[p]
    for i in range(nu):
        one = 0.0
        two = 0.0
        for k in range(degree, 0, -1):
            new = 2.0 * x * one - two + series[k * nu + i]
            two = one
            one = new
        u[i] = keep[i] * (x * one - two + series[i]) + add[i]
    if s.has_control != 0:
        s.t_control[0] = t
        if run(s.control, s.control_table) != 0:
            return 1
        for i in range(nu):
            u[i] = s.commands[i]
        for i in range(s.controls):
            s.controlled[i] = s.commands[nu + i]
    if s.bounded != 0:
        for i in range(nu):
            u[i] = min(max(u[i], -s.bounds[i]), s.bounds[i])
    return 0


def place(s: Work, t: float, x: Floats, latest: float) -> int:
    """Hand time, state and inputs to the kernels; 1 where the state is faster than any machine.

    Inputs are those of the time `latest` at the latest: at a bound they have not jumped yet.
    """
    nm = s.nm
    at = s.x_at
    for i in range(nm):
        at[i] = x[i]
    total = 0.0
    for i in range(s.nq, s.nq + s.n):
        total += x[i] * x[i]
    if not (total <= FASTEST):
        return 1
    if s.calls != 0 or s.watched != 0 or s.has_control != 0:
        whole = s.state
        for i in range(s.nx):
            whole[i] = x[i]
    s.t_at[0] = t
    return inputs_at(s, min(t, latest))


def solve(s: Work, t: float, x: Floats, latest: float, answers: int) -> int:
    """Accelerations, and what all laws feel."""
    if place(s, t, x, latest) != 0:
        return 1
    if s.has_ties == 0:
        return 0
    if run(s.tied, s.tied_table) != 0:
        return 1
    return balance(s, answers)


def rates(s: Work, t: float, x: Floats, out: Floats) -> int:
    """The rates of the state vector."""
    if solve(s, t, x, s.latest, s.answers) != 0:
        return 1
    if run(s.follow, s.follow_table) != 0:
        return 1
    nm = s.nm
    moved = s.moved
    controls = s.controls
    for i in range(nm):
        out[i] = moved[i] if abs(moved[i]) >= DENORMAL else 0.0
    for i in range(controls):
        out[nm + i] = s.controlled[i]
    out[nm + controls] = moved[nm] if abs(moved[nm]) >= DENORMAL else 0.0
    out[nm + controls + 1] = moved[nm + 1] if abs(moved[nm + 1]) >= DENORMAL else 0.0
    return 0
