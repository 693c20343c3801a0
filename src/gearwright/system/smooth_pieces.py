"""A motion cut where it or the friction is not smooth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import factorial
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion, Trajectory

LEAST = 12
"""Samples that a piece has at least."""

CLOSE = 1e-4
"""Share of the motion's duration within which two cuts are one."""

DEGREE = 7
"""Of the spline through a sampled motion: smooth enough for jerk, snap and two derivatives more."""


def trajectory_of(mech: Mechanism, motion: Any) -> Trajectory:
    """A motion of all speeds with exact derivatives; samples are joined by a spline."""
    if isinstance(motion, Motion):
        motion = _through(motion)
    if not isinstance(motion, Trajectory):
        raise InputError(f"inputs_for_motion: a {type(motion).__name__} is no Trajectory or Motion.")
    if mech.nq != mech.n:
        raise InputError(
            "inputs_for_motion: the machine has free or spherical joints, whose coordinates have no derivatives of "
            "their own. Prescribe the motion of a machine with revolute and prismatic joints."
        )
    count = motion.pieces.c.shape[-1]
    if count != mech.n:
        raise InputError(
            f"inputs_for_motion: the motion is one of {count} coordinates, the machine has {mech.n} "
            f"({', '.join(mech.coordinates)}). Give all of them."
        )
    return motion


def _through(motion: Motion) -> Trajectory:
    from scipy.interpolate import PPoly, make_interp_spline

    if len(motion.t) <= DEGREE:
        raise InputError(f"inputs_for_motion: {len(motion.t)} samples are too few. Give {DEGREE + 1} or more.")
    curve = make_interp_spline(motion.t - motion.t[0], motion.q, k=DEGREE)
    knots = np.unique(curve.t)
    slopes = [curve.derivative(k)(knots[:-1]) / factorial(k) if k else curve(knots[:-1]) for k in range(DEGREE + 1)]
    return Trajectory(PPoly(np.array(slopes[::-1]), knots))


def smooth_pieces(
    trajectory: Trajectory, laws: Sequence[Law], order: int, samples: int, breaks: Sequence[float] = ()
) -> Iterator[tuple[Array, list[Array]]]:
    """Times and the motion with `order` derivatives there, piece by piece; both ends of a piece belong to it.

    A piece ends where one of the derivatives jumps, where a line along which something rubs turns round, and at
    `breaks`.
    """
    if samples < 2:
        raise InputError(f"inputs_for_motion: {samples} samples cannot show a motion. Ask for 2 or more.")
    end = trajectory.duration
    fixed = [0.0, *_kinks(trajectory, order), *(t for t in breaks if 0 < t < end), end]
    # A motion that comes to rest with zero acceleration has several roots in one, which are found to 1e-5 or so.
    turns = [t for t in _turns(trajectory, laws) if min(abs(t - x) for x in fixed) > CLOSE * end]
    edges = sorted({*fixed, *(t for k, t in enumerate(turns) if not k or t - turns[k - 1] > CLOSE * end)})
    for first, last in pairwise(edges):
        t = np.linspace(first, last, max(LEAST, int(np.ceil(samples * (last - first) / end))))
        inside = t.copy()
        inside[-1] = np.nextafter(last, first)  # from the left
        yield t, [trajectory.at(inside, k) for k in range(order + 1)]


def _kinks(trajectory: Trajectory, order: int) -> list[float]:
    """Inner knots at which a derivative up to the order jumps."""
    knots = trajectory.pieces.x[1:-1]
    if not len(knots):
        return []
    jumps = np.zeros(len(knots), dtype=bool)
    for k in range(order + 1):
        before, after = trajectory.at(np.nextafter(knots, -np.inf), k), trajectory.at(knots, k)
        size = np.abs(trajectory.at(trajectory.pieces.x, k)).max(initial=1e-12)
        jumps |= (np.abs(after - before) > 1e-7 * size).any(axis=-1)
    return [float(t) for t in knots[jumps]]


def _turns(trajectory: Trajectory, laws: Sequence[Law]) -> list[float]:
    """Times at which the speed along the line of a law with modes or states goes through zero."""
    from scipy.interpolate import PPoly

    rate = trajectory.pieces.derivative()
    found: list[float] = []
    for law in laws:
        line = getattr(law, "line", None)
        if line is not None and (law.states or len(law.modes) > 1):
            along = sum(float(factor) * rate.c[..., index] for index, factor in line.terms)
            roots = PPoly(along, rate.x).roots(extrapolate=False)
            found += [float(t) for t in roots[np.isfinite(roots)] if 0 < t < trajectory.duration]
    return sorted(found)
