"""What a single number of a data sheet can be: one list for sheets made in Python and for rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

POSITIVE = frozenset(
    {
        "voltage",
        "torque_constant",
        "speed_constant",
        "mechanical_time_constant",
        "no_load_speed",
        "nominal_current",
        "nominal_speed",
        "nominal_torque",
        "stall_torque",
        "peak_torque",
        "peak_speed",
        "continuous_speed",
        "continuous_power",
        "winding_housing",
        "winding_time_constant",
        "max_winding_temperature",
        "ratio",
        "rated_torque",
        "momentary_torque",
        "peak_input_speed",
        "rated_input_speed",
        "stiffness",
        "life",
        "life_speed",
        "life_exponent",
        "outer_diameter",
        "shaft_diameter",
        "max_motor_shaft",
        "radial_load",
        "radial_load_distance",
        "axial_load",
        "tilting_moment",
    }
)
"""Numbers that are divided by, and limits under which nothing could run: a 0 is a cell that somebody filled in."""
IDEAL = frozenset({"resistance", "housing_ambient", "housing_time_constant"})
"""What the motor of a robot's file may do without; a table that states 0 for one means that it is not printed."""
COUNTS = frozenset({"stages", "pole_pairs"})


def impossible(words: Mapping[str, Any], *, printed: bool = False) -> Iterator[tuple[str, str]]:
    """The words of a data sheet whose numbers cannot be, each with the rule that it breaks.

    Args:
        words: word -> number; texts and None pass.
        printed: whether they are those of a table, in which nothing is ideal.

    >>> list(impossible({"ratio": 50.0, "efficiency": 1.8}))
    [('efficiency', 'must be above 0 and at most 1')]
    """
    for word, value in words.items():
        if not isinstance(value, int | float):
            continue
        rule = "must be above 0" if printed and word in IDEAL and value == 0 else _broken(word, value)
        if rule is not None:
            yield word, rule


def _broken(word: str, value: float) -> str | None:
    if word == "direction":
        return None if value in (1, -1) else "is neither 1 nor -1"
    if not isfinite(value):
        return "must be finite"
    if word == "efficiency":
        return None if 0 < value <= 1 else "must be above 0 and at most 1"
    if word in COUNTS:
        return None if value >= 1 and value == int(value) else "must be a whole number of 1 or more"
    if word in POSITIVE:
        return None if value > 0 else "must be above 0"
    return None if value >= 0 else "must be 0 or more"
