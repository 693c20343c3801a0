r"""Time-optimal path parametrisation by reachability analysis, with exact dynamics and any friction.

Along q = p(s) with $x = \dot s^2$ and $u = \ddot s$ the speeds are p' sqrt(x) and the accelerations p' u + p'' x. The
limited quantities are linear in u, but not in x (speed-dependent friction, voltages): they are linearised about the
last solution, and the problem is solved again until the true values agree. Between the points of the grid u is constant
and x a straight line, so that the motion is an exact polynomial of time in each interval; where true values inside an
interval violate a limit, the limit is tightened in this interval, and the problem is solved again.

The linear problem follows the idea of TOPP-RA (Pham and Pham 2018). In interval i of length d the limits are
$|a u + b x + c| \le g$ for x at its start and u constant in it, and the next x is x + 2 d u. The backward pass finds
the x from which the end is reachable: an interval [low, high] at every cut. In the forward pass u is as large as limits
and the next interval allow. Each step has two unknowns: u lies between lines over x, and the distance of the lowest
upper line from the highest lower one is a concave function of x, whose roots Newton's method finds in a few steps,
monotonically from outside.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import PlanningError
from gearwright.motion import Trajectory
from gearwright.motion.piecewise_polynomials import merge_knots, on_knots, piecewise_polynomial
from gearwright.motion_demands.forces_at_states import MotionRows
from gearwright.planning.time_optimal.drive_limits import DriveLimits
from gearwright.system.system import Modes

if TYPE_CHECKING:
    from scipy.interpolate import PPoly


# Linear limits: reachability

UNBOUNDED_SPEED_RATIO = 1e9
"""Upper bound of the squared path speed, in units of the largest admissible acceleration."""
FLAT_LIMIT_RATIO = 1e-13
"""Ratio to a limit at the largest acceleration below which the limit is independent of it."""
MAX_ROOT_STEPS = 60
"""Most steps of Newton's method."""


class _LimitLines(NamedTuple):
    """Per interval, bounds of u as lines over x, u = middle -+ half + slope x, and bounds of x."""

    middle: Array
    half: Array
    slope: Array
    low: Array
    high: Array


def largest_squared_speeds(s: Array, a: Array, b: Array, c: Array, g: Array, size: float) -> Array | None:
    """Return x at the cuts s (N + 1,), from rest to rest; None if the limits are infeasible.

    Args:
        s: cuts of the path.
        a: rows of every interval, (N, rows).
        b: rows.
        c: rows.
        g: bounds of the rows.
        size: scale of u.
    """
    lines, steps = _limit_lines(a, b, c, g, size), 2 * np.diff(s)
    low, high = np.zeros(len(s)), np.zeros(len(s))
    for i in reversed(range(len(steps))):
        interval = _controllable_interval(lines, i, steps[i], low[i + 1], high[i + 1], UNBOUNDED_SPEED_RATIO * size)
        if interval is None:
            return None
        low[i], high[i] = interval
    if low[0] > 0:
        return None
    x = np.zeros(len(s))
    for i, step in enumerate(steps):
        u = float((lines.middle[i] + lines.half[i] + lines.slope[i] * x[i]).min())
        x[i + 1] = min(max(x[i] + step * u, low[i + 1]), high[i + 1])
    return x


def _limit_lines(a: Array, b: Array, c: Array, g: Array, size: float) -> _LimitLines:
    flat = np.abs(a) * size <= FLAT_LIMIT_RATIO
    safe = np.where(flat, 1.0, a)
    middle, slope = np.where(flat, 0.0, -c / safe), np.where(flat, 0.0, -b / safe)
    half = np.where(flat, np.inf, g / np.abs(safe))
    # Rows without u bound x only: -g <= b x + c <= g.
    steep = np.where(b == 0, 1.0, b)
    ends = np.sort(np.stack([(-g - c) / steep, (g - c) / steep]), axis=0)
    bounding = flat & (b != 0)
    low = np.where(bounding, ends[0], -np.inf).max(axis=1)
    high = np.where(bounding, ends[1], np.inf).min(axis=1)
    impossible = (flat & (b == 0) & (np.abs(c) > g)).any(axis=1)
    return _LimitLines(middle, half, slope, low, np.where(impossible, -1.0, high))


def _controllable_interval(
    lines: _LimitLines, i: int, step: float, low: float, high: float, huge: float
) -> tuple[float, float] | None:
    """Return the smallest and largest x from which the next is between low and high; None if infeasible."""
    middle, half, slope = lines.middle[i], lines.half[i], lines.slope[i]
    upper = np.append(middle + half, high / step), np.append(slope, -1 / step)
    lower = np.append(middle - half, low / step), np.append(slope, -1 / step)
    first, last = max(0.0, float(lines.low[i])), min(huge, float(lines.high[i]))
    highest = _first_crossing(upper, lower, last, downwards=True)
    lowest = _first_crossing(upper, lower, first, downwards=False)
    if highest is None or lowest is None or highest < first or lowest > highest * (1 + 1e-12):
        return None
    return min(lowest, highest), highest


def _first_crossing(upper: tuple[Array, Array], lower: tuple[Array, Array], x: float, downwards: bool) -> float | None:
    """Return the first x, from one side, at which the upper lines are above the lower ones."""
    for _ in range(MAX_ROOT_STEPS):
        above, below = upper[0] + upper[1] * x, lower[0] + lower[1] * x
        j, k = int(above.argmin()), int(below.argmax())
        gap = float(above[j] - below[k])
        if gap >= 0:
            return x
        slope = float(upper[1][j] - lower[1][k])
        if slope >= 0 if downwards else slope <= 0:
            return None
        ahead = float(lower[0][k] - upper[0][j]) / slope  # intersection of the two lines, independent of x
        if ahead == x or (ahead > x) == downwards:  # rounding: this is the root
            return x
        x = ahead
    return x


# Exact limits: linearisation and refinement

INTERVAL_SAMPLES, FINE_INTERVAL_SAMPLES = 9, 33
"""Points of an interval, ends included, at which limits are checked: while solving, and finally."""
MAX_SOLVER_ROUNDS, LINEARISATION_ROUNDS = 25, 6
"""Most solutions; and most initial ones until the linearised limits agree with the true ones, which they may never do
where a gear changes its flank."""
LIMIT_EXCESS_TOLERANCE = 1e-7
"""Relative excess over a limit that the final time scaling removes."""
LINEARISATION_TOLERANCE, ACTIVE_LIMIT_SHARE = 1e-5, 0.9
"""Largest relative error of linearised limits, and the ratio to the limit above which it is checked."""
LINEARISATION_STEP = 1e-4
"""Relative step of x and u in finite differences."""


@dataclass(frozen=True)
class _PathGrid:
    """A path divided into intervals in which no joint and no motor reverses.

    Args:
        path: p over [0, 1].
        s: the cuts, (N + 1,).
        limits: the limits.
        count: points of every interval, ends included, at which limits are checked.
    """

    path: PPoly
    s: Array
    limits: DriveLimits
    count: int = INTERVAL_SAMPLES

    @property
    def sample_shares(self) -> Array:
        """Shares of an interval at which limits are checked."""
        return np.linspace(0.0, 1.0, self.count)

    @property
    def interval_lengths(self) -> Array:
        """Lengths of the intervals, (N,)."""
        return np.diff(self.s)

    @cached_property
    def path_samples(self) -> tuple[Array, Array, Array]:
        """p, p' and p'' at the check points, one-sided at the cuts: (N, looks, n) each."""
        c, at = on_knots(self.path, self.s), self.interval_lengths[:, None] * self.sample_shares
        derivatives = [piecewise_polynomial(c, self.s).derivative(k).c if k else c for k in range(3)]
        p, d, dd = (
            sum(x[:, None, :] * (at ** (len(coefficients) - 1 - k))[:, :, None] for k, x in enumerate(coefficients))
            for coefficients in derivatives
        )
        return self.limits.closed_samples(np.asarray(p), np.asarray(d), np.asarray(dd))

    @cached_property
    def law_modes(self) -> list[Modes]:
        """Modes of the laws per interval, by the directions of motion at its middle."""
        p, d, _ = (x[:, self.count // 2] for x in self.path_samples)
        return self.limits.machine.likely_modes(p, d / np.abs(d).max(axis=1, keepdims=True))

    def limit_shares(self, x: Array, u: Array, sample_indices: list[int]) -> Array:
        """Return the ratios to every limit for x and u (N, looks) at some check points, (N, looks, signals).

        Ratios to speed limits are squared, which is linear in x.
        """
        p, d, dd = (samples[:, sample_indices] for samples in self.path_samples)
        v, a = d * np.sqrt(x)[:, :, None], d * u[:, :, None] + dd * x[:, :, None]
        states = MotionRows(*(np.ascontiguousarray(samples.reshape(-1, samples.shape[-1])) for samples in (p, v, a)))
        modes = [mode for mode in self.law_modes for _ in sample_indices]
        ratios = self.limits.limit_shares(states, modes)
        return np.where(self.limits.is_speed_limit, ratios**2, ratios).reshape(*x.shape, -1)

    def sampled_speeds(self, x: Array) -> tuple[Array, Array]:
        """Return x and u at all check points for x at the cuts, (N, looks) each."""
        u = np.diff(x) / (2 * self.interval_lengths)
        inside = np.maximum(x[:-1, None] + np.diff(x)[:, None] * self.sample_shares, 0.0)
        return inside, np.broadcast_to(u[:, None], inside.shape)


def time_optimal_motion(function: str, path: PPoly, limits: DriveLimits, intervals: int) -> Trajectory:
    """Return the time-optimal motion from rest to rest along a path over [0, 1]."""
    grid = _PathGrid(path, _path_cuts(path, limits, intervals), limits)
    x, margin = _first_guess(grid), np.zeros((len(grid.interval_lengths), len(limits.signals)))
    for iteration in range(MAX_SOLVER_ROUNDS):
        rows = _linear_limits(grid, x)
        x = _solve_speeds(function, grid, rows, margin)
        shares = grid.limit_shares(*grid.sampled_speeds(x), list(range(grid.count)))
        if iteration < LINEARISATION_ROUNDS and _linearisation_error(grid, x, rows, shares) > LINEARISATION_TOLERANCE:
            continue
        beyond = np.abs(shares).max(axis=1) - 1.0
        if beyond.max() <= LIMIT_EXCESS_TOLERANCE:
            break
        margin = np.minimum(margin + np.where(beyond > LIMIT_EXCESS_TOLERANCE, beyond, 0.0), 0.5)
    return _path_trajectory(grid, _slow_to_limits(replace(grid, count=FINE_INTERVAL_SAMPLES), x))


def _linearisation_error(grid: _PathGrid, x: Array, rows: tuple[Array, Array, Array], shares: Array) -> float:
    """Return the error of linearised limits at the ends of intervals, where a limit is nearly active."""
    a, b, c = rows
    u = (np.diff(x) / (2 * grid.interval_lengths))[:, None, None]
    linear, exact = a * u + b * np.stack([x[:-1], x[1:]], axis=1)[:, :, None] + c, shares[:, [0, -1]]
    near = np.maximum(np.abs(linear), np.abs(exact)) > ACTIVE_LIMIT_SHARE
    return float(np.abs(np.where(near, linear - exact, 0.0)).max())


def _path_cuts(path: PPoly, limits: DriveLimits, intervals: int) -> Array:
    """Return the cuts of the path: denser near its ends, at its knots, and where a joint or a motor reverses."""
    rate = path.derivative()
    lines = np.vstack([np.eye(limits.mech.tree.n), limits.machine.line_rows])
    turns = []
    for line in lines:
        c = rate.c @ line
        if np.abs(c[:-1]).max(initial=0.0) > 1e-12 * np.abs(c).max(initial=1e-300):
            roots = piecewise_polynomial(c, rate.x).roots(discontinuity=False, extrapolate=False)
            turns.append(roots[np.isfinite(roots)])
    every = merge_knots((1 - np.cos(np.pi * np.linspace(0.0, 1.0, intervals + 1))) / 2, path.x, *turns)
    wide = np.diff(every, prepend=-1.0) > 1e-9
    wide[-1] = True
    every = every[wide]
    return np.delete(every, -2) if every[-1] - every[-2] < 1e-9 else every


def _first_guess(grid: _PathGrid) -> Array:
    """Return an initial x at the cuts within the limits: a parabola below the largest constant x."""
    count, signals = len(grid.interval_lengths), len(grid.limits.signals)
    look, zero = [grid.count // 2], np.zeros((count, 1))
    static_shares = np.abs(grid.limit_shares(zero, zero, look)).reshape(count, signals)
    size = 1.0
    for _ in range(80):  # a ratio of 1 is found by doubling and bisection
        used = np.abs(grid.limit_shares(zero + size, zero + 2 * size, look)).reshape(count, signals)
        over = float(np.max(used - np.minimum(static_shares, 0.5)))
        if 0.25 <= over <= 1.0:
            break
        size *= 0.5 if over > 1.0 else 2.0
    return np.asarray(size * 4 * grid.s * (1 - grid.s))


def _linear_limits(grid: _PathGrid, x: Array) -> tuple[Array, Array, Array]:
    """Return limits as a u + b x + c at both ends of every interval, linearised about x; each (N, 2, signals)."""
    ends = [0, grid.count - 1]
    size = float(x.max())
    at = np.maximum(np.stack([x[:-1], x[1:]], axis=1), 1e-9 * size)
    u = np.broadcast_to((np.diff(x) / (2 * grid.interval_lengths))[:, None], at.shape)
    du, dx = LINEARISATION_STEP * max(float(np.abs(u).max()), size), LINEARISATION_STEP * at
    current_shares = grid.limit_shares(at, u, ends)
    a = (grid.limit_shares(at, u + du, ends) - current_shares) / du
    b = (grid.limit_shares(at + dx, u, ends) - grid.limit_shares(at - dx, u, ends)) / (2 * dx[:, :, None])
    return a, b, current_shares - a * u[:, :, None] - b * at[:, :, None]


def _limit_excess(grid: _PathGrid, x: Array) -> Array:
    """Return the largest excess over every limit in every interval, (N, signals); negative inside."""
    inside, u = grid.sampled_speeds(x)
    excess: Array = (np.abs(grid.limit_shares(inside, u, list(range(grid.count)))) - 1.0).max(axis=1)
    return excess


def _solve_speeds(function: str, grid: _PathGrid, rows: tuple[Array, Array, Array], margin: Array) -> Array:
    """Return the largest x at the cuts that the linearised limits allow."""
    a, b, c = rows
    count, step = len(grid.interval_lengths), 2 * grid.interval_lengths[:, None]
    # At the end of an interval x is x + step u: its row is one of u and of x at the start.
    A = np.concatenate([a[:, 0], a[:, 1] + step * b[:, 1]], axis=1)
    B, C = b.reshape(count, -1), c.reshape(count, -1)
    x = largest_squared_speeds(grid.s, A, B, C, np.tile(1.0 - margin, 2), _acceleration_scale(a, c))
    if x is None:
        raise _infeasible_error(function, grid)
    return x


def _acceleration_scale(a: Array, c: Array) -> float:
    """Return an upper bound of u, as a scale."""
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.nanmin(np.where(np.abs(a) > 0, (1 + np.abs(c)) / np.abs(a), np.inf), axis=(1, 2))
    finite = bound[np.isfinite(bound)]
    return float(np.median(finite)) if len(finite) else 1.0


def _infeasible_error(function: str, grid: _PathGrid) -> PlanningError:
    """Return the error for an infeasible path: the limit exceeded at rest, or the closest one."""
    count = len(grid.interval_lengths)
    zero = np.zeros((count, 1))
    static_shares = np.abs(grid.limit_shares(zero, zero, [grid.count // 2])).reshape(count, -1)
    interval, signal = np.unravel_index(int(static_shares.argmax()), static_shares.shape)
    limited = grid.limits.signals[signal]
    if static_shares.max() >= 1:
        return PlanningError(
            f"{function}: at {100 * grid.s[interval]:.0f} % of the path a limit is exceeded even at rest: "
            f"{limited.name} would be {static_shares.max() * limited.limit:.4g}, its limit is {limited.limit:g}. Raise "
            "the limit, or choose another path."
        )
    return PlanningError(
        f"{function}: no motion along the path satisfies all limits; at rest the closest is {limited.name} with "
        f"{100 * static_shares.max():.1f} % of its limit, at {100 * grid.s[interval]:.0f} % of the path. Raise it, or "
        "choose another path."
    )


def _slow_to_limits(grid: _PathGrid, x: Array) -> Array:
    """Return the motion scaled in time to keep every limit."""
    for _ in range(40):
        beyond = float(_limit_excess(grid, x).max())
        if beyond <= 1e-12:
            break
        x = x / (1 + beyond) / (1 + 1e-12)
    return x


def _path_trajectory(grid: _PathGrid, x: Array) -> Trajectory:
    """Return the motion p(s(t)), with s quadratic in every interval: an exact polynomial."""
    speed, u = np.sqrt(x), np.diff(x) / (2 * grid.interval_lengths)
    times = np.concatenate([[0.0], np.cumsum(2 * grid.interval_lengths / (speed[1:] + speed[:-1]))])
    c = on_knots(grid.path, grid.s)[::-1]  # rising powers of s - s_i
    degree = len(c) - 1
    composed = np.zeros((2 * degree + 1, *c.shape[1:]))
    power = np.zeros((2 * degree + 1, len(u)))
    power[0] = 1.0
    for coefficient in c:
        composed += power[:, :, None] * coefficient
        lifted = np.zeros_like(power)
        lifted[1:] += power[:-1] * speed[:-1]
        lifted[2:] += power[:-2] * u / 2
        power = lifted
    return Trajectory(piecewise_polynomial(composed[::-1], times))
