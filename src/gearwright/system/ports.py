"""What motors bring through the ports of their gears, with ratios of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.line import Line
from gearwright.mechanism import Actuator, Mechanism


def has_plain_ratios(mech: Mechanism) -> bool:
    """Whether all motors turn by numbers, not by symbols."""
    return all(is_number(x) for motor in mech.actuators for x in motor.row)


def as_lists(rows: Mapping[str, Array]) -> Mapping[str, Sequence[Scalar]]:
    """Rows as lists of plain numbers, which symbols and floats multiply fastest."""
    return {name: row.tolist() for name, row in rows.items()}


def single_shares(mech: Mechanism) -> Mapping[str, Sequence[Scalar]]:
    """Per motor the row that gives its torque from generalized forces, where each alone drives one speed.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> single_shares(gw.Mechanism([arm], actuators=[gw.Actuator("motor", [100.0])]))
    {'motor': [0.01]}
    """
    return {motor.name: _single_share(motor) for motor in mech.actuators}


def _single_share(motor: Actuator) -> list[Scalar]:
    row: list[Scalar] = list(motor.row)
    if sum(not is_zero(x) for x in row) != 1:
        raise InputError(
            f"motor {motor.name!r} drives several speeds, so that its ratios must be numbers. Leave them out of the "
            "parameters."
        )
    return [0.0 if is_zero(x) else 1.0 / x for x in row]


def same_row(line: Line, other: Line) -> bool:
    """Whether two lines have the very same row, symbols included."""
    pairs = zip(line.terms, other.terms, strict=False)
    alike = len(line.terms) == len(other.terms) and all(j == k and x is y for (j, x), (k, y) in pairs)
    return alike and other.inlet is None
