"""Where an actuator sits: the line it moves, and the inertia that the machine has for it already."""

from __future__ import annotations

from gearwright.arguments import number
from gearwright.errors import DriveError
from gearwright.forces.line import Line
from gearwright.mechanism import Mechanism
from gearwright.mechanism.rows import Row


def place_line(mech: Mechanism, where: str | Row | Line) -> Line:
    """The line of one of the machine's actuators (rotor against stator), a speed or a row; lines stay as they are.

    >>> import gearwright as gw
    >>> place_line(gw.assemble(gw.load("elbow")), "j2").terms
    ((1, 100.0),)
    """
    if isinstance(where, Line):
        return where
    rows = {actuator.name: actuator.row for actuator in mech.actuators}
    return Line.of(mech, rows[where] if isinstance(where, str) and where in rows else where)


def rotor_inertia(mech: Mechanism, drive: str, stated: float | None) -> tuple[float, float]:
    """Inertia of a drive's rotor and how much of it the machine carries [kg m2].

    A machine made of parts has the rotor as the spin `<drive>.rotor` and carries all of it; one without it ("none")
    carries nothing, and the actuator brings it.
    """
    spin = next((spin for spin in mech.spins if spin.name == f"{drive}.rotor"), None)
    if spin is None and stated is None:
        raise DriveError(
            f"motor {drive!r}: the machine has no rotor {drive + '.rotor'!r} and no inertia is stated. State it."
        )
    if stated is not None:
        number(f"motor {drive!r}", "inertia", stated, above=0.0, unit="kg m2", example=1e-4, error=DriveError)
    if spin is None or stated is None:
        inertia = float(spin.inertia) if spin is not None else float(stated or 0.0)
        return inertia, inertia if spin is not None else 0.0
    if abs(stated - spin.inertia) > 1e-9 * stated:
        raise DriveError(
            f"motor {drive!r}: inertia {stated} kg m2 differs from the {spin.inertia} kg m2 of the machine's rotor "
            f"{spin.name!r}. Leave it out: the machine's counts."
        )
    return stated, stated


def positive(owner: str, **values: float) -> None:
    """Refuse what is not a positive number."""
    for name, value in values.items():
        number(owner, name, value, above=0.0, error=DriveError)


def not_negative(owner: str, **values: float) -> None:
    """Refuse what is not a number of 0 or more."""
    for name, value in values.items():
        number(owner, name, value, least=0.0, error=DriveError)
