"""Whether a motor can be mounted on a gearbox, according to their data sheets.

Rules, each applied where both sheets state its data:

1. flange: the gearbox accepts the motor's mounting face; the diameters of the housings are then irrelevant.
2. diameters: the motor is at least `MIN_DIAMETER_RATIO` and at most `MAX_DIAMETER_RATIO` times as wide as the gearbox.
   These are the extremes of a manufacturer's own list of combinations (640 motors, 1,886 gearheads: 0.68 to 1.25).
3. shaft: the motor's shaft is not larger than the bore of the gearbox input.
"""

from __future__ import annotations

from gearwright.argument_kinds import check_arguments
from gearwright.parts.drives.data_sheets import GearboxSheet, MotorSheet

MAX_DIAMETER_RATIO, MIN_DIAMETER_RATIO = 1.25, 0.65
"""Limits of the ratio of motor diameter to gearbox diameter for mounting, if no common flange is stated."""
DIAMETER_ROUNDING = 1e-9
"""Relative rounding tolerance: 40 mm on 32 mm is exactly 1.25."""


@check_arguments
def mounting_conflict(motor: MotorSheet, gearbox: GearboxSheet) -> str | None:
    """Return the reason why a motor cannot be mounted on a gearbox; None if the sheets show no conflict.

    >>> flat = MotorSheet(key="flat", outer_diameter=0.0429)
    >>> mounting_conflict(flat, GearboxSheet(key="small", outer_diameter=0.022))
    'its diameter of 42.9 mm does not fit a gearbox of 22 mm (allowed: 14.3 to 27.5 mm)'
    >>> mounting_conflict(flat, GearboxSheet(key="large", outer_diameter=0.042)) is None
    True
    """
    accepted_flanges = _flange_designations(gearbox.flange)
    if motor.flange and accepted_flanges:
        if not _flange_designations(motor.flange) & accepted_flanges:
            return f"its flange {motor.flange} does not fit the gearbox (flanges: {gearbox.flange})"
    elif motor.outer_diameter is not None and gearbox.outer_diameter is not None:
        least, most = MIN_DIAMETER_RATIO * gearbox.outer_diameter, MAX_DIAMETER_RATIO * gearbox.outer_diameter
        if not least * (1 - DIAMETER_ROUNDING) <= motor.outer_diameter <= most * (1 + DIAMETER_ROUNDING):
            return (
                f"its diameter of {1e3 * motor.outer_diameter:.3g} mm does not fit a gearbox of "
                f"{1e3 * gearbox.outer_diameter:.3g} mm (allowed: {1e3 * least:.3g} to {1e3 * most:.3g} mm)"
            )
    shaft, bore = motor.shaft_diameter, gearbox.max_motor_shaft
    if shaft is not None and bore is not None and shaft > bore * (1 + DIAMETER_ROUNDING):
        return f"its shaft diameter of {1e3 * shaft:.3g} mm exceeds the gearbox input bore of {1e3 * bore:.3g} mm"
    return None


@check_arguments
def is_mounting_known(motor: MotorSheet, gearbox: GearboxSheet) -> bool:
    """Return whether both sheets state their flanges, or both their outer diameters.

    >>> is_mounting_known(MotorSheet(key="m", flange="NEMA23"), GearboxSheet(key="g", outer_diameter=0.06))
    False
    """
    flanges = bool(motor.flange and gearbox.flange)
    return flanges or (motor.outer_diameter is not None and gearbox.outer_diameter is not None)


def _flange_designations(text: str) -> set[str]:
    return {word.strip().casefold() for word in text.split(";") if word.strip()}
