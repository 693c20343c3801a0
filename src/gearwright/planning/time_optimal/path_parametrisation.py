r"""The time-optimal motion along a path under limits, by reachability, with exact dynamics and any friction.

Along q = p(s) with $x = \dot s^2$ and $u = \ddot s$ the speeds are p' sqrt(x) and the accelerations p' u + p'' x. What
is limited is linear in u, and would be in x without friction that grows with speed and voltages: there it is linearised
about the last solution, and solved again until the true values meet. Between the points of the grid u is constant and x
a straight line, so that the motion is an exact polynomial of time in each interval; where true values inside of an
interval violate a limit, the interval is given less of it, and it is solved again.

The linear problem follows the idea of TOPP-RA (Pham and Pham 2018). In interval i of length d the limits are $|a u + b
x + c| \le g$ for x at its start and u constant in it, and the next x is x + 2 d u. Backward, the x from which the end
can be reached are found: an interval [low, high] at every cut. Forward, u is as large as limits and the next interval
allow. Each step has two unknowns: u lies between lines over x, and how far the lowest upper line is above the highest
lower one is a concave function of x, whose roots Newton's rule finds in a few steps, from outside and without passing
them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import PlanningError
from gearwright.motion import Trajectory
from gearwright.motion.piecewise_polynomials import merged, on_knots, piecewise
from gearwright.motion_demands.forces_at_states import States
from gearwright.planning.time_optimal.drive_limits import DriveLimits
from gearwright.system.system import Modes

if TYPE_CHECKING:
    from scipy.interpolate import PPoly


# Linear limits: reachability

HUGE = 1e9
"""A squared path speed that no limit allows, in units of the largest acceleration that one does."""
FLAT = 1e-13
"""Share of a limit that the largest acceleration takes, below which it does not count."""
STEPS = 60
"""Of Newton's rule at most."""


class _Lines(NamedTuple):
    """Per interval lines over x between which u lies, u = middle -+ half + slope x, and bounds of x alone."""

    middle: Array
    half: Array
    slope: Array
    low: Array
    high: Array


def largest_speeds(s: Array, a: Array, b: Array, c: Array, g: Array, size: float) -> Array | None:
    """X at the cuts s (N + 1,), from rest to rest; None where limits leave no way.

    Args:
        s: cuts of the path.
        a: rows of every interval, (N, rows).
        b: rows.
        c: rows.
        g: what the rows may be at most.
        size: about how large u may be.
    """
    lines, steps = _lines(a, b, c, g, size), 2 * np.diff(s)
    low, high = np.zeros(len(s)), np.zeros(len(s))
    for i in reversed(range(len(steps))):
        found = _reaching(lines, i, steps[i], low[i + 1], high[i + 1], HUGE * size)
        if found is None:
            return None
        low[i], high[i] = found
    if low[0] > 0:
        return None
    x = np.zeros(len(s))
    for i, step in enumerate(steps):
        u = float((lines.middle[i] + lines.half[i] + lines.slope[i] * x[i]).min())
        x[i + 1] = min(max(x[i] + step * u, low[i + 1]), high[i + 1])
    return x


def _lines(a: Array, b: Array, c: Array, g: Array, size: float) -> _Lines:
    flat = np.abs(a) * size <= FLAT
    safe = np.where(flat, 1.0, a)
    middle, slope = np.where(flat, 0.0, -c / safe), np.where(flat, 0.0, -b / safe)
    half = np.where(flat, np.inf, g / np.abs(safe))
    # Rows without u bound x alone: -g <= b x + c <= g.
    steep = np.where(b == 0, 1.0, b)
    ends = np.sort(np.stack([(-g - c) / steep, (g - c) / steep]), axis=0)
    bounding = flat & (b != 0)
    low = np.where(bounding, ends[0], -np.inf).max(axis=1)
    high = np.where(bounding, ends[1], np.inf).min(axis=1)
    impossible = (flat & (b == 0) & (np.abs(c) > g)).any(axis=1)
    return _Lines(middle, half, slope, low, np.where(impossible, -1.0, high))


def _reaching(lines: _Lines, i: int, step: float, low: float, high: float, huge: float) -> tuple[float, float] | None:
    """The smallest and the largest x from which the next lies between low and high; None where there is none."""
    middle, half, slope = lines.middle[i], lines.half[i], lines.slope[i]
    upper = np.append(middle + half, high / step), np.append(slope, -1 / step)
    lower = np.append(middle - half, low / step), np.append(slope, -1 / step)
    first, last = max(0.0, float(lines.low[i])), min(huge, float(lines.high[i]))
    most = _root(upper, lower, last, downwards=True)
    least = _root(upper, lower, first, downwards=False)
    if most is None or least is None or most < first or least > most * (1 + 1e-12):
        return None
    return min(least, most), most


def _root(upper: tuple[Array, Array], lower: tuple[Array, Array], x: float, downwards: bool) -> float | None:
    """The first x, seen from one side, at which the upper lines are above the lower ones."""
    for _ in range(STEPS):
        above, below = upper[0] + upper[1] * x, lower[0] + lower[1] * x
        j, k = int(above.argmin()), int(below.argmax())
        gap = float(above[j] - below[k])
        if gap >= 0:
            return x
        slope = float(upper[1][j] - lower[1][k])
        if slope >= 0 if downwards else slope <= 0:
            return None
        ahead = float(lower[0][k] - upper[0][j]) / slope  # where the two lines meet, whatever x was
        if ahead == x or (ahead > x) == downwards:  # rounding: this is the root
            return x
        x = ahead
    return x


# Exact limits: linearisation and refinement

LOOKS, CLOSE_LOOKS = 9, 33
"""At how many places of an interval, its ends among them, limits are looked at: while solving, and at last."""
ROUNDS, TRUST = 25, 6
"""How often it is solved at most; and how often at first until linear limits are near the true ones, which they may
never be where a gear changes its flank."""
MET = 1e-7
"""Excess of a limit, as a share of it, that the last stretch takes away unnoticed."""
JUDGED, NEAR = 1e-5, 0.9
"""How far linear limits may be from true ones, as a share of them, and from what share on that counts."""
NUDGE = 1e-4
"""Relative change of x and u that gives slopes."""


@dataclass(frozen=True)
class _Grid:
    """A path cut into intervals in which no joint and no motor turns round.

    Args:
        path: p over [0, 1].
        s: the cuts, (N + 1,).
        limits: what is limited.
        count: at how many places of every interval, its ends among them, it is looked at.
    """

    path: PPoly
    s: Array
    limits: DriveLimits
    count: int = LOOKS

    @property
    def inside(self) -> Array:
        """Shares of an interval at which it is looked at."""
        return np.linspace(0.0, 1.0, self.count)

    @property
    def steps(self) -> Array:
        """Lengths of the intervals, (N,)."""
        return np.diff(self.s)

    @cached_property
    def looks(self) -> tuple[Array, Array, Array]:
        """p, p' and p'' in every interval, from its own side of the cuts: (N, looks, n) each."""
        c, at = on_knots(self.path, self.s), self.steps[:, None] * self.inside
        derivatives = [piecewise(c, self.s).derivative(k).c if k else c for k in range(3)]
        p, d, dd = (
            sum(x[:, None, :] * (at ** (len(one) - 1 - k))[:, :, None] for k, x in enumerate(one))
            for one in derivatives
        )
        return np.asarray(p), np.asarray(d), np.asarray(dd)

    @cached_property
    def modes(self) -> list[Modes]:
        """Per interval the modes of the laws, by the way things move in its middle."""
        p, d, _ = (x[:, self.count // 2] for x in self.looks)
        return self.limits.machine.likely_modes(p, d / np.abs(d).max(axis=1, keepdims=True))

    def shares(self, x: Array, u: Array, looks: list[int]) -> Array:
        """What x and u (N, looks) take of every limit at some of the looks, (N, looks, signals).

        Of limits of speed it is the square, which is linear in x.
        """
        p, d, dd = (one[:, looks] for one in self.looks)
        v, a = d * np.sqrt(x)[:, :, None], d * u[:, :, None] + dd * x[:, :, None]
        states = States(*(np.ascontiguousarray(one.reshape(-1, one.shape[-1])) for one in (p, v, a)))
        modes = [mode for mode in self.modes for _ in looks]
        found = self.limits.shares(states, modes)
        return np.where(self.limits.of_speed, found**2, found).reshape(*x.shape, -1)

    def along(self, x: Array) -> tuple[Array, Array]:
        """X and u at all looks for x at the cuts, (N, looks) each."""
        u = np.diff(x) / (2 * self.steps)
        inside = np.maximum(x[:-1, None] + np.diff(x)[:, None] * self.inside, 0.0)
        return inside, np.broadcast_to(u[:, None], inside.shape)


def time_optimal(function: str, path: PPoly, limits: DriveLimits, intervals: int) -> Trajectory:
    """The fastest motion from rest to rest along a path over [0, 1]."""
    grid = _Grid(path, _cuts(path, limits, intervals), limits)
    x, margin = _first_guess(grid), np.zeros((len(grid.steps), len(limits.signals)))
    for lap in range(ROUNDS):
        rows = _rows(grid, x)
        x = _solved(function, grid, rows, margin)
        shares = grid.shares(*grid.along(x), list(range(grid.count)))
        if lap < TRUST and _misjudged(grid, x, rows, shares) > JUDGED:
            continue
        beyond = np.abs(shares).max(axis=1) - 1.0
        if beyond.max() <= MET:
            break
        margin = np.minimum(margin + np.where(beyond > MET, beyond, 0.0), 0.5)
    return _trajectory(grid, _slowed(replace(grid, count=CLOSE_LOOKS), x))


def _misjudged(grid: _Grid, x: Array, rows: tuple[Array, Array, Array], shares: Array) -> float:
    """How far linear limits are from the true ones at the ends of intervals, where a limit is near."""
    a, b, c = rows
    u = (np.diff(x) / (2 * grid.steps))[:, None, None]
    linear, true = a * u + b * np.stack([x[:-1], x[1:]], axis=1)[:, :, None] + c, shares[:, [0, -1]]
    near = np.maximum(np.abs(linear), np.abs(true)) > NEAR
    return float(np.abs(np.where(near, linear - true, 0.0)).max())


def _cuts(path: PPoly, limits: DriveLimits, intervals: int) -> Array:
    """Where the path is cut: closer near its slow ends, at its own knots, and where a joint or a motor turns round."""
    rate = path.derivative()
    lines = np.vstack([np.eye(limits.mech.n), limits.machine.rows])
    turns = []
    for line in lines:
        c = rate.c @ line
        if np.abs(c[:-1]).max(initial=0.0) > 1e-12 * np.abs(c).max(initial=1e-300):
            found = piecewise(c, rate.x).roots(discontinuity=False, extrapolate=False)
            turns.append(found[np.isfinite(found)])
    every = merged((1 - np.cos(np.pi * np.linspace(0.0, 1.0, intervals + 1))) / 2, path.x, *turns)
    wide = np.diff(every, prepend=-1.0) > 1e-9
    wide[-1] = True
    every = every[wide]
    return np.delete(every, -2) if every[-1] - every[-2] < 1e-9 else every


def _first_guess(grid: _Grid) -> Array:
    """X at the cuts that is about as large as the limits allow: a parabola below the largest even one."""
    count, signals = len(grid.steps), len(grid.limits.signals)
    look, zero = [grid.count // 2], np.zeros((count, 1))
    rest = np.abs(grid.shares(zero, zero, look)).reshape(count, signals)
    size = 1.0
    for _ in range(80):  # a share of 1 is looked for by doubling and halving
        used = np.abs(grid.shares(zero + size, zero + 2 * size, look)).reshape(count, signals)
        over = float(np.max(used - np.minimum(rest, 0.5)))
        if 0.25 <= over <= 1.0:
            break
        size *= 0.5 if over > 1.0 else 2.0
    return np.asarray(size * 4 * grid.s * (1 - grid.s))


def _rows(grid: _Grid, x: Array) -> tuple[Array, Array, Array]:
    """Limits as a u + b x + c at both ends of every interval, linearised about x; each (N, 2, signals)."""
    ends = [0, grid.count - 1]
    size = float(x.max())
    at = np.maximum(np.stack([x[:-1], x[1:]], axis=1), 1e-9 * size)
    u = np.broadcast_to((np.diff(x) / (2 * grid.steps))[:, None], at.shape)
    du, dx = NUDGE * max(float(np.abs(u).max()), size), NUDGE * at
    here = grid.shares(at, u, ends)
    a = (grid.shares(at, u + du, ends) - here) / du
    b = (grid.shares(at + dx, u, ends) - grid.shares(at - dx, u, ends)) / (2 * dx[:, :, None])
    return a, b, here - a * u[:, :, None] - b * at[:, :, None]


def _excess(grid: _Grid, x: Array) -> Array:
    """By how much every interval goes beyond every limit at most, (N, signals); negative inside."""
    inside, u = grid.along(x)
    found: Array = (np.abs(grid.shares(inside, u, list(range(grid.count)))) - 1.0).max(axis=1)
    return found


def _solved(function: str, grid: _Grid, rows: tuple[Array, Array, Array], margin: Array) -> Array:
    """X at the cuts: the largest everywhere that linear limits allow."""
    a, b, c = rows
    count, step = len(grid.steps), 2 * grid.steps[:, None]
    # At the end of an interval x is x + step u: its row is one of u and of x at the start.
    A = np.concatenate([a[:, 0], a[:, 1] + step * b[:, 1]], axis=1)
    B, C = b.reshape(count, -1), c.reshape(count, -1)
    x = largest_speeds(grid.s, A, B, C, np.tile(1.0 - margin, 2), _first_bound(a, c))
    if x is None:
        raise _impossible(function, grid)
    return x


def _first_bound(a: Array, c: Array) -> float:
    """How large u, and with it x, may be at all: a scale."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.nanmin(np.where(np.abs(a) > 0, (1 + np.abs(c)) / np.abs(a), np.inf), axis=(1, 2))
    finite = bound[np.isfinite(bound)]
    return float(np.median(finite)) if len(finite) else 1.0


def _impossible(function: str, grid: _Grid) -> PlanningError:
    """Where and what the path asks for even at rest, or that it cannot be slowed down."""
    count = len(grid.steps)
    zero = np.zeros((count, 1))
    rest = np.abs(grid.shares(zero, zero, [grid.count // 2])).reshape(count, -1)
    interval, signal = np.unravel_index(int(rest.argmax()), rest.shape)
    one = grid.limits.signals[signal]
    if rest.max() >= 1:
        return PlanningError(
            f"{function}: at {100 * grid.s[interval]:.0f} % of the way the robot cannot even creep: {one.name} would "
            f"be {rest.max() * one.limit:.4g}, its limit is {one.limit:g}. Raise the limit, or take another path."
        )
    return PlanningError(
        f"{function}: no motion along the path keeps all limits; the closest at rest is {one.name} with "
        f"{100 * rest.max():.1f} % of its limit, at {100 * grid.s[interval]:.0f} % of the way. Raise it, or take "
        "another path."
    )


def _slowed(grid: _Grid, x: Array) -> Array:
    """The same motion slower by the little that keeps every limit."""
    for _ in range(40):
        beyond = float(_excess(grid, x).max())
        if beyond <= 1e-12:
            break
        x = x / (1 + beyond) / (1 + 1e-12)
    return x


def _trajectory(grid: _Grid, x: Array) -> Trajectory:
    """The motion over time: p(s(t)) with s quadratic in every interval, an exact polynomial."""
    speed, u = np.sqrt(x), np.diff(x) / (2 * grid.steps)
    times = np.concatenate([[0.0], np.cumsum(2 * grid.steps / (speed[1:] + speed[:-1]))])
    c = on_knots(grid.path, grid.s)[::-1]  # rising powers of s - s_i
    degree = len(c) - 1
    made = np.zeros((2 * degree + 1, *c.shape[1:]))
    power = np.zeros((2 * degree + 1, len(u)))
    power[0] = 1.0
    for one in c:
        made += power[:, :, None] * one
        lifted = np.zeros_like(power)
        lifted[1:] += power[:-1] * speed[:-1]
        lifted[2:] += power[:-2] * u / 2
        power = lifted
    return Trajectory(piecewise(made[::-1], times))
