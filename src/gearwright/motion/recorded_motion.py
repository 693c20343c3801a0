"""Trajectories through recorded samples, from arrays or CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing, numbers
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion.csv_columns import Columns, read_columns
from gearwright.motion.limits import bounds
from gearwright.motion.piecewise_polynomials import from_spline, piecewise
from gearwright.motion.prescribed_accelerations import from_accelerations, required_start
from gearwright.motion.trajectory import Motion, Trajectory
from gearwright.parts import Robot

SMOOTHNESS = 6
"""Continuous derivatives of a spline through positions: jerk, snap and two more."""


class _Samples(NamedTuple):
    """What was recorded; names of the coordinates if a file told them."""

    t: ArrayLike
    q: ArrayLike | None
    v: ArrayLike | None = None
    a: ArrayLike | None = None
    names: tuple[str, ...] = ()


@check_arguments
def recorded(
    source: str | Path | Motion | tuple[ArrayLike, ...],
    *,
    smoothness: int | None = None,
    start: ArrayLike | None = None,
    start_speed: ArrayLike = 0.0,
    robot: Robot | Mechanism | None = None,
) -> Trajectory:
    """A trajectory through recorded samples.

    Between samples with speeds and accelerations it is the quintic that meets both at either end (smoothness 2), with
    speeds the cubic (1), and through positions alone a spline of order 7 (6). Nothing is filtered. A file with
    accelerations alone is integrated from its start values (`from_accelerations`).

    Args:
        source: a CSV file with columns t, q.<coordinate>, v.<speed>, a.<speed>; a `Motion`; or arrays (t, q),
            (t, q, v) or (t, q, v, a), with t (T,) increasing and the others (T, n).
        smoothness: 2, 4 or 6: a spline with so many continuous derivatives through the positions, whatever else is
            there, for motions that elastic drives must follow.
        start: positions at the first time, for accelerations alone.
        start_speed: speeds at the first time, for accelerations alone.
        robot: whose joints the columns name; without it a file's own names are taken in their order.

    >>> from gearwright.motion import polynomial
    >>> way = polynomial([0.0, 1.0], [1.0, 0.0], duration=1.0, order=5)
    >>> _ = way.save("way.csv", rate=20)
    >>> bool(np.allclose(recorded("way.csv").at(0.33, 1), way.at(0.33, 1), atol=1e-12))
    True
    """
    if smoothness is not None and smoothness not in (2, 4, 6):
        raise InputError(f"recorded: smoothness={smoothness!r} must be 2, 4 or 6, or left out.")
    given = _samples(source, robot)
    if given.q is None and smoothness is not None and smoothness > 2:
        raise InputError(
            f"recorded: smoothness={smoothness}, but accelerations alone are joined by straight lines, which makes 2. "
            "Leave it out, or record positions."
        )
    if given.q is None:
        return _integrated(source, given, start, start_speed, robot)
    if start is not None or np.any(np.asarray(start_speed) != 0):
        raise InputError(
            "recorded: start and start_speed are for accelerations alone, but positions are given. Leave one out."
        )
    if smoothness is not None or given.v is None:
        made = through("recorded", given.t, given.q, smoothness or SMOOTHNESS)
    else:
        made = _met(given)
    if robot is not None:
        return bounds("recorded", made.count, robot).named(made)
    return Trajectory(made.pieces, given.names)


def through(function: str, times: ArrayLike, positions: ArrayLike, smoothness: int = SMOOTHNESS) -> Trajectory:
    """The spline through positions (T, n) with so many continuous derivatives."""
    from scipy.interpolate import make_interp_spline

    t, q = increasing(function, "t", times, least=1), numbers(function, "q", positions, axes=2)
    _refuse_shape(function, "q", q, (len(t), q.shape[1]))
    if len(t) < smoothness + 2:
        raise InputError(f"{function}: {len(t)} samples are too few. Give {smoothness + 2} or more.")
    return Trajectory(from_spline(make_interp_spline(t - t[0], q, k=smoothness + 1), smoothness + 1))


def _met(given: _Samples) -> Trajectory:
    """Between two samples the polynomial that meets positions, speeds and, if they are there, accelerations."""
    t, q = increasing("recorded", "t", given.t), numbers("recorded", "q", given.q, axes=2)  # type: ignore[arg-type]
    h = np.diff(t)[:, None]
    rates = [("v", given.v), ("a", given.a)]
    v, a = (None if x is None else numbers("recorded", name, x, axes=2) for name, x in rates)
    for name, x in (("q", q), ("v", v), ("a", a)):
        if x is not None:
            _refuse_shape("recorded", name, x, (len(t), q.shape[1]))
    way, v0, v1 = np.diff(q, axis=0), h * v[:-1], h * v[1:]  # type: ignore[index]
    if a is None:
        terms = [2 * -way + v0 + v1, 3 * way - 2 * v0 - v1, v0, q[:-1]]
    else:
        a0, a1 = h**2 * a[:-1] / 2, h**2 * a[1:] / 2
        terms = [
            6 * way - 3 * (v0 + v1) - a0 + a1,
            -15 * way + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1,
            10 * way - 6 * v0 - 4 * v1 - 3 * a0 + a1,
            a0,
            v0,
            q[:-1],
        ]
    scaled = [x / h**k for k, x in zip(range(len(terms) - 1, -1, -1), terms, strict=True)]
    return Trajectory(piecewise(np.array(scaled), t - t[0]))


def _refuse_shape(function: str, name: str, x: Array, shape: tuple[int, int]) -> None:
    if x.shape != shape or not shape[1]:
        raise InputError(f"{function}: {name} has shape {x.shape}; it must be {shape}. Give one row per time.")


def _samples(source: Any, robot: Robot | Mechanism | None) -> _Samples:
    if isinstance(source, str | Path):
        return _of_file(read_columns(Path(source)), robot)
    if isinstance(source, Motion):
        return _Samples(source.t, source.q, source.v, source.a)
    if not isinstance(source, tuple | list) or len(source) not in (2, 3, 4):
        raise InputError(
            f"recorded: a {type(source).__name__} is not a recording. Give a CSV file, a Motion, or arrays (t, q), "
            "(t, q, v) or (t, q, v, a)."
        )
    return _Samples(*source)


def _of_file(table: Columns, robot: Robot | Mechanism | None) -> _Samples:
    """The columns of the robot's coordinates (without shafts that the file leaves out), or all that are there."""
    first = next((letter for letter in "qa" if table.has(letter)), None)
    if first is None:
        raise FileError(f"{table.path}: there are no columns q.<coordinate>, and no columns a.<speed> to integrate.")
    named = tuple(name[2:] for name in table.header if name.startswith(f"{first}."))
    if robot is not None:
        mech = machine_of("recorded", robot)
        bodies = mech.coordinates[: mech.nq - len(mech.shafts)]
        named = mech.coordinates if set(named) & set(mech.shafts) else bodies
    q, v, a = (table.block(letter, named) if table.has(letter) else None for letter in "qva")
    return _Samples(table.times(), q, v, a, named)


def _integrated(
    source: Any, given: _Samples, start: ArrayLike | None, speed: ArrayLike, robot: Robot | Mechanism | None
) -> Trajectory:
    first = required_start(source, start)
    made = from_accelerations(given.t, given.a, first, speed, robot=robot)  # type: ignore[arg-type]
    return made if robot is not None else Trajectory(made.pieces, given.names)
