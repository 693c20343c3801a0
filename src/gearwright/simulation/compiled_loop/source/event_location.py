"""The event loop, event location: guards and branch points are checked at four times of every step.

Minima of guards near zero are searched between the checks, as in `simulation/integrators/level_minima.py`.
"""

from __future__ import annotations

from gearwright.compiling import Floats, invoke_callback, run_kernel, sqrt
from gearwright.forces.event_tolerances import (
    EVENT_CHECKS_PER_STEP,
    EVENT_LOCATION_LEVEL,
    EVENT_TIME_ROUNDING,
    EVENT_TIME_TOLERANCE,
    MAX_BRANCH_TRIALS,
    MAX_MINIMUM_SHIFT,
    MINIMUM_PROBES,
    MINIMUM_REFINEMENTS,
    MINIMUM_SCAN_POINTS,
    MINIMUM_WINDOW,
    NEAR_MINIMUM_RATIO,
    NOISE_SPREAD,
    SAME_TIME_TOLERANCE,
)
from gearwright.simulation.compiled_loop.source.inputs_and_rates import set_kernel_state, solve_accelerations
from gearwright.simulation.compiled_loop.source.steps import dense_output
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace

STEP_CLEAR = 0
STEP_HAS_EVENT = 1
STEP_REPEATS = 2
STEP_ENDS_AT_BRANCH = 3
STEP_CHECK_FAILED = 4


def check_guards(s: LoopWorkspace, t: float, x: Floats) -> int:
    """Evaluate guards, branch points and events of the user at an instant."""
    if solve_accelerations(s, t, x, s.latest, s.look_answers) != 0:
        return 1
    return check_guards_solved(s, t)


def check_guards_solved(s: LoopWorkspace, t: float) -> int:
    """The same for an instant whose balance of forces is already solved."""
    if s.guards + s.kinks > 0 and run_kernel(s.look, s.look_table) != 0:
        return 1
    if s.watched > 0 and invoke_callback(s.watcher, t) != 0:
        return 1
    return 0


def check_guards_after_rates(s: LoopWorkspace, t: float, x: Floats) -> int:
    """The same directly after the rates were computed: the balance of forces is already solved."""
    return check_guards_solved(s, t) if s.look_answers == s.answers else check_guards(s, t, x)


def sign_outside_band(value: float, band: float) -> float:
    """The sign of a number; 0 within the band."""
    if value > band:
        return 1.0
    if value < -band:
        return -1.0
    return 0.0


def initialise_checks(s: LoopWorkspace) -> int:
    """Set guards and signs of branch functions at the start of an integration, directly after the rates."""
    count = s.guards + s.kinks + s.watched
    if count == 0:
        return 0
    if check_guards_after_rates(s, s.t, s.x) != 0:
        return 1
    for k in range(count):
        s.looked[EVENT_CHECKS_PER_STEP * count + k] = s.looks[k]
    if s.ignore_kinks != 0:
        return 0
    for k in range(s.kinks):
        s.sides[k] = sign_outside_band(s.looks[s.guards + k], s.atol)
    return 0


def guard_level(s: LoopWorkspace, k: int, t: float, side: float, shift: float) -> float:
    """One of the checked functions at a time within the last step."""
    if dense_output(s, t, s.y_look) != 0:
        return 0.0
    if k < s.guards + s.kinks and s.look_solved[k] == 0:  # it depends on the state alone
        if set_kernel_state(s, t, s.y_look, s.latest) != 0 or run_kernel(s.look, s.look_table) != 0:
            return 0.0
    elif check_guards(s, t, s.y_look) != 0:
        return 0.0
    return side * s.looks[k] + shift


def event_time(s: LoopWorkspace, k: int, low: float, high: float, side: float, shift: float, rises: int) -> float:
    """The time at which a checked function falls below zero between two times."""
    a = low
    fa = guard_level(s, k, a, side, shift)
    if fa <= 0.0:
        if rises == 0:  # within the band, but just beyond zero
            return low
        step = high - low
        for _ in range(39):  # it starts at zero: it may have risen before it fell
            step = 0.5 * step
            fa = guard_level(s, k, low + step, side, shift)
            if fa > 0.0:
                a = low + step
                break
        if fa <= 0.0:
            return low
    b = high
    fb = guard_level(s, k, b, side, shift)
    if fb > 0.0:
        return high
    return brent_root(s, k, a, fa, b, fb, side, shift)


def brent_root(s: LoopWorkspace, k: int, a: float, fa: float, b: float, fb: float, side: float, shift: float) -> float:
    """The zero between two times with values of opposite sign, by Brent's method."""
    c = a
    fc = fa
    last = b - a
    older = last
    for _ in range(200):
        if fb * fc > 0.0:
            c = a
            fc = fa
            last = b - a
            older = last
        if abs(fc) < abs(fb):
            a = b
            fa = fb
            b = c
            fb = fc
            c = a
            fc = fa
        close = 0.5 * (EVENT_TIME_TOLERANCE + EVENT_TIME_ROUNDING * abs(b))
        half = 0.5 * (c - b)
        if abs(half) <= close or fb == 0.0:
            return b
        if abs(older) >= close and abs(fa) > abs(fb):
            ratio = fb / fa
            if a == c:
                p = 2.0 * half * ratio
                q = 1.0 - ratio
            else:
                q = fa / fc
                r = fb / fc
                p = ratio * (2.0 * half * q * (q - r) - (b - a) * (r - 1.0))
                q = (q - 1.0) * (r - 1.0) * (ratio - 1.0)
            if p > 0.0:
                q = -q
            else:
                p = -p
            if 2.0 * p < min(3.0 * half * q - abs(close * q), abs(older * q)):
                older = last
                last = p / q
            else:
                last = half
                older = half
        else:
            last = half
            older = half
        a = b
        fa = fb
        if abs(last) > close:
            b += last
        elif half > 0.0:
            b += close
        else:
            b -= close
        fb = guard_level(s, k, b, side, shift)
    return b


def check_time(s: LoopWorkspace, j: int) -> float:
    """The time of an event check within the last step."""
    if j == EVENT_CHECKS_PER_STEP:
        return s.t_new
    return s.t + (s.t_new - s.t) * float(j) / float(EVENT_CHECKS_PER_STEP)


def check_whole_step(s: LoopWorkspace) -> int:
    """All event checks of the last step, its end first, where its last rates were computed."""
    count = s.guards + s.kinks + s.watched
    for j in range(EVENT_CHECKS_PER_STEP, 0, -1):
        t = check_time(s, j)
        if j == EVENT_CHECKS_PER_STEP:
            if check_guards_after_rates(s, t, s.y_new) != 0:
                return 1
        elif dense_output(s, t, s.y_look) != 0 or check_guards(s, t, s.y_look) != 0:
            return 1
        for k in range(count):
            s.looked[(j - 1) * count + k] = s.looks[k]
    return 0


def find_event(s: LoopWorkspace) -> int:
    """Find the first time of the last step at which a guard is crossed; 1 if there is one."""
    count = s.guards + s.kinks + s.watched
    for j in range(1, EVENT_CHECKS_PER_STEP + 1):
        has_event = 0
        first = 0.0
        for k in range(count):
            guards = 1
            if k >= s.guards and k < s.guards + s.kinks:
                guards = 0
            if guards != 0 and s.looked[(j - 1) * count + k] < -EVENT_LOCATION_LEVEL:
                time = event_time(s, k, check_time(s, j - 1), check_time(s, j), 1.0, EVENT_LOCATION_LEVEL, 1)
                if has_event == 0 or time < first:
                    first = time
                has_event = 1
        if has_event != 0:
            s.t_event = first
            find_dip(s, first)
            return 1
    return find_dip(s, s.t_new)


def interpolated_level(s: LoopWorkspace, k: int, x: float) -> float:
    """The polynomial through a guard at the start (x = 0) and at the checks (x = 1 to 4) of the last step."""
    count = s.guards + s.kinks + s.watched
    f0 = s.looked[EVENT_CHECKS_PER_STEP * count + k]
    f1 = s.looked[k]
    f2 = s.looked[count + k]
    f3 = s.looked[2 * count + k]
    f4 = s.looked[3 * count + k]
    third = f3 - 3.0 * f2 + 3.0 * f1 - f0
    fourth = f4 - 4.0 * f3 + 6.0 * f2 - 4.0 * f1 + f0
    value = third + 0.25 * (x - 3.0) * fourth
    value = f2 - 2.0 * f1 + f0 + (x - 2.0) / 3.0 * value
    return f0 + x * (f1 - f0 + 0.5 * (x - 1.0) * value)


def time_below_zero(s: LoopWorkspace, k: int, near: float) -> float:
    """A time near that of a minimum at which a guard is violated; the start of the step if it stays positive.

    A gap counts as open while it grows, so that it is violated only before its minimum: parabolas through values before
    it are followed.
    """
    minimum = near
    width = MINIMUM_WINDOW * (s.t_new - s.t)
    for _ in range(MINIMUM_REFINEMENTS):
        first = guard_level(s, k, minimum - 3.0 * width, 1.0, EVENT_LOCATION_LEVEL)
        middle = guard_level(s, k, minimum - 2.0 * width, 1.0, EVENT_LOCATION_LEVEL)
        last = guard_level(s, k, minimum - width, 1.0, EVENT_LOCATION_LEVEL)
        if last < 0.0 and minimum - width > s.t:
            return minimum - width
        if middle < 0.0 and minimum - 2.0 * width > s.t:
            return minimum - 2.0 * width
        if first < 0.0 and minimum - 3.0 * width > s.t:
            return minimum - 3.0 * width
        slope = 0.5 * (last - first)
        curvature = first - 2.0 * middle + last
        if curvature > 0.0:
            shift = min(-slope / curvature, MAX_MINIMUM_SHIFT)
            lowest = middle - 0.5 * slope * slope / curvature
            if lowest >= 0.0 and shift < MAX_MINIMUM_SHIFT:
                return s.t
            minimum += (shift - 2.0) * width
            half = width * sqrt(max(-2.0 * lowest, 0.0) / curvature)
            for i in range(3):
                time = minimum - MINIMUM_PROBES[i] * half
                if time > s.t and time <= s.t_new and guard_level(s, k, time, 1.0, EVENT_LOCATION_LEVEL) < 0.0:
                    return time
            width = 0.25 * width
        else:  # behind the minimum, where a gap that grows counts as open
            minimum -= 4.0 * width
            width = 2.0 * width
    return s.t


def dip_of_guard(s: LoopWorkspace, k: int, before: float) -> float:
    """The time before another event at which a guard falls below zero between two checks; that event if it does not."""
    count = s.guards + s.kinks + s.watched
    lowest = s.looked[k]
    highest = lowest
    for j in range(1, EVENT_CHECKS_PER_STEP + 1):
        lowest = min(lowest, s.looked[j * count + k])
        highest = max(highest, s.looked[j * count + k])
    spread = highest - lowest
    if (
        lowest < -EVENT_LOCATION_LEVEL or lowest > spread or spread < NOISE_SPREAD
    ):  # located, far from zero, or rounding
        return before
    unit = float(EVENT_CHECKS_PER_STEP) / float(MINIMUM_SCAN_POINTS)
    here = interpolated_level(s, k, 0.0)
    after = interpolated_level(s, k, unit)
    for i in range(1, MINIMUM_SCAN_POINTS):
        behind = here
        here = after
        after = interpolated_level(s, k, unit * float(i + 1))
        curvature = behind - 2.0 * here + after
        if curvature > 0.0:
            shift = 0.5 * (behind - after) / curvature
            low = -0.5
            high = 0.5
            if i == 1:
                low = -1.5
            if i == MINIMUM_SCAN_POINTS - 1:
                high = 1.5
            vertex = here - 0.5 * curvature * shift * shift
            time = s.t + (s.t_new - s.t) * (float(i) + shift) / float(MINIMUM_SCAN_POINTS)
            if shift >= low and shift <= high and vertex < NEAR_MINIMUM_RATIO * spread and time < before:
                below = time_below_zero(s, k, time)
                if below > s.t and below < before:
                    j = 1
                    while check_time(s, j) < below:
                        j += 1
                    return event_time(s, k, check_time(s, j - 1), below, 1.0, EVENT_LOCATION_LEVEL, 1)
    return before


def find_dip(s: LoopWorkspace, before: float) -> int:
    """Find the first time before another event at which a guard falls below zero between two checks; 1 if any."""
    found = 0
    first = before
    for k in range(s.guards + s.kinks + s.watched):
        if k < s.guards or k >= s.guards + s.kinks:
            time = dip_of_guard(s, k, first)
            if time < first:
                first = time
                s.t_event = time
                found = 1
    return found


def find_branch_point(s: LoopWorkspace) -> int:
    """Find the first branch point in the last step; 1 if there is one, else the signs are updated."""
    count = s.guards + s.kinks + s.watched
    for k in range(s.kinks):
        s.sides_new[k] = s.sides[k]
    for j in range(1, EVENT_CHECKS_PER_STEP + 1):
        has_branch = 0
        first = 0.0
        for k in range(s.kinks):
            side = s.sides_new[k]
            now = sign_outside_band(s.looked[(j - 1) * count + s.guards + k], s.atol)
            if side * now < 0.0:
                time = event_time(s, s.guards + k, check_time(s, j - 1), check_time(s, j), side, 0.0, 0)
                if has_branch == 0 or time < first:
                    first = time
                has_branch = 1
        if has_branch != 0:
            s.t_kink = first
            return 1
        for k in range(s.kinks):
            if s.sides_new[k] == 0.0:
                s.sides_new[k] = sign_outside_band(s.looked[(j - 1) * count + s.guards + k], s.atol)
    return 0


def ends_at_branch_point(s: LoopWorkspace) -> int:
    """Whether a branch function with a known sign is zero at the end of the last step."""
    count = s.guards + s.kinks + s.watched
    for k in range(s.kinks):
        value = s.looked[(EVENT_CHECKS_PER_STEP - 1) * count + s.guards + k]
        if s.sides_new[k] != 0.0 and sign_outside_band(value, s.atol) == 0.0:
            return 1
    return 0


def scan_step(s: LoopWorkspace) -> int:
    """Scan the last step: clear, an event, a branch point at its end, or one before it (the step is then repeated)."""
    if s.guards + s.kinks + s.watched == 0:
        return STEP_CLEAR
    if check_whole_step(s) != 0:
        return STEP_CHECK_FAILED
    kinks = 1 if s.kinks > 0 and s.ignore_kinks == 0 else 0
    kink = 0
    if kinks != 0:
        kink = find_branch_point(s)
    near = SAME_TIME_TOLERANCE * max(abs(s.t), abs(s.t_new))
    if kink != 0 and s.t_new - s.t_kink > near and s.trials < MAX_BRANCH_TRIALS:
        s.trials += 1
        if s.size < 0.0:
            s.size = s.h_taken
        s.until_kink = max(s.t_kink, s.t + near)
        return STEP_REPEATS
    if find_event(s) != 0:
        return STEP_HAS_EVENT
    if kink != 0:
        return STEP_ENDS_AT_BRANCH
    if kinks != 0:
        at_branch = 0
        if s.trials > 0:
            at_branch = ends_at_branch_point(s)
        for k in range(s.kinks):
            s.sides[k] = s.sides_new[k]
        if at_branch != 0:
            return STEP_ENDS_AT_BRANCH
    count = s.guards + s.kinks + s.watched
    for k in range(count):  # the next step begins here
        s.looked[EVENT_CHECKS_PER_STEP * count + k] = s.looked[(EVENT_CHECKS_PER_STEP - 1) * count + k]
    return STEP_CLEAR
