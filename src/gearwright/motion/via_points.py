"""Smooth curves through via points, at given times or as fast as limits allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import Bounds, bounds, per_joint, require, require_inside, require_kept
from gearwright.motion.piecewise_polynomials import extremes, from_spline, stretched
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

TRIALS = 400
"""How many curves are tried in the search for times."""
LOOKS = 16
"""Samples of an interval during the search; the last word have the exact extremes."""
SHARPNESS = 24
"""Power of the mean that stands for the largest value during the search."""
REACH = 2.0
"""How far an interval may move from the first guess, as a logarithm."""


@check_arguments
def spline(
    points: ArrayLike,
    times: ArrayLike | None = None,
    *,
    order: int = 5,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
    robot: Robot | Mechanism | None = None,
    start_speed: ArrayLike = 0.0,
    end_speed: ArrayLike = 0.0,
) -> Trajectory:
    """A smooth motion through via points.

    Pieces of order 3, 5 or 7 with 2, 4 or 6 continuous derivatives between the ends. At the ends the speeds are those
    given, and the next derivatives (none, the acceleration, acceleration and jerk) are zero, so that from rest to rest
    the `smoothness` is 1, 2 or 3.

    Without `times` they are chosen so that all limits hold and one is reached: a local search shares the time out among
    the intervals, then the whole is stretched to fit. (It is short, not the shortest possible.)

    Args:
        points: joint positions, (m, n), m of 2 or more.
        times: increasing, (m,) [s]; the motion starts at the first. With limits they are checked.
        order: of the pieces: 3, 5 or 7.
        speed: largest speed of each joint, or of all; that of the robot unless given.
        acceleration: largest acceleration; that of the robot unless given.
        jerk: largest jerk, if it is limited.
        robot: whose limits are kept, those of the positions too, and whose joints name the columns.
        start_speed: (n,) or one for all; only with times.
        end_speed: (n,) or one for all; only with times.

    >>> way = spline([[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]], speed=1.0, acceleration=4.0)
    >>> bool((way.peak(1) <= 1.0 + 1e-9).all() and (way.peak(2) <= 4.0 + 1e-9).all())
    True
    >>> spline([[0.0], [1.0], [0.0]], [0.0, 1.0, 2.0]).at(1.0)
    array([1.])
    """
    if order not in (3, 5, 7) or isinstance(order, float):
        raise InputError(
            f"spline: order={order!r} must be 3, 5 or 7. Choose by how many derivatives must be continuous."
        )
    q = numbers("spline", "points", points, axes=2)
    if len(q) < 2 or not q.shape[1]:
        raise InputError(f"spline: points has shape {q.shape}; give 2 points or more as rows, one column per joint.")
    limits = bounds("spline", q.shape[1], robot, speed, acceleration, jerk)
    for k, point in enumerate(q):
        require_inside("spline", f"point {k}", point, limits)
    rates = per_joint("spline", {"start_speed": start_speed, "end_speed": end_speed}, q.shape[1])
    pieces = _fitted(q, order, limits, rates) if times is None else _curve(q, _times(times, len(q)), order, rates)
    made = limits.named(Trajectory(pieces))
    require_kept("spline", made, limits, "Give longer times, or none, so that they are chosen.")
    return made


def _times(times: ArrayLike, count: int) -> Array:
    t = increasing("spline", "times", times)
    if len(t) != count:
        raise InputError(f"spline: {len(t)} times for {count} points. Give one per point.")
    return t - t[0]


def _curve(q: Array, t: Array, order: int, rates: list[Array]) -> PPoly:
    return from_spline(_spline(q, t, order, rates), order)


def _spline(q: Array, t: Array, order: int, rates: list[Array]) -> Any:
    from scipy.interpolate import make_interp_spline

    still = [(k, np.zeros(q.shape[1])) for k in range(2, (order + 1) // 2)]
    ends = tuple([(1, rate), *still] for rate in rates)
    return make_interp_spline(t, q, k=order, bc_type=ends)


def _fitted(q: Array, order: int, limits: Bounds, rates: list[Array]) -> PPoly:
    """The curve whose times make it reach a limit and break none."""
    require("spline", limits, "speed", "acceleration")
    if np.any(rates):
        raise InputError("spline: speeds at the ends need times. Give them, or let the motion start and end at rest.")
    way = np.abs(np.diff(q, axis=0))
    if not way.any(axis=1).all():
        k = int(np.flatnonzero(~way.any(axis=1))[0])
        raise InputError(f"spline: points {k} and {k + 1} are the same. Leave one out, or give times.")
    steps = np.maximum((way / limits.speed).max(axis=1), np.sqrt(way / limits.acceleration).max(axis=1))
    curve = _curve(q, _at(_shared_out(q, steps, order, limits, rates)), order, rates)
    peaks = [np.maximum(*(np.abs(x) for x in extremes(curve, k))) for k in (1, 2, 3)]
    return stretched(curve, float(_stretch(peaks, limits).max()) * (1 + 1e-13))


def _shared_out(q: Array, steps: Array, order: int, limits: Bounds, rates: list[Array]) -> Array:
    """Shares of the time for the intervals that make the whole short: a local search from a first guess."""
    from scipy.optimize import minimize

    shares = np.linspace(0, 1, LOOKS)[:, None]

    def length(logarithms: Array) -> float:
        tried = steps * np.exp(logarithms)
        curve = _spline(q, _at(tried), order, rates)
        t = _at(tried)[:-1] + shares * tried
        needs = _stretch([np.abs(curve.derivative(k)(t)) for k in (1, 2, 3)], limits)
        soft = np.log(np.mean(needs**SHARPNESS)) / SHARPNESS  # nearly the largest, but with slopes
        return float(np.log(tried.sum()) + soft)

    reach = [(-REACH, REACH)] * len(steps)
    found = minimize(length, np.zeros(len(steps)), method="L-BFGS-B", bounds=reach, options={"maxfun": TRIALS})
    return steps * np.exp(found.x) if found.fun < length(np.zeros(len(steps))) else steps


def _at(steps: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(steps)])


def _stretch(peaks: list[Array], limits: Bounds) -> Array:
    """How much slower each joint must be: the k-th derivative falls with the k-th power of the stretch."""
    ratios = [(peak / limit) ** (1 / k) for k, (peak, limit) in enumerate(zip(peaks, limits.rates(), strict=True), 1)]
    return np.maximum.reduce(ratios)
