"""The event loop itself: march, look, record samples, settle, go on, until Python has something to do."""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.dop853 import STAGES
from gearwright.simulation.compiled_loop.source.event_location import AGAIN, CLEAR, EVENT, FAILED, begin_sides, scan
from gearwright.simulation.compiled_loop.source.force_balance import take_modes
from gearwright.simulation.compiled_loop.source.inputs_and_rates import FASTEST, rates, solve
from gearwright.simulation.compiled_loop.source.intrinsics import Floats
from gearwright.simulation.compiled_loop.source.mode_settling import FOREVER, FULL, REFUSED, SETTLED, settle
from gearwright.simulation.compiled_loop.source.steps import first_step, step_within, take_step, within
from gearwright.simulation.compiled_loop.source.workspace import Work

ARRIVED = 0
PAUSED = 1
MET = 2
NOT_SETTLED = 3
STUCK = 4
LOST = 5
LEFT_TO_PYTHON = 6
RESTLESS = 7
NO_ROOM = 8
CHATTERS = 9

STILL = 200
"""Events without progress in time before a run gives up."""

CHATTER = 200
"""Kinks that are met one after the other, within CLOSE of a run, before they are not looked for any more."""

CLOSE = 1e-6

STIFF = 2.0
"""Step times decay beyond which samples are not taken from dense output."""


def record(s: Work, t: float, x: Floats) -> int:
    """Keep one sample."""
    if solve(s, t, x, FOREVER, 1) != 0:
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


def record_until(s: Work, t: float) -> int:
    """Keep all samples of the last step up to a time."""
    while s.sampled < s.sample_count and s.sample_times[s.sampled] <= t:
        if sample_within(s, s.sample_times[s.sampled]) != 0:
            return 1
        if record(s, s.sample_times[s.sampled], s.y_look) != 0:
            return 1
    return 0


def sample_within(s: Work, t: float) -> int:
    """The state at a sample within the last step."""
    if s.fast > STIFF and t > s.t and t < s.t_new:
        return step_within(s, t, s.y_look)
    return within(s, t, s.y_look)


def begin(s: Work) -> int:
    """Begin to march from the state at hand: its rates, a first step, the sides of kinks."""
    s.until_kink = FOREVER
    s.trials = 0
    s.size = -1.0
    if rates(s, s.t, s.x, s.K) != 0 or begin_sides(s) != 0:
        return 1
    if s.h <= 0.0:
        s.h = first_step(s)
    s.begun = 1
    return 0


def move(s: Work, t: float) -> int:
    """Go to a time within the last step, or to its end, samples on the way being kept."""
    if record_until(s, t) != 0:
        return 1
    nx = s.nx
    if t < s.t_new:
        if within(s, t, s.y) != 0:
            return 1
        for i in range(nx):
            s.x[i] = s.y[i]
    else:
        for i in range(nx):
            s.x[i] = s.y_new[i]
            s.K[i] = s.K[STAGES * nx + i]
    if t > s.t:
        s.still = 0
    s.t = t
    s.h = s.h_next if s.size < 0.0 else s.size
    return 0


def meet_kink(s: Work) -> int:
    """Note that a step ended at a kink; 1 when there are too many to go on so."""
    s.kink_times[s.kink_count % CHATTER] = s.t
    s.kink_count += 1
    s.begun = 0
    if s.kink_count < CHATTER or s.t - s.kink_times[s.kink_count % CHATTER] > CLOSE * s.span:
        return 0
    s.ignore_kinks = 1
    return 1


def is_lost(s: Work) -> int:
    """Whether the state is faster than any machine."""
    total = 0.0
    for i in range(s.nq, s.nq + s.n):
        total += s.x[i] * s.x[i]
    return 0 if total <= FASTEST else 1


def advance(s: Work) -> int:
    """March to the bound, through events, or to where Python has something to do."""
    while s.t < s.bound:
        if s.pause <= 0:
            return PAUSED
        if s.begun == 0 and begin(s) != 0:
            return LEFT_TO_PYTHON
        if take_step(s, min(s.bound, s.until_kink)) != 0:
            return STUCK
        s.pause -= 1
        found = scan(s)
        if found == FAILED:
            return LEFT_TO_PYTHON
        if found == AGAIN:
            s.h = s.until_kink - s.t
        else:
            status = go_on(s, found)
            if status != ARRIVED:
                return status
    return ARRIVED


def go_on(s: Work, found: int) -> int:
    """Move to the end of the last step, or to what was found in it."""
    end = s.t_new
    if found == EVENT:
        end = s.t_event
    stood = s.t
    if move(s, end) != 0:
        return LEFT_TO_PYTHON
    if is_lost(s) != 0:
        return LOST
    if found != CLEAR and s.size < 0.0:  # what comes next is another motion: no longer step than the last one
        s.h = min(s.h, s.h_taken)
    if found == EVENT:
        s.begun = 0
        if s.t <= stood:
            s.still += 1
        if s.watched > 0:
            return MET
        return after_event(s)
    if found != CLEAR:
        if meet_kink(s) != 0:
            return CHATTERS
        return ARRIVED
    if s.t >= s.until_kink:  # at what was thought to be a kink
        s.until_kink = FOREVER
    return ARRIVED


def after_event(s: Work) -> int:
    """Settle, and see whether that leads anywhere."""
    settled = settle(s)
    if settled == REFUSED:
        return NOT_SETTLED
    if settled == FULL:
        return NO_ROOM
    if settled != SETTLED:
        return NOT_SETTLED
    if s.still > STILL:
        return RESTLESS
    return ARRIVED


def take(s: Work) -> int:
    """Begin anew in the modes that somebody has written."""
    take_modes(s)
    s.begun = 0
    return 0


def record_here(s: Work) -> int:
    """Keep the state at hand as a sample."""
    return record(s, s.t, s.x)


def rates_asked(s: Work) -> int:
    """The rates that somebody asks for, with inputs as they are then."""
    latest = s.latest
    s.latest = FOREVER
    status = rates(s, s.t_asked, s.x_asked, s.rates_found)
    s.latest = latest
    return status
