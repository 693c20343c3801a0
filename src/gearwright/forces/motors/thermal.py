"""The thermal model of a motor: winding and housing as two thermal masses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import Scalar
from gearwright.forces.law import Quantity
from gearwright.parts import Heat


class MotorTemperatures(NamedTuple):
    """Temperatures of winding and housing [K]."""

    winding: Scalar
    housing: Scalar


def temperature_quantities(drive: str, heat: Heat | None) -> tuple[Quantity, ...]:
    """The temperature states `<drive>.winding_temperature` and `.housing_temperature`, initially ambient.

    >>> [state.name for state in temperature_quantities("j1", Heat(1.7, 6.0, 9.5, 119.0))]
    ['j1.winding_temperature', 'j1.housing_temperature']
    """
    if heat is None:
        return ()
    winding = Quantity(f"{drive}.winding_temperature", "K", heat.ambient)
    housing = Quantity(f"{drive}.housing_temperature", "K", heat.ambient)
    return (winding,) if heat.housing_capacity is None else (winding, housing)


def temperatures_from_states(heat: Heat, states: Sequence[Scalar]) -> MotorTemperatures:
    """Both temperatures; that of a housing without heat capacity follows from the heat flow."""
    if heat.housing_capacity is not None:
        return MotorTemperatures(states[0], states[1])
    share = heat.housing_ambient / (heat.winding_housing + heat.housing_ambient)
    return MotorTemperatures(states[0], heat.ambient + share * (states[0] - heat.ambient))


def temperature_rates(heat: Heat, temperatures: MotorTemperatures, power: Scalar) -> tuple[Scalar, ...]:
    r"""Rates of the temperatures that are states [K/s] for the Joule heat `power` [W].

    $\dot T_w = (P - Q) / C_w$ and $\dot T_h = (Q - (T_h - T_a) / R_{ha}) / C_h$ with $Q = (T_w - T_h) / R_{wh}$.
    """
    heat_flow = (temperatures.winding - temperatures.housing) / heat.winding_housing
    winding = (power - heat_flow) / heat.winding_capacity
    if heat.housing_capacity is None:
        return (winding,)
    return (winding, (heat_flow - (temperatures.housing - heat.ambient) / heat.housing_ambient) / heat.housing_capacity)


def resistance_factor(heat: Heat, temperatures: MotorTemperatures) -> Scalar:
    """Ratio of the winding's resistance to the stated one."""
    return 1 + heat.copper * (temperatures.winding - heat.reference)


def magnet_factor(heat: Heat, temperatures: MotorTemperatures) -> Scalar:
    """Ratio of the torque constant to the stated one."""
    return 1 + heat.magnet * (temperatures.housing - heat.reference)
