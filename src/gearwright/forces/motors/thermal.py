"""A motor getting warm: two bodies, winding and housing, as states of its law."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import Scalar
from gearwright.forces.law import Quantity
from gearwright.parts import Heat


class Warmth(NamedTuple):
    """Temperatures of winding and housing [K]."""

    winding: Scalar
    housing: Scalar


def warm_states(drive: str, heat: Heat | None) -> tuple[Quantity, ...]:
    """The temperatures that are states, `<drive>.winding_temperature` and `.housing_temperature`, ambient at the start.

    >>> [state.name for state in warm_states("j1", Heat(1.7, 6.0, 9.5, 119.0))]
    ['j1.winding_temperature', 'j1.housing_temperature']
    """
    if heat is None:
        return ()
    winding = Quantity(f"{drive}.winding_temperature", "K", heat.ambient)
    housing = Quantity(f"{drive}.housing_temperature", "K", heat.ambient)
    return (winding,) if heat.housing_capacity is None else (winding, housing)


def warmth(heat: Heat, states: Sequence[Scalar]) -> Warmth:
    """Both temperatures; that of a housing that stores nothing follows from the heat that flows through it."""
    if heat.housing_capacity is not None:
        return Warmth(states[0], states[1])
    share = heat.housing_ambient / (heat.winding_housing + heat.housing_ambient)
    return Warmth(states[0], heat.ambient + share * (states[0] - heat.ambient))


def warming(heat: Heat, now: Warmth, power: Scalar) -> tuple[Scalar, ...]:
    r"""Rates of the temperatures that are states [K/s] for the Joule heat `power` [W].

    $\dot T_w = (P - Q) / C_w$ and $\dot T_h = (Q - (T_h - T_a) / R_{ha}) / C_h$ with $Q = (T_w - T_h) / R_{wh}$.
    """
    outward = (now.winding - now.housing) / heat.winding_housing
    winding = (power - outward) / heat.winding_capacity
    if heat.housing_capacity is None:
        return (winding,)
    return (winding, (outward - (now.housing - heat.ambient) / heat.housing_ambient) / heat.housing_capacity)


def resistance_factor(heat: Heat, now: Warmth) -> Scalar:
    """What the winding's resistance is of the stated one."""
    return 1 + heat.copper * (now.winding - heat.reference)


def magnet_factor(heat: Heat, now: Warmth) -> Scalar:
    """What the torque constant is of the stated one."""
    return 1 + heat.magnet * (now.housing - heat.reference)
