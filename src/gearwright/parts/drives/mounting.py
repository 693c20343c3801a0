"""Whether a motor can be bolted to a gearbox, as far as their data sheets tell.

Rules, each applied where both sheets state its data:

1. flange: the motor's mounting face is one that the gearbox takes; then the diameters of the housings do not matter.
2. diameters: the motor is at most WIDEST and at least NARROWEST times as wide as the gearbox. These are the extremes of
   a manufacturer's own list of combinations (640 motors, 1,886 gearheads: 0.68 to 1.25).
3. shaft: the motor's shaft is no thicker than the gearbox's input takes.
"""

from __future__ import annotations

from gearwright.argument_kinds import check_arguments
from gearwright.parts.drives.data_sheets import GearboxSheet, MotorSheet

WIDEST, NARROWEST = 1.25, 0.65
"""Outer diameter of a motor / that of a gearbox on which it can be mounted without a flange that both name."""
ROUNDING = 1e-9
"""Relative: 40 mm on 32 mm is 1.25."""


@check_arguments
def mounting_conflict(motor: MotorSheet, gearbox: GearboxSheet) -> str | None:
    """Why a motor cannot be mounted on a gearbox; None if nothing that their sheets state speaks against it.

    >>> flat = MotorSheet(key="flat", outer_diameter=0.0429)
    >>> mounting_conflict(flat, GearboxSheet(key="small", outer_diameter=0.022))
    'a motor of 42.9 mm does not fit on a gearbox of 22 mm (14.3 to 27.5 mm do)'
    >>> mounting_conflict(flat, GearboxSheet(key="large", outer_diameter=0.042)) is None
    True
    """
    taken = _designations(gearbox.flange)
    if motor.flange and taken:
        if not _designations(motor.flange) & taken:
            return f"its flange, {motor.flange}, is none that the gearbox takes ({gearbox.flange})"
    elif motor.outer_diameter is not None and gearbox.outer_diameter is not None:
        least, most = NARROWEST * gearbox.outer_diameter, WIDEST * gearbox.outer_diameter
        if not least * (1 - ROUNDING) <= motor.outer_diameter <= most * (1 + ROUNDING):
            return (
                f"a motor of {1e3 * motor.outer_diameter:.3g} mm does not fit on a gearbox of "
                f"{1e3 * gearbox.outer_diameter:.3g} mm ({1e3 * least:.3g} to {1e3 * most:.3g} mm do)"
            )
    shaft, bore = motor.shaft_diameter, gearbox.max_motor_shaft
    if shaft is not None and bore is not None and shaft > bore * (1 + ROUNDING):
        return f"its shaft of {1e3 * shaft:.3g} mm does not fit into an input for at most {1e3 * bore:.3g} mm"
    return None


@check_arguments
def is_mounting_known(motor: MotorSheet, gearbox: GearboxSheet) -> bool:
    """Whether both sheets state their flanges, or both their outer diameters.

    >>> is_mounting_known(MotorSheet(key="m", flange="NEMA23"), GearboxSheet(key="g", outer_diameter=0.06))
    False
    """
    flanges = bool(motor.flange and gearbox.flange)
    return flanges or (motor.outer_diameter is not None and gearbox.outer_diameter is not None)


def _designations(text: str) -> set[str]:
    return {word.strip().casefold() for word in text.split(";") if word.strip()}
