r"""The event loop, implicit steps: Radau IIA of five stages (order 9), for fast decay that keeps explicit steps short.

The stages $Z_i = y(t + c_i h) - y$ solve $Z = h\,A\,F(Z)$ by simplified Newton steps,
$(h^{-1} A^{-1} \otimes 1 - 1 \otimes J)\,\Delta Z = F - h^{-1} A^{-1} Z$, decoupled by the eigenvectors of $A^{-1}$
into one real and two complex systems of the size of the state (Hairer and Wanner, Solving Ordinary Differential
Equations II, section IV.8). The Jacobian J is by differences of the compiled rates: Newton steps need no exact one. The
error estimate is the defect of the collocation polynomial at the start of the step, filtered by the real system; the
polynomial is the dense output, and the first guess of the next stages.
"""

from __future__ import annotations

from gearwright.compiling import Floats, array_tail, sqrt
from gearwright.simulation.compiled_loop.source.elimination import factorise_complex, solve_factorised
from gearwright.simulation.compiled_loop.source.inputs_and_rates import state_rates
from gearwright.simulation.compiled_loop.source.step_coefficients import (
    DOP853_STAGES,
    MAX_STEP_FACTOR,
    MIN_STEP_FACTOR,
    RADAU_COLUMNS,
    RADAU_COLUMNS_IMAGINARY,
    RADAU_DEFECT,
    RADAU_INVERSE,
    RADAU_POLYNOMIAL,
    RADAU_ROWS,
    RADAU_ROWS_IMAGINARY,
    RADAU_SHIFTS,
    RADAU_STAGES,
    RADAU_SYSTEMS,
    RADAU_TIMES,
    RADAU_TURNS,
    STEP_SAFETY,
    UNIT_ROUNDOFF,
)
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

MAX_NEWTON_STEPS = 10
"""Newton steps after which the stages count as not converging."""

NEWTON_TOLERANCE_RATIO = 1e-3
"""Error of the stages relative to the tolerance of a step."""

FAST_CONVERGENCE = 1e-3
"""Ratio of successive Newton steps below which the Jacobian is kept for the next step."""

KEPT_STEP_FACTOR = 1.2
"""Factor of the step up to which the step and its factorised systems are kept."""

JACOBIAN_DIFFERENCE = 1e-7
"""Difference of a state for the Jacobian, relative to 1 + its magnitude."""

MAX_ROOT_STEPS = 60
"""Newton steps for a root."""

MAX_GUESS_RATIO = 4.0
"""Largest step relative to the last one for which its polynomial is extrapolated."""


def take_implicit_step(s: LoopWorkspace, limit: float) -> int:
    """Take one implicit step that meets the tolerance, not beyond a limit; 1 if no step does, however short."""
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
        guess_stages(s, h)
        if solve_stages(s, h) != 0:
            h = 0.5 * h
            rejected = 1
        else:
            norm = step_error(s, h, rejected)
            if norm < 1.0:
                return end_implicit_step(s, h, t_new, wanted, norm, rejected)
            rejected = 1
            factor = MIN_STEP_FACTOR
            if norm == norm:
                factor = max(MIN_STEP_FACTOR, step_safety(s) / error_root(norm))
            h = h * factor


def end_implicit_step(s: LoopWorkspace, h: float, t_new: float, wanted: float, norm: float, rejected: int) -> int:
    """Accept a step: the next step, the polynomial, the rates at its end; 1 if they cannot be computed."""
    nx = s.nx
    factor = next_step_factor(s, h, norm, rejected)
    slow = 1 if s.newton_rate > FAST_CONVERGENCE and s.newton_steps > 2 else 0
    if slow == 0 and factor >= 1.0 and factor < KEPT_STEP_FACTOR:
        factor = 1.0
    s.h_next = h * factor
    if rejected == 0 and wanted > h:  # limited by a bound, not by the error
        s.h_next = max(s.h_next, wanted)
    s.h_taken = h
    s.t_new = t_new
    s.h_last = h
    s.norm_last = max(norm, 1e-4)
    s.fast = 0.0
    s.jacobian_current = 0
    if slow != 0:
        s.jacobian_known = 0
    write_polynomial(s, h)
    last = array_tail(s.stages, (RADAU_STAGES - 1) * nx)
    for i in range(nx):
        s.y_new[i] = s.x[i] + last[i]
    return state_rates(s, t_new, s.y_new, array_tail(s.K, DOP853_STAGES * nx))


def step_safety(s: LoopWorkspace) -> float:
    """The safety factor of the step, smaller where Newton steps converge slowly."""
    most = 2.0 * float(MAX_NEWTON_STEPS) + 1.0
    return STEP_SAFETY * most / (most - 1.0 + float(s.newton_steps))


def next_step_factor(s: LoopWorkspace, h: float, norm: float, rejected: int) -> float:
    """The factor to the next step, from the errors of the last two steps (Gustafsson)."""
    factor = MAX_STEP_FACTOR
    if norm > 0.0:
        factor = step_safety(s) / error_root(norm)
        if s.h_last > 0.0:
            factor = min(factor, factor * h / s.h_last * error_root(s.norm_last / norm))
        factor = max(MIN_STEP_FACTOR, min(MAX_STEP_FACTOR, factor))
    if rejected != 0:
        factor = min(1.0, factor)
    return factor


def error_root(error: float) -> float:
    """The root of an error by which the step decreases it: the error grows with the power stages + 1 of the step.

    Errors beyond 1e-12 and 1e9, which change the step by its limits, count as these.
    """
    x = min(max(error, 1e-12), 1e9)
    root = sqrt(sqrt(sqrt(x)))
    for _ in range(MAX_ROOT_STEPS):
        product = root
        for _ in range(RADAU_STAGES - 1):
            product = product * root
        change = (x / product - root) / float(RADAU_STAGES + 1)
        root += change
        if abs(change) <= 1e-4 * root:
            return root
    return root


def guess_stages(s: LoopWorkspace, h: float) -> None:
    """Write the first guess of the stages: the polynomial of the last step, extrapolated, or zero."""
    nx = s.nx
    for k in range(RADAU_STAGES):
        stage = array_tail(s.stages, k * nx)
        if s.h_polynomial > 0.0 and h <= MAX_GUESS_RATIO * s.h_polynomial:
            polynomial_state(s, s.t + RADAU_TIMES[k] * h, stage)
            for i in range(nx):
                stage[i] -= s.x[i]
        else:
            for i in range(nx):
                stage[i] = 0.0


def write_polynomial(s: LoopWorkspace, h: float) -> None:
    """Write the collocation polynomial of the stages."""
    nx = s.nx
    s.t_polynomial = s.t
    s.h_polynomial = h
    for i in range(nx):
        s.x_polynomial[i] = s.x[i]
    for k in range(RADAU_STAGES):
        power = array_tail(s.polynomial, k * nx)
        for i in range(nx):
            power[i] = 0.0
        for j in range(RADAU_STAGES):
            weight = RADAU_POLYNOMIAL[k * RADAU_STAGES + j]
            stage = array_tail(s.stages, j * nx)
            for i in range(nx):
                power[i] += weight * stage[i]


def polynomial_state(s: LoopWorkspace, t: float, out: Floats) -> int:
    """The state at a time by the collocation polynomial of the last step."""
    nx = s.nx
    fraction = (t - s.t_polynomial) / s.h_polynomial
    for i in range(nx):
        value = 0.0
        for k in range(RADAU_STAGES - 1, -1, -1):
            value = (value + s.polynomial[k * nx + i]) * fraction
        out[i] = s.x_polynomial[i] + value
    return 0


def solve_stages(s: LoopWorkspace, h: float) -> int:
    """Solve for the stages; with an older Jacobian, once more with a new one. 1 if Newton steps do not converge."""
    while True:
        if s.jacobian_known == 0:
            if write_jacobian(s) != 0:
                return 1
            s.jacobian_known = 1
            s.jacobian_current = 1
            s.h_factorised = 0.0
        if s.h_factorised != h:
            s.h_factorised = h
            if factorise_systems(s, h) != 0:
                s.h_factorised = 0.0
                return 1
        if iterate_stages(s, h) == 0:
            return 0
        if s.jacobian_current != 0:
            return 1
        s.jacobian_known = 0
        guess_stages(s, h)


def write_jacobian(s: LoopWorkspace) -> int:
    """The Jacobian of the rates by the state at the start of the step, by differences; powers act on nothing."""
    nx = s.nx
    rates = array_tail(s.K, nx)
    for i in range(nx):
        s.y[i] = s.x[i]
        s.jacobian[i * nx + nx - 2] = 0.0
        s.jacobian[i * nx + nx - 1] = 0.0
    for j in range(nx - 2):
        s.y[j] = s.x[j] + JACOBIAN_DIFFERENCE * (1.0 + abs(s.x[j]))
        if state_rates(s, s.t, s.y, rates) != 0:
            return 1
        for i in range(nx):
            s.jacobian[i * nx + j] = (rates[i] - s.K[i]) / (s.y[j] - s.x[j])
        s.y[j] = s.x[j]
    return 0


def factorise_systems(s: LoopWorkspace, h: float) -> int:
    """Factorise the systems of the Newton steps of a step; 1 if one is singular."""
    nx = s.nx
    square = nx * nx
    for k in range(RADAU_SYSTEMS):
        real = array_tail(s.system_real, k * square)
        imaginary = array_tail(s.system_imaginary, k * square)
        for i in range(square):
            real[i] = -s.jacobian[i]
            imaginary[i] = 0.0
        for i in range(nx):
            real[i * nx + i] += RADAU_SHIFTS[k] / h
            imaginary[i * nx + i] = RADAU_TURNS[k] / h
        if factorise_complex(real, imaginary, array_tail(s.pivots, k * nx), nx) != 0:
            return 1
    return 0


def iterate_stages(s: LoopWorkspace, h: float) -> int:
    """Newton steps until the stages converge; 1 if they do not."""
    nx = s.nx
    tolerance = max(10.0 * UNIT_ROUNDOFF / s.rtol, NEWTON_TOLERANCE_RATIO)
    before = 0.0
    for step in range(MAX_NEWTON_STEPS):
        if write_residuals(s, h) != 0:
            return 1
        norm = newton_step(s)
        if not (norm < 1e300):
            return 1
        rate = 0.0
        if step > 0:
            rate = norm / before
            remaining = rate
            for _ in range(MAX_NEWTON_STEPS - 1 - step):
                remaining = remaining * rate
            if rate >= 1.0 or remaining / (1.0 - rate) * norm > tolerance:
                return 1
        for i in range(RADAU_STAGES * nx):
            s.stages[i] += s.stage_steps[i]
        if norm == 0.0 or (step > 0 and rate / (1.0 - rate) * norm < tolerance):
            s.newton_steps = step + 1
            s.newton_rate = rate
            return 0
        before = norm
    return 1


def write_residuals(s: LoopWorkspace, h: float) -> int:
    """Write the rates of the stages minus those of the collocation polynomial; 1 if rates cannot be computed."""
    nx = s.nx
    for k in range(RADAU_STAGES):
        stage = array_tail(s.stages, k * nx)
        residual = array_tail(s.residuals, k * nx)
        for i in range(nx):
            s.y[i] = s.x[i] + stage[i]
        if state_rates(s, s.t + RADAU_TIMES[k] * h, s.y, residual) != 0:
            return 1
        for j in range(RADAU_STAGES):
            weight = RADAU_INVERSE[k * RADAU_STAGES + j] / h
            other = array_tail(s.stages, j * nx)
            for i in range(nx):
                residual[i] -= weight * other[i]
    return 0


def newton_step(s: LoopWorkspace) -> float:
    """Write the changes of the stages; returns their norm relative to the tolerance."""
    nx = s.nx
    for i in range(RADAU_STAGES * nx):
        s.stage_steps[i] = 0.0
    real = s.parts
    imaginary = array_tail(s.parts, nx)
    for m in range(RADAU_SYSTEMS):
        for i in range(nx):
            real[i] = 0.0
            imaginary[i] = 0.0
        for k in range(RADAU_STAGES):
            weight = RADAU_ROWS[m * RADAU_STAGES + k]
            turned = RADAU_ROWS_IMAGINARY[m * RADAU_STAGES + k]
            residual = array_tail(s.residuals, k * nx)
            for i in range(nx):
                real[i] += weight * residual[i]
                imaginary[i] += turned * residual[i]
        solve_system(s, m, real, imaginary)
        for k in range(RADAU_STAGES):
            weight = RADAU_COLUMNS[m * RADAU_STAGES + k]
            turned = RADAU_COLUMNS_IMAGINARY[m * RADAU_STAGES + k]
            change = array_tail(s.stage_steps, k * nx)
            for i in range(nx):
                change[i] += weight * real[i] - turned * imaginary[i]
    total = 0.0
    for i in range(nx):
        scale = s.atol + s.rtol * abs(s.x[i])
        for k in range(RADAU_STAGES):
            change_ratio = s.stage_steps[k * nx + i] / scale
            total += change_ratio * change_ratio
    return sqrt(total / float(RADAU_STAGES * nx))


def solve_system(s: LoopWorkspace, m: int, real: Floats, imaginary: Floats) -> None:
    """Solve one of the factorised systems in place."""
    nx = s.nx
    square = m * nx * nx
    pivots = array_tail(s.pivots, m * nx)
    solve_factorised(
        array_tail(s.system_real, square), array_tail(s.system_imaginary, square), pivots, real, imaginary, nx
    )


def step_error(s: LoopWorkspace, h: float, rejected: int) -> float:
    """The estimated error of a step relative to the tolerance.

    After a rejected step, and in the first one, the defect is that at the start corrected by the estimate, which fast
    decay does not enlarge.
    """
    norm = defect_norm(s, h, s.K)
    if norm >= 1.0 and (rejected != 0 or s.h_last <= 0.0):
        for i in range(s.nx):
            s.y[i] = s.x[i] + s.parts[i]
        rates = array_tail(s.K, s.nx)
        if state_rates(s, s.t, s.y, rates) == 0:
            norm = defect_norm(s, h, rates)
    return norm


def defect_norm(s: LoopWorkspace, h: float, rates: Floats) -> float:
    """The norm of the filtered defect for these rates at the start of the step."""
    nx = s.nx
    error = s.parts
    imaginary = array_tail(s.parts, nx)
    for i in range(nx):
        error[i] = 0.0
        imaginary[i] = 0.0
    for k in range(RADAU_STAGES):
        for i in range(nx):
            error[i] += RADAU_DEFECT[k] / h * s.stages[k * nx + i]
    for i in range(nx):
        error[i] += rates[i]
    solve_system(s, 0, error, imaginary)
    total = 0.0
    for i in range(nx):
        end = s.x[i] + s.stages[(RADAU_STAGES - 1) * nx + i]
        ratio = error[i] / (s.atol + s.rtol * max(abs(s.x[i]), abs(end)))
        total += ratio * ratio
    return sqrt(total / float(nx))
