"""Mounting of an actuator: the line it moves, and the part of its inertia that the machine already has."""

from __future__ import annotations

from gearwright.arguments import real_number
from gearwright.errors import DriveError
from gearwright.forces.line import Line
from gearwright.mechanism import Mechanism, Row


def place_line(mech: Mechanism, place: str | Row | Line) -> Line:
    """The line of an actuator of the machine (rotor relative to stator), of a speed or of a row; a line is unchanged.

    >>> import gearwright as gw
    >>> place_line(gw.assemble(gw.load("elbow")), "j2").terms
    ((1, 100.0),)
    """
    if isinstance(place, Line):
        return place
    rows = {actuator.name: actuator.row for actuator in mech.actuators}
    return Line.for_machine(mech, rows[place] if isinstance(place, str) and place in rows else place)


def rotor_inertia(mech: Mechanism, drive: str, stated: float | None) -> tuple[float, float]:
    """Inertia of a drive's rotor and the part of it that the machine has [kg m2].

    A machine assembled from parts has the rotor as the spin `<drive>.rotor`, with its whole inertia. Without that spin
    (rotors "none") the machine has no part of it, and the actuator adds the inertia.
    """
    spin = next((spin for spin in mech.spins if spin.name == f"{drive}.rotor"), None)
    if spin is None and stated is None:
        raise DriveError(
            f"motor {drive!r}: the machine has no rotor {drive + '.rotor'!r} and no inertia is given. Give inertia=..."
        )
    if stated is not None:
        real_number(f"motor {drive!r}", "inertia", stated, above=0.0, unit="kg m2", example=1e-4, error=DriveError)
    if spin is None or stated is None:
        inertia = float(spin.inertia) if spin is not None else float(stated or 0.0)
        return inertia, inertia if spin is not None else 0.0
    if abs(stated - spin.inertia) > 1e-9 * stated:
        raise DriveError(
            f"motor {drive!r}: inertia {stated} kg m2 differs from the {spin.inertia} kg m2 of the machine's rotor "
            f"{spin.name!r}. Leave it out: the machine's value is used."
        )
    return stated, stated


def require_positive(owner: str, **values: float) -> None:
    """Raise an error for a value that is not a positive number."""
    for name, value in values.items():
        real_number(owner, name, value, above=0.0, error=DriveError)


def require_not_negative(owner: str, **values: float) -> None:
    """Raise an error for a value that is not a number of at least 0."""
    for name, value in values.items():
        real_number(owner, name, value, least=0.0, error=DriveError)
