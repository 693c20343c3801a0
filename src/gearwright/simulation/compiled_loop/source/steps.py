"""The event loop, steps: Dormand and Prince of order 8(5,3) with its error estimate and its dense output.

The algorithm is that of SciPy's DOP853: the same stages, error norm and choice of steps.
"""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.dop853 import E3, E5, ROOM, STAGES, A, B, C, D
from gearwright.simulation.compiled_loop.source.inputs_and_rates import rates
from gearwright.simulation.compiled_loop.source.intrinsics import Floats, part, sqrt
from gearwright.simulation.compiled_loop.source.workspace import Work

SAFETY = 0.9
SHRINK = 0.2
GROW = 10.0

NEGLIGIBLE = 1e-4
"""The square of a difference, in tolerances, that says nothing."""

SMALLEST = 1e-12
"""The smallest step to begin with, beside the way to the bound."""

ROUNDING = 2.220446049250313e-16


def combine(s: Work, h: float, row: int, count: int, out: Floats) -> None:
    """X + h times the first stages, weighted by a row of A."""
    nx = s.nx
    K = s.K
    x = s.x
    for i in range(nx):
        out[i] = 0.0
    for j in range(count):
        weight = A[row * ROOM + j]
        if weight != 0.0:
            stage = part(K, j * nx)
            for i in range(nx):
                out[i] += weight * stage[i]
    for i in range(nx):
        out[i] = x[i] + h * out[i]


def stages(s: Work, h: float) -> int:
    """All stages of a step, the state after it, and the rates there."""
    nx = s.nx
    y = s.y
    for k in range(1, STAGES):
        combine(s, h, k, k, y)
        if rates(s, s.t + C[k] * h, y, part(s.K, k * nx)) != 0:
            return 1
    new = s.y_new
    for i in range(nx):
        new[i] = 0.0
    for j in range(STAGES):
        if B[j] != 0.0:
            stage = part(s.K, j * nx)
            for i in range(nx):
                new[i] += B[j] * stage[i]
    for i in range(nx):
        new[i] = s.x[i] + h * new[i]
    return rates(s, s.t + h, new, part(s.K, STAGES * nx))


def error(s: Work, h: float) -> float:
    """The estimated error of a step beside the tolerance."""
    nx = s.nx
    fifth = 0.0
    third = 0.0
    for i in range(nx):
        five = 0.0
        three = 0.0
        for j in range(STAGES + 1):
            five += E5[j] * s.K[j * nx + i]
            three += E3[j] * s.K[j * nx + i]
        scale = s.atol + s.rtol * max(abs(s.x[i]), abs(s.y_new[i]))
        fifth += five / scale * (five / scale)
        third += three / scale * (three / scale)
    if fifth == 0.0 and third == 0.0:
        return 0.0
    return abs(h) * fifth / sqrt((fifth + 0.01 * third) * float(nx))


def eighth_root(x: float) -> float:
    """X to the power 1/8: the error grows with the eighth power of the step."""
    return sqrt(sqrt(sqrt(x)))


def take_step(s: Work, limit: float) -> int:
    """One step that meets the tolerance, not beyond a limit; 1 where none does, however short."""
    shortest = 10.0 * ROUNDING * abs(s.t) + 1e-300
    wanted = min(s.h, s.longest)
    h = max(wanted, shortest)
    rejected = 0
    while True:
        if h < shortest:
            return 1
        t_new = s.t + h
        if t_new >= limit or limit - t_new < shortest:
            t_new = limit
        h = t_new - s.t
        norm = 2.0
        failed = stages(s, h)
        if failed == 0:
            norm = error(s, h)
        if norm < 1.0:
            factor = GROW
            if norm > 0.0:
                factor = min(GROW, SAFETY / eighth_root(norm))
            if rejected != 0:
                factor = min(1.0, factor)
            s.h_next = h * factor
            if rejected == 0 and wanted > h:  # a bound cut it short, not the error
                s.h_next = max(s.h_next, wanted)
            s.h_taken = h
            s.t_new = t_new
            s.dense_known = 0
            s.fast = fastest(s, h)
            return 0
        rejected = 1
        factor = SHRINK
        if failed == 0 and norm == norm:
            factor = max(SHRINK, SAFETY / eighth_root(norm))
        h = h * factor


def fastest(s: Work, h: float) -> float:
    """The step times the fastest decay that its last two stages show, both at its end; steps are stable up to about 6.

    Hairer, Norsett and Wanner's test for stiffness.
    """
    nx = s.nx
    rates_apart = 0.0
    states_apart = 0.0
    for i in range(nx):
        scale = s.atol + s.rtol * abs(s.x[i])
        rate = (s.K[STAGES * nx + i] - s.K[(STAGES - 1) * nx + i]) / scale
        state = (s.y_new[i] - s.y[i]) / scale
        rates_apart += rate * rate
        states_apart += state * state
    if not (states_apart > NEGLIGIBLE * float(nx)):
        return 0.0
    return h * sqrt(rates_apart / states_apart)


def step_within(s: Work, t: float, out: Floats) -> int:
    """The state at a time within the last step by a step of its own.

    Where decay keeps steps short, dense output is poor; it stays as it is for whoever looks at guards.
    """
    nx = s.nx
    if s.dense_known == 0 and make_dense(s) != 0:
        return 1
    for i in range(nx):
        s.y_kept[i] = s.y_new[i]
        s.y_kept[nx + i] = s.K[STAGES * nx + i]
    status = stages(s, t - s.t)
    for i in range(nx):
        out[i] = s.y_new[i]
        s.y_new[i] = s.y_kept[i]
        s.K[STAGES * nx + i] = s.y_kept[nx + i]
    return status


def first_step(s: Work) -> float:
    """A step to begin with, from the sizes of state, rates and their change."""
    nx = s.nx
    state = 0.0
    slope = 0.0
    for i in range(nx):
        scale = s.atol + s.rtol * abs(s.x[i])
        state += s.x[i] / scale * (s.x[i] / scale)
        slope += s.K[i] / scale * (s.K[i] / scale)
    state = sqrt(state / float(nx))
    slope = sqrt(slope / float(nx))
    room = s.bound - s.t
    h = 1e-6
    if state >= 1e-5 and slope >= 1e-5:
        h = 0.01 * state / slope
    h = min(h, room)
    if not (h > SMALLEST * room):  # rates that are huge beside the tolerance
        return SMALLEST * room
    for i in range(nx):
        s.y[i] = s.x[i] + h * s.K[i]
    if rates(s, s.t + h, s.y, part(s.K, nx)) != 0:
        return h
    bend = 0.0
    for i in range(nx):
        scale = s.atol + s.rtol * abs(s.x[i])
        change = (s.K[nx + i] - s.K[i]) / scale
        bend += change * change
    bend = sqrt(bend / float(nx)) / h
    most = max(slope, bend)
    further = max(1e-6, 1e-3 * h)
    if most > 1e-15:
        further = eighth_root(0.01 / most)
    if not (further > SMALLEST * room):
        return SMALLEST * room
    return min(min(100.0 * h, further), min(room, s.longest))


def make_dense(s: Work) -> int:
    """The dense output of the last step, from three more stages."""
    nx = s.nx
    h = s.h_taken
    for k in range(STAGES + 1, ROOM):
        combine(s, h, k, k, s.y)
        if rates(s, s.t + C[k] * h, s.y, part(s.K, k * nx)) != 0:
            return 1
    for i in range(nx):
        change = s.y_new[i] - s.x[i]
        s.F[i] = change
        s.F[nx + i] = h * s.K[i] - change
        s.F[2 * nx + i] = 2.0 * change - h * (s.K[STAGES * nx + i] + s.K[i])
    for row in range(4):
        out = part(s.F, (3 + row) * nx)
        for i in range(nx):
            out[i] = 0.0
        for j in range(ROOM):
            weight = D[row * ROOM + j]
            if weight != 0.0:
                stage = part(s.K, j * nx)
                for i in range(nx):
                    out[i] += weight * stage[i]
        for i in range(nx):
            out[i] = h * out[i]
    s.dense_known = 1
    return 0


def within(s: Work, t: float, out: Floats) -> int:
    """The state at a time within the last step."""
    nx = s.nx
    if t >= s.t_new:
        for i in range(nx):
            out[i] = s.y_new[i]
        return 0
    if s.dense_known == 0 and make_dense(s) != 0:
        return 1
    part_of = (t - s.t) / s.h_taken
    rest = 1.0 - part_of
    F = s.F
    for i in range(nx):
        value = F[6 * nx + i] * part_of
        value = (value + F[5 * nx + i]) * rest
        value = (value + F[4 * nx + i]) * part_of
        value = (value + F[3 * nx + i]) * rest
        value = (value + F[2 * nx + i]) * part_of
        value = (value + F[nx + i]) * rest
        value = (value + F[i]) * part_of
        out[i] = s.x[i] + value
    return 0
