"""What is wanted least of a design, and which designs nothing beats in two of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates, Choice
from gearwright.errors import InputError
from gearwright.text import did_you_mean

OBJECTIVES = {"mass": "kg", "energy": "J", "temperature": "K", "price": "", "cycle_time": "s"}
"""What may be wanted least, and its unit: of motors, gearboxes and links whose section varies; per cycle, electrical,
with regeneration; of the warmest winding; in the currency of the user's file; of one cycle."""


class Found(NamedTuple):
    """A design that keeps every limit.

    Args:
        choices: per joint the motor and the gearbox.
        mass: of the drives, and of links whose section varies [kg].
        energy: electrical, per cycle [J].
        price: in the currency of the user's file; nan where a sheet states none.
        use: the largest share of any limit.
        temperature: of the warmest winding in the mean of the cycle [K]; nan where a sheet does not tell.
        cycle_time: [s].
        values: of the variables, if there are any.
    """

    choices: tuple[Choice, ...]
    mass: float
    energy: float
    price: float
    use: float
    temperature: float
    cycle_time: float
    values: tuple[tuple[str, Any], ...] = ()

    def value(self, objective: str) -> float:
        """That number of it."""
        return float(getattr(self, objective))


def known_objective(name: str, options: Sequence[Candidates]) -> str:
    """The name of an objective that the catalogue has numbers for, or an error."""
    if name not in OBJECTIVES:
        raise InputError(f"size_drives: objective {name!r}: {did_you_mean(name, OBJECTIVES)}")
    for some in options:
        if name == "price" and np.isnan(some.price).all():
            raise InputError("size_drives: the catalogue states no prices. Add a column `price` in a file of your own.")
        if name == "temperature" and np.isnan(some.thermal).all():
            raise InputError("size_drives: no motor of the catalogue states its thermal resistances (Rth1, Rth2).")
    return name


def titled(name: str) -> str:
    """An objective with its unit.

    >>> titled("cycle_time"), titled("price")
    ('cycle time [s]', 'price')
    """
    words, unit = name.replace("_", " "), OBJECTIVES[name]
    return f"{words} [{unit}]" if unit else words


def telling(some: Candidates, objective: str) -> Candidates:
    """The choices whose sheets have the numbers of an objective."""
    if objective == "price":
        return some[~np.isnan(some.price)]
    return some[~np.isnan(some.thermal)] if objective == "temperature" else some


def front_pair(front: Sequence[str] | None, objective: str) -> tuple[str, str]:
    """The two objectives of the front: those given, or the objective with energy (energy itself with mass)."""
    if front is None:
        return objective, "mass" if objective == "energy" else "energy"
    if isinstance(front, str) or len(front) != 2 or front[0] == front[1]:
        raise InputError(f"size_drives: front={front!r} must be two different objectives, such as ('mass', 'energy').")
    return front[0], front[1]


def unbeaten(first: Array, second: Array) -> NDArray[np.intp]:
    """Places of the points that no other beats in both numbers, by rising first number; nan is beaten by all.

    >>> unbeaten(np.array([1.0, 2.0, 3.0, 2.5]), np.array([5.0, 3.0, 4.0, 2.0])).tolist()
    [0, 1, 3]
    """
    order = np.lexsort((second, first))
    told = order[~np.isnan(first[order]) & ~np.isnan(second[order])]
    least = np.minimum.accumulate(second[told])
    better = np.ones(len(told), dtype=bool)
    better[1:] = second[told][1:] < least[:-1]
    return told[better]
