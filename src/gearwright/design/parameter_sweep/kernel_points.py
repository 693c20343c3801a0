"""Points of a sweep through a kernel whose inputs are the parameters, in batches: thousands of points per second.

A kernel accepts any numbers. Invalid designs are therefore detected first, by bisection of boxes of points instead of
building each point.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.design.parameter_sweep.local_workers import with_error_caught
from gearwright.design.parameter_sweep.points import SweepPoints
from gearwright.design.parameter_sweep.result_store import PointOutcome
from gearwright.design.parameter_sweep.swept_quantities import SweepSubject
from gearwright.errors import CompilationError, InputError, NotTraceableError, PartError, SlowerWarning
from gearwright.mechanism import assemble_tree
from gearwright.parts.parameter_paths import is_count

CONVEX_PARAMETERS = (
    *("mass", "inertia", "transverse_inertia", "com", "position", "ratio", "gravity", "damping", "stiffness"),
    "armature",
)
"""Last parts of paths (before an axis) whose set of valid values of one sign is convex: their rules are bounds of one
number or of sums (principal moments). Points of other parameters, such as numbers of teeth, are checked one by one."""

BuildFunction = Callable[[Mapping[str, float]], object]


def unbuildable_points(
    build: BuildFunction, sweep_points: SweepPoints, indices: Sequence[int]
) -> Iterator[PointOutcome]:
    """The points with invalid designs, with the error of building them.

    Args:
        build: builds the machine of a design, or raises an error.
        sweep_points: the points.
        indices: of the points to check.
    """
    rows = np.asarray(indices, dtype=int)
    if not all(_is_convex(name) for name in sweep_points.names):
        yield from _unbuildable_singly(build, sweep_points, rows)
        return
    signs = np.sign(sweep_points.values[rows])
    for pattern in np.unique(signs, axis=0):
        yield from _bisect_box(build, sweep_points, rows[(signs == pattern).all(axis=1)])


def _is_convex(name: str) -> bool:
    segments = name.split(".")
    return segments[-1] in CONVEX_PARAMETERS or (len(segments) > 1 and segments[-2] in CONVEX_PARAMETERS)


def _bisect_box(build: BuildFunction, sweep_points: SweepPoints, rows: Array) -> Iterator[PointOutcome]:
    """Invalid points in the box of some points: none if all its corners are valid, else those of its halves."""
    values = sweep_points.values[rows]
    low, high = values.min(axis=0), values.max(axis=0)
    varying = int((low < high).sum())
    if not varying or len(rows) <= 2**varying:
        yield from _unbuildable_singly(build, sweep_points, rows)
    elif not all(_is_buildable(build, sweep_points.names, corner) for corner in _box_corners(low, high)):
        # Relative to the size of the numbers, to compare kilograms and kilogram square metres.
        spread = (high - low) / np.maximum(np.abs(high), np.abs(low)).clip(1e-300)
        widest = int(np.argmax(spread))
        middle = (low[widest] + high[widest]) / 2
        first = values[:, widest] <= middle if middle < high[widest] else values[:, widest] < high[widest]
        yield from _bisect_box(build, sweep_points, rows[first])
        yield from _bisect_box(build, sweep_points, rows[~first])


def _box_corners(low: Array, high: Array) -> Iterator[tuple[float, ...]]:
    return product(*({a, b} for a, b in zip(low.tolist(), high.tolist(), strict=True)))


def _is_buildable(build: BuildFunction, names: Sequence[str], corner: Sequence[float]) -> bool:
    return with_error_caught(lambda _: _build_only(build, dict(zip(names, corner, strict=True))), 0).error is None


def _unbuildable_singly(build: BuildFunction, sweep_points: SweepPoints, rows: Array) -> Iterator[PointOutcome]:
    for index in rows.tolist():
        outcome = with_error_caught(lambda k: _build_only(build, sweep_points.parameters_at(k)), index)
        if outcome.error is not None:
            yield outcome


def _build_only(build: BuildFunction, values: Mapping[str, float]) -> dict[str, float]:
    build(values)
    return {}


KERNEL_BATCH_SIZE = 2048
"""Points that are computed and stored together: the largest loss if killed; smaller blocks are slowed by the disk."""


def kernel_points(
    subject: SweepSubject, sweep_points: SweepPoints, missing: Sequence[int]
) -> Iterator[list[PointOutcome]] | None:
    """Results in blocks, or None if the measure or the parameters have no kernel."""
    prepare = getattr(subject.measure, "batches", None)
    if prepare is None or not subject.is_of_robot or any(is_count(subject.robot, name) for name in subject.names):
        return None
    try:
        numbers = prepare(subject.robot, subject.names)
    except (InputError, PartError, NotTraceableError, CompilationError) as error:
        warnings.warn(
            f"sweep: every point is computed separately, because no kernel accepts these parameters: {error}",
            SlowerWarning,
            stacklevel=3,
        )
        return None
    return _kernel_outcomes(subject, sweep_points, missing, numbers)


def _kernel_outcomes(
    subject: SweepSubject, sweep_points: SweepPoints, missing: Sequence[int], numbers: Any
) -> Iterator[list[PointOutcome]]:
    failed = list(
        unbuildable_points(lambda values: assemble_tree(subject.robot_and_measure(values)[0]), sweep_points, missing)
    )
    if failed:
        yield failed
    bad = {outcome.point for outcome in failed}
    good = np.array([index for index in missing if index not in bad], dtype=int)
    for start in range(0, len(good), KERNEL_BATCH_SIZE):
        batch = good[start : start + KERNEL_BATCH_SIZE]
        yield _batch_outcomes(batch, numbers(sweep_points.values[batch]))


def _batch_outcomes(indices: Array, columns: dict[str, Array]) -> list[PointOutcome]:
    rows = zip(*(values.tolist() for values in columns.values()), strict=True)
    return [
        PointOutcome(index, dict(zip(columns, row, strict=True)), None)
        for index, row in zip(indices.tolist(), rows, strict=True)
    ]
