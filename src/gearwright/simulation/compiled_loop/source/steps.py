"""The event loop, steps: the Dormand-Prince method of order 8(5,3) with error estimate and dense output.

The algorithm is that of SciPy's DOP853: the same stages, error norm and step size control.
"""

from __future__ import annotations

from gearwright.compiling import Floats, array_tail, sqrt
from gearwright.simulation.compiled_loop.source.implicit_steps import polynomial_state
from gearwright.simulation.compiled_loop.source.inputs_and_rates import state_rates
from gearwright.simulation.compiled_loop.source.step_coefficients import (
    DOP853_STAGES,
    E3,
    E5,
    MAX_STEP_FACTOR,
    MIN_STEP_FACTOR,
    STEP_SAFETY,
    TABLEAU_COLUMNS,
    UNIT_ROUNDOFF,
    A,
    B,
    C,
    D,
)
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

NEGLIGIBLE_DIFFERENCE_SQUARED = 1e-4
"""Squared difference of two stages, in tolerances, below which stiffness is not estimated."""

SMALLEST_FIRST_STEP_RATIO = 1e-12
"""The smallest first step, relative to the time to the bound."""


def combine_stages(s: LoopWorkspace, h: float, row: int, count: int, out: Floats) -> None:
    """X + h times the first stages, weighted by a row of A."""
    nx = s.nx
    K = s.K
    x = s.x
    for i in range(nx):
        out[i] = 0.0
    for j in range(count):
        weight = A[row * TABLEAU_COLUMNS + j]
        if weight != 0.0:
            stage = array_tail(K, j * nx)
            for i in range(nx):
                out[i] += weight * stage[i]
    for i in range(nx):
        out[i] = x[i] + h * out[i]


def compute_stages(s: LoopWorkspace, h: float) -> int:
    """All stages of a step, the state after it, and the rates there."""
    nx = s.nx
    y = s.y
    for k in range(1, DOP853_STAGES):
        combine_stages(s, h, k, k, y)
        if state_rates(s, s.t + C[k] * h, y, array_tail(s.K, k * nx)) != 0:
            return 1
    new = s.y_new
    for i in range(nx):
        new[i] = 0.0
    for j in range(DOP853_STAGES):
        if B[j] != 0.0:
            stage = array_tail(s.K, j * nx)
            for i in range(nx):
                new[i] += B[j] * stage[i]
    for i in range(nx):
        new[i] = s.x[i] + h * new[i]
    return state_rates(s, s.t + h, new, array_tail(s.K, DOP853_STAGES * nx))


def error_norm(s: LoopWorkspace, h: float) -> float:
    """The estimated error of a step relative to the tolerance."""
    nx = s.nx
    fifth = 0.0
    third = 0.0
    for i in range(nx):
        five = 0.0
        three = 0.0
        for j in range(DOP853_STAGES + 1):
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


def take_step(s: LoopWorkspace, limit: float) -> int:
    """Take one step that meets the tolerance, not beyond a limit; 1 if no step does, however short."""
    shortest = 10.0 * UNIT_ROUNDOFF * abs(s.t) + 1e-300
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
        failed = compute_stages(s, h)
        if failed == 0:
            norm = error_norm(s, h)
        if norm < 1.0:
            factor = MAX_STEP_FACTOR
            if norm > 0.0:
                factor = min(MAX_STEP_FACTOR, STEP_SAFETY / eighth_root(norm))
            if rejected != 0:
                factor = min(1.0, factor)
            s.h_next = h * factor
            if rejected == 0 and wanted > h:  # limited by a bound, not by the error
                s.h_next = max(s.h_next, wanted)
            s.h_taken = h
            s.t_new = t_new
            s.dense_known = 0
            s.fast = stiffness_estimate(s, h)
            return 0
        rejected = 1
        factor = MIN_STEP_FACTOR
        if failed == 0 and norm == norm:
            factor = max(MIN_STEP_FACTOR, STEP_SAFETY / eighth_root(norm))
        h = h * factor


def stiffness_estimate(s: LoopWorkspace, h: float) -> float:
    """The step times the fastest decay rate, estimated from its last two stages; steps are stable up to about 6.

    Hairer, Norsett and Wanner's test for stiffness.
    """
    nx = s.nx
    rates_apart = 0.0
    states_apart = 0.0
    for i in range(nx):
        scale = s.atol + s.rtol * abs(s.x[i])
        rate = (s.K[DOP853_STAGES * nx + i] - s.K[(DOP853_STAGES - 1) * nx + i]) / scale
        state = (s.y_new[i] - s.y[i]) / scale
        rates_apart += rate * rate
        states_apart += state * state
    if not (states_apart > NEGLIGIBLE_DIFFERENCE_SQUARED * float(nx)):
        return 0.0
    return h * sqrt(rates_apart / states_apart)


def repeated_step(s: LoopWorkspace, t: float, out: Floats) -> int:
    """The state at a time within the last step, by a separate step.

    Dense output is inaccurate where fast decay keeps steps short. It stays unchanged for the event checks.
    """
    nx = s.nx
    if s.dense_known == 0 and compute_dense_output(s) != 0:
        return 1
    for i in range(nx):
        s.y_kept[i] = s.y_new[i]
        s.y_kept[nx + i] = s.K[DOP853_STAGES * nx + i]
    status = compute_stages(s, t - s.t)
    for i in range(nx):
        out[i] = s.y_new[i]
        s.y_new[i] = s.y_kept[i]
        s.K[DOP853_STAGES * nx + i] = s.y_kept[nx + i]
    return status


def first_step(s: LoopWorkspace) -> float:
    """The first step, from the magnitudes of the state, the rates and their change."""
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
    if not (h > SMALLEST_FIRST_STEP_RATIO * room):  # rates that are huge relative to the tolerance
        return SMALLEST_FIRST_STEP_RATIO * room
    for i in range(nx):
        s.y[i] = s.x[i] + h * s.K[i]
    if state_rates(s, s.t + h, s.y, array_tail(s.K, nx)) != 0:
        return h
    curvature = 0.0
    for i in range(nx):
        scale = s.atol + s.rtol * abs(s.x[i])
        change = (s.K[nx + i] - s.K[i]) / scale
        curvature += change * change
    curvature = sqrt(curvature / float(nx)) / h
    most = max(slope, curvature)
    further = max(1e-6, 1e-3 * h)
    if most > 1e-15:
        further = eighth_root(0.01 / most)
    if not (further > SMALLEST_FIRST_STEP_RATIO * room):
        return SMALLEST_FIRST_STEP_RATIO * room
    return min(min(100.0 * h, further), min(room, s.longest))


def compute_dense_output(s: LoopWorkspace) -> int:
    """Compute the dense output of the last step, from three more stages."""
    nx = s.nx
    h = s.h_taken
    for k in range(DOP853_STAGES + 1, TABLEAU_COLUMNS):
        combine_stages(s, h, k, k, s.y)
        if state_rates(s, s.t + C[k] * h, s.y, array_tail(s.K, k * nx)) != 0:
            return 1
    for i in range(nx):
        change = s.y_new[i] - s.x[i]
        s.F[i] = change
        s.F[nx + i] = h * s.K[i] - change
        s.F[2 * nx + i] = 2.0 * change - h * (s.K[DOP853_STAGES * nx + i] + s.K[i])
    for row in range(4):
        out = array_tail(s.F, (3 + row) * nx)
        for i in range(nx):
            out[i] = 0.0
        for j in range(TABLEAU_COLUMNS):
            weight = D[row * TABLEAU_COLUMNS + j]
            if weight != 0.0:
                stage = array_tail(s.K, j * nx)
                for i in range(nx):
                    out[i] += weight * stage[i]
        for i in range(nx):
            out[i] = h * out[i]
    s.dense_known = 1
    return 0


def dense_output(s: LoopWorkspace, t: float, out: Floats) -> int:
    """The state at a time within the last step."""
    nx = s.nx
    if t >= s.t_new:
        for i in range(nx):
            out[i] = s.y_new[i]
        return 0
    if s.implicit != 0:
        return polynomial_state(s, t, out)
    if s.dense_known == 0 and compute_dense_output(s) != 0:
        return 1
    fraction = (t - s.t) / s.h_taken
    remainder = 1.0 - fraction
    F = s.F
    for i in range(nx):
        value = F[6 * nx + i] * fraction
        value = (value + F[5 * nx + i]) * remainder
        value = (value + F[4 * nx + i]) * fraction
        value = (value + F[3 * nx + i]) * remainder
        value = (value + F[2 * nx + i]) * fraction
        value = (value + F[nx + i]) * remainder
        value = (value + F[i]) * fraction
        out[i] = s.x[i] + value
    return 0
