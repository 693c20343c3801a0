"""Limits of a robot's drives against the demands of a task: value, limit, margin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import copysign, inf

from gearwright.analysis.drives.advice_value import Advice
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.motor_limits import motor_limit
from gearwright.argument_kinds import check_arguments
from gearwright.forces.robot_lines import force_unit
from gearwright.parts import GearboxSheet, Link
from gearwright.parts.gears.series import belt_tensions

LIMIT_TOLERANCE = 1e-9
"""Relative tolerance of a limit, for rounding."""
PRETENSION_LIMIT = "pretension"
"""Name of the limit of a belt, after the name of the belt."""
LIFE_LIMIT = "gearbox life"
"""Name of the limit of a gearbox's life."""
STRESS_LIMIT = "stress"
"""Name of the limit of a link's material."""
POSITION_LIMIT = "joint position"
"""Name of the limit of a joint's range."""
WINDING_LIMIT = "winding temperature rise"
"""Name of the limit of a winding's temperature."""
SHAFT_LIMITS = ("output-shaft radial load", "output-shaft axial load", "output-shaft tilting moment")
"""Names of the limits of a gearbox's output shaft."""


@dataclass(frozen=True)
class LimitCheck:
    """One limit and its value in a task.

    Args:
        name: "<drive>: <limited quantity>".
        value: of the quantity in the task.
        limit: allowed value.
        unit: of both.
        is_minimum: whether it is a lower limit (life, natural frequency).
        advice: recommendations, if the limit is exceeded.
        source: origin of the limit.
    """

    name: str
    value: float
    limit: float
    unit: str
    is_minimum: bool = False
    advice: tuple[Advice, ...] = ()
    source: str = ""

    @property
    def advice_text(self) -> str:
        """The recommendations in words; empty if the limit is satisfied."""
        return " ".join(advice.text for advice in self.advice)

    @property
    def margin(self) -> float:
        """Remaining share of the limit: 0.2 means a fifth; negative if the limit is exceeded.

        For a limit of zero or less, the margin is infinite: positive if it is satisfied, negative if it is exceeded.

        >>> LimitCheck("winding temperature rise", 20.0, -5.0, "K").margin
        -inf
        """
        left = self.value - self.limit if self.is_minimum else self.limit - self.value
        if self.limit > 0:
            return left / self.limit
        return 0.0 if left == 0 else copysign(inf, left)

    @property
    def quantity(self) -> str:
        """The limited quantity, without the name of the drive or link.

        >>> LimitCheck("elbow: voltage", 20.0, 24.0, "V").quantity
        'voltage'
        """
        return self.name.rpartition(": ")[2]

    @property
    def is_kept(self) -> bool:
        """Whether the limit is satisfied, within rounding."""
        return self.margin >= -LIMIT_TOLERANCE

    @property
    def is_range(self) -> bool:
        """Whether it is the range of a joint, which may be used completely: it needs no margin."""
        return self.name.endswith(f": {POSITION_LIMIT}")


@check_arguments
def sorted_by_margin(checks: Iterable[LimitCheck]) -> list[LimitCheck]:
    """Limits sorted by margin, the tightest first; satisfied ranges of joints come last.

    >>> some = [LimitCheck("j: joint position", 1.0, 1.0, "rad"), LimitCheck("j: voltage", 20.0, 24.0, "V")]
    >>> [check.name for check in sorted_by_margin(some)]
    ['j: voltage', 'j: joint position']
    """
    return sorted(checks, key=lambda check: (check.is_kept and check.is_range, check.margin))


def drive_limits(drive: DriveAnalysis, link: Link | None) -> Iterator[LimitCheck]:
    """Limits stated by joint, motor and data sheets whose values are known from the task."""
    stated_limits = (*_joint_limits(drive, link), *_motor_limits(drive), *_sheet_limits(drive), *_belt_limits(drive))
    for name, value, limit, unit, source in stated_limits:
        if value is not None and limit is not None:
            yield LimitCheck(f"{drive.name}: {name}", float(value), float(limit), unit, source=source)
    yield from _thermal_limits(drive)


StatedLimit = tuple[str, float | None, float | None, str, str]


def _joint_limits(drive: DriveAnalysis, link: Link | None) -> Iterator[StatedLimit]:
    if link is None:
        return
    unit = force_unit(link)
    is_revolute = unit == "Nm"
    rate = "rad/s" if is_revolute else "m/s"
    limits = link.joint.limits
    yield "joint speed", drive.peak_speed, limits.speed, rate, "limits of the joint"
    yield (
        "joint torque" if is_revolute else "joint force",
        drive.peak_torque,
        limits.effort,
        unit,
        "limits of the joint",
    )


def _motor_limits(drive: DriveAnalysis) -> Iterator[StatedLimit]:
    """Limits stated by the motor, or else by its data sheet."""
    for name, value, field, unit in (
        ("peak motor torque", drive.peak_motor_torque, "max_torque", "Nm"),
        ("motor speed", drive.peak_motor_speed, "max_speed", "rad/s"),
        ("peak current", drive.peak_current, "max_current", "A"),
    ):
        limit, source = motor_limit(drive.motor, drive.motor_sheet, field)
        yield name, value, limit, unit, source
    yield "voltage", drive.peak_voltage, drive.voltage_limit[0], "V", drive.voltage_limit[1]


def _sheet_limits(drive: DriveAnalysis) -> Iterator[StatedLimit]:
    sheet = drive.motor_sheet
    if sheet is not None:
        source = f"data sheet {sheet.key}"
        yield "continuous motor torque", drive.rms_motor_torque, sheet.continuous_torque, "Nm", source
        yield "continuous motor speed", drive.mean_motor_speed, sheet.continuous_speed, "rad/s", source
        if sheet.continuous_torque is None:
            yield "continuous current", drive.rms_current, sheet.nominal_current, "A", source
    box = drive.gearbox_sheet
    if box is not None:
        source = f"data sheet {box.key}"
        yield "gearbox peak torque", drive.peak_output_torque, box.peak_torque, "Nm", source
        yield "gearbox mean torque", drive.mean_output_torque, box.rated_torque, "Nm", source
        yield "gearbox input speed", drive.peak_motor_speed, box.peak_input_speed, "rad/s", source
        yield "gearbox mean input speed", drive.mean_motor_speed, box.rated_input_speed, "rad/s", source
        if drive.shaft_load is not None:
            yield from ((*limit, source) for limit in shaft_limits(box, *drive.shaft_load))


def shaft_limits(
    sheet: GearboxSheet, radial: float, axial: float, tilting: float
) -> Iterator[tuple[str, float, float | None, str]]:
    """Name, value, limit and unit of each limit of an output shaft that supports its link without a separate bearing.

    The output flange is assumed to be at the joint's origin. A permissible radial load F at a distance d from it is a
    moment F d there; a tilting moment M therefore loads the shaft like the radial force M / d.

    Args:
        sheet: of the gearbox.
        radial: largest force perpendicular to the joint axis [N].
        axial: largest force along it [N].
        tilting: largest moment perpendicular to it, about the joint's origin [Nm].

    >>> sheet = GearboxSheet(key="g", radial_load=100.0, radial_load_distance=0.02)
    >>> next(shaft_limits(sheet, 30.0, 10.0, 1.2))
    ('output-shaft radial load', 60.0, 100.0, 'N')
    """
    distance = sheet.radial_load_distance
    equivalent = max(radial, tilting / distance) if distance else radial
    limits = (
        (equivalent, sheet.radial_load, "N"),
        (axial, sheet.axial_load, "N"),
        (tilting, sheet.tilting_moment, "Nm"),
    )
    yield from ((name, *entry) for name, entry in zip(SHAFT_LIMITS, limits, strict=True))


def _belt_limits(drive: DriveAnalysis) -> Iterator[StatedLimit]:
    """The smallest pretension at which no span is slack or slips."""
    for tension in belt_tensions(drive.gear, drive.peak_output_torque or 0.0):
        yield f"{tension.name} {PRETENSION_LIMIT}", tension.needed, tension.stated, "N", "data of the gear"


def _thermal_limits(drive: DriveAnalysis) -> Iterator[LimitCheck]:
    """The temperature rise of the winding above ambient: its margin does not depend on the temperature scale."""
    temperature = drive.winding_temperature
    limit, source = motor_limit(drive.motor, drive.motor_sheet, "max_temperature")
    if temperature is None or limit is None or drive.ambient is None:
        return
    yield LimitCheck(
        f"{drive.name}: {WINDING_LIMIT}", temperature - drive.ambient, limit - drive.ambient, "K", source=source
    )
