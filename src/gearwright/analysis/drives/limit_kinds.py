"""The table of limits: for each limit its name, unit, limited quantity, where it is stated, and the remedies.

A limit of a drive is one row of `LIMIT_KINDS`. Checks, the list of unchecked limits, the screening of candidates,
recommendations, summaries and reports read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from gearwright.forces.robot_lines import force_unit
from gearwright.parts import GearboxSheet, Link, Motor, MotorSheet

JOINT, MOTOR, GEARBOX, BELT, LINK, TASK = "joint", "motor", "gearbox", "belt", "link", "task"
"""What states a limit; motors and gearboxes have data sheets."""
REQUIRED_MOTOR_DATA = ("mass", "inertia", "torque_constant", "resistance")
"""Columns that a motor's data sheet must contain: with them the load of its drive is known."""
SLOWER, LOWER_RATIOS = "Slow the task down", "or add drives of lower ratios"
LARGER_DRIVES = f"{SLOWER}, reduce the mass of links, or add larger drives to the catalogue."
STRONGER_GEARBOXES = f"{SLOWER}, reduce the mass of links, or add stronger gearboxes to the catalogue."
FASTER_DRIVES = f"{SLOWER}, {LOWER_RATIOS}."
LIGHTER_LINKS = "Reduce the mass of links, payload or rotors, slow the task down, or raise the joint limit."
SEPARATE_BEARING = "Support the link by a separate bearing, or add gearboxes with higher permissible shaft loads."


@dataclass(frozen=True, kw_only=True)
class LimitKind:
    """One limit of a drive, a link or a task: a row of the table.

    Args:
        name: of the limit, after the name of its drive, link or joint.
        unit: of the limit; at a joint that of a revolute one, empty if it does not apply there.
        part: the part that states it: "joint", "motor", "gearbox", "belt", "link" or "task".
        characteristic: the limited quantity: an attribute of the analysis of a drive or a link.
        prismatic_unit: unit at a prismatic joint, empty if it does not apply there; None: the same.
        part_field: field of the joint's limits or of the motor that states it.
        part_source: the source in words.
        sheet_field: column of the data sheet that states it, unless the part does.
        instead_of: the limit of the same data sheet that is checked instead where it is stated.
        by_supply: whether the voltage of the supply limits it too.
        above_ambient: whether it counts from the ambient temperature.
        requirement: requirement of a task that states it.
        is_minimum: whether it is a lower limit.
        group: name under which it is listed if it could not be checked; any limit of a group covers it.
        also_covers: other groups that its check covers.
        sheet_columns: columns, any one of which states a limit of its group; by default `sheet_field`.
        motor_data: data of the motor that its check needs.
        recommendations: of `analysis/advice` if it is exceeded, in their order; requirements of a task have their own.
        torque_constant_power: power of the torque constant to which its quantity is proportional.
        screened_as: quantity that is compared in the screening of candidates and of ratios, if another one.
        remedy: for the user, if no design satisfies it.
    """

    name: str
    unit: str
    part: str
    characteristic: str
    prismatic_unit: str | None = None
    part_field: str = ""
    part_source: str = ""
    sheet_field: str = ""
    instead_of: LimitKind | None = None
    by_supply: bool = False
    above_ambient: bool = False
    requirement: str = ""
    is_minimum: bool = False
    group: str = ""
    also_covers: tuple[str, ...] = ()
    sheet_columns: tuple[str, ...] = ()
    motor_data: tuple[str, ...] = ()
    recommendations: tuple[str, ...] = ()
    torque_constant_power: int = 0
    screened_as: str = ""
    remedy: str = LARGER_DRIVES

    def __hash__(self) -> int:
        return hash(self.name)  # names are unique, and the screening looks limits up often

    def unit_at(self, link: Link | None) -> str:
        """The unit of the limit of a drive that moves a link; empty if it does not apply."""
        if self.part != JOINT:
            return self.unit
        if link is None:
            return ""
        return self.unit if self.prismatic_unit is None or force_unit(link) == "Nm" else self.prismatic_unit

    def value(self, analysis: Any) -> Any:
        """The limited quantity in the analysis of a drive or a link; None if it is unknown."""
        return field_value(analysis, self.characteristic)

    @property
    def screened_quantity(self) -> str:
        """The quantity that is compared in the screening of candidates and of ratios."""
        return self.screened_as or self.characteristic

    @property
    def is_peak(self) -> bool:
        """Whether it limits the largest value over time: its utilisation at some instants is a lower bound."""
        return self.characteristic.startswith("peak_")

    @property
    def is_motor_speed(self) -> bool:
        """Whether it limits a speed of the motor, which does not depend on the load."""
        return self.characteristic in ("peak_motor_speed", "mean_motor_speed")

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of a data sheet, any one of which states a limit of its group."""
        return self.sheet_columns or ((self.sheet_field,) if self.sheet_field else ())

    @property
    def required_column(self) -> str:
        """The column of a data sheet with which another catalogue entry is checked; empty if none states it."""
        return self.sheet_field if self.instead_of is None else self.instead_of.sheet_field


class LimitKey(NamedTuple):
    """A limit of one drive, link or task; its text is the name of the limit in results.

    >>> str(LimitKey("elbow", VOLTAGE, in_closed_loop=True))
    'elbow: voltage (closed loop)'
    """

    owner: str
    kind: LimitKind
    in_closed_loop: bool = False

    def __str__(self) -> str:
        name = f"{self.owner}: {self.kind.name}" if self.owner else self.kind.name
        return f"{name} (closed loop)" if self.in_closed_loop else name


class LimitSources(NamedTuple):
    """The sources of the limits of a drive: parts, data sheets and supply."""

    link: Link | None = None
    motor: Motor | None = None
    motor_sheet: MotorSheet | None = None
    gearbox_sheet: GearboxSheet | None = None
    supply_voltage: float | None = None
    ambient: float | None = None


def field_value(part: Any, field: str) -> Any:
    """The value of a field, also of a part of the part ("heat.max_temperature"); None without part or field."""
    return reduce(lambda x, name: getattr(x, name, None), field.split("."), part)


def stated_limit(kind: LimitKind, sources: LimitSources) -> tuple[float | None, str]:
    """The limit and its source: the part, or else its data sheet; None if neither states it.

    >>> sheet = MotorSheet(key="m1", peak_torque=2.0)
    >>> stated_limit(PEAK_MOTOR_TORQUE, LimitSources(motor=Motor(1e-5), motor_sheet=sheet))
    (2.0, 'data sheet m1')
    >>> stated_limit(PEAK_MOTOR_TORQUE, LimitSources(motor=Motor(1e-5, max_torque=1.5), motor_sheet=sheet))
    (1.5, 'data of the motor')
    """
    limit, source = _part_or_sheet_limit(kind, sources)
    supply = sources.supply_voltage if kind.by_supply else None
    if supply is not None and (limit is None or supply < limit):
        limit, source = float(supply), "supply"
    if not kind.above_ambient:
        return limit, source
    return (None, "") if limit is None or sources.ambient is None else (limit - sources.ambient, source)


def _part_or_sheet_limit(kind: LimitKind, sources: LimitSources) -> tuple[float | None, str]:
    part = field_value(sources.link, "joint.limits") if kind.part == JOINT else sources.motor
    stated = field_value(part, kind.part_field) if kind.part_field else None
    if stated is not None:
        return float(stated), kind.part_source
    sheet = {MOTOR: sources.motor_sheet, GEARBOX: sources.gearbox_sheet}.get(kind.part)
    if sheet is None or not kind.sheet_field:
        return None, ""
    if kind.instead_of is not None and getattr(sheet, kind.instead_of.sheet_field) is not None:
        return None, ""
    return getattr(sheet, kind.sheet_field), f"data sheet {sheet.key}"


OF_JOINT: dict[str, Any] = {"part": JOINT, "part_source": "limits of the joint"}
OF_MOTOR: dict[str, Any] = {"part": MOTOR, "part_source": "data of the motor"}
WITH_RATIO = ("ratio", "entry")
OF_SHAFT: dict[str, Any] = {
    "part": GEARBOX,
    "group": "output-shaft load",
    "recommendations": ("entry", "separate bearing"),
    "remedy": SEPARATE_BEARING,
}
JOINT_SPEED = LimitKind(
    name="joint speed",
    unit="rad/s",
    prismatic_unit="m/s",
    characteristic="peak_speed",
    part_field="speed",
    recommendations=("longer motion",),
    remedy="It does not depend on the drive: slow the task down (`task.time_scale`), or raise the joint limit.",
    **OF_JOINT,
)
JOINT_TORQUE = LimitKind(
    name="joint torque",
    unit="Nm",
    prismatic_unit="",
    characteristic="peak_torque",
    part_field="effort",
    recommendations=("longer motion of a load", "payload"),
    remedy=LIGHTER_LINKS,
    **OF_JOINT,
)
JOINT_FORCE = LimitKind(
    name="joint force",
    unit="",
    prismatic_unit="N",
    characteristic="peak_torque",
    part_field="effort",
    recommendations=("longer motion of a load", "payload"),
    remedy=LIGHTER_LINKS,
    **OF_JOINT,
)
PEAK_MOTOR_TORQUE = LimitKind(
    name="peak motor torque",
    unit="Nm",
    characteristic="peak_motor_torque",
    part_field="max_torque",
    sheet_field="peak_torque",
    group="peak torque",
    recommendations=(*WITH_RATIO, "payload"),
    **OF_MOTOR,
)
MOTOR_SPEED = LimitKind(
    name="motor speed",
    unit="rad/s",
    characteristic="peak_motor_speed",
    part_field="max_speed",
    sheet_field="peak_speed",
    group="speed",
    recommendations=(*WITH_RATIO, "longer motion"),
    remedy=FASTER_DRIVES,
    **OF_MOTOR,
)
PEAK_CURRENT = LimitKind(  # no data sheet states a peak current
    name="peak current",
    unit="A",
    characteristic="peak_current",
    part_field="max_current",
    group="current",
    sheet_columns=("nominal_current",),
    motor_data=("torque_constant",),
    recommendations=("ratio", "winding", "entry"),
    torque_constant_power=-1,
    **OF_MOTOR,
)
VOLTAGE = LimitKind(
    name="voltage",
    unit="V",
    characteristic="peak_voltage",
    part_field="max_voltage",
    sheet_field="voltage",
    by_supply=True,
    group="voltage",
    motor_data=("torque_constant", "resistance"),
    recommendations=("ratio", "winding", "entry"),
    torque_constant_power=1,
    remedy=f"{SLOWER}, {LOWER_RATIOS} or windings for higher voltages.",
    **OF_MOTOR,
)
CONTINUOUS_TORQUE = LimitKind(  # torque is current times the torque constant: a check of one is a check of the other
    name="continuous motor torque",
    unit="Nm",
    characteristic="rms_motor_torque",
    sheet_field="continuous_torque",
    group="continuous torque",
    also_covers=("current",),
    sheet_columns=("nominal_torque", "nominal_current"),
    recommendations=(*WITH_RATIO, "payload"),
    **OF_MOTOR,
)
CONTINUOUS_SPEED = LimitKind(
    name="continuous motor speed",
    unit="rad/s",
    characteristic="mean_motor_speed",
    sheet_field="continuous_speed",
    group="speed",
    recommendations=(*WITH_RATIO, "longer cycle"),
    remedy=FASTER_DRIVES,
    **OF_MOTOR,
)
CONTINUOUS_CURRENT = LimitKind(
    name="continuous current",
    unit="A",
    characteristic="rms_current",
    sheet_field="nominal_current",
    instead_of=CONTINUOUS_TORQUE,
    group="continuous torque",
    also_covers=("current",),
    recommendations=WITH_RATIO,
    **OF_MOTOR,
)
GEARBOX_PEAK_TORQUE = LimitKind(
    name="gearbox peak torque",
    unit="Nm",
    part=GEARBOX,
    characteristic="peak_output_torque",
    sheet_field="peak_torque",
    group="peak torque",
    recommendations=("entry", "payload"),
    remedy=STRONGER_GEARBOXES,
)
GEARBOX_MEAN_TORQUE = LimitKind(
    name="gearbox mean torque",
    unit="Nm",
    part=GEARBOX,
    characteristic="mean_output_torque",
    sheet_field="rated_torque",
    group="mean torque",
    recommendations=("entry",),
    remedy=STRONGER_GEARBOXES,
)
GEARBOX_INPUT_SPEED = LimitKind(
    name="gearbox input speed",
    unit="rad/s",
    part=GEARBOX,
    characteristic="peak_motor_speed",
    sheet_field="peak_input_speed",
    recommendations=(*WITH_RATIO, "longer motion"),
    remedy=FASTER_DRIVES,
)
GEARBOX_MEAN_SPEED = LimitKind(
    name="gearbox mean input speed",
    unit="rad/s",
    part=GEARBOX,
    characteristic="mean_motor_speed",
    sheet_field="rated_input_speed",
    recommendations=(*WITH_RATIO, "longer cycle"),
    remedy=FASTER_DRIVES,
)
SHAFT_RADIAL_LOAD = LimitKind(
    name="output-shaft radial load",
    unit="N",
    characteristic="output_shaft_load.radial",
    sheet_field="radial_load",
    **OF_SHAFT,
)
SHAFT_AXIAL_LOAD = LimitKind(
    name="output-shaft axial load",
    unit="N",
    characteristic="output_shaft_load.axial",
    sheet_field="axial_load",
    **OF_SHAFT,
)
SHAFT_TILTING_MOMENT = LimitKind(
    name="output-shaft tilting moment",
    unit="Nm",
    characteristic="output_shaft_load.tilting",
    sheet_field="tilting_moment",
    **OF_SHAFT,
)
PRETENSION = LimitKind(  # of every belt of a gear, after the name of the belt
    name="pretension",
    unit="N",
    part=BELT,
    characteristic="needed",
    part_source="data of the gear",
    recommendations=("pretension",),
)
WINDING_TEMPERATURE = LimitKind(  # above ambient: its margin then does not depend on the temperature scale
    name="winding temperature rise",
    unit="K",
    part=MOTOR,
    characteristic="winding_temperature_rise",
    part_field="heat.max_temperature",
    part_source="thermal data of the motor",
    sheet_field="max_winding_temperature",
    above_ambient=True,
    group="temperature",
    motor_data=("heat", "torque_constant", "resistance"),
    recommendations=WITH_RATIO,
    screened_as="mean_square_current",
)
GEARBOX_LIFE = LimitKind(
    name="gearbox life",
    unit="h",
    part=GEARBOX,
    characteristic="life",
    requirement="life",
    is_minimum=True,
    screened_as="wear",
    group="life",
    sheet_columns=("life", "life_speed", "rated_torque"),
    remedy="Relax the requirement, reduce the mass of links, or add gearboxes with higher ratings or longer life.",
)
STRESS = LimitKind(
    name="stress",
    unit="Pa",
    part=LINK,
    characteristic="peak_stress",
    part_source="material of the link",
    remedy="Give the links larger sections, reduce their load, or slow the task down.",
)
JOINT_POSITION = LimitKind(
    name="joint position", unit="rad", prismatic_unit="m", part=JOINT, characteristic="", part_source=""
)
CYCLE_TIME = LimitKind(
    name="cycle time",
    unit="s",
    part=TASK,
    characteristic="cycle.duration",
    requirement="cycle_time",
    remedy="Allow faster motions (a wider `task.time_scale`), shorten the pauses, or relax the requirement.",
)
TIP_DEFLECTION = LimitKind(
    name="tip deflection",
    unit="m",
    part=TASK,
    characteristic="peak_deflection",
    requirement="tip_deflection",
    remedy="Stiffen links and gears, slow the task down, or relax the requirement.",
)
NATURAL_FREQUENCY = LimitKind(
    name="natural frequency",
    unit="Hz",
    part=TASK,
    characteristic="frequency",
    requirement="frequency",
    is_minimum=True,
    remedy="Stiffen the gears, reduce the mass of links, or relax the requirement.",
)
TRACKING_ACCURACY = LimitKind(
    name="tracking accuracy of the tip",
    unit="m",
    part=TASK,
    characteristic="accuracy",
    requirement="accuracy",
    remedy="Reduce the errors, give the loop a higher frequency, or relax the requirement.",
)

LIMIT_KINDS = (
    JOINT_SPEED,
    JOINT_TORQUE,
    JOINT_FORCE,
    PEAK_MOTOR_TORQUE,
    MOTOR_SPEED,
    PEAK_CURRENT,
    VOLTAGE,
    CONTINUOUS_TORQUE,
    CONTINUOUS_SPEED,
    CONTINUOUS_CURRENT,
    GEARBOX_PEAK_TORQUE,
    GEARBOX_MEAN_TORQUE,
    GEARBOX_INPUT_SPEED,
    GEARBOX_MEAN_SPEED,
    SHAFT_RADIAL_LOAD,
    SHAFT_AXIAL_LOAD,
    SHAFT_TILTING_MOMENT,
    PRETENSION,
    WINDING_TEMPERATURE,
    GEARBOX_LIFE,
    STRESS,
    JOINT_POSITION,
    CYCLE_TIME,
    TIP_DEFLECTION,
    NATURAL_FREQUENCY,
    TRACKING_ACCURACY,
)
"""All limits, in the order of results."""


def limit_kinds(*parts: str) -> tuple[LimitKind, ...]:
    """The limits of some parts: rows of the table.

    >>> [kind.name for kind in limit_kinds(LINK)]
    ['stress']
    """
    return tuple(kind for kind in LIMIT_KINDS if kind.part in parts)
