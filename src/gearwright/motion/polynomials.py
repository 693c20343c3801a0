"""Time laws: polynomials of order 3, 5 and 7 between two states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import LARGEST_NUMBER, number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import coordinate_limits, per_joint, require_within_limits
from gearwright.motion.piecewise_polynomials import piecewise_polynomial
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot


@dataclass(frozen=True, kw_only=True)
class EndRates:
    """Speeds and accelerations at both ends of a motion, (n,) or one value for all joints; zero unless given.

    Args:
        start_speed: speed at the start [rad/s, m/s].
        end_speed: speed at the end [rad/s, m/s].
        start_acceleration: acceleration at the start [rad/s2, m/s2].
        end_acceleration: acceleration at the end [rad/s2, m/s2].

    >>> EndRates(start_speed=0.3).end_speed
    0.0
    """

    start_speed: ArrayLike = 0.0
    end_speed: ArrayLike = 0.0
    start_acceleration: ArrayLike = 0.0
    end_acceleration: ArrayLike = 0.0

    def __post_init__(self) -> None:
        for name, values in [*vars(self).items()]:
            rate = number_array("EndRates", name, values, axes=1)
            object.__setattr__(self, name, tuple(rate.tolist()) if np.ndim(values) else float(rate[0]))

    def speeds(self, function: str, count: int) -> list[Array]:
        """The speeds at both ends, (n,) each; raises an error if accelerations are given."""
        for name in ("start_acceleration", "end_acceleration"):
            if np.any(np.asarray(getattr(self, name)) != 0):
                raise InputError(
                    f"{function}: end_rates has {name}={getattr(self, name)!r}, but only speeds at the ends can be "
                    "given. Omit it, or use s_curve or a polynomial of order 5."
                )
        return per_joint(function, {"start_speed": self.start_speed, "end_speed": self.end_speed}, count)

    def speeds_and_accelerations(self, function: str, count: int) -> list[Array]:
        """Speeds at start and end, then accelerations at start and end, (n,) each."""
        rates: Mapping[str, ArrayLike] = vars(self)
        return per_joint(function, rates, count)


AT_REST = EndRates()


@check_arguments
def polynomial(
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    order: int = 5,
    *,
    end_rates: EndRates = AT_REST,
    robot: Robot | Mechanism | None = None,
) -> Trajectory:
    """Return one polynomial per joint between two states.

    Order 3 matches positions and speeds; 5 also accelerations; 7 also zero jerk at both ends. From rest to rest these
    are 3s^2 - 2s^3, 10s^3 - 15s^4 + 6s^5 and 35s^4 - 84s^5 + 70s^6 - 20s^7 with s = t/duration. A `robot` gives the
    joints their names, and its limits must hold. `end_rates` are the speeds and accelerations at the ends.

    >>> round(float(polynomial([0.0], [1.0], 1.0, order=7).at(0.25)[0]), 12)
    0.070556640625
    """
    if not isinstance(order, int | np.integer) or order not in (3, 5, 7):
        raise InputError(
            f"polynomial: order={order!r} must be 3, 5 or 7. Choose by what must be continuous at the ends."
        )
    duration = real_number("polynomial", "duration", duration, above=0.0, unit="seconds")
    ends = per_joint("polynomial", {"start": start, "end": end})
    v0, v1, a0, a1 = end_rates.speeds_and_accelerations("polynomial", len(ends[0]))
    if order == 3 and (np.any(a0) or np.any(a1)):
        raise InputError("polynomial: order 3 cannot match accelerations at its ends. Use order 5 or 7.")
    n = len(ends[0])
    boundary_values = [(ends[0], ends[1]), (v0, v1), (a0, a1), (np.zeros(n), np.zeros(n))]
    rows, right = [], []
    for derivative, (first, last) in enumerate(boundary_values[: (order + 1) // 2]):
        for s, value in ((0.0, first), (1.0, last)):
            rows.append(_power_derivatives(order, derivative, s))
            right.append(value * duration**derivative)
    coefficients = np.linalg.solve(np.array(rows), np.array(right))  # coefficients of s^order ... s^0
    with np.errstate(over="ignore", invalid="ignore"):
        scale = duration ** -np.arange(order, -1, -1.0)
        largest = np.abs(coefficients * scale[:, None]).max()
    if not largest <= LARGEST_NUMBER:
        raise InputError(
            f"polynomial: duration={duration:g} s is so short that the derivatives overflow. Check its unit."
        )
    limits = coordinate_limits("polynomial", n, robot)
    result = limits.with_joint_names(
        Trajectory(piecewise_polynomial((coefficients * scale[:, None])[:, None, :], [0.0, duration]))
    )
    require_within_limits("polynomial", result, limits, "Give a longer duration.")
    return result


def _power_derivatives(order: int, derivative: int, s: float) -> list[float]:
    """Return the derivatives of s^order ... s^0 at s."""
    return [
        factorial(k) / factorial(k - derivative) * s ** (k - derivative) if k >= derivative else 0.0
        for k in range(order, -1, -1)
    ]
