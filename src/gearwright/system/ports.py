"""What motors bring through the ports of their gears, with ratios of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.errors import InputError
from gearwright.forces.line import Line
from gearwright.functions.actuation import motor_shares
from gearwright.mechanism import Mechanism

Shares = tuple[tuple[int, Scalar], ...]
"""A torque from generalized forces, as (speed, share)."""


def port_shares(mech: Mechanism) -> Mapping[str | None, Shares]:
    """Per actuator its torque from generalized forces.

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", mass=2, com=(0.5, 0, 0))
    >>> port_shares(gw.Mechanism([arm], actuators=[gw.Actuator("motor", [100.0])]))
    {'motor': ((0, 0.01),)}
    """
    own = {motor.name: [(k, x) for k, x in enumerate(motor.row) if not is_zero(x)] for motor in mech.actuators}
    if not all(is_number(x) for row in own.values() for _, x in row):  # a ratio that is a symbol
        return {name: _only_share(name, row) for name, row in own.items()}
    return {name: tuple((k, float(x)) for k, x in enumerate(row) if x) for name, row in motor_shares(mech).items()}


def _only_share(name: str, row: Sequence[tuple[int, Scalar]]) -> Shares:
    if len(row) != 1:
        raise InputError(f"motor {name!r} drives several speeds, so that its ratios must be numbers, not parameters.")
    return ((row[0][0], 1.0 / row[0][1]),)


def same_row(line: Line, other: Line) -> bool:
    """Whether two lines have the very same row, symbols included."""
    pairs = zip(line.terms, other.terms, strict=False)
    alike = len(line.terms) == len(other.terms) and all(j == k and x is y for (j, x), (k, y) in pairs)
    return alike and other.inlet is None
