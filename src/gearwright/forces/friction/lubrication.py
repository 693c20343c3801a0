"""The temperature of a lubricant as state or input of a friction law, and the friction at this temperature."""

from __future__ import annotations

from dataclasses import replace

from gearwright.algebra import Scalar
from gearwright.forces.law import Outcome, Quantity, Situation
from gearwright.parts import Friction


def lubricant_states(law: str, friction: Friction | None) -> tuple[Quantity, ...]:
    """The state `<law>.temperature` [K] of a lubricant that friction heats, the last state of its law."""
    lubricant = None if friction is None else friction.lubricant
    if lubricant is None or lubricant.capacity is None:
        return ()
    return (Quantity(f"{law}.temperature", "K", lubricant.ambient),)


def lubricant_inputs(law: str, friction: Friction | None) -> tuple[Quantity, ...]:
    """The input `<law>.temperature` [K] of a lubricant without heat capacity; by default the reference temperature.

    >>> from gearwright.parts import Lubricant
    >>> oil = Friction(viscous=0.5, lubricant=Lubricant(0.03, reference=313.15))
    >>> [(x.name, x.initial) for x in lubricant_inputs("j1.friction", oil)]
    [('j1.friction.temperature', 313.15)]
    """
    lubricant = None if friction is None else friction.lubricant
    if lubricant is None or lubricant.capacity is not None:
        return ()
    return (Quantity(f"{law}.temperature", "K", lubricant.reference),)


def warm_friction(friction: Friction, situation: Situation) -> Friction:
    r"""The friction at the temperature of its lubricant: $d \, e^{-\beta (T - T_0)}$ in place of d."""
    lubricant = friction.lubricant
    if lubricant is None:
        return friction
    temperature = _temperature(friction, situation)
    factor = situation.ops.exp(-lubricant.temperature_coefficient * (temperature - lubricant.reference))
    return replace(friction, viscous=friction.viscous * factor, lubricant=None)


def with_lubricant_rate(friction: Friction | None, situation: Situation, outcome: Outcome) -> Outcome:
    r"""The outcome of a friction law with $\dot T = (P - (T - T_a) / R) / C$, where P is the dissipated power."""
    lubricant = None if friction is None else friction.lubricant
    if friction is None or lubricant is None or lubricant.capacity is None:
        return outcome
    heat_flow = (_temperature(friction, situation) - lubricant.ambient) / lubricant.lubricant_ambient
    return replace(outcome, rates=(*outcome.rates, (outcome.dissipated - heat_flow) / lubricant.capacity))


def _temperature(friction: Friction, situation: Situation) -> Scalar:
    assert friction.lubricant is not None
    return situation.inputs[-1] if friction.lubricant.capacity is None else situation.states[-1]
