"""Points of a sweep through a kernel whose inputs are the parameters, in batches: thousands of points per second.

A kernel computes with any numbers, so that designs which cannot be built are found first, by bisection of boxes of
points instead of building each.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.design.parameter_sweep.local_workers import failing
from gearwright.design.parameter_sweep.points import Points
from gearwright.design.parameter_sweep.result_store import Outcome
from gearwright.design.parameter_sweep.swept_quantities import Subject
from gearwright.errors import CompilationError, InputError, NotTraceableError, PartError, SlowerWarning
from gearwright.mechanism import assemble

CONVEX = (
    *("mass", "inertia", "transverse_inertia", "com", "position", "ratio", "gravity", "damping", "stiffness"),
    "armature",
)
"""Last words of paths, or those before an axis, for which what lies between two designs that can be built, of the same
signs, can be built: their rules are bounds of one number, and of sums (principal moments). Numbers of others, such as
of teeth, are looked at one by one."""

Build = Callable[[Mapping[str, float]], object]


def impossible(build: Build, where: Points, indices: Sequence[int]) -> Iterator[Outcome]:
    """The points whose designs raise an error when they are built, with the error.

    Args:
        build: makes the machine of a design, or raises.
        where: the points.
        indices: those to look at.
    """
    rows = np.asarray(indices, dtype=int)
    if not all(_is_convex(name) for name in where.names):
        yield from _each(build, where, rows)
        return
    signs = np.sign(where.values[rows])
    for pattern in np.unique(signs, axis=0):
        yield from _within(build, where, rows[(signs == pattern).all(axis=1)])


def _is_convex(name: str) -> bool:
    words = name.split(".")
    return words[-1] in CONVEX or (len(words) > 1 and words[-2] in CONVEX)


def _within(build: Build, where: Points, rows: Array) -> Iterator[Outcome]:
    """Those in the box of some points: none if each of its corners can be built, else those of its halves."""
    values = where.values[rows]
    low, high = values.min(axis=0), values.max(axis=0)
    varying = int((low < high).sum())
    if not varying or len(rows) <= 2**varying:
        yield from _each(build, where, rows)
    elif not all(_builds(build, where.names, corner) for corner in _corners(low, high)):
        # Relative to the size of the numbers, so that kilograms and kilogram square metres count the same.
        spread = (high - low) / np.maximum(np.abs(high), np.abs(low)).clip(1e-300)
        widest = int(np.argmax(spread))
        middle = (low[widest] + high[widest]) / 2
        first = values[:, widest] <= middle if middle < high[widest] else values[:, widest] < high[widest]
        yield from _within(build, where, rows[first])
        yield from _within(build, where, rows[~first])


def _corners(low: Array, high: Array) -> Iterator[tuple[float, ...]]:
    return product(*({a, b} for a, b in zip(low.tolist(), high.tolist(), strict=True)))


def _builds(build: Build, names: Sequence[str], corner: Sequence[float]) -> bool:
    return failing(lambda _: _nothing(build, dict(zip(names, corner, strict=True))), 0).error is None


def _each(build: Build, where: Points, rows: Array) -> Iterator[Outcome]:
    for index in rows.tolist():
        outcome = failing(lambda k: _nothing(build, where.at(k)), index)
        if outcome.error is not None:
            yield outcome


def _nothing(build: Build, values: Mapping[str, float]) -> dict[str, float]:
    build(values)
    return {}


TOGETHER = 2048
"""Points that are computed and stored together: a kill loses no more, and fewer would be slowed down by the disk."""


def kernel_points(subject: Subject, where: Points, missing: Sequence[int]) -> Iterator[list[Outcome]] | None:
    """Results some at a time, or None where the measure or what varies has no kernel."""
    prepare = getattr(subject.measure, "batches", None)
    if prepare is None or not subject.is_of_robot:
        return None
    try:
        numbers = prepare(subject.robot, subject.names)
    except (InputError, PartError, NotTraceableError, CompilationError) as error:
        warnings.warn(
            f"sweep: every point is computed by itself, since no kernel takes these parameters: {error}",
            SlowerWarning,
            stacklevel=3,
        )
        return None
    return _computed(subject, where, missing, numbers)


def _computed(subject: Subject, where: Points, missing: Sequence[int], numbers: Any) -> Iterator[list[Outcome]]:
    failed = list(impossible(lambda values: assemble(subject.at(values)[0]), where, missing))
    if failed:
        yield failed
    bad = {outcome.point for outcome in failed}
    good = np.array([index for index in missing if index not in bad], dtype=int)
    for start in range(0, len(good), TOGETHER):
        some = good[start : start + TOGETHER]
        yield _outcomes(some, numbers(where.values[some]))


def _outcomes(indices: Array, columns: dict[str, Array]) -> list[Outcome]:
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [
        Outcome(index, dict(zip(columns, row, strict=True)), None)
        for index, row in zip(indices.tolist(), rows, strict=True)
    ]
