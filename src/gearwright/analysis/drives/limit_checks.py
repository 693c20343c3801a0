"""Limits of a robot's drives against what a task asks of them: value, limit, margin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import copysign, inf

from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.motor_limits import motor_limit
from gearwright.argument_kinds import check_arguments
from gearwright.forces.robot_lines import force_unit
from gearwright.parts import GearboxSheet, Link
from gearwright.parts.gears.series import tensions_of

ROUNDING = 1e-9
"""Share of a limit by which it may be exceeded through rounding alone."""
PRETENSION = "pretension"
"""What the limit of a belt is called, after its name."""
LIFE = "gearbox life"
"""What the limit of a gearbox's life is called."""
STRESS = "stress"
"""What the limit of a link's material is called."""
POSITION = "joint position"
"""What the limit of a joint's range is called."""
WINDING = "winding above air"
"""What the limit of a winding's temperature is called."""
SHAFT_LIMITS = ("output-shaft radial load", "output-shaft axial load", "output-shaft tilting moment")
"""What the limits of a gearbox's output shaft are called."""


@dataclass(frozen=True)
class LimitCheck:
    """One limit and what the task comes to.

    Args:
        name: "<drive>: <what>".
        value: what the task asks for.
        limit: what is allowed.
        unit: of both.
        least: whether the limit is a lower one (life, natural frequency).
        advice: what would help, if it is not kept.
        source: where the limit comes from.
    """

    name: str
    value: float
    limit: float
    unit: str
    least: bool = False
    advice: str = ""
    source: str = ""

    @property
    def margin(self) -> float:
        """Share of the limit that is left: 0.2 means a fifth; negative when it is not kept.

        Of a limit that is zero or less no share can be told: what is inside has all, what is beyond nothing.

        >>> LimitCheck("winding above air", 20.0, -5.0, "K").margin
        -inf
        """
        left = self.value - self.limit if self.least else self.limit - self.value
        if self.limit > 0:
            return left / self.limit
        return 0.0 if left == 0 else copysign(inf, left)

    @property
    def what(self) -> str:
        """What is limited, without the name of the drive or link.

        >>> LimitCheck("elbow: voltage", 20.0, 24.0, "V").what
        'voltage'
        """
        return self.name.rpartition(": ")[2]

    @property
    def kept(self) -> bool:
        """Whether the limit is kept; what rounding does is forgiven."""
        return self.margin >= -ROUNDING

    @property
    def is_range(self) -> bool:
        """Whether it is the range of a joint, which may be used to its ends: no margin needs to be left of it."""
        return self.name.endswith(f": {POSITION}")


@check_arguments
def by_tightness(checks: Iterable[LimitCheck]) -> list[LimitCheck]:
    """Limits, the tightest first; ranges of joints that are kept come last.

    >>> some = [LimitCheck("j: joint position", 1.0, 1.0, "rad"), LimitCheck("j: voltage", 20.0, 24.0, "V")]
    >>> [check.name for check in by_tightness(some)]
    ['j: voltage', 'j: joint position']
    """
    return sorted(checks, key=lambda check: (check.kept and check.is_range, check.margin))


def drive_limits(drive: DriveAnalysis, link: Link | None) -> Iterator[LimitCheck]:
    """The limits that joint, motor and data sheets state, as far as the task says what they come to."""
    stated = (*_of_joint(drive, link), *_of_motor(drive), *_of_sheets(drive), *_of_belts(drive))
    for name, value, limit, unit, source in stated:
        if value is not None and limit is not None:
            yield LimitCheck(f"{drive.name}: {name}", float(value), float(limit), unit, source=source)
    yield from _of_heat(drive)


StatedLimit = tuple[str, float | None, float | None, str, str]


def _of_joint(drive: DriveAnalysis, link: Link | None) -> Iterator[StatedLimit]:
    if link is None:
        return
    unit = force_unit(link)
    turning = unit == "Nm"
    rate = "rad/s" if turning else "m/s"
    limits = link.joint.limits
    yield "joint speed", drive.peak_speed, limits.speed, rate, "limits of the joint"
    yield "joint torque" if turning else "joint force", drive.peak_torque, limits.effort, unit, "limits of the joint"


def _of_motor(drive: DriveAnalysis) -> Iterator[StatedLimit]:
    """Limits that the motor states, or else its data sheet."""
    for name, value, word, unit in (
        ("peak motor torque", drive.peak_motor_torque, "max_torque", "Nm"),
        ("motor speed", drive.peak_motor_speed, "max_speed", "rad/s"),
        ("peak current", drive.peak_current, "max_current", "A"),
    ):
        limit, source = motor_limit(drive.motor, drive.motor_sheet, word)
        yield name, value, limit, unit, source
    yield "voltage", drive.peak_voltage, drive.voltage_limit[0], "V", drive.voltage_limit[1]


def _of_sheets(drive: DriveAnalysis) -> Iterator[StatedLimit]:
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
    """Name, value, limit and unit of each limit of an output shaft that carries its link without another bearing.

    The output flange is taken to lie at the joint's origin. A radial load F that is permissible at a distance d from it
    makes a moment F d there, so that a tilting moment M loads the shaft like the radial force M / d.

    Args:
        sheet: of the gearbox.
        radial: largest force across the joint's axis [N].
        axial: largest force along it [N].
        tilting: largest moment across it, about the joint's origin [Nm].

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
    yield from ((name, *one) for name, one in zip(SHAFT_LIMITS, limits, strict=True))


def _of_belts(drive: DriveAnalysis) -> Iterator[StatedLimit]:
    """The pretension with which no span hangs loose or slips."""
    for one in tensions_of(drive.gear, drive.peak_output_torque or 0.0):
        yield f"{one.name} {PRETENSION}", one.needed, one.stated, "N", "data of the gear"


def _of_heat(drive: DriveAnalysis) -> Iterator[LimitCheck]:
    """Temperatures are compared by how far they are above the air, so that a margin does not depend on the scale."""
    warmest = drive.winding_temperature
    limit, source = motor_limit(drive.motor, drive.motor_sheet, "max_temperature")
    if warmest is None or limit is None or drive.ambient is None:
        return
    yield LimitCheck(f"{drive.name}: {WINDING}", warmest - drive.ambient, limit - drive.ambient, "K", source=source)
