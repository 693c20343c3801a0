"""Units of speeds, coordinates and generalized forces."""

from __future__ import annotations

from gearwright.mechanism.mechanism import Mechanism


def speed_unit(mech: Mechanism, name: str) -> str:
    """Rad for a turning speed, a shaft, or what has no speed of its own; m for a sliding one."""
    return mech.layout.rates[mech.speeds.index(name)] if name in mech.speeds else "rad"


def force_unit(mech: Mechanism, name: str) -> str:
    """Nm or N of the generalized force at a speed."""
    return "N" if speed_unit(mech, name) == "m" else "Nm"


def coordinate_unit(mech: Mechanism, name: str) -> str:
    """Rad or m of a coordinate; quaternions have none."""
    return mech.layout.units[mech.coordinates.index(name)]
