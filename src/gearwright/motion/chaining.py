"""Trajectories one after the other, pauses between them, and their moving averages."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, numbers
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import bounds, require_inside
from gearwright.motion.piecewise_polynomials import JUMP, merged, on_knots, piecewise
from gearwright.motion.trajectory import Trajectory
from gearwright.parts import Robot


@check_arguments
def pause(position: ArrayLike, duration: float, *, robot: Robot | Mechanism | None = None) -> Trajectory:
    """Rest at a position (n,) for so long [s].

    >>> pause([0.5, 0.2], 1.0).at(0.3)
    array([0.5, 0.2])
    """
    q = numbers("pause", "position", position, axes=1)
    duration = number("pause", "duration", duration, above=0.0, unit="seconds")
    limits = bounds("pause", len(q), robot)
    require_inside("pause", "position", q, limits)
    return limits.named(Trajectory(piecewise(q[None, None, :], [0.0, duration])))


@check_arguments
def chain(*parts: Trajectory) -> Trajectory:
    """One trajectory after the other; each must start where, and as fast as, the last one ended.

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
    return named.joined(parts, piecewise(np.concatenate(coefficients, axis=1), np.concatenate(times)))


def _refuse_gap(k: int, before: Trajectory, after: Trajectory) -> None:
    if before.count != after.count or (before.names and after.names and before.names != after.names):
        raise InputError(f"chain: part {k} moves other joints than part {k - 1}. Chain motions of the same joints.")
    if not np.allclose(before.at(before.duration), after.at(0.0), atol=1e-9):
        raise InputError(f"chain: part {k} starts elsewhere than part {k - 1} ends. Let it start at that position.")
    left, arrived = after.at(0.0, 1), before.at(before.duration, 1)
    size = max(float(part.peak(1).max()) for part in (before, after))
    if not np.allclose(left, arrived, rtol=0, atol=JUMP * size):
        raise InputError(
            f"chain: part {k} starts with the speeds {left.tolist()}, but part {k - 1} ends with {arrived.tolist()}. "
            "Let it start as fast, or let both rest."
        )


@check_arguments
def smoothed(trajectory: Trajectory, width: float) -> Trajectory:
    r"""The moving average of a motion from rest to rest: one more continuous derivative.

    $y(t) = \frac{1}{w} \int_{t-w}^{t} x(s) \, ds$

    No limit that the motion keeps is broken by it (a mean is never beyond the largest value), the derivative that used
    to jump becomes finite (at most the height of a jump over w), and the duration grows by w. A straight line stays
    straight; points passed with a curve are rounded off.

    Args:
        trajectory: what to smooth; it starts and ends at rest.
        width: w [s].

    >>> from gearwright.motion import s_curve
    >>> way = smoothed(s_curve([0.0], [1.0], speed=1.0, acceleration=2.0, jerk=10.0), 0.05)
    >>> round(way.duration, 9), way.smoothness, way.peak(4).round(6)
    (1.75, 3, array([200.]))
    """
    width = number("smoothed", "width", width, above=0.0, unit="seconds", example=0.01)
    source = trajectory.pieces
    moving = np.abs(trajectory.at([0.0, trajectory.duration], 1)) > JUMP * max(float(trajectory.peak(1).max()), 1e-12)
    if moving.any():
        raise InputError(
            "smoothed: the motion does not start and end at rest, so its speed jumps there. Chain it with what comes "
            "before and after, then smooth the whole."
        )
    later = piecewise(source.c, source.x + width)
    knots = merged(source.x, later.x)
    rate = (on_knots(source, knots) - on_knots(later, knots)) / width
    powers = np.arange(len(rate), 0, -1.0)[:, None, None]
    made = np.concatenate([rate / powers, np.zeros((1, *rate.shape[1:]))])
    steps = (made * np.diff(knots)[:, None] ** np.append(powers, 0.0)[:, None, None]).sum(axis=0)
    made[-1] = source(0.0) + np.concatenate([np.zeros((1, steps.shape[1])), np.cumsum(steps, axis=0)[:-1]])
    return trajectory.with_pieces(piecewise(made, knots))
