"""Kinds of limits that could not be checked at a drive, and why: nothing is kept of which nothing is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LIFE, SHAFT_LIMITS, WINDING, LimitCheck
from gearwright.files.tables.drive_tables import GEARBOX_COLUMNS, MOTOR_COLUMNS
from gearwright.parts import AnyGear, DataSheet, Gear, is_mounting_known
from gearwright.text import listed


class Kind(NamedTuple):
    """A kind of limit.

    Args:
        name: what it is called.
        checks: names of the checks of which any one covers it.
        printed: numbers of a data sheet that state it, any one of them.
        needs: data of the motor without which nothing can be compared with it.
    """

    name: str
    checks: tuple[str, ...]
    printed: tuple[str, ...]
    needs: tuple[str, ...] = ()


LASTING = ("continuous motor torque", "continuous current")
MOTOR_KINDS = (
    Kind("peak torque", ("peak motor torque",), ("peak_torque",)),
    Kind("continuous torque", LASTING, ("nominal_torque", "nominal_current")),
    Kind("speed", ("motor speed", "continuous motor speed"), ("peak_speed", "continuous_speed")),
    # A torque is a current times the torque constant: who checks the one has checked the other.
    Kind("current", ("peak current", *LASTING), ("nominal_current",), ("torque_constant",)),
    Kind("voltage", ("voltage",), ("voltage",), ("torque_constant", "resistance")),
    Kind("temperature", (WINDING,), ("max_winding_temperature",), ("heat", "torque_constant", "resistance")),
)
GEARBOX_KINDS = (
    Kind("peak torque", ("gearbox peak torque",), ("peak_torque",)),
    Kind("mean torque", ("gearbox mean torque",), ("rated_torque",)),
)
SHAFT_KIND = Kind("output-shaft load", SHAFT_LIMITS, ("radial_load", "axial_load", "tilting_moment"))
MOUNTING = "mounting"
LIFE_KIND = Kind("life", (LIFE,), ("life", "life_speed", "rated_torque"))


@dataclass(frozen=True)
class Unchecked:
    """Limits that could not be checked, of drives for which the reason is the same.

    Args:
        kinds: which, such as "peak torque".
        part: "motor" or "gearbox".
        drives: of which drives.
        reason: why.
    """

    kinds: tuple[str, ...]
    part: str
    drives: tuple[str, ...]
    reason: str

    @property
    def titles(self) -> tuple[str, ...]:
        """The kinds by names that tell a gearbox's from a motor's."""
        return tuple(f"{self.part} {kind}" for kind in self.kinds)

    def __str__(self) -> str:
        parts = "gearboxes" if self.part == "gearbox" else "motors"
        return f"not checked: {listed(self.kinds)} of the {parts} of {listed(self.drives)}: {self.reason}."


class _Why(NamedTuple):
    """A reason with a place for names of data sheets, the name, and the columns that are empty there."""

    text: str
    sheet: str = ""
    columns: tuple[str, ...] = ()


SHEETS = "<sheets>"
"""Where the names of data sheets go in a reason."""


def unchecked_limits(
    drives: Mapping[str, DriveAnalysis], limits: Iterable[LimitCheck], life: bool = False
) -> tuple[Unchecked, ...]:
    """What could not be checked at the drives of an analysis.

    Args:
        drives: per joint (motors of trains: per motor) what is asked of it.
        limits: what was checked.
        life: whether a life of gearboxes is required.
    """
    checked = {check.name for check in limits}
    held: dict[tuple[str, str, tuple[str, ...]], list[tuple[str, str]]] = {}
    for name, drive in drives.items():
        for part, found in (("motor", _of_motor(drive, checked)), ("gearbox", _of_gearbox(drive, checked, life))):
            for text, sheet, kinds in _by_reason(found):
                held.setdefault((part, text, kinds), []).append((name, sheet))
    return tuple(
        Unchecked(
            kinds,
            part,
            tuple(name for name, _ in some),
            text.replace(SHEETS, listed(dict.fromkeys(sheet for _, sheet in some))),
        )
        for (part, text, kinds), some in held.items()
    )


def _by_reason(found: Iterable[tuple[str, _Why]]) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """The kinds of one drive that are open for the same reason: its text, the data sheet, the kinds."""
    reasons: dict[tuple[str, str], list[tuple[str, tuple[str, ...]]]] = {}
    for kind, why in found:
        reasons.setdefault((why.text, why.sheet), []).append((kind, why.columns))
    for (text, sheet), some in reasons.items():
        columns = dict.fromkeys(column for _, each in some for column in each)
        told = f"{listed(columns)} {'is' if len(columns) == 1 else 'are'} {text}" if columns else text
        yield told, sheet, tuple(kind for kind, _ in some)


def _of_motor(drive: DriveAnalysis, checked: set[str]) -> Iterator[tuple[str, _Why]]:
    motor = drive.motor
    for kind in _open(MOTOR_KINDS, drive, checked):
        lacking = [word for word in kind.needs if not getattr(motor, word)]
        if lacking:
            yield kind.name, _Why(f"the motor's data lack {listed(_worded(lacking))}")
        else:
            yield kind.name, _why("motor", motor.catalogue, drive.motor_sheet, kind, MOTOR_COLUMNS)


def _of_gearbox(drive: DriveAnalysis, checked: set[str], life: bool) -> Iterator[tuple[str, _Why]]:
    if drive.gear is None or _is_direct(drive.gear):
        return
    key = getattr(drive.gear, "catalogue", None)
    for kind in _open((*GEARBOX_KINDS, SHAFT_KIND, *((LIFE_KIND,) if life else ())), drive, checked):
        yield kind.name, _why("gear", key, drive.gearbox_sheet, kind, GEARBOX_COLUMNS)
    motor, box = drive.motor_sheet, drive.gearbox_sheet
    if motor is None or box is None or not is_mounting_known(motor, box):
        yield MOUNTING, _why_unmounted(drive)


def _why_unmounted(drive: DriveAnalysis) -> _Why:
    """Why nothing is known of whether motor and gearbox can be bolted together."""
    motor, box = drive.motor_sheet, drive.gearbox_sheet
    if motor is None or box is None:
        return _Why("motor and gear do not both name a data sheet of the catalogue")
    empty = [sheet for sheet in (motor, box) if sheet.outer_diameter is None]
    return _Why(f"empty in the data sheet of {SHEETS}", listed(one.key for one in empty), ("outer_diameter",))


def _is_direct(gear: AnyGear) -> bool:
    """Whether the motor sits on the joint itself: there is no gearbox to break."""
    return isinstance(gear, Gear) and gear.ratio == 1 and gear.catalogue is None


def _open(kinds: Iterable[Kind], drive: DriveAnalysis, checked: set[str]) -> Iterator[Kind]:
    names = {drive.name, drive.joint or drive.name}
    return (kind for kind in kinds if not any(f"{name}: {check}" in checked for name in names for check in kind.checks))


def _why(part: str, key: str | None, sheet: DataSheet | None, kind: Kind, columns: Mapping[str, str]) -> _Why:
    if sheet is None and key is None:
        return _Why(f"`{part}: {{catalogue: ...}}` names no data sheet, and the robot's file states no limit")
    if sheet is None:
        return _Why(f"the catalogue has no data sheet of {SHEETS}, and the robot's file states no limit", str(key))
    empty = [column for column, word in columns.items() if word in kind.printed and getattr(sheet, word) is None]
    if not empty:
        return _Why("the task does not tell what it comes to")
    return _Why(f"empty in the data sheet of {SHEETS}", sheet.key, tuple(empty))


def _worded(words: Iterable[str]) -> Iterator[str]:
    return (word.replace("_", " ") for word in words)
