"""The fastest ways from state to state under limits of speed, acceleration and jerk, all joints together (ruckig)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import SLACK, Bounds, bounds, per_joint, require, require_inside, require_kept
from gearwright.motion.piecewise_polynomials import merged, on_knots, piecewise
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot

Synchronisation = Literal["phase", "time"]


class _Ends(NamedTuple):
    """Where a way starts and ends, (n,) each."""

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
    start_speed: ArrayLike = 0.0,
    end_speed: ArrayLike = 0.0,
    start_acceleration: ArrayLike = 0.0,
    end_acceleration: ArrayLike = 0.0,
) -> Trajectory:
    """The fastest motion from one state to another under limits of speed, acceleration and jerk.

    Up to seven phases of constant jerk per joint, so position, speed and acceleration are continuous.

    Args:
        start: joint positions (n,).
        end: joint positions (n,).
        speed: largest speed of each joint, or of all [rad/s, m/s]; that of the robot unless given.
        acceleration: largest acceleration [rad/s2, m/s2]; that of the robot unless given.
        jerk: largest jerk [rad/s3, m/s3].
        robot: whose limits are kept, those of the positions too, and whose joints name the columns.
        synchronisation: "phase": along a straight line in joint space. "time": all joints arrive together, each with
            its own phases; never slower than "phase", and for any speeds at the ends.
        minimum_duration: the motion takes this long or longer [s].
        start_speed: (n,) or one for all; so are the next three.
        end_speed: at the end.
        start_acceleration: at the start.
        end_acceleration: at the end.

    >>> way = s_curve([0.0, 1.0], [1.0, 0.7], speed=1.0, acceleration=2.0, jerk=10.0)
    >>> round(way.duration, 9), way.smoothness
    (1.7, 2)
    >>> way.peak(3).round(9)
    array([10.,  3.])
    """
    ends = {"start_speed": start_speed, "end_speed": end_speed}
    ends |= {"start_acceleration": start_acceleration, "end_acceleration": end_acceleration}
    states = _ends("s_curve", start, end, ends)
    limits = bounds("s_curve", len(states.q0), robot, speed, acceleration, jerk)
    require("s_curve", limits, "speed", "acceleration", "jerk")
    return _way("s_curve", states, limits, synchronisation, minimum_duration)


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
    start_speed: ArrayLike = 0.0,
    end_speed: ArrayLike = 0.0,
) -> Trajectory:
    """The fastest motion under limits of speed and acceleration: acceleration, constant speed, deceleration.

    It is `s_curve` with an unlimited jerk, and takes the same arguments. The joint that needs most time moves at its
    own limits, the others keep pace; short ways have no cruise.

    Args:
        start: joint positions (n,).
        end: joint positions (n,).
        speed: largest speed of each joint, or of all [rad/s].
        acceleration: largest acceleration of each joint, or of all [rad/s2].
        robot: whose limits are kept where none are given.
        synchronisation: "phase" (a straight line in joint space) or "time".
        minimum_duration: the motion takes this long or longer [s].
        start_speed: (n,) or one for all.
        end_speed: (n,) or one for all.

    >>> round(trapezoid([0.0], [1.0], speed=1.0, acceleration=2.0).duration, 12)
    1.5
    """
    states = _ends("trapezoid", start, end, {"start_speed": start_speed, "end_speed": end_speed})
    limits = bounds("trapezoid", len(states.q0), robot, speed, acceleration)
    require("trapezoid", limits, "speed", "acceleration")
    return _way("trapezoid", states, limits, synchronisation, minimum_duration)


def _ends(function: str, start: ArrayLike, end: ArrayLike, rates: Mapping[str, ArrayLike]) -> _Ends:
    q0, q1 = per_joint(function, {"start": start, "end": end})
    given = per_joint(function, rates, len(q0))
    return _Ends(q0, q1, *given, *[np.zeros(len(q0))] * (4 - len(given)))


def _way(function: str, ends: _Ends, limits: Bounds, synchronisation: str, minimum: float) -> Trajectory:
    if synchronisation not in ("phase", "time"):
        raise InputError(f"{function}: synchronisation={synchronisation!r} must be 'phase' or 'time'.")
    minimum = number(function, "minimum_duration", minimum, least=0.0, unit="seconds")
    _refuse_ends(function, ends, limits)
    if synchronisation == "phase":
        direction, (one, reduced) = ends.q1 - ends.q0, _along(function, ends, limits)
        path = _solved(function, one, reduced, minimum)
        pieces = piecewise(path.c * direction, path.x)
        pieces.c[-1] += ends.q0
    else:
        pieces = _solved(function, ends, limits, minimum)
    made = limits.named(Trajectory(pieces))
    require_kept(function, made, limits, "Give other speeds at the ends, or higher limits.")
    return made


def _refuse_ends(function: str, ends: _Ends, limits: Bounds) -> None:
    """What no motion could do."""
    if np.array_equal(ends.q0, ends.q1) and not any(np.any(x) for x in ends[2:]):
        raise InputError(f"{function}: start and end are the same. Give a way to go, or a pause.")
    require_inside(function, "start", ends.q0, limits)
    require_inside(function, "end", ends.q1, limits)
    for where, v, a, sense in (("start", ends.v0, ends.a0, 1.0), ("end", ends.v1, ends.a1, -1.0)):
        _refuse_above(function, f"{where}_acceleration", a, limits.acceleration, limits)
        _refuse_above(function, f"{where}_speed", v, limits.speed, limits)
        # An acceleration can end no sooner than the jerk allows: the speed inevitably goes that far.
        reached = v + sense * a * np.abs(a) / (2 * limits.jerk)
        what = f"{where}_acceleration={a.tolist()}: the speed inevitably reached"
        _refuse_above(function, what, reached, limits.speed, limits)


def _refuse_above(function: str, what: str, value: Array, limit: Array, limits: Bounds) -> None:
    over = np.flatnonzero(np.abs(value) > limit * (1 + SLACK))
    if over.size:
        k = int(over[0])
        raise InputError(
            f"{function}: {what} of {limits.label(k)} is {value[k]:g}, above its limit {limit[k]:g}. "
            "Lower it, or raise the limit."
        )


def _along(function: str, ends: _Ends, limits: Bounds) -> tuple[_Ends, Bounds]:
    """The motion of all joints as one of s in [0, 1] along the straight line q0 + s (q1 - q0), with its limits."""
    way = ends.q1 - ends.q0
    moving = way != 0
    shares = [_share(x, way, moving) for x in ends[2:]]
    if None in shares:
        raise InputError(
            f"{function}: speeds or accelerations at the ends do not point along the straight line from start to end. "
            "Use synchronisation='time'."
        )
    v, a, j = (np.array([(limit[moving] / np.abs(way[moving])).min()]) for limit in limits.rates())
    one = _Ends(np.zeros(1), np.ones(1), *(np.array([x]) for x in shares))
    return one, Bounds(np.full(1, -np.inf), np.full(1, np.inf), v, a, j)


def _share(rate: Array, way: Array, moving: Array) -> float | None:
    """The rate of s behind rates of the joints, if there is one."""
    if not np.any(rate):
        return 0.0
    if not moving.any():
        return None
    share = float(rate @ way / (way @ way))
    return share if np.allclose(share * way, rate, rtol=0, atol=SLACK * np.abs(rate).max()) else None


def _solved(function: str, ends: _Ends, limits: Bounds, minimum: float) -> Any:
    """The pieces that ruckig finds, in units in which ways and durations are about 1: it has absolute tolerances."""
    length = np.maximum.reduce([np.abs(ends.q1 - ends.q0), *(v**2 / limits.acceleration for v in (ends.v0, ends.v1))])
    length = np.where(length > 0, length, 1.0)
    unit = max(float(((length / limit) ** (1 / k)).max()) for k, limit in enumerate(limits.rates(), start=1))
    scaled = _Ends(
        np.zeros(len(length)),
        (ends.q1 - ends.q0) / length,
        *(x * unit / length for x in (ends.v0, ends.v1)),
        *(x * unit**2 / length for x in (ends.a0, ends.a1)),
    )
    rates = [limit * unit**k / length for k, limit in enumerate(limits.rates(), start=1)]
    found = _ruckig(function, scaled, rates, minimum / unit)
    knots = merged(*(curve.x for curve in found))
    cut = np.concatenate([on_knots(curve, knots) for curve in found], axis=-1)
    cut *= length * unit ** -np.arange(len(cut) - 1, -1, -1.0)[:, None, None]
    cut[-1] += ends.q0
    return piecewise(cut, knots * unit)


def _ruckig(function: str, ends: _Ends, rates: list[Array], minimum: float) -> list[Any]:
    """One curve per joint. Only a start and a target are given: ruckig sends via points to a service in the network."""
    import ruckig

    count = len(ends.q0)
    asked = ruckig.InputParameter(count)
    asked.current_position, asked.target_position = ends.q0.tolist(), ends.q1.tolist()
    asked.current_velocity, asked.target_velocity = ends.v0.tolist(), ends.v1.tolist()
    asked.current_acceleration, asked.target_acceleration = ends.a0.tolist(), ends.a1.tolist()
    asked.max_velocity, asked.max_acceleration, asked.max_jerk = (x.tolist() for x in rates)
    asked.minimum_duration = minimum if minimum else None
    found = ruckig.Trajectory(count)
    try:
        result = ruckig.Ruckig(count).calculate(asked, found)
    except (ruckig.RuckigError, ValueError) as error:  # a code that is not a Result comes as a ValueError
        raise InputError(f"{function}: there is no such motion ({str(error).strip()}). Change the limits.") from None
    if result not in (ruckig.Result.Working, ruckig.Result.Finished):
        raise InputError(f"{function}: there is no such motion ({result}). Change the limits.")
    return [_curve(profile) for profile in found.profiles[0]]


def _curve(profile: Any) -> Any:
    """The phases of one joint that take any time: braking into the limits, then up to seven."""
    phases = [
        (t, *state)
        for part in (profile.brake, profile)
        for t, *state in zip(part.t, part.j, part.a, part.v, part.p, strict=False)
        if t > 0
    ]
    times, jerk, a, v, q = np.array(phases).T
    return piecewise(np.array([jerk / 6, a / 2, v, q])[:, :, None], np.concatenate([[0.0], np.cumsum(times)]))
