"""Objectives of a design, and the Pareto front of two objectives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates, Choice
from gearwright.errors import InputError
from gearwright.text import did_you_mean

OBJECTIVE_UNITS = {"mass": "kg", "energy": "J", "temperature": "K", "price": "", "cycle_time": "s"}
"""Objectives and their units: mass of motors, gearboxes and links with variable sections; electrical energy per cycle
with regeneration; temperature of the hottest winding; price in the currency of the user's file; duration of a cycle."""


class DesignPoint(NamedTuple):
    """A design that satisfies every limit.

    Args:
        choices: per joint the motor and the gearbox.
        mass: of the drives and of links with variable sections [kg].
        energy: electrical, per cycle [J].
        price: in the currency of the user's file; nan if a data sheet states none.
        largest_share: largest utilisation of any limit.
        temperature: mean temperature of the hottest winding over the cycle [K]; nan without thermal data.
        cycle_time: [s].
        values: of the variables, if any.
    """

    choices: tuple[Choice, ...]
    mass: float
    energy: float
    price: float
    largest_share: float
    temperature: float
    cycle_time: float
    values: tuple[tuple[str, Any], ...] = ()

    def objective_value(self, objective: str) -> float:
        """The value of an objective."""
        return float(getattr(self, objective))


def require_objective(name: str, options: Sequence[Candidates]) -> str:
    """The name of an objective, after a check that the catalogue has its data."""
    if name not in OBJECTIVE_UNITS:
        raise InputError(f"size_drives: objective {name!r}: {did_you_mean(name, OBJECTIVE_UNITS)}")
    for pairs in options:
        if name == "price" and np.isnan(pairs.price).all():
            raise InputError("size_drives: the catalogue has no prices. Add a column `price` to your own file.")
        if name == "temperature" and np.isnan(pairs.thermal_resistance).all():
            raise InputError(
                "size_drives: no motor of the catalogue states thermal resistances (Rth1, Rth2). Use another objective."
            )
    return name


def title_with_unit(name: str) -> str:
    """An objective with its unit.

    >>> title_with_unit("cycle_time"), title_with_unit("price")
    ('cycle time [s]', 'price')
    """
    words, unit = name.replace("_", " "), OBJECTIVE_UNITS[name]
    return f"{words} [{unit}]" if unit else words


def with_objective_data(pairs: Candidates, objective: str) -> Candidates:
    """The choices whose data sheets have the data of an objective."""
    if objective == "price":
        return pairs[~np.isnan(pairs.price)]
    return pairs[~np.isnan(pairs.thermal_resistance)] if objective == "temperature" else pairs


def front_objectives(front: Sequence[str] | None, objective: str) -> tuple[str, str]:
    """The two objectives of the front: those given, or by default the objective and energy (for energy: and mass)."""
    if front is None:
        return objective, "mass" if objective == "energy" else "energy"
    if isinstance(front, str) or len(front) != 2 or front[0] == front[1]:
        raise InputError(f"size_drives: front={front!r} must be two different objectives, such as ('mass', 'energy').")
    return front[0], front[1]


def pareto_front_indices(first: Array, second: Array) -> NDArray[np.intp]:
    """Indices of the Pareto front of two numbers, sorted by the first; nan is dominated by all.

    >>> pareto_front_indices(np.array([1.0, 2.0, 3.0, 2.5]), np.array([5.0, 3.0, 4.0, 2.0])).tolist()
    [0, 1, 3]
    """
    order = np.lexsort((second, first))
    valid = order[~np.isnan(first[order]) & ~np.isnan(second[order])]
    least = np.minimum.accumulate(second[valid])
    better = np.ones(len(valid), dtype=bool)
    better[1:] = second[valid][1:] < least[:-1]
    return valid[better]
