"""Admissible values of the numbers of a data sheet, for sheets made in Python and for rows of tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

POSITIVE_FIELDS = frozenset(
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
"""Divisors, and limits of which 0 would permit no motion: a 0 in a table means that the cell was empty."""
FIELDS_ZERO_IF_IDEAL = frozenset({"resistance", "housing_ambient", "housing_time_constant"})
"""Fields that may be 0 in the motor of a robot file; in a table, 0 means that the value is not printed."""
COUNT_FIELDS = frozenset({"stages", "pole_pairs"})


def invalid_values(words: Mapping[str, Any], *, printed: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the fields of a data sheet with inadmissible numbers, each with the violated rule.

    Args:
        words: field -> number; texts and None are not checked.
        printed: whether they come from a table, in which ideal values (0) are not admissible.

    >>> list(invalid_values({"ratio": 50.0, "efficiency": 1.8}))
    [('efficiency', 'must be above 0 and at most 1')]
    """
    for word, value in words.items():
        if not isinstance(value, int | float):
            continue
        rule = (
            "must be above 0" if printed and word in FIELDS_ZERO_IF_IDEAL and value == 0 else _broken_rule(word, value)
        )
        if rule is not None:
            yield word, rule


def _broken_rule(word: str, value: float) -> str | None:
    if word == "direction":
        return None if value in (1, -1) else "is neither 1 nor -1"
    if not isfinite(value):
        return "must be finite"
    if word == "efficiency":
        return None if 0 < value <= 1 else "must be above 0 and at most 1"
    if word in COUNT_FIELDS:
        return None if value >= 1 and value == int(value) else "must be a whole number of at least 1"
    if word in POSITIVE_FIELDS:
        return None if value > 0 else "must be above 0"
    return None if value >= 0 else "must be 0 or more"
