"""Points of a sweep through a kernel whose inputs are the parameters: thousands per second, some at a time."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.design.points import Points
from gearwright.design.possible import impossible
from gearwright.design.store import Outcome
from gearwright.design.subject import Subject
from gearwright.errors import CompilationError, InputError, NotTraceableError, PartError, SlowerWarning
from gearwright.mechanism import assemble

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
