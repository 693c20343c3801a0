"""Kinds of limits of a drive that could not be checked, and the reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck
from gearwright.analysis.drives.limit_kinds import GEARBOX, MOTOR, LimitKey, LimitKind, limit_kinds
from gearwright.files.tables.drive_tables import GEARBOX_TABLE_FIELDS, MOTOR_TABLE_FIELDS
from gearwright.parts import DataSheet, Gear, GearType, is_mounting_known
from gearwright.text import listed_names

MOUNTING_KIND = "mounting"


@dataclass(frozen=True)
class UncheckedLimit:
    """Limits that could not be checked, for drives with the same reason.

    Args:
        kinds: kinds of limits, such as "peak torque".
        part: "motor" or "gearbox".
        drives: names of the drives.
        reason: why they could not be checked.
    """

    kinds: tuple[str, ...]
    part: str
    drives: tuple[str, ...]
    reason: str

    @property
    def kind_titles(self) -> tuple[str, ...]:
        """The kinds with the part, such as "gearbox peak torque"."""
        return tuple(f"{self.part} {kind}" for kind in self.kinds)

    def __str__(self) -> str:
        parts = "gearboxes" if self.part == "gearbox" else "motors"
        return f"not checked: {listed_names(self.kinds)} of the {parts} of {listed_names(self.drives)}: {self.reason}."


class _Reason(NamedTuple):
    """A reason with a placeholder for names of data sheets, the name, and its empty columns."""

    text: str
    sheet: str = ""
    columns: tuple[str, ...] = ()


SHEET_PLACEHOLDER = "<sheets>"
"""Placeholder for the names of data sheets in a reason."""


def unchecked_limits(
    drives: Mapping[str, DriveAnalysis], limits: Iterable[LimitCheck], required: Collection[str] = ()
) -> tuple[UncheckedLimit, ...]:
    """The limits that could not be checked at the drives of an analysis.

    Args:
        drives: per joint (motors of trains: per motor) its analysis.
        limits: the limits that were checked.
        required: requirements of the task, such as the life of gearboxes.
    """
    checked = {check.key for check in limits}
    groups: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, str]]] = {}
    for name, drive in drives.items():
        for part, reasons in (
            (MOTOR, _unchecked_motor_limits(drive, checked, required)),
            (GEARBOX, _unchecked_gearbox_limits(drive, checked, required)),
        ):
            for text, sheet, kinds in _grouped_by_reason(reasons):
                groups.setdefault((part, text, kinds), []).append((name, sheet))
    return tuple(
        UncheckedLimit(
            kinds,
            part,
            tuple(name for name, _ in members),
            text.replace(SHEET_PLACEHOLDER, listed_names(dict.fromkeys(sheet for _, sheet in members))),
        )
        for (part, text, kinds), members in groups.items()
    )


def _grouped_by_reason(open_kinds: Iterable[tuple[str, _Reason]]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The unchecked kinds of one drive by reason: text, data sheet, kinds."""
    reasons: dict[tuple[str, str], list[tuple[str, tuple[str, ...]]]] = {}
    for kind, reason in open_kinds:
        reasons.setdefault((reason.text, reason.sheet), []).append((kind, reason.columns))
    for (text, sheet), members in reasons.items():
        columns = dict.fromkeys(column for _, names in members for column in names)
        sentence = f"{listed_names(columns)} {'is' if len(columns) == 1 else 'are'} {text}" if columns else text
        yield sentence, sheet, tuple(kind for kind, _ in members)


def _unchecked_motor_limits(
    drive: DriveAnalysis, checked: set[LimitKey], required: Collection[str]
) -> Iterator[tuple[str, _Reason]]:
    for group, kinds in _open_groups(MOTOR, drive, checked, required):
        missing = [field for field in _listed_fields(kinds, "motor_data") if not getattr(drive.motor, field)]
        if missing:
            yield group, _Reason(f"the motor's data lack {listed_names(_spaced_words(missing))}")
        else:
            key = drive.motor.catalogue
            yield group, _missing_sheet_reason("motor", key, drive.motor_sheet, kinds, MOTOR_TABLE_FIELDS)


def _unchecked_gearbox_limits(
    drive: DriveAnalysis, checked: set[LimitKey], required: Collection[str]
) -> Iterator[tuple[str, _Reason]]:
    if drive.gear is None or _is_direct_drive(drive.gear):
        return
    key = getattr(drive.gear, "catalogue", None)
    for group, kinds in _open_groups(GEARBOX, drive, checked, required):
        yield group, _missing_sheet_reason("gear", key, drive.gearbox_sheet, kinds, GEARBOX_TABLE_FIELDS)
    motor, box = drive.motor_sheet, drive.gearbox_sheet
    if motor is None or box is None or not is_mounting_known(motor, box):
        yield MOUNTING_KIND, _mounting_reason(drive)


def _mounting_reason(drive: DriveAnalysis) -> _Reason:
    """Why the mounting of motor and gearbox cannot be checked."""
    motor, box = drive.motor_sheet, drive.gearbox_sheet
    if motor is None or box is None:
        return _Reason("motor and gear do not both name a data sheet of the catalogue")
    empty = [sheet for sheet in (motor, box) if sheet.outer_diameter is None]
    return _Reason(
        f"empty in the data sheet of {SHEET_PLACEHOLDER}",
        listed_names(entry.key for entry in empty),
        ("outer_diameter",),
    )


def _is_direct_drive(gear: GearType) -> bool:
    """Whether the motor drives the joint directly, without a gearbox."""
    return isinstance(gear, Gear) and gear.ratio == 1 and gear.catalogue is None


def _open_groups(
    part: str, drive: DriveAnalysis, checked: set[LimitKey], required: Collection[str]
) -> Iterator[tuple[str, list[LimitKind]]]:
    """The groups of limits of a part without a check, each with its limits; requirements only if the task has them."""
    owners = {drive.name, drive.joint or drive.name}
    kinds = [kind for kind in limit_kinds(part) if not kind.requirement or kind.requirement in required]
    covered = {
        group
        for kind in kinds
        if any(LimitKey(owner, kind) in checked for owner in owners)
        for group in (kind.group, *kind.also_covers)
    }
    for group in dict.fromkeys(kind.group for kind in kinds if kind.group):
        if group not in covered:
            yield group, [kind for kind in kinds if kind.group == group]


def _listed_fields(kinds: Iterable[LimitKind], field: str) -> list[str]:
    """The names that a field of some limits lists."""
    return list(dict.fromkeys(name for kind in kinds for name in getattr(kind, field)))


def _missing_sheet_reason(
    part: str, key: str | None, sheet: DataSheet | None, kinds: list[LimitKind], columns: Mapping[str, str]
) -> _Reason:
    if sheet is None and key is None:
        return _Reason(f"`{part}: {{catalogue: ...}}` names no data sheet, and the robot's file states no limit")
    if sheet is None:
        return _Reason(
            f"the catalogue has no data sheet of {SHEET_PLACEHOLDER}, and the robot's file states no limit", str(key)
        )
    fields = _listed_fields(kinds, "columns")
    empty = [column for column, field in columns.items() if field in fields and getattr(sheet, field) is None]
    if not empty:
        return _Reason("its value in the task is not known")
    return _Reason(f"empty in the data sheet of {SHEET_PLACEHOLDER}", sheet.key, tuple(empty))


def _spaced_words(words: Iterable[str]) -> Iterator[str]:
    return (word.replace("_", " ") for word in words)
