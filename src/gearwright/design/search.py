"""The best sets of drives: all of them looked at where there are few, an evolution where there are many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from gearwright.arrays import Array
from gearwright.design.candidates import Candidates, Choice
from gearwright.design.drive_basis import DriveSpace
from gearwright.design.drive_sets import DriveSets, Places
from gearwright.design.screening import screen
from gearwright.errors import InputError
from gearwright.text import did_you_mean

FEW = 1_000_000
"""Up to so many sets are all looked at."""
CHUNK = 2_000
"""Sets that are looked at together: their series must fit into memory."""
KEPT = 5_000
"""Of the sets that keep every limit, how many of the best are kept."""
AT_ANY_LOAD = ("motor speed", "continuous motor speed", "gearbox input speed", "gearbox mean input speed")
"""Limits that do not depend on what the other joints carry."""


class Found(NamedTuple):
    """A set that keeps every limit: its choices, mass [kg], energy per cycle [J], price, and largest use of a limit."""

    choices: tuple[Choice, ...]
    mass: float
    energy: float
    price: float
    use: float


class Sets(NamedTuple):
    """The best sets, how many were looked at, and what to say about the search."""

    found: tuple[Found, ...]
    looked_at: int
    remarks: tuple[str, ...]


class Objective(NamedTuple):
    """What is wanted least."""

    name: str
    value: Callable[[Found], float]


def objective_of(name: str, options: Sequence[Candidates]) -> Objective:
    """The objective of that name, or an error."""
    known: dict[str, Callable[[Found], float]] = {
        "mass": lambda one: one.mass,
        "energy": lambda one: one.energy,
        "price": lambda one: one.price,
    }
    if name not in known:
        raise InputError(f"size_drives: objective {name!r}: {did_you_mean(name, known)}")
    if name == "price" and all(np.isnan(some.price).all() for some in options):
        raise InputError("size_drives: the catalogue states no prices. Add a column `price` in a file of your own.")
    return Objective(name, known[name])


def best_sets(
    space: DriveSpace,
    options: Sequence[Candidates],
    goal: Objective,
    share: float,
    *,
    seed: int = 0,
    method: str | None = None,
) -> Sets:
    """The sets of choices that keep every limit, the best first."""
    if method not in (None, "enumerate", "evolve"):
        raise InputError(f"size_drives: method {method!r}: {did_you_mean(method, ('enumerate', 'evolve'))}")
    quick = tuple(_quick_enough(space, some, share) for some in options)
    if goal.name == "price":
        quick = tuple(some[~np.isnan(some.price)] for some in quick)
    sets = DriveSets(space, quick)
    number = prod(len(some) for some in quick)
    if method == "enumerate" or (method is None and number <= FEW and sets.order is not None):
        places, looked_at, remarks = _all_sets(sets, share), number, (f"all {number} sets were looked at.",)
    else:
        from gearwright.design.evolution import evolved

        places, looked_at = evolved(sets, goal.name, share, seed)
        remarks = (f"of {number:.3g} sets {looked_at} were looked at by an evolution (seed {seed}).",)
    found = sorted(_described(sets, places), key=goal.value)
    if not found:
        raise _nothing(sets, share)
    return Sets(tuple(found[:KEPT]), looked_at, remarks)


def _quick_enough(space: DriveSpace, some: Candidates, share: float) -> Candidates:
    """Choices that are too slow for the motion, whatever they carry, are left out."""
    use = screen(some, space.motion, space.bare[:, some.basis.at]).use
    fits = np.max([use[name] for name in AT_ANY_LOAD], axis=0) <= share
    if not fits.any():
        tightest = max(((name, float(use[name].min())) for name in AT_ANY_LOAD), key=lambda pair: pair[1])
        raise InputError(
            f"size_drives: joint {some.basis.drive.joint!r}: nothing in the catalogue turns fast enough; the best "
            f"takes {tightest[1]:.0%} of its {tightest[0]}. Slow the task down, or add drives of lower ratios."
        )
    return some[fits]


def _all_sets(sets: DriveSets, share: float) -> Places:
    """Every set that keeps all limits: joint by joint, those that miss one are not followed."""
    order = sets.order
    if order is None:
        raise InputError("size_drives: the drives act on each other in a circle. Use method='evolve'.")
    partial: Places = np.zeros((1, 0), dtype=np.intp)
    for depth, joint in enumerate(order):
        count = len(sets.options[joint])
        grown = [
            _kept(sets, order, depth, rows, share)
            for start in range(0, len(partial) * count, CHUNK)
            for rows in [_product(partial, count, start, min(start + CHUNK, len(partial) * count))]
        ]
        partial = np.concatenate(grown) if grown else np.zeros((0, depth + 1), dtype=np.intp)
    columns = np.argsort(order)
    return partial[:, columns]


def _product(partial: Places, count: int, start: int, stop: int) -> Places:
    """Rows of every partial set with every choice of the next joint."""
    numbers = np.arange(start, stop)
    return np.column_stack([partial[numbers // count], numbers % count])


def _kept(sets: DriveSets, order: Sequence[int], depth: int, rows: Places, share: float) -> Places:
    chosen = {joint: rows[:, k] for k, joint in enumerate(order[: depth + 1])}
    found = sets.screened(order[depth], chosen, rows[:, depth])
    return rows[found.worst <= share]


def _described(sets: DriveSets, places: Places) -> list[Found]:
    found: list[Found] = []
    for start in range(0, len(places), CHUNK):
        rows = places[start : start + CHUNK]
        use, energy = sets.evaluated(rows)
        mass, price = (_summed(sets, rows, word) for word in ("mass", "price"))
        found += [
            Found(
                tuple(sets.options[j].choices[place] for j, place in enumerate(row)),
                float(mass[k]),
                float(energy[k]),
                float(price[k]),
                float(use[k]),
            )
            for k, row in enumerate(rows)
        ]
    return found


def _summed(sets: DriveSets, rows: Places, word: str) -> Array:
    return np.asarray(sum(getattr(some, word)[rows[:, j]] for j, some in enumerate(sets.options)))


def _nothing(sets: DriveSets, share: float) -> InputError:
    """Which limit stands in the way: that of the set which comes closest, joint by joint."""
    closest: dict[int, int] = {}
    for joint in sets.order or range(len(sets.options)):
        count = len(sets.options[joint])
        chosen = {k: np.full(count, place) for k, place in closest.items()}
        chosen |= {k: np.zeros(count, dtype=np.intp) for k in range(len(sets.options)) if k not in closest}
        closest[joint] = int(sets.screened(joint, chosen, np.arange(count)).worst.argmin())
    name, use = sets.tightest(np.array([closest[j] for j in range(len(sets.options))]))
    return InputError(
        f"size_drives: no set keeps every limit. The tightest is {name}: the best choice takes {use:.0%} of it, "
        f"{share:.0%} is allowed. Slow the task down, lighten the links, or add larger drives to the catalogue."
    )
