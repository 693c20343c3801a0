"""Limits of a motor and their source: the robot file, or else the data sheet."""

from __future__ import annotations

from gearwright.parts import Motor, MotorSheet

SHEET_LIMIT_FIELDS = {
    "max_torque": "peak_torque",
    "max_speed": "peak_speed",
    "max_voltage": "voltage",
    "max_temperature": "max_winding_temperature",
}
"""Limits of a motor and their columns in data sheets; no data sheet states a peak current."""


def motor_limit(motor: Motor, sheet: MotorSheet | None, field: str) -> tuple[float | None, str]:
    """A limit of a motor and its source; None if neither motor nor data sheet states it.

    Args:
        motor: the part.
        sheet: its data sheet, if available.
        field: "max_torque", "max_speed", "max_current", "max_voltage", or "max_temperature" of the winding.

    >>> motor_limit(Motor(1e-5), MotorSheet(key="m1", peak_torque=2.0), "max_torque")
    (2.0, 'data sheet m1')
    >>> motor_limit(Motor(1e-5, max_torque=1.5), MotorSheet(key="m1", peak_torque=2.0), "max_torque")
    (1.5, 'data of the motor')
    """
    is_thermal = field == "max_temperature"
    stated = getattr(motor.heat if is_thermal else motor, field, None)
    if stated is not None:
        return float(stated), "thermal data of the motor" if is_thermal else "data of the motor"
    if sheet is None or field not in SHEET_LIMIT_FIELDS:
        return None, ""
    return getattr(sheet, SHEET_LIMIT_FIELDS[field]), f"data sheet {sheet.key}"
