"""Chained trajectories, pauses, and moving averages of trajectories."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number_array, real_number
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import coordinate_limits, require_inside
from gearwright.motion.piecewise_polynomials import (
    DERIVATIVE_JUMP_RATIO,
    distances,
    merge_knots,
    on_knots,
    piecewise_polynomial,
)
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot


@check_arguments
def pause(position: ArrayLike, duration: float, *, robot: Robot | Mechanism | None = None) -> Trajectory:
    """Return a rest at a position (n,) for a duration [s].

    >>> pause([0.5, 0.2], 1.0).at(0.3)
    array([0.5, 0.2])
    """
    q = number_array("pause", "position", position, axes=1)
    duration = real_number("pause", "duration", duration, above=0.0, unit="seconds")
    limits = coordinate_limits("pause", len(q), robot)
    require_inside("pause", "position", q, limits)
    return limits.with_joint_names(Trajectory(piecewise_polynomial(q[None, None, :], [0.0, duration])))


@check_arguments
def chain(*parts: Trajectory) -> Trajectory:
    """Return trajectories in sequence as one; each must start with the final position and speed of the previous one.

    >>> from gearwright.motion import trapezoid
    >>> there, back = trapezoid([0.0], [1.0], 1.0, 2.0), trapezoid([1.0], [0.0], 1.0, 2.0)
    >>> chain(there, pause([1.0], 0.5), back).duration
    3.5
    """
    if not parts:
        raise InputError("chain: give at least one trajectory.")
    order = max(len(part.pieces.c) for part in parts)
    times, coefficients = [np.array([0.0])], []
    for k, part in enumerate(parts):
        if k:
            _refuse_gap(k, parts[k - 1], part)
        c = part.pieces.c
        coefficients.append(np.concatenate([np.zeros((order - len(c), *c.shape[1:])), c]))
        times.append(part.pieces.x[1:] + times[-1][-1])
    named = next((part for part in parts if part.names), parts[0])
    return named.with_joined_pieces(
        parts, piecewise_polynomial(np.concatenate(coefficients, axis=1), np.concatenate(times))
    )


def _refuse_gap(k: int, before: Trajectory, after: Trajectory) -> None:
    if before.count != after.count or (before.names and after.names and before.names != after.names):
        raise InputError(f"chain: part {k} moves other joints than part {k - 1}. Chain motions of the same joints.")
    if not np.allclose(before.at(before.duration), after.at(0.0), atol=1e-9):
        raise InputError(f"chain: part {k} does not start at the final position of part {k - 1}. Start it there.")
    left, arrived = after.at(0.0, 1), before.at(before.duration, 1)
    size = max(float(part.peak(1).max()) for part in (before, after))
    if not np.allclose(left, arrived, rtol=0, atol=DERIVATIVE_JUMP_RATIO * size):
        raise InputError(
            f"chain: part {k} starts with the speeds {left.tolist()}, but part {k - 1} ends with {arrived.tolist()}. "
            "Make both speeds equal, or zero."
        )


@check_arguments
def moving_average(trajectory: Trajectory, width: float) -> Trajectory:
    r"""Return the moving average of a motion from rest to rest, which has one more continuous derivative.

    $y(t) = \frac{1}{w} \int_{t-w}^{t} x(s) \, ds$

    The average exceeds no limit that the motion respects (a mean never exceeds the largest value). The derivative of
    the first discontinuous derivative becomes finite (at most the jump divided by w), and the duration grows by w. A
    straight line stays straight; a curved path is rounded at its via points.

    Args:
        trajectory: the motion to smooth, from rest to rest.
        width: w [s].

    >>> from gearwright.motion import s_curve
    >>> motion = moving_average(s_curve([0.0], [1.0], speed=1.0, acceleration=2.0, jerk=10.0), 0.05)
    >>> round(motion.duration, 9), motion.smoothness, motion.peak(4).round(6)
    (1.75, 3, array([200.]))
    """
    width = real_number("moving_average", "width", width, above=0.0, unit="seconds", example=0.01)
    source = trajectory.pieces
    moving = np.abs(trajectory.at([0.0, trajectory.duration], 1)) > DERIVATIVE_JUMP_RATIO * max(
        float(trajectory.peak(1).max()), 1e-12
    )
    if moving.any():
        raise InputError(
            "moving_average: the motion does not start and end at rest, so its speed is discontinuous there. Chain it "
            "with the motions before and after it, then smooth the chain."
        )
    covered = piecewise_polynomial(source.c.copy(), source.x)
    covered.c[-1] = distances(source)  # whose differences have the digits that those of positions far from zero lack
    later = piecewise_polynomial(covered.c, source.x + width)
    knots = merge_knots(source.x, later.x)
    rate = (on_knots(covered, knots) - on_knots(later, knots)) / width
    powers = np.arange(len(rate), 0, -1.0)[:, None, None]
    coefficients = piecewise_polynomial(np.concatenate([rate / powers, np.zeros((1, *rate.shape[1:]))]), knots)
    coefficients.c[-1] = source(0.0) + distances(coefficients)
    return trajectory.with_pieces(coefficients)
