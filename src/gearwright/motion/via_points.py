"""Smooth curves through via points, at given times or as fast as limits allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing_array, number_array
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import (
    CoordinateLimits,
    coordinate_limits,
    require_inside,
    require_limits,
    require_within_limits,
)
from gearwright.motion.piecewise_polynomials import curve_extremes, from_spline, slowed_curve
from gearwright.motion.polynomials import AT_REST, EndRates
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

MAX_TIME_TRIALS = 400
"""Number of curves evaluated in the search for times."""
SEARCH_SAMPLES_PER_INTERVAL = 16
"""Samples of an interval during the search; the final curve is checked by its exact extremes."""
PEAK_MEAN_POWER = 24
"""Exponent of the power mean that approximates the largest value during the search."""
MAX_LOG_INTERVAL_CHANGE = 2.0
"""Largest change of an interval from the first guess, as a logarithm."""


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
    end_rates: EndRates = AT_REST,
) -> Trajectory:
    """Return a smooth motion through via points.

    Its segments have order 3, 5 or 7, with 2, 4 or 6 continuous derivatives between the ends. At the ends the speeds
    have the given values and the next derivatives (none; the acceleration; acceleration and jerk) are zero. From rest
    to rest the `smoothness` is therefore 1, 2 or 3.

    Without `times`, the times are chosen such that all limits hold and at least one is active: a local search
    distributes the time over the intervals, then the whole motion is scaled in time. (The result is short, but not
    time-optimal.)

    Args:
        points: joint positions, (m, n), m of 2 or more.
        times: increasing, (m,) [s]; the motion starts at the first. With limits they are checked.
        order: order of the segments: 3, 5 or 7.
        speed: largest speed of each joint, or of all; that of the robot unless given.
        acceleration: largest acceleration; that of the robot unless given.
        jerk: largest jerk, if it is limited.
        robot: the robot whose limits hold, position limits included, and that gives the columns their names.
        end_rates: speeds at the ends; only with times.

    >>> motion = spline([[0.0, 0.0], [0.5, 1.0], [1.0, 0.0]], speed=1.0, acceleration=4.0)
    >>> bool((motion.peak(1) <= 1.0 + 1e-9).all() and (motion.peak(2) <= 4.0 + 1e-9).all())
    True
    >>> spline([[0.0], [1.0], [0.0]], [0.0, 1.0, 2.0]).at(1.0)
    array([1.])
    """
    if order not in (3, 5, 7) or isinstance(order, float):
        raise InputError(
            f"spline: order={order!r} must be 3, 5 or 7. Choose by how many derivatives must be continuous."
        )
    q = number_array("spline", "points", points, axes=2)
    if len(q) < 2 or not q.shape[1]:
        raise InputError(f"spline: points has shape {q.shape}; give 2 points or more as rows, one column per joint.")
    limits = coordinate_limits("spline", q.shape[1], robot, speed, acceleration, jerk)
    for k, point in enumerate(q):
        require_inside("spline", f"point {k}", point, limits)
    rates = end_rates.speeds("spline", q.shape[1])
    pieces = (
        _limit_reaching_spline(q, order, limits, rates)
        if times is None
        else _spline_pieces(q, _checked_times(times, len(q)), order, rates)
    )
    result = limits.with_joint_names(Trajectory(pieces))
    require_within_limits("spline", result, limits, "Give longer times, or omit them to have them chosen.")
    return result


def _checked_times(times: ArrayLike, count: int) -> Array:
    t = increasing_array("spline", "times", times)
    if len(t) != count:
        raise InputError(f"spline: {len(t)} times for {count} points. Give one per point.")
    return t - t[0]


def _spline_pieces(q: Array, t: Array, order: int, rates: list[Array]) -> PPoly:
    return from_spline(_interpolating_spline(q, t, order, rates), order)


def _interpolating_spline(q: Array, t: Array, order: int, rates: list[Array]) -> Any:
    from scipy.interpolate import make_interp_spline

    still = [(k, np.zeros(q.shape[1])) for k in range(2, (order + 1) // 2)]
    ends = tuple([(1, rate), *still] for rate in rates)
    return make_interp_spline(t, q, k=order, bc_type=ends)


def _limit_reaching_spline(q: Array, order: int, limits: CoordinateLimits, rates: list[Array]) -> PPoly:
    """Return the curve whose times make a limit active and violate none."""
    require_limits("spline", limits, "speed", "acceleration")
    if np.any(rates):
        raise InputError("spline: speeds at the ends require times. Give times, or start and end at rest.")
    travel = np.abs(np.diff(q, axis=0))
    if not travel.any(axis=1).all():
        k = int(np.flatnonzero(~travel.any(axis=1))[0])
        raise InputError(f"spline: points {k} and {k + 1} are the same. Remove one, or give times.")
    steps = np.maximum((travel / limits.speed).max(axis=1), np.sqrt(travel / limits.acceleration).max(axis=1))
    curve = _spline_pieces(q, _knot_times(_optimised_intervals(q, steps, order, limits, rates)), order, rates)
    peaks = [np.maximum(*(np.abs(x) for x in curve_extremes(curve, k))) for k in (1, 2, 3)]
    return slowed_curve(curve, float(_slowing_factors(peaks, limits).max()) * (1 + 1e-13))


def _optimised_intervals(q: Array, steps: Array, order: int, limits: CoordinateLimits, rates: list[Array]) -> Array:
    """Return the durations of the intervals that make the motion short, by a local search from a first guess."""
    from scipy.optimize import minimize

    shares = np.linspace(0, 1, SEARCH_SAMPLES_PER_INTERVAL)[:, None]

    def log_duration(logarithms: Array) -> float:
        intervals = steps * np.exp(logarithms)
        curve = _interpolating_spline(q, _knot_times(intervals), order, rates)
        t = _knot_times(intervals)[:-1] + shares * intervals
        needs = _slowing_factors([np.abs(curve.derivative(k)(t)) for k in (1, 2, 3)], limits)
        soft = (
            np.log(np.mean(needs**PEAK_MEAN_POWER)) / PEAK_MEAN_POWER
        )  # a differentiable approximation of the largest
        return float(np.log(intervals.sum()) + soft)

    reach = [(-MAX_LOG_INTERVAL_CHANGE, MAX_LOG_INTERVAL_CHANGE)] * len(steps)
    solution = minimize(
        log_duration, np.zeros(len(steps)), method="L-BFGS-B", bounds=reach, options={"maxfun": MAX_TIME_TRIALS}
    )
    return steps * np.exp(solution.x) if solution.fun < log_duration(np.zeros(len(steps))) else steps


def _knot_times(steps: Array) -> Array:
    return np.concatenate([[0.0], np.cumsum(steps)])


def _slowing_factors(peaks: list[Array], limits: CoordinateLimits) -> Array:
    """Return the time scaling that each joint needs: the k-th derivative falls with its k-th power."""
    ratios = [
        (peak / limit) ** (1 / k) for k, (peak, limit) in enumerate(zip(peaks, limits.rate_limits(), strict=True), 1)
    ]
    return np.maximum.reduce(ratios)
