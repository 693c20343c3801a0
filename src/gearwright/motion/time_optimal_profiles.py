"""Time-optimal point-to-point profiles under limits of speed, acceleration and jerk, for all joints (ruckig)."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import (
    LIMIT_ROUNDING_RATIO,
    CoordinateLimits,
    coordinate_limits,
    per_joint,
    require_inside,
    require_limits,
    require_within_limits,
)
from gearwright.motion.piecewise_polynomials import merge_knots, on_knots, piecewise_polynomial
from gearwright.motion.polynomials import AT_REST, EndRates
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot

Synchronisation = Literal["phase", "time"]


class _BoundaryStates(NamedTuple):
    """Initial and final states of a motion, (n,) each."""

    q0: Array
    q1: Array
    v0: Array
    v1: Array
    a0: Array
    a1: Array


@check_arguments
def s_curve(
    start: ArrayLike,
    end: ArrayLike,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    jerk: ArrayLike | None = None,
    robot: Robot | Mechanism | None = None,
    synchronisation: Synchronisation = "phase",
    minimum_duration: float = 0.0,
    end_rates: EndRates = AT_REST,
) -> Trajectory:
    """Return the fastest motion between two states under limits of speed, acceleration and jerk.

    Each joint has up to seven phases of constant jerk, so position, speed and acceleration are continuous.

    Args:
        start: joint positions (n,).
        end: joint positions (n,).
        speed: largest speed of each joint, or of all [rad/s, m/s]; that of the robot unless given.
        acceleration: largest acceleration [rad/s2, m/s2]; that of the robot unless given.
        jerk: largest jerk [rad/s3, m/s3].
        robot: the robot whose limits hold, position limits included, and that gives the columns their names.
        synchronisation: "phase": along a straight line in joint space. "time": all joints arrive at the same time, each
            with its own profile; never slower than "phase", and for any speeds at the ends.
        minimum_duration: lower bound of the duration [s].
        end_rates: speeds and accelerations at the ends.

    >>> motion = s_curve([0.0, 1.0], [1.0, 0.7], speed=1.0, acceleration=2.0, jerk=10.0)
    >>> round(motion.duration, 9), motion.smoothness
    (1.7, 2)
    >>> motion.peak(3).round(9)
    array([10.,  3.])
    """
    q0, q1 = per_joint("s_curve", {"start": start, "end": end})
    states = _BoundaryStates(q0, q1, *end_rates.speeds_and_accelerations("s_curve", len(q0)))
    limits = coordinate_limits("s_curve", len(states.q0), robot, speed, acceleration, jerk)
    require_limits("s_curve", limits, "speed", "acceleration", "jerk")
    return _time_optimal_trajectory("s_curve", states, limits, synchronisation, minimum_duration)


@check_arguments
def trapezoid(
    start: ArrayLike,
    end: ArrayLike,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    *,
    robot: Robot | Mechanism | None = None,
    synchronisation: Synchronisation = "phase",
    minimum_duration: float = 0.0,
    end_rates: EndRates = AT_REST,
) -> Trajectory:
    """Return the fastest motion under limits of speed and acceleration: acceleration, constant speed, deceleration.

    It is `s_curve` with an unlimited jerk, and takes the same arguments. The joint that needs most time moves at its
    own limits, the others are synchronised with it; short moves have no phase of constant speed.

    Args:
        start: joint positions (n,).
        end: joint positions (n,).
        speed: largest speed of each joint, or of all [rad/s].
        acceleration: largest acceleration of each joint, or of all [rad/s2].
        robot: the robot whose limits hold where none are given.
        synchronisation: "phase" (a straight line in joint space) or "time".
        minimum_duration: lower bound of the duration [s].
        end_rates: speeds at the ends.

    >>> round(trapezoid([0.0], [1.0], speed=1.0, acceleration=2.0).duration, 12)
    1.5
    """
    q0, q1 = per_joint("trapezoid", {"start": start, "end": end})
    states = _BoundaryStates(q0, q1, *end_rates.speeds("trapezoid", len(q0)), *[np.zeros(len(q0))] * 2)
    limits = coordinate_limits("trapezoid", len(states.q0), robot, speed, acceleration)
    require_limits("trapezoid", limits, "speed", "acceleration")
    return _time_optimal_trajectory("trapezoid", states, limits, synchronisation, minimum_duration)


def _time_optimal_trajectory(
    function: str, ends: _BoundaryStates, limits: CoordinateLimits, synchronisation: str, minimum: float
) -> Trajectory:
    if synchronisation not in ("phase", "time"):
        raise InputError(f"{function}: synchronisation={synchronisation!r} must be 'phase' or 'time'.")
    minimum = real_number(function, "minimum_duration", minimum, least=0.0, unit="seconds")
    _refuse_ends(function, ends, limits)
    try:
        with np.errstate(over="raise", invalid="raise"):
            pieces = _unlabelled_pieces(function, ends, limits, synchronisation, minimum)
    except (FloatingPointError, OverflowError):
        raise InputError(
            f"{function}: the distance and the limits are of such different magnitudes that durations overflow. Check "
            "their units."
        ) from None
    result = limits.with_joint_names(Trajectory(pieces))
    require_within_limits(function, result, limits, "Give other speeds at the ends, or higher limits.")
    return result


def _unlabelled_pieces(
    function: str, ends: _BoundaryStates, limits: CoordinateLimits, synchronisation: str, minimum: float
) -> Any:
    """Return the polynomials of a motion along a line, or of one whose joints only arrive at the same time."""
    if synchronisation == "time":
        return _solve_profiles(function, ends, limits, minimum)
    direction, (path_ends, path_limits) = ends.q1 - ends.q0, _reduce_to_path(function, ends, limits)
    path = _solve_profiles(function, path_ends, path_limits, minimum)
    pieces = piecewise_polynomial(path.c * direction, path.x)
    pieces.c[-1] += ends.q0
    return pieces


def _refuse_ends(function: str, ends: _BoundaryStates, limits: CoordinateLimits) -> None:
    """Raise an error for end states that no motion within the limits can have."""
    if np.array_equal(ends.q0, ends.q1) and not any(np.any(x) for x in ends[2:]):
        raise InputError(f"{function}: start and end are the same. Give different positions, or use pause.")
    require_inside(function, "start", ends.q0, limits)
    require_inside(function, "end", ends.q1, limits)
    for end_name, v, a, sense in (("start", ends.v0, ends.a0, 1.0), ("end", ends.v1, ends.a1, -1.0)):
        _refuse_above(function, f"{end_name}_acceleration", a, limits.acceleration, limits)
        _refuse_above(function, f"{end_name}_speed", v, limits.speed, limits)
        # The jerk limits how fast the acceleration decays: the speed inevitably changes by this much.
        reached = v + sense * a * np.abs(a) / (2 * limits.jerk)
        subject = f"{end_name}_acceleration={a.tolist()}: the speed inevitably reached"
        _refuse_above(function, subject, reached, limits.speed, limits)


def _refuse_above(function: str, subject: str, value: Array, limit: Array, limits: CoordinateLimits) -> None:
    over = np.flatnonzero(np.abs(value) > limit * (1 + LIMIT_ROUNDING_RATIO))
    if over.size:
        k = int(over[0])
        raise InputError(
            f"{function}: {subject} of {limits.coordinate_label(k)} is {value[k]:g}, above its limit {limit[k]:g}. "
            "Lower it, or raise the limit."
        )


def _reduce_to_path(
    function: str, ends: _BoundaryStates, limits: CoordinateLimits
) -> tuple[_BoundaryStates, CoordinateLimits]:
    """Return the motion of all joints as that of s in [0, 1] on the line q0 + s (q1 - q0), with its limits."""
    travel = ends.q1 - ends.q0
    moving = travel != 0
    shares = [_path_rate(x, travel, moving) for x in ends[2:]]
    if None in shares:
        raise InputError(
            f"{function}: speeds or accelerations at the ends are not along the straight line from start to end. "
            "Use synchronisation='time'."
        )
    v, a, j = (np.array([(limit[moving] / np.abs(travel[moving])).min()]) for limit in limits.rate_limits())
    path_ends = _BoundaryStates(np.zeros(1), np.ones(1), *(np.array([x]) for x in shares))
    return path_ends, CoordinateLimits(np.full(1, -np.inf), np.full(1, np.inf), v, a, j)


def _path_rate(rate: Array, travel: Array, moving: Array) -> float | None:
    """Return the rate of s for given joint rates, or None if they are not along the line."""
    if not np.any(rate):
        return 0.0
    if not moving.any():
        return None
    share = float(rate @ travel / (travel @ travel))
    return share if np.allclose(share * travel, rate, rtol=0, atol=LIMIT_ROUNDING_RATIO * np.abs(rate).max()) else None


def _solve_profiles(function: str, ends: _BoundaryStates, limits: CoordinateLimits, minimum: float) -> Any:
    """Return ruckig's segments, computed with distances and durations scaled to about 1 (absolute tolerances)."""
    length = np.maximum.reduce([np.abs(ends.q1 - ends.q0), *(v**2 / limits.acceleration for v in (ends.v0, ends.v1))])
    length = np.where(length > 0, length, 1.0)
    unit = max(float(((length / limit) ** (1 / k)).max()) for k, limit in enumerate(limits.rate_limits(), start=1))
    scaled = _BoundaryStates(
        np.zeros(len(length)),
        (ends.q1 - ends.q0) / length,
        *(x * unit / length for x in (ends.v0, ends.v1)),
        *(x * unit**2 / length for x in (ends.a0, ends.a1)),
    )
    rates = [limit * unit**k / length for k, limit in enumerate(limits.rate_limits(), start=1)]
    remedy = (
        f"minimum_duration={minimum:g} s may be too long for a motion within these limits: give a shorter one"
        if minimum
        else "Change them"
    )
    curves = _ruckig_curves(function, scaled, rates, minimum / unit, remedy)
    knots = merge_knots(*(curve.x for curve in curves))
    cut = np.concatenate([on_knots(curve, knots) for curve in curves], axis=-1)
    cut *= length * unit ** -np.arange(len(cut) - 1, -1, -1.0)[:, None, None]
    cut[-1] += ends.q0
    return piecewise_polynomial(cut, knots * unit)


def _ruckig_curves(function: str, ends: _BoundaryStates, rates: list[Array], minimum: float, remedy: str) -> list[Any]:
    """Return one curve per joint, from start and target only: ruckig sends via points to a network service."""
    import ruckig

    count = len(ends.q0)
    request = ruckig.InputParameter(count)
    request.current_position, request.target_position = ends.q0.tolist(), ends.q1.tolist()
    request.current_velocity, request.target_velocity = ends.v0.tolist(), ends.v1.tolist()
    request.current_acceleration, request.target_acceleration = ends.a0.tolist(), ends.a1.tolist()
    request.max_velocity, request.max_acceleration, request.max_jerk = (x.tolist() for x in rates)
    request.minimum_duration = minimum if minimum else None
    solution = ruckig.Trajectory(count)
    try:
        result = ruckig.Ruckig(count).calculate(request, solution)
    except (ruckig.RuckigError, ValueError):  # unknown result codes raise a ValueError
        result = None
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise InputError(f"{function}: no motion within the limits was found. {remedy}.")
    return [_profile_curve(profile) for profile in solution.profiles[0]]


def _profile_curve(profile: Any) -> Any:
    """Return the phases of one joint with positive duration: braking into the limits, then up to seven."""
    phases = [
        (t, *state)
        for part in (profile.brake, profile)
        for t, *state in zip(part.t, part.j, part.a, part.v, part.p, strict=False)
        if t > 0
    ]
    times, jerk, a, v, q = np.array(phases).T
    return piecewise_polynomial(
        np.array([jerk / 6, a / 2, v, q])[:, :, None], np.concatenate([[0.0], np.cumsum(times)])
    )
