"""A sizing as plain numbers and names, for JSON and for tables."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from gearwright.parts import Material

if TYPE_CHECKING:
    from gearwright.design.candidates import Choice
    from gearwright.design.objectives import Found
    from gearwright.design.sized_drives import Sizing


def summary(sizing: Sizing) -> dict[str, Any]:
    """Choices, values of the variables, gains, front and analysis."""
    return {
        "choices": {joint: _choice(one) for joint, one in sizing.choices.items()},
        "mass": sizing.mass,
        "values": {name: plain_value(value) for name, value in sizing.values.items()},
        "gains": {joint: one._asdict() for joint, one in sizing.gains.items()},
        "front": {"objectives": list(sizing.pair), "designs": [_design(sizing, one) for one in sizing.front]},
        "looked_at": sizing.looked_at,
        "remarks": list(sizing.remarks),
        "analysis": sizing.analysis.summary(),
    }


def _choice(one: Choice) -> dict[str, Any]:
    return {
        "motor": None if one.kept else one.motor.key,
        "gearbox": one.gearbox.key if one.gearbox else None,
        "mass": one.mass,
    }


def _design(sizing: Sizing, one: Found) -> dict[str, Any]:
    return {
        **{name: None if isnan(one.value(name)) else one.value(name) for name in sizing.pair},
        "choices": {joint: _choice(choice) for joint, choice in zip(sizing.choices, one.choices, strict=True)},
        "values": {name: plain_value(value) for name, value in one.values},
    }


def plain_value(value: Any) -> float | str:
    """A number, or the name of a link or material."""
    if isinstance(value, Material):
        return value.name
    return value if isinstance(value, float | str) else str(value.link)
