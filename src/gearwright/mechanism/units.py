"""Units of speeds, coordinates and generalized forces."""

from __future__ import annotations

from gearwright.mechanism.mechanism import Mechanism


def speed_unit(mech: Mechanism, name: str) -> str:
    """Return rad for a rotation, a shaft or a joint without its own speed; m for a translation."""
    return mech.layout.rates[mech.speeds.index(name)] if name in mech.speeds else "rad"


def force_unit(mech: Mechanism, name: str) -> str:
    """Return the unit of the generalized force at a speed, Nm or N."""
    return "N" if speed_unit(mech, name) == "m" else "Nm"


def coordinate_unit(mech: Mechanism, name: str) -> str:
    """Return the unit of a coordinate, rad or m; empty for quaternions."""
    return mech.layout.units[mech.coordinates.index(name)]
