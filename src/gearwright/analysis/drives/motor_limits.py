"""Where the limits of a motor come from: what the robot's file states, and what it does not, its data sheet."""

from __future__ import annotations

from gearwright.parts import Motor, MotorSheet

ON_SHEETS = {
    "max_torque": "peak_torque",
    "max_speed": "peak_speed",
    "max_voltage": "voltage",
    "max_temperature": "max_winding_temperature",
}
"""Limits of a motor that data sheets print, and what they call them; a peak current none of them does."""


def motor_limit(motor: Motor, sheet: MotorSheet | None, word: str) -> tuple[float | None, str]:
    """A limit of a motor and where it comes from; None where neither motor nor data sheet states it.

    Args:
        motor: the part.
        sheet: its data sheet, if there is one.
        word: "max_torque", "max_speed", "max_current", "max_voltage", or "max_temperature" of the winding.

    >>> motor_limit(Motor(1e-5), MotorSheet(key="m1", peak_torque=2.0), "max_torque")
    (2.0, 'data sheet m1')
    >>> motor_limit(Motor(1e-5, max_torque=1.5), MotorSheet(key="m1", peak_torque=2.0), "max_torque")
    (1.5, 'data of the motor')
    """
    warm = word == "max_temperature"
    own = getattr(motor.heat if warm else motor, word, None)
    if own is not None:
        return float(own), "thermal data of the motor" if warm else "data of the motor"
    if sheet is None or word not in ON_SHEETS:
        return None, ""
    return getattr(sheet, ON_SHEETS[word]), f"data sheet {sheet.key}"
