r"""The impulse path of one rigid contact with friction (Keller): sliding and sticking over the normal impulse.

Speeds change as $du/dp = W\,(1, dP_t/dp)$, in closed form or, where the slip turns, by Runge-Kutta steps with error
control. Restricted Python: `impulse_path` interprets it, the event engine compiles and prints it.
"""

from __future__ import annotations

from math import cos, pi, sin

from gearwright.compiling import Floats, sqrt
from gearwright.functions.constrained.contact_impulses import (
    SLIP_BISECTIONS,
    reduce_response,
    reduce_tangents,
    write_impulse,
)
from gearwright.functions.constrained.contact_workspace import PATH_SIZE, POISSON_LAW, ContactWorkspace

REST_SLIP_RATIO = 1e-10
"""Tangential speed, relative to the total, below which it is zero."""

ONSET_DIRECTION_COUNT = 720
"""Number of directions in which sliding may begin within an impact."""

MAX_IMPACT_PHASES = 20
"""Largest number of phases of sliding and sticking within one impact."""

DEPENDENT_NORMAL_RATIO = 1e-11
"""Response along the normal of a contact that sticks, relative to that of a smooth one, below which it cannot leave."""

ONSET_STEP_COSINE, ONSET_STEP_SINE = cos(2 * pi / ONSET_DIRECTION_COUNT), sin(2 * pi / ONSET_DIRECTION_COUNT)
"""Cosine and sine of the angle between two directions in which sliding may begin within an impact."""

IMPULSE_PATH_TOLERANCE = 1e-12
"""Error of a step along the path, relative to its largest speed."""

MAX_PATH_STEPS = 20000
"""Largest number of steps of one phase."""

LARGEST_IMPULSE_RATIO = 1e9
"""Ratio to the impulse that stops the normal speed above which an impact does not end."""

NORMAL_SPEED_END = 0
IMPULSE_END = 3
WORK_END = 6
"""Places in the state of the path, (speeds, impulses, work), whose rise to a level ends a part of it."""


def follow_impulse(s: ContactWorkspace, restitution: float) -> int:
    """The impulse of an impact with restitution, along its path; 1 if it does not end."""
    ways = reduce_tangents(s)
    if ways < 0:
        ways = 2
    y = s.path_state
    for i in range(PATH_SIZE):
        y[i] = 0.0
    y[0] = s.contact_speeds[0]
    if ways == 1:
        y[1] = s.contact_speeds[1] * s.contact_axis[0] + s.contact_speeds[2] * s.contact_axis[1]
    if ways == 2:
        y[1] = s.contact_speeds[1]
        y[2] = s.contact_speeds[2]
    for i in range(9):
        s.path_matrix[i] = 0.0
    reduce_response(s, ways)
    s.path_ways = ways
    s.path_size = max(abs(y[0]), max(abs(y[1]), abs(y[2])))
    if follow_path(s, NORMAL_SPEED_END, 0.0) != 0:
        return 1
    status = 0
    if s.contact_facts[1] == POISSON_LAW:
        status = follow_path(s, IMPULSE_END, (1.0 + restitution) * y[3])
    elif restitution > 0.0:
        status = follow_path(s, WORK_END, (1.0 - restitution * restitution) * y[6])
    write_impulse(s, ways, s.path_impulses)
    return status


def follow_path(s: ContactWorkspace, end: int, level: float) -> int:
    """Follow the path through sliding and sticking until a part of its state has risen to a level; 1 on failure."""
    y = s.path_state
    for _ in range(MAX_IMPACT_PHASES):
        s.path_share[0] = 1.0
        s.path_share[1] = 0.0
        s.path_share[2] = 0.0
        slides = 0
        if s.path_ways > 0:
            slides = begin_phase(s)
        if slides < 0:
            return 1
        status = slide_on_curve(s, end, level) if slides == 2 else slide_straight(s, end, level, slides)
        if status < 0:
            return 1
        if status > 0:
            for i in range(3):
                s.path_impulses[i] = y[3 + i]
            return 0
        y[1] = 0.0
        y[2] = 0.0
    return 1


def begin_phase(s: ContactWorkspace) -> int:
    """Impulses per normal impulse of the next phase: 0 it sticks, 1 slides straight, 2 on a curve; -1 on failure."""
    y = s.path_state
    R = s.path_matrix
    mu = s.contact_facts[0]
    size = 1 + s.path_ways
    speed = sqrt(y[1] * y[1] + y[2] * y[2])
    if not (speed > REST_SLIP_RATIO * s.path_size):
        if s.path_ways == 1:
            s.path_share[1] = -R[2] / R[3]
        else:
            determinant = R[4] * R[8] - R[5] * R[7]
            if not (determinant > 0.0):
                return -1
            s.path_share[1] = -(R[8] * R[3] - R[5] * R[6]) / determinant
            s.path_share[2] = -(R[4] * R[6] - R[7] * R[3]) / determinant
        sticking = sqrt(s.path_share[1] * s.path_share[1] + s.path_share[2] * s.path_share[2])
        if sticking <= mu:
            return 0
        y[1] = -s.path_share[1] / sticking
        y[2] = -s.path_share[2] / sticking
        if size == 3:
            find_onset(s)
        speed = 2.0 * REST_SLIP_RATIO * s.path_size
        y[1] = y[1] * speed
        y[2] = y[2] * speed
    s.path_share[1] = -mu * y[1] / speed
    s.path_share[2] = -mu * y[2] / speed
    return size - 1


def find_onset(s: ContactWorkspace) -> None:
    """Set the slip of a contact at rest to the direction of its own change of speed, of all the one that grows most."""
    y = s.path_state
    R = s.path_matrix
    mu = s.contact_facts[0]
    dx = 1.0
    dy = 0.0
    side = 0.0
    forward = 0.0
    best = 0.0
    for k in range(ONSET_DIRECTION_COUNT + 1):
        x = R[3] - mu * (R[4] * dx + R[5] * dy)
        z = R[6] - mu * (R[7] * dx + R[8] * dy)
        new_side = dx * z - dy * x
        if k > 0 and side * new_side <= 0.0 and forward > best:
            part = side / (side - new_side) if side != new_side else 0.0
            best = forward
            y[1] = dx - (1.0 - part) * (-ONSET_STEP_SINE * dy)
            y[2] = dy - (1.0 - part) * (ONSET_STEP_SINE * dx)
        side = new_side
        forward = dx * x + dy * z
        new_x = ONSET_STEP_COSINE * dx - ONSET_STEP_SINE * dy
        dy = ONSET_STEP_SINE * dx + ONSET_STEP_COSINE * dy
        dx = new_x
    size = sqrt(y[1] * y[1] + y[2] * y[2])
    y[1] = y[1] / size
    y[2] = y[2] / size


def first_rise(value: float, slope: float, curvature: float) -> float:
    """The first p >= 0 at which value + slope p + curvature p^2 rises to zero; a huge number if there is none."""
    if curvature == 0.0:
        if slope > 0.0 and value <= 0.0:
            return -value / slope
        return 1e300
    square = slope * slope - 4.0 * curvature * value
    if square < 0.0:
        return 1e300
    p = (-slope + sqrt(square)) / (2.0 * curvature)
    return p if p >= 0.0 else 1e300


def slide_straight(s: ContactWorkspace, end: int, level: float, slides: int) -> int:
    """A phase with a constant ratio of impulses: 1 if it ends the path, 0 if the slip ends, -1 if neither ends.

    A contact that sticks and thereby holds its machine, such as a lever, ends the path: no impulse moves it.
    """
    y = s.path_state
    share = s.path_share
    rates = s.path_rates
    path_rates_along(s, share, rates)
    if slides == 0 and not (rates[0] > DEPENDENT_NORMAL_RATIO * s.path_matrix[0]):
        return 1
    curvature = 0.5 * rates[0] if end == WORK_END else 0.0
    p = first_rise(y[end] - level, rates[end], curvature)
    status = 1
    if slides != 0:
        sense = 1.0 if y[1] > 0.0 else -1.0
        stop = first_rise(0.5 * REST_SLIP_RATIO * s.path_size - sense * y[1], -sense * rates[1], 0.0)
        if stop < p:
            p = stop
            status = 0
    if not (p * s.path_matrix[0] < LARGEST_IMPULSE_RATIO * s.path_size):
        return -1
    y[6] += p * (y[0] + 0.5 * p * rates[0])
    for i in range(6):
        y[i] += p * rates[i]
    return status


def path_rates_along(s: ContactWorkspace, share: Floats, rates: Floats) -> None:
    """The rates of speeds, impulses and work over the normal impulse."""
    size = 1 + s.path_ways
    for i in range(PATH_SIZE):
        rates[i] = 0.0
    for i in range(size):
        for k in range(size):
            rates[i] += s.path_matrix[i * size + k] * share[k]
        rates[3 + i] = share[i]
    rates[6] = s.path_state[0]


def slide_on_curve(s: ContactWorkspace, end: int, level: float) -> int:
    """A phase whose slip turns, by steps of order 5: 1 if it ends the path, 0 if the slip ends, -1 if neither ends."""
    y = s.path_state
    step = 1e-3 * s.path_size / s.path_matrix[0]
    for _ in range(MAX_PATH_STEPS):
        error = double_step(s, step)
        if not (error <= IMPULSE_PATH_TOLERANCE * s.path_size):
            step = 0.5 * step
        elif curve_status(s, end, level) < 0:
            if not (s.path_new[3] * s.path_matrix[0] < LARGEST_IMPULSE_RATIO * s.path_size):
                return -1
            for i in range(PATH_SIZE):
                y[i] = s.path_new[i]
            if error < 0.02 * IMPULSE_PATH_TOLERANCE * s.path_size:
                step = 2.0 * step
        else:
            low = 0.0
            high = 1.0
            for _ in range(SLIP_BISECTIONS):
                middle = 0.5 * (low + high)
                double_step(s, middle * step)
                if curve_status(s, end, level) < 0:
                    low = middle
                else:
                    high = middle
            double_step(s, high * step)
            status = curve_status(s, end, level)
            for i in range(PATH_SIZE):
                y[i] = s.path_new[i]
            return status
    return -1


def curve_status(s: ContactWorkspace, end: int, level: float) -> int:
    """Whether the new state is at the end of the path (1), without slip (0), or neither (-1)."""
    y = s.path_new
    if y[end] >= level:
        return 1
    if sqrt(y[1] * y[1] + y[2] * y[2]) <= 0.5 * REST_SLIP_RATIO * s.path_size:
        return 0
    return -1


def double_step(s: ContactWorkspace, step: float) -> float:
    """The new state after one step, and after two halves of it, extrapolated; returns the error of its speeds."""
    for i in range(PATH_SIZE):
        s.path_whole[i] = s.path_state[i]
        s.path_new[i] = s.path_state[i]
    runge_kutta_step(s, s.path_whole, step)
    runge_kutta_step(s, s.path_new, 0.5 * step)
    runge_kutta_step(s, s.path_new, 0.5 * step)
    error = 0.0
    for i in range(PATH_SIZE):
        difference = (s.path_new[i] - s.path_whole[i]) / 15.0
        s.path_new[i] += difference
        if i < 3:
            error = max(error, abs(difference))
    return error


def runge_kutta_step(s: ContactWorkspace, y: Floats, step: float) -> None:
    """One step of the classical Runge-Kutta method, in place."""
    stage = s.path_stage
    rates = s.path_rates
    total = s.path_total
    for i in range(PATH_SIZE):
        stage[i] = y[i]
        total[i] = 0.0
    for k in range(4):
        sliding_rates(s, stage, rates)
        weight = 1.0 if k == 0 or k == 3 else 2.0
        part = 1.0 if k == 2 else 0.5
        for i in range(PATH_SIZE):
            total[i] += weight * rates[i]
            stage[i] = y[i] + part * step * rates[i]
    for i in range(PATH_SIZE):
        y[i] += step * total[i] / 6.0


def sliding_rates(s: ContactWorkspace, y: Floats, rates: Floats) -> None:
    """The rates of the path where friction opposes the slip of a state."""
    speed = sqrt(y[1] * y[1] + y[2] * y[2])
    s.path_share[1] = -s.contact_facts[0] * y[1] / speed
    s.path_share[2] = -s.contact_facts[0] * y[2] / speed
    path_rates_along(s, s.path_share, rates)
    rates[6] = y[0]
