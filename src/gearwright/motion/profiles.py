"""Time laws: polynomials of order 3, 5 and 7, trapezoidal speed, and chains of them."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import ArrayLike

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
    if order not in (3, 5, 7):
        raise InputError(f"polynomial: order {order} is not 3, 5 or 7. Choose by what must be continuous at the ends.")
    if order == 3 and (np.any(start_acceleration) or np.any(end_acceleration)):
        raise InputError("polynomial: order 3 cannot meet accelerations at its ends. Use order 5 or 7.")
    _positive("polynomial", "duration", duration)
    ends = [_joints(x) for x in (start, end)]
    n = np.broadcast_shapes(*(x.shape for x in ends))[0]
    given = [(ends[0], ends[1]), (start_speed, end_speed), (start_acceleration, end_acceleration), (0.0, 0.0)]
    rows, right = [], []
    for derivative, (first, last) in enumerate(given[: (order + 1) // 2]):
        for s, value in ((0.0, first), (1.0, last)):
            rows.append(_powers(order, derivative, s))
            right.append(np.broadcast_to(np.asarray(value, float), (n,)) * duration**derivative)
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
    first, last = np.broadcast_arrays(_joints(start), _joints(end))
    way = np.abs(last - first)
    fastest, strongest = (np.broadcast_to(_joints(x), way.shape) for x in (speed, acceleration))
    _positive("trapezoid", "speed", float(fastest.min()))
    _positive("trapezoid", "acceleration", float(strongest.min()))
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


def _joints(values: ArrayLike) -> Array:
    array = np.atleast_1d(np.asarray(values, dtype=float))
    if array.ndim != 1 or not np.isfinite(array).all():
        raise InputError(f"trajectory: {values!r} is not a list of finite joint values.")
    return array


def _positive(owner: str, what: str, value: float) -> None:
    if not (value > 0 and np.isfinite(value)):
        raise InputError(f"{owner}: {what} {value} must be a positive number.")
