"""Trajectories through recorded samples, from arrays or CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import increasing_array, number_array
from gearwright.arrays import Array
from gearwright.errors import FileError, InputError
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion.csv_columns import CsvColumns, read_columns
from gearwright.motion.limits import coordinate_limits
from gearwright.motion.piecewise_polynomials import from_spline, piecewise_polynomial
from gearwright.motion.prescribed_accelerations import from_accelerations, required_start
from gearwright.motion.trajectory import Motion, Trajectory
from gearwright.parts import Robot

DEFAULT_SMOOTHNESS = 6
"""Continuous derivatives of a spline through positions: jerk, snap and two more."""


class _RecordedSamples(NamedTuple):
    """Recorded samples, and the names of the coordinates if a file states them."""

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
    """Return a trajectory that interpolates recorded samples.

    Samples with speeds and accelerations are interpolated by quintic Hermite polynomials (smoothness 2), with speeds
    alone by cubic ones (1), positions alone by a spline of order 7 (6). Nothing is filtered. A file with
    accelerations alone is integrated from its initial values (`from_accelerations`).

    Args:
        source: a CSV file with columns t, q.<coordinate>, v.<speed>, a.<speed>; a `Motion`; or arrays (t, q),
            (t, q, v) or (t, q, v, a), with t (T,) increasing and the others (T, n).
        smoothness: 2, 4 or 6: interpolate the positions alone by a spline with this number of continuous derivatives
            and ignore other columns, for motions of elastic drives.
        start: positions at the first time, for accelerations alone.
        start_speed: speeds at the first time, for accelerations alone.
        robot: the robot whose joints the columns name; without it, the file's names are used in their order.

    >>> from gearwright.motion import polynomial
    >>> motion = polynomial([0.0, 1.0], [1.0, 0.0], duration=1.0, order=5)
    >>> _ = motion.save("motion.csv", rate=20)
    >>> bool(np.allclose(recorded("motion.csv").at(0.33, 1), motion.at(0.33, 1), atol=1e-12))
    True
    """
    if smoothness is not None and smoothness not in (2, 4, 6):
        raise InputError(f"recorded: smoothness={smoothness!r} must be 2, 4 or 6. Choose one of them, or omit it.")
    samples = _read_samples(source, robot)
    if samples.q is None and smoothness is not None and smoothness > 2:
        raise InputError(
            f"recorded: smoothness={smoothness}, but accelerations alone are interpolated linearly: smoothness 2. "
            "Omit it, or record positions."
        )
    if samples.q is None:
        return _integrated_trajectory(source, samples, start, start_speed, robot)
    if start is not None or np.any(np.asarray(start_speed) != 0):
        raise InputError(
            "recorded: start and start_speed are for accelerations alone, but positions are given. Omit one of them."
        )
    if smoothness is not None or samples.v is None:
        result = spline_through("recorded", samples.t, samples.q, smoothness or DEFAULT_SMOOTHNESS)
    else:
        result = _hermite_trajectory(samples)
    if robot is not None:
        return coordinate_limits("recorded", result.count, robot).with_joint_names(result)
    return Trajectory(result.pieces, samples.names)


def spline_through(
    function: str, times: ArrayLike, positions: ArrayLike, smoothness: int = DEFAULT_SMOOTHNESS
) -> Trajectory:
    """Return the spline through positions (T, n) with `smoothness` continuous derivatives."""
    from scipy.interpolate import make_interp_spline

    t, q = increasing_array(function, "t", times, least=1), number_array(function, "q", positions, axes=2)
    _refuse_shape(function, "q", q, (len(t), q.shape[1]))
    if len(t) < smoothness + 2:
        raise InputError(f"{function}: {len(t)} samples are too few. Give {smoothness + 2} or more.")
    return Trajectory(from_spline(make_interp_spline(t - t[0], q, k=smoothness + 1), smoothness + 1))


def _hermite_trajectory(samples: _RecordedSamples) -> Trajectory:
    """Interpolate samples by Hermite polynomials of positions, speeds and, if given, accelerations."""
    t, q = increasing_array("recorded", "t", samples.t), number_array("recorded", "q", samples.q, axes=2)  # type: ignore[arg-type]
    h = np.diff(t)[:, None]
    rates = [("v", samples.v), ("a", samples.a)]
    v, a = (None if x is None else number_array("recorded", name, x, axes=2) for name, x in rates)
    for name, x in (("q", q), ("v", v), ("a", a)):
        if x is not None:
            _refuse_shape("recorded", name, x, (len(t), q.shape[1]))
    travel, v0, v1 = np.diff(q, axis=0), h * v[:-1], h * v[1:]  # type: ignore[index]
    if a is None:
        terms = [2 * -travel + v0 + v1, 3 * travel - 2 * v0 - v1, v0, q[:-1]]
    else:
        a0, a1 = h**2 * a[:-1] / 2, h**2 * a[1:] / 2
        terms = [
            6 * travel - 3 * (v0 + v1) - a0 + a1,
            -15 * travel + 8 * v0 + 7 * v1 + 3 * a0 - 2 * a1,
            10 * travel - 6 * v0 - 4 * v1 - 3 * a0 + a1,
            a0,
            v0,
            q[:-1],
        ]
    scaled = [x / h**k for k, x in zip(range(len(terms) - 1, -1, -1), terms, strict=True)]
    return Trajectory(piecewise_polynomial(np.array(scaled), t - t[0]))


def _refuse_shape(function: str, name: str, x: Array, shape: tuple[int, int]) -> None:
    if x.shape != shape or not shape[1]:
        raise InputError(f"{function}: {name} has shape {x.shape}; it must be {shape}. Give one row per time.")


def _read_samples(source: Any, robot: Robot | Mechanism | None) -> _RecordedSamples:
    if isinstance(source, str | Path):
        return _samples_from_file(read_columns(Path(source)), robot)
    if isinstance(source, Motion):
        return _RecordedSamples(source.t, source.q, source.v, source.a)
    if not isinstance(source, tuple | list) or len(source) not in (2, 3, 4):
        raise InputError(
            f"recorded: a {type(source).__name__} is not a recording. Give a CSV file, a Motion, or arrays (t, q), "
            "(t, q, v) or (t, q, v, a)."
        )
    return _RecordedSamples(*source)


def _samples_from_file(table: CsvColumns, robot: Robot | Mechanism | None) -> _RecordedSamples:
    """Return the columns of the robot's coordinates (without shafts if the file has none), or all columns."""
    first = next((letter for letter in "qa" if table.has_letter(letter)), None)
    if first is None:
        raise FileError(f"{table.path}: no columns q.<coordinate>, and no columns a.<speed> to integrate. Add one set.")
    named = tuple(name[2:] for name in table.header if name.startswith(f"{first}."))
    if robot is not None:
        mech = tree_of("recorded", robot)
        bodies = mech.coordinates[: mech.nq - len(mech.shafts)]
        named = mech.coordinates if set(named) & set(mech.shafts) else bodies
    q, v, a = (table.column_block(letter, named) if table.has_letter(letter) else None for letter in "qva")
    return _RecordedSamples(table.time_column(), q, v, a, named)


def _integrated_trajectory(
    source: Any, samples: _RecordedSamples, start: ArrayLike | None, speed: ArrayLike, robot: Robot | Mechanism | None
) -> Trajectory:
    first = required_start(source, start)
    result = from_accelerations(samples.t, samples.a, first, speed, robot=robot)  # type: ignore[arg-type]
    return result if robot is not None else Trajectory(result.pieces, samples.names)
