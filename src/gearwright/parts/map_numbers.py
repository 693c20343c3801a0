"""Every number inside a part, changed at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_numbers import Varied


def with_varied(part: Any, change: Callable[[Varied], Scalar]) -> Any:
    """A part, and all that it is made of, with other numbers where they vary.

    >>> from gearwright.algebra.differentiation.dual_numbers import value_of, varied_parameters
    >>> from gearwright.parts import Gear
    >>> with_varied(Gear(varied_parameters({"ratio": 60.0})["ratio"]), value_of).ratio
    60.0
    """
    if isinstance(part, Varied):
        return change(part)
    if isinstance(part, tuple):
        return tuple(with_varied(x, change) for x in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    old = {one.name: getattr(part, one.name) for one in fields(part) if one.init}
    new = {name: with_varied(x, change) for name, x in old.items()}
    moved = {name: x for name, x in new.items() if x is not old[name]}
    return replace(part, **moved) if moved else part


def slopes_in(part: Any) -> dict[str, float]:
    """Per parameter on which a part depends the largest slope of its numbers, as a share of the number."""
    found: dict[str, float] = {}

    def note(x: Varied) -> Varied:
        for name, slope in x.c[1].by.items():
            found[name] = max(found.get(name, 0.0), abs(float(slope) / float(x.c[0])))
        return x

    with_varied(part, note)
    return found
