"""The drive that a joint has already, as an article of a catalogue of one: where it stays and something else varies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gearwright.analysis.drives.motor_limits import ON_SHEETS, motor_limit
from gearwright.catalogue import Catalogue
from gearwright.parts import Drive, Motor, MotorSheet
from gearwright.parts.drives.friction import all_friction

MADE_UP = {"torque_constant": 1.0, "resistance": 0.0}
"""For a motor without electrical data: its current is then its torque, and what it takes is mechanical energy."""


def own_motor(drive: Drive, table: Catalogue) -> MotorSheet:
    """The motor of a drive as a data sheet: the one it names, or its own numbers.

    >>> from gearwright.parts import Gear
    >>> own_motor(Drive("elbow", Motor(1e-5, motor_mass=0.4), Gear(50)), Catalogue({}, {})).mass
    0.4
    """
    motor = drive.motor
    mass = 0.0 if motor.included else float(motor.mass + motor.mass_at_rest)
    named = table.motors.get(motor.catalogue or "")
    if named is not None:
        return replace(named, mass=mass, inertia=_number(motor.inertia))
    friction = all_friction(motor.friction, motor.damping)
    article = table.motor_named(motor.catalogue)
    limits: dict[str, Any] = {printed: motor_limit(motor, article, word)[0] for word, printed in ON_SHEETS.items()}
    return MotorSheet(
        key=drive.title,
        mass=mass,
        inertia=_number(motor.inertia),
        torque_constant=_number(motor.torque_constant) or MADE_UP["torque_constant"],
        resistance=_number(motor.resistance) or MADE_UP["resistance"],
        **limits,
        nominal_torque=None if article is None else article.continuous_torque,
        continuous_speed=None if article is None else article.continuous_speed,
        coulomb_friction=float(friction.coulomb),
        viscous_friction=float(friction.viscous),
        **_heat(motor),
    )


def _number(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


def _heat(motor: Motor) -> dict[str, Any]:
    heat = motor.heat
    if heat is None:
        return {}
    return {
        "winding_housing": float(heat.winding_housing),
        "housing_ambient": float(heat.housing_ambient),
        "winding_time_constant": float(heat.winding_housing * heat.winding_capacity),
        "housing_time_constant": float(heat.housing_ambient * heat.housing_capacity),
    }
