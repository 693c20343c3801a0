"""Mapping of all numbers of a part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import Dual


def map_dual_numbers(part: Any, change: Callable[[Dual], Scalar]) -> Any:
    """Return a part with a function applied to all its varying numbers, including those of its sub-parts.

    >>> from gearwright.algebra.differentiation.dual_numbers import primal_value, dual_parameters
    >>> from gearwright.parts import Gear
    >>> map_dual_numbers(Gear(dual_parameters({"ratio": 60.0})["ratio"]), primal_value).ratio
    60.0
    """
    if isinstance(part, Dual):
        return change(part)
    if isinstance(part, tuple):
        return tuple(map_dual_numbers(x, change) for x in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    old = {part_field.name: getattr(part, part_field.name) for part_field in fields(part) if part_field.init}
    new = {name: map_dual_numbers(x, change) for name, x in old.items()}
    changed = {name: x for name, x in new.items() if x is not old[name]}
    return replace(part, **changed) if changed else part
