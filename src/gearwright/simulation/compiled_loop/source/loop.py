"""The event loop itself: integrate, check for events, record samples, change modes, until Python is needed."""

from __future__ import annotations

from gearwright.compiling import Floats
from gearwright.forces.event_tolerances import (
    MAX_EVENTS_WITHOUT_PROGRESS,
    MAX_NEAR_BRANCH_POINTS,
    NEAR_BRANCH_SPAN_RATIO,
)
from gearwright.simulation.compiled_loop.source.constraint_projection import project_state, project_step
from gearwright.simulation.compiled_loop.source.event_location import (
    STEP_CHECK_FAILED,
    STEP_CLEAR,
    STEP_HAS_EVENT,
    STEP_REPEATS,
    initialise_checks,
    scan_step,
)
from gearwright.simulation.compiled_loop.source.force_balance import set_active_modes
from gearwright.simulation.compiled_loop.source.implicit_steps import take_implicit_step
from gearwright.simulation.compiled_loop.source.inputs_and_rates import (
    MAX_SPEED_SQUARED,
    UNBOUNDED_TIME,
    solve_accelerations,
    state_rates,
)
from gearwright.simulation.compiled_loop.source.mode_settling import (
    MODES_CONSISTENT,
    MODES_EVENTS_FULL,
    MODES_LEFT_TO_PYTHON,
    find_consistent_modes,
)
from gearwright.simulation.compiled_loop.source.step_coefficients import DOP853_STAGES
from gearwright.simulation.compiled_loop.source.steps import dense_output, first_step, repeated_step, take_step
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

LOOP_ARRIVED = 0
LOOP_PAUSED = 1
LOOP_AT_EVENT = 2
LOOP_INCONSISTENT_MODES = 3
LOOP_NO_PROGRESS = 4
LOOP_DIVERGED = 5
LOOP_LEFT_TO_PYTHON = 6
LOOP_CHATTERING_EVENTS = 7
LOOP_EVENTS_FULL = 8
LOOP_CHATTERING_BRANCHES = 9


DENSE_OUTPUT_STIFFNESS = 2.0
"""Step times decay rate above which samples are not taken from the dense output."""


def record_sample(s: LoopWorkspace, t: float, x: Floats) -> int:
    """Record one sample."""
    if solve_accelerations(s, t, x, UNBOUNDED_TIME, 1) != 0:
        return 1
    k = s.sampled
    for i in range(s.nx):
        s.sample_x[k * s.nx + i] = x[i]
    for i in range(s.nu):
        s.sample_u[k * s.nu + i] = s.u[i]
    for i in range(s.laws):
        s.sample_modes[k * s.laws + i] = s.modes[i]
    if s.has_ties != 0:
        for i in range(s.n):
            s.sample_a[k * s.n + i] = s.a[i]
        for i in range(s.felt_size):
            s.sample_felt[k * s.felt_size + i] = s.felt[i]
    s.sampled = k + 1
    return 0


def record_samples_until(s: LoopWorkspace, t: float) -> int:
    """Record all samples of the last step up to a time."""
    while s.sampled < s.sample_count and s.sample_times[s.sampled] <= t:
        if state_at_sample(s, s.sample_times[s.sampled]) != 0:
            return 1
        if project_state(s, s.sample_times[s.sampled], s.y_look) != 0:
            return 1
        if record_sample(s, s.sample_times[s.sampled], s.y_look) != 0:
            return 1
    return 0


def state_at_sample(s: LoopWorkspace, t: float) -> int:
    """The state at a sample within the last step."""
    if s.fast > DENSE_OUTPUT_STIFFNESS and t > s.t and t < s.t_new:
        return repeated_step(s, t, s.y_look)
    return dense_output(s, t, s.y_look)


def begin_march(s: LoopWorkspace) -> int:
    """Begin an integration from the current state: its rates, a first step, the signs of branch functions."""
    s.until_kink = UNBOUNDED_TIME
    s.trials = 0
    s.size = -1.0
    s.jacobian_known = 0
    s.h_factorised = 0.0
    s.h_polynomial = 0.0
    s.h_last = 0.0
    if state_rates(s, s.t, s.x, s.K) != 0 or initialise_checks(s) != 0:
        return 1
    if s.h <= 0.0:
        s.h = first_step(s)
    s.begun = 1
    return 0


def take_chosen_step(s: LoopWorkspace, limit: float) -> int:
    """Take an implicit or explicit step, not beyond a limit; 1 if none meets the tolerance, however short."""
    return take_implicit_step(s, limit) if s.implicit != 0 else take_step(s, limit)


def move_to(s: LoopWorkspace, t: float) -> int:
    """Move to a time within the last step, or to its end, and record the samples up to there."""
    if record_samples_until(s, t) != 0:
        return 1
    nx = s.nx
    if t < s.t_new:
        if dense_output(s, t, s.y) != 0 or project_state(s, t, s.y) != 0:
            return 1
        for i in range(nx):
            s.x[i] = s.y[i]
    else:
        for i in range(nx):
            s.x[i] = s.y_new[i]
            s.K[i] = s.K[DOP853_STAGES * nx + i]
    if t > s.t:
        s.still = 0
    s.t = t
    s.h = s.h_next if s.size < 0.0 else s.size
    return 0


def count_branch_point(s: LoopWorkspace) -> int:
    """Count a step that ended at a branch point; 1 if there are too many to continue so."""
    s.kink_times[s.kink_count % MAX_NEAR_BRANCH_POINTS] = s.t
    s.kink_count += 1
    s.begun = 0
    if (
        s.kink_count < MAX_NEAR_BRANCH_POINTS
        or s.t - s.kink_times[s.kink_count % MAX_NEAR_BRANCH_POINTS] > NEAR_BRANCH_SPAN_RATIO * s.span
    ):
        return 0
    s.ignore_kinks = 1
    return 1


def is_diverged(s: LoopWorkspace) -> int:
    """Whether the state has diverged."""
    total = 0.0
    for i in range(s.nq, s.nq + s.n):
        total += s.x[i] * s.x[i]
    return 0 if total <= MAX_SPEED_SQUARED else 1


def advance(s: LoopWorkspace) -> int:
    """Integrate to the bound, through events, or until Python is needed."""
    while True:
        status = advance_to_event(s)
        if status != LOOP_AT_EVENT or s.watched > 0:
            return status
        status = after_event(s)
        if status != LOOP_ARRIVED:
            return status


def advance_to_event(s: LoopWorkspace) -> int:
    """Integrate to the bound or to the first event before it."""
    while s.t < s.bound:
        if s.pause <= 0:
            return LOOP_PAUSED
        if s.begun == 0 and begin_march(s) != 0:
            return LOOP_LEFT_TO_PYTHON
        if take_chosen_step(s, min(s.bound, s.until_kink)) != 0:
            return LOOP_NO_PROGRESS
        s.pause -= 1
        if project_step(s) != 0:
            return LOOP_LEFT_TO_PYTHON
        outcome = scan_step(s)
        if outcome == STEP_CHECK_FAILED:
            return LOOP_LEFT_TO_PYTHON
        if outcome == STEP_REPEATS:
            s.h = s.until_kink - s.t
        else:
            status = continue_from_step(s, outcome)
            if status != LOOP_ARRIVED:
                return status
    return LOOP_ARRIVED


def continue_from_step(s: LoopWorkspace, outcome: int) -> int:
    """Move to the end of the last step, or to the event or branch point in it."""
    end = s.t_new
    if outcome == STEP_HAS_EVENT:
        end = s.t_event
    stood = s.t
    if move_to(s, end) != 0:
        return LOOP_LEFT_TO_PYTHON
    if is_diverged(s) != 0:
        return LOOP_DIVERGED
    if outcome != STEP_CLEAR and s.size < 0.0:  # the motion changes here: the next step is no longer than the last one
        s.h = min(s.h, s.h_taken)
    if outcome == STEP_HAS_EVENT:
        s.begun = 0
        if s.t <= stood:
            s.still += 1
        return LOOP_AT_EVENT
    if outcome != STEP_CLEAR:
        if count_branch_point(s) != 0:
            return LOOP_CHATTERING_BRANCHES
        return LOOP_ARRIVED
    if s.t >= s.until_kink:  # at the estimated branch point
        s.until_kink = UNBOUNDED_TIME
    return LOOP_ARRIVED


def after_event(s: LoopWorkspace) -> int:
    """Find consistent modes, and check for progress in time."""
    modes_status = find_consistent_modes(s)
    if modes_status == MODES_LEFT_TO_PYTHON:
        return LOOP_INCONSISTENT_MODES
    if modes_status == MODES_EVENTS_FULL:
        return LOOP_EVENTS_FULL
    if modes_status != MODES_CONSISTENT:
        return LOOP_INCONSISTENT_MODES
    if s.still > MAX_EVENTS_WITHOUT_PROGRESS:
        return LOOP_CHATTERING_EVENTS
    return LOOP_ARRIVED


def restart_in_modes(s: LoopWorkspace) -> int:
    """Restart in the modes that Python has written."""
    set_active_modes(s)
    s.begun = 0
    return 0


def record_current_state(s: LoopWorkspace) -> int:
    """Record the current state as a sample."""
    return record_sample(s, s.t, s.x)


def requested_rates(s: LoopWorkspace) -> int:
    """The rates at a requested time and state, with the inputs at that time."""
    latest = s.latest
    s.latest = UNBOUNDED_TIME
    status = state_rates(s, s.t_asked, s.x_asked, s.rates_found)
    s.latest = latest
    return status
