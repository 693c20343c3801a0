"""Limits of a robot's drives against the demands of a task: value, limit, margin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import copysign, inf

from gearwright.analysis.drives.advice_value import Advice, advice_text
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_kinds import (
    BELT,
    GEARBOX,
    JOINT,
    JOINT_POSITION,
    MOTOR,
    PRETENSION,
    TASK,
    LimitKey,
    LimitKind,
    limit_kinds,
    stated_limit,
)
from gearwright.argument_kinds import check_arguments
from gearwright.parts import Link
from gearwright.parts.gears.series import belt_tensions

LIMIT_TOLERANCE = 1e-9
"""Relative tolerance of a limit, for rounding."""


@dataclass(frozen=True)
class LimitCheck:
    """One limit and its value in a task.

    Args:
        kind: the limit, a row of the table of limits.
        owner: name of the drive, joint or link; empty for a limit of the task.
        value: of the quantity in the task.
        limit: allowed value.
        unit: of both.
        is_minimum: whether it is a lower limit (life, natural frequency).
        advice: recommendations, if the limit is exceeded; those for drives are computed when they are read.
        source: origin of the limit.
    """

    kind: LimitKind
    owner: str
    value: float
    limit: float
    unit: str
    is_minimum: bool = False
    advice: Sequence[Advice] = ()
    source: str = ""

    @property
    def key(self) -> LimitKey:
        """The limit of its drive, joint, link or task."""
        return LimitKey(self.owner, self.kind)

    @property
    def name(self) -> str:
        """The name of the limit, "<drive>: <limited quantity>"."""
        return str(self.key)

    @property
    def quantity(self) -> str:
        """The limited quantity, without the name of the drive or link."""
        return self.kind.name

    @property
    def advice_text(self) -> str:
        """The recommendations in words; empty if the limit is satisfied."""
        return advice_text(self.advice)

    @property
    def margin(self) -> float:
        """Remaining fraction of the limit: 0.2 means a fifth; negative if the limit is exceeded.

        For a limit of zero or less, the margin is infinite: positive if it is satisfied, negative if it is exceeded.

        >>> from gearwright.analysis.drives.limit_kinds import WINDING_TEMPERATURE
        >>> LimitCheck(WINDING_TEMPERATURE, "elbow", 20.0, -5.0, "K").margin
        -inf
        """
        left = self.value - self.limit if self.is_minimum else self.limit - self.value
        if self.limit > 0:
            return left / self.limit
        return 0.0 if left == 0 else copysign(inf, left)

    @property
    def is_satisfied(self) -> bool:
        """Whether the limit is satisfied, within rounding."""
        return self.margin >= -LIMIT_TOLERANCE

    @property
    def is_range(self) -> bool:
        """Whether it is the range of a joint, which may be used fully: it needs no margin."""
        return self.kind == JOINT_POSITION


@check_arguments
def sorted_by_margin(checks: Iterable[LimitCheck]) -> list[LimitCheck]:
    """Return the limits sorted by margin, the tightest first; satisfied ranges of joints come last.

    >>> from gearwright.analysis.drives.limit_kinds import VOLTAGE
    >>> some = [LimitCheck(kind, "j", 20.0, limit, "") for kind, limit in ((JOINT_POSITION, 20.0), (VOLTAGE, 24.0))]
    >>> [check.name for check in sorted_by_margin(some)]
    ['j: voltage', 'j: joint position']
    """
    return sorted(checks, key=lambda check: (check.is_satisfied and check.is_range, check.margin))


def required_check(
    kind: LimitKind, required: Mapping[str, float], value: float | None, owner: str = ""
) -> LimitCheck | None:
    """The check of a requirement of a task; None if the task does not state it or the value is unknown."""
    if kind.requirement not in required or value is None:
        return None
    return LimitCheck(kind, owner, value, required[kind.requirement], kind.unit, kind.is_minimum, source=TASK)


def drive_limits(drive: DriveAnalysis, link: Link | None) -> Iterator[LimitCheck]:
    """Limits stated by joint, motor, gear and data sheets whose values are known from the task."""
    sources = drive.limit_sources(link)
    for kind in limit_kinds(JOINT, MOTOR, GEARBOX, BELT):
        if kind == PRETENSION:
            yield from _belt_limits(drive)
            continue
        unit, (limit, source) = kind.unit_at(link), stated_limit(kind, sources)
        if unit and limit is not None and kind.value(drive) is not None:
            yield LimitCheck(kind, drive.name, float(kind.value(drive)), float(limit), unit, source=source)


def _belt_limits(drive: DriveAnalysis) -> Iterator[LimitCheck]:
    """The smallest pretension at which no span is slack or slips."""
    for tension in belt_tensions(drive.gear, drive.peak_output_torque or 0.0):
        kind = replace(PRETENSION, name=f"{tension.name} {PRETENSION.name}")
        yield LimitCheck(kind, drive.name, kind.value(tension), tension.stated, kind.unit, source=kind.part_source)
