"""The present drive of a joint as a catalogue entry, for designs in which it stays and other variables vary."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gearwright.analysis.drives.limit_kinds import MOTOR, LimitSources, limit_kinds, stated_limit
from gearwright.catalogue import Catalogue
from gearwright.parts import Drive, Motor, MotorSheet
from gearwright.parts.drives.friction import combined_friction

DEFAULT_ELECTRICAL_DATA = {"torque_constant": 1.0, "resistance": 0.0}
"""Values for a motor without electrical data: its current equals its torque, its energy is mechanical."""


def present_motor_sheet(drive: Drive, table: Catalogue) -> MotorSheet:
    """The motor of a drive as a data sheet: the one it names, or its own numbers.

    >>> from gearwright.parts import Gear
    >>> present_motor_sheet(Drive("elbow", Motor(1e-5, motor_mass=0.4), Gear(50)), Catalogue({}, {})).mass
    0.4
    """
    motor = drive.motor
    mass = 0.0 if motor.included else float(motor.mass + motor.mass_at_rest)
    named_sheet = table.motors.get(motor.catalogue or "")
    if named_sheet is not None:
        return replace(named_sheet, mass=mass, inertia=_optional_float(motor.inertia))
    friction = combined_friction(motor.friction, motor.damping)
    sheet = table.motor_by_name(motor.catalogue)
    sources = LimitSources(motor=motor, motor_sheet=sheet, ambient=0.0)  # temperatures on the absolute scale
    limits: dict[str, Any] = {
        kind.sheet_field: stated_limit(kind, sources)[0]
        for kind in limit_kinds(MOTOR)
        if kind.part_field and kind.sheet_field
    }
    return MotorSheet(
        key=drive.title,
        mass=mass,
        inertia=_optional_float(motor.inertia),
        torque_constant=_optional_float(motor.torque_constant) or DEFAULT_ELECTRICAL_DATA["torque_constant"],
        resistance=_optional_float(motor.resistance) or DEFAULT_ELECTRICAL_DATA["resistance"],
        **limits,
        nominal_torque=None if sheet is None else sheet.continuous_torque,
        continuous_speed=None if sheet is None else sheet.continuous_speed,
        coulomb_friction=float(friction.coulomb),
        viscous_friction=float(friction.viscous),
        **_thermal_fields(motor),
    )


def _optional_float(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def _thermal_fields(motor: Motor) -> dict[str, Any]:
    heat = motor.heat
    if heat is None:
        return {}
    return {
        "winding_housing": float(heat.winding_housing),
        "housing_ambient": float(heat.housing_ambient),
        "winding_time_constant": float(heat.winding_housing * heat.winding_capacity),
        "housing_time_constant": float(heat.housing_ambient * heat.housing_capacity),
    }
