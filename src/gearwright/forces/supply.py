r"""The bus between a supply and its motors, solved exactly at every moment.

The electronics of a drive are ideal choppers: with the duty d a motor sees the voltage d V of the bus and loads it with
d i, so that no power is lost in between. Currents of motors without inductance depend on the voltage, so the load is
I(V) = a + b V. Three parts of the source's characteristic meet it, all linear:

drawing: V = V0 - R I; between, for a source that takes nothing back: I = 0 (but for a trickle); braking: the chopper of
the braking resistor holds V at its threshold as long as the resistor can take the current, then V = Rb times what is
left for it.
"""

from __future__ import annotations

from typing import NamedTuple

from gearwright.algebra import Operations, Scalar, is_zero
from gearwright.parts import Supply

TINY = 1e-12
"""Conductance [1/Ohm] that counts as none."""

TRICKLE = 1e-2
"""Current [A] per source voltage that the braking resistor takes while the bus rises to its threshold."""


class Bus(NamedTuple):
    """The bus at a moment: its voltage [V], what the source and the braking resistor carry [A]."""

    voltage: Scalar
    source: Scalar
    brake: Scalar


def bus(supply: Supply, a: Scalar, b: Scalar, ops: Operations) -> Bus:
    """The bus under the load a + b V [A], b >= 0.

    >>> from gearwright.algebra.operations import FLOATS
    >>> bus(Supply(48.0, 0.5), 8.0, 0.0, FLOATS)
    Bus(voltage=44.0, source=8.0, brake=0.0)
    >>> bus(Supply(48.0, 0.5, False, 56.0, 4.0), -10.0, 0.0, FLOATS)
    Bus(voltage=56.0, source=0.0, brake=10.0)
    """
    if supply.regenerates:
        return _regenerating(supply, a, b, ops)
    drawn = a + b * supply.voltage
    low = (supply.voltage - supply.resistance * a) / (1 + supply.resistance * b)
    # Where nothing is drawn, a load of coils alone (b = 0) leaves the voltage open: there it would jump to the brake's
    # threshold and back. A trickle through the braking resistor makes it a steep line instead.
    free = supply.voltage - drawn / ops.maximum(b, TRICKLE / supply.voltage)
    voltage = ops.where(drawn >= 0, low, _braked(supply, -a, b, free, ops))
    load = a + b * voltage
    source = ops.where(drawn >= 0, load, 0.0)
    return Bus(voltage, source, ops.where(drawn >= 0, 0.0, -load))


def _regenerating(supply: Supply, a: Scalar, b: Scalar, ops: Operations) -> Bus:
    if supply.brake_voltage is None or is_zero(supply.resistance):
        voltage = (supply.voltage - supply.resistance * a) / (1 + supply.resistance * b)
        return Bus(voltage, a + b * voltage, 0.0)
    conductance = 1 / supply.resistance
    voltage = _braking(supply, conductance * supply.voltage - a, b + conductance, ops)
    source = conductance * (supply.voltage - voltage)
    return Bus(voltage, source, source - a - b * voltage)


def _braking(supply: Supply, current: Scalar, conductance: Scalar, ops: Operations) -> Scalar:
    """The voltage at which a current goes through a conductance, what is too much for it through the resistor."""
    return _braked(supply, current, conductance, current / ops.maximum(conductance, TINY), ops)


def _braked(supply: Supply, current: Scalar, conductance: Scalar, free: Scalar, ops: Operations) -> Scalar:
    """The voltage that is `free` below the threshold of the braking resistor."""
    resistance: Scalar = supply.brake_resistance
    burning = current / (conductance + 1 / resistance)
    return ops.maximum(burning, ops.minimum(free, supply.brake_voltage))
