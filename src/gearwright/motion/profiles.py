"""Time laws: polynomials of order 3, 5 and 7, trapezoidal speed, and chains of them."""

from __future__ import annotations

from collections.abc import Mapping
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number, numbers
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.motion.trajectory import Trajectory


def polynomial(
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    order: int = 5,
    start_speed: ArrayLike = 0.0,
    end_speed: ArrayLike = 0.0,
    start_acceleration: ArrayLike = 0.0,
    end_acceleration: ArrayLike = 0.0,
) -> Trajectory:
    """One polynomial per joint between two states.

    Order 3 meets positions and speeds; 5 also accelerations; 7 also zero jerk at both ends. From rest to rest these are
    3s^2 - 2s^3, 10s^3 - 15s^4 + 6s^5 and 35s^4 - 84s^5 + 70s^6 - 20s^7 with s = t/duration.

    >>> round(float(polynomial([0.0], [1.0], 1.0, order=7).at(0.25)[0]), 12)
    0.070556640625
    """
    if not isinstance(order, int | np.integer) or order not in (3, 5, 7):
        raise InputError(
            f"polynomial: order={order!r} must be 3, 5 or 7. Choose by what must be continuous at the ends."
        )
    duration = number("polynomial", "duration", duration, above=0.0, unit="seconds")
    ends = _joints("polynomial", {"start": start, "end": end})
    rates = {"start_speed": start_speed, "end_speed": end_speed}
    rates |= {"start_acceleration": start_acceleration, "end_acceleration": end_acceleration}
    v0, v1, a0, a1 = _joints("polynomial", rates, len(ends[0]))
    if order == 3 and (np.any(a0) or np.any(a1)):
        raise InputError("polynomial: order 3 cannot meet accelerations at its ends. Use order 5 or 7.")
    n = len(ends[0])
    given = [(ends[0], ends[1]), (v0, v1), (a0, a1), (np.zeros(n), np.zeros(n))]
    rows, right = [], []
    for derivative, (first, last) in enumerate(given[: (order + 1) // 2]):
        for s, value in ((0.0, first), (1.0, last)):
            rows.append(_powers(order, derivative, s))
            right.append(value * duration**derivative)
    coefficients = np.linalg.solve(np.array(rows), np.array(right))  # of s^order ... s^0
    scale = duration ** -np.arange(order, -1, -1.0)
    return _trajectory((coefficients * scale[:, None])[:, None, :], [0.0, duration])


def _powers(order: int, derivative: int, s: float) -> list[float]:
    """The derivative of s^order ... s^0 at s."""
    return [
        factorial(k) / factorial(k - derivative) * s ** (k - derivative) if k >= derivative else 0.0
        for k in range(order, -1, -1)
    ]


def trapezoid(start: ArrayLike, end: ArrayLike, speed: ArrayLike, acceleration: ArrayLike) -> Trajectory:
    """All joints along a straight line in joint space: acceleration, constant speed, deceleration.

    The joint that needs most time moves at its own limits, the others keep pace; short ways have no cruise.

    Args:
        start: joint positions (n,).
        end: joint positions (n,).
        speed: largest speed of each joint, or of all [rad/s].
        acceleration: largest acceleration of each joint, or of all [rad/s2].
    """
    first, last = _joints("trapezoid", {"start": start, "end": end})
    way = np.abs(last - first)
    fastest, strongest = _joints("trapezoid", {"speed": speed, "acceleration": acceleration}, len(way), above=0.0)
    moving = way > 0
    if not moving.any():
        raise InputError("trapezoid: start and end are the same. Give a way to go.")
    v = float((fastest[moving] / way[moving]).min())  # of the common path coordinate s in [0, 1]
    a = float((strongest[moving] / way[moving]).min())
    v = min(v, np.sqrt(a))  # a triangle when the way is too short for the full speed
    blend = v / a
    cruise = 1 / v - blend
    times = [0.0, blend, blend + cruise, 2 * blend + cruise]
    s = np.array([[a / 2, 0.0, -a / 2], [0.0, v, v], [0.0, a * blend**2 / 2, 1 - a * blend**2 / 2]])
    if cruise <= 1e-12:
        times, s = [0.0, blend, 2 * blend], s[:, [0, 2]]
    coefficients = s[:, :, None] * (last - first)
    coefficients[-1] += first
    return _trajectory(coefficients, times)


def chain(*parts: Trajectory) -> Trajectory:
    """One trajectory after the other; each must start where the last one ended."""
    if not parts:
        raise InputError("chain: give at least one trajectory.")
    order = max(len(part.pieces.c) for part in parts)
    times, coefficients = [np.array([0.0])], []
    for k, part in enumerate(parts):
        if k and not np.allclose(parts[k - 1].at(parts[k - 1].duration), part.at(0.0), atol=1e-9):
            raise InputError(f"chain: part {k} starts elsewhere than part {k - 1} ends. Let it start at that position.")
        c = part.pieces.c
        coefficients.append(np.concatenate([np.zeros((order - len(c), *c.shape[1:])), c]))
        times.append(part.pieces.x[1:] + times[-1][-1])
    return _trajectory(np.concatenate(coefficients, axis=1), np.concatenate(times))


def _trajectory(coefficients: Array, times: ArrayLike) -> Trajectory:
    """Pieces of polynomials, coefficients (order + 1, pieces, n), highest power first."""
    from scipy.interpolate import PPoly

    return Trajectory(PPoly(coefficients, times))


def _joints(
    function: str, given: Mapping[str, ArrayLike], size: int | None = None, above: float | None = None
) -> list[Array]:
    """Lists of joint values, each made as long as the longest, or `size`; one number stands for all joints."""
    lists = {name: numbers(function, name, x, axes=1, above=above) for name, x in given.items()}
    count = max(map(len, lists.values())) if size is None else size
    for name, x in lists.items():
        if len(x) not in (1, count):
            raise InputError(
                f"{function}: {name} has {len(x)} values for {count} joints. Give one per joint, or one for all."
            )
    return [np.broadcast_to(x, (count,)) for x in lists.values()]
