"""The event loop, looks: guards and kinks at four places of every step, and where they are met."""

from __future__ import annotations

from gearwright.simulation.compiled_loop.source.inputs_and_rates import place, solve
from gearwright.simulation.compiled_loop.source.intrinsics import Floats, ask, run
from gearwright.simulation.compiled_loop.source.steps import within
from gearwright.simulation.compiled_loop.source.workspace import Work

CROSSED = 1e-9
"""An event is where a guard reaches minus this."""

LOOKS = 4
"""Places in a step where guards and kinks are looked at, so that what dips below zero and comes back is seen."""

CLEAR = 0
EVENT = 1
AGAIN = 2
KINK = 3
FAILED = 4

TRIALS = 12
"""How often a step over a kink is tried again, each time with a better end, before it is taken as it is."""

NEAR = 3.552713678800501e-15
"""Times that are closer, relative to themselves, count as one."""

CLOSEST = 1e-15
"""How closely an event is located [s], or relative to its time."""


def look_at(s: Work, t: float, x: Floats) -> int:
    """Guards, kinks and the events that a user watches, at an instant."""
    if solve(s, t, x, s.latest, s.look_answers) != 0:
        return 1
    return look_here(s, t)


def look_here(s: Work, t: float) -> int:
    """The same where the balance of forces is at hand."""
    if s.guards + s.kinks > 0 and run(s.look, s.look_table) != 0:
        return 1
    if s.watched > 0 and ask(s.watcher, t) != 0:
        return 1
    return 0


def look_after_rates(s: Work, t: float, x: Floats) -> int:
    """The same where the rates were found just now: the balance of forces is at hand."""
    return look_here(s, t) if s.look_answers == s.answers else look_at(s, t, x)


def sign(value: float, band: float) -> float:
    """The side of a number; 0 within the band."""
    if value > band:
        return 1.0
    if value < -band:
        return -1.0
    return 0.0


def begin_sides(s: Work) -> int:
    """The sides of all kinks at the start of a march, whose rates were found just now."""
    if s.kinks == 0 or s.ignore_kinks != 0:
        return 0
    if look_after_rates(s, s.t, s.x) != 0:
        return 1
    for k in range(s.kinks):
        s.sides[k] = sign(s.looks[s.guards + k], s.atol)
    return 0


def level(s: Work, k: int, t: float, side: float, shift: float) -> float:
    """One of the numbers that are looked at, at a time within the last step."""
    if within(s, t, s.y_look) != 0:
        return 0.0
    if k < s.guards + s.kinks and s.look_solved[k] == 0:  # it follows from the state alone
        if place(s, t, s.y_look, s.latest) != 0 or run(s.look, s.look_table) != 0:
            return 0.0
    elif look_at(s, t, s.y_look) != 0:
        return 0.0
    return side * s.looks[k] + shift


def root(s: Work, k: int, low: float, high: float, side: float, shift: float, rises: int) -> float:
    """Where a number goes below zero between two times."""
    a = low
    fa = level(s, k, a, side, shift)
    if fa <= 0.0:
        if rises == 0:  # within the band, but just beyond zero
            return low
        step = high - low
        for _ in range(39):  # it begins at zero: it may have risen before it fell
            step = 0.5 * step
            fa = level(s, k, low + step, side, shift)
            if fa > 0.0:
                a = low + step
                break
        if fa <= 0.0:
            return low
    b = high
    fb = level(s, k, b, side, shift)
    if fb > 0.0:
        return high
    return narrowed(s, k, a, fa, b, fb, side, shift)


def narrowed(s: Work, k: int, a: float, fa: float, b: float, fb: float, side: float, shift: float) -> float:
    """The zero between two times with numbers of different signs, by Brent's method."""
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
        close = 0.5 * CLOSEST + 4.44e-16 * abs(b)
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
        fb = level(s, k, b, side, shift)
    return b


def place_of(s: Work, j: int) -> float:
    """The time of a look within the last step."""
    if j == LOOKS:
        return s.t_new
    return s.t + (s.t_new - s.t) * float(j) / float(LOOKS)


def look_along(s: Work) -> int:
    """All looks of the last step, its end first: its last rates were found there."""
    count = s.guards + s.kinks + s.watched
    for j in range(LOOKS, 0, -1):
        t = place_of(s, j)
        if j == LOOKS:
            if look_after_rates(s, t, s.y_new) != 0:
                return 1
        elif within(s, t, s.y_look) != 0 or look_at(s, t, s.y_look) != 0:
            return 1
        for k in range(count):
            s.looked[(j - 1) * count + k] = s.looks[k]
    return 0


def find_event(s: Work) -> int:
    """The first time of the last step at which a guard is crossed; 1 if there is one."""
    count = s.guards + s.kinks + s.watched
    for j in range(1, LOOKS + 1):
        found = 0
        first = 0.0
        for k in range(count):
            guards = 1
            if k >= s.guards and k < s.guards + s.kinks:
                guards = 0
            if guards != 0 and s.looked[(j - 1) * count + k] < -CROSSED:
                at = root(s, k, place_of(s, j - 1), place_of(s, j), 1.0, CROSSED, 1)
                if found == 0 or at < first:
                    first = at
                found = 1
        if found != 0:
            s.t_event = first
            return 1
    return 0


def find_kink(s: Work) -> int:
    """The first time of the last step at which a kink is crossed; 1 if there is one. Else the sides are known."""
    count = s.guards + s.kinks + s.watched
    for k in range(s.kinks):
        s.sides_new[k] = s.sides[k]
    for j in range(1, LOOKS + 1):
        found = 0
        first = 0.0
        for k in range(s.kinks):
            side = s.sides_new[k]
            now = sign(s.looked[(j - 1) * count + s.guards + k], s.atol)
            if side * now < 0.0:
                at = root(s, s.guards + k, place_of(s, j - 1), place_of(s, j), side, 0.0, 0)
                if found == 0 or at < first:
                    first = at
                found = 1
        if found != 0:
            s.t_kink = first
            return 1
        for k in range(s.kinks):
            if s.sides_new[k] == 0.0:
                s.sides_new[k] = sign(s.looked[(j - 1) * count + s.guards + k], s.atol)
    return 0


def reached_kink(s: Work) -> int:
    """Whether a kink whose side was known is met at the end of the last step."""
    count = s.guards + s.kinks + s.watched
    for k in range(s.kinks):
        value = s.looked[(LOOKS - 1) * count + s.guards + k]
        if s.sides_new[k] != 0.0 and sign(value, s.atol) == 0.0:
            return 1
    return 0


def scan(s: Work) -> int:
    """What the last step met: nothing, an event, a kink at its end, or one before it, so that it is taken again."""
    if s.guards + s.kinks + s.watched == 0:
        return CLEAR
    if look_along(s) != 0:
        return FAILED
    kinks = 1 if s.kinks > 0 and s.ignore_kinks == 0 else 0
    kink = 0
    if kinks != 0:
        kink = find_kink(s)
    near = NEAR * max(abs(s.t), abs(s.t_new))
    if kink != 0 and s.t_new - s.t_kink > near and s.trials < TRIALS:
        s.trials += 1
        if s.size < 0.0:
            s.size = s.h_taken
        s.until_kink = max(s.t_kink, s.t + near)
        return AGAIN
    if find_event(s) != 0:
        return EVENT
    if kink != 0:
        return KINK
    if kinks != 0:
        met = 0
        if s.trials > 0:
            met = reached_kink(s)
        for k in range(s.kinks):
            s.sides[k] = s.sides_new[k]
        if met != 0:
            return KINK
    return CLEAR
