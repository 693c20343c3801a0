"""The best sets of drives: all of them looked at where there are few, an evolution where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates, speed_uses
from gearwright.design.candidates.drive_equations import AT_ANY_LOAD, JOINT_SPEED
from gearwright.design.candidates.drive_influence import DriveSpace
from gearwright.design.candidates.objectives import Found, telling, unbeaten
from gearwright.design.search.drive_sets import DriveSets, Places, SetNumbers
from gearwright.design.search.enumeration import CHUNK, all_sets
from gearwright.design.search.tightest_limit import nothing_fits, way_out
from gearwright.errors import InputError
from gearwright.text import did_you_mean

FEW = 1_000_000
"""Up to so many sets are all looked at."""
KEPT = 5_000
"""Of the sets that keep every limit, how many of the best are kept."""
METHODS = ("enumerate", "evolve")


class Sets(NamedTuple):
    """The best sets, those that nothing beats in two objectives, how many were looked at, and what to say about it."""

    found: tuple[Found, ...]
    front: tuple[Found, ...]
    looked_at: int
    remarks: tuple[str, ...]
    pair: tuple[str, str] = ("mass", "energy")


def best_sets(
    space: DriveSpace,
    options: Sequence[Candidates],
    goal: str,
    share: float,
    *,
    pair: tuple[str, str] = ("mass", "energy"),
    seed: int = 0,
    method: str | None = None,
) -> Sets:
    """The sets of choices that keep every limit, the best first."""
    if method not in (None, *METHODS):
        raise InputError(f"size_drives: method {method!r}: {did_you_mean(method, METHODS)}")
    sets = DriveSets(space, quick_options(space, options, share, goal))
    number = prod(len(some) for some in sets.options)
    other = pair[1] if pair[0] == goal else pair[0]
    if method == "enumerate" or (method is None and number <= FEW and sets.order is not None):
        places, looked_at, remarks = all_sets(sets, share), number, (f"all {number} sets were looked at.",)
    else:
        from gearwright.design.search.genetic_search import evolved

        def selection(numbers: SetNumbers) -> NDArray[np.intp]:
            return np.unique(np.concatenate([_best(space, numbers, goal, other), _front(space, numbers, pair)]))

        places, looked_at = evolved(sets, (goal, other), share, seed, selection)
        remarks = (f"of {number:.3g} sets {looked_at} were looked at by an evolution (seed {seed}).",)
    if not len(places):
        raise nothing_fits(DriveSets(space, tuple(telling(some, goal) for some in options)), share, FEW)
    numbers = _numbers(sets, places)
    best, front = _best(space, numbers, goal, other), _front(space, numbers, pair)
    return Sets(
        described(sets, places[best], numbers.at(best)),
        described(sets, places[front], numbers.at(front)),
        looked_at,
        remarks,
        pair,
    )


def _best(space: DriveSpace, numbers: SetNumbers, goal: str, other: str) -> NDArray[np.intp]:
    """Places of the best sets, by the objective, then by the other one."""
    return np.lexsort((_of(space, numbers, other), _of(space, numbers, goal)))[:KEPT]


def _front(space: DriveSpace, numbers: SetNumbers, pair: tuple[str, str]) -> NDArray[np.intp]:
    """Places of the sets on the Pareto front of two objectives."""
    return unbeaten(*(_of(space, numbers, name) for name in pair))


def quick_options(space: DriveSpace, options: Sequence[Candidates], share: float, goal: str) -> tuple[Candidates, ...]:
    """Per joint the choices that turn fast enough and have the numbers of the objective."""
    quick = tuple(telling(_quick_enough(space, some, share), goal) for some in options)
    empty = [some.basis.drive.joint for some in quick if not len(some)]
    if empty:
        raise InputError(
            f"size_drives: joint {empty[0]!r}: no drive that turns fast enough states its {goal}. "
            "Add the numbers in a file of your own, or want something else."
        )
    return quick


def _quick_enough(space: DriveSpace, some: Candidates, share: float) -> Candidates:
    """Choices that are too slow for the motion, whatever they carry, are left out."""
    use = speed_uses(some, space.motion)
    joint = some.basis.drive.joint
    if JOINT_SPEED in use and use[JOINT_SPEED][0] > share:
        raise InputError(
            f"size_drives: joint {joint!r}: the task takes {use[JOINT_SPEED][0]:.0%} of the joint's speed, {share:.0%} "
            f"is allowed. {way_out(JOINT_SPEED)}"
        )
    worst = np.max([use[name] for name in AT_ANY_LOAD], axis=0)
    fits = worst <= share
    if not fits.any():
        best = int(worst.argmin())
        tightest = max(AT_ANY_LOAD, key=lambda name: use[name][best])
        raise InputError(
            f"size_drives: joint {joint!r}: nothing in the catalogue turns fast enough; the best takes "
            f"{worst[best]:.0%} of its {tightest}, {share:.0%} is allowed. Slow the task down, or add drives of lower "
            "ratios."
        )
    return some[fits]


def _numbers(sets: DriveSets, places: Places) -> SetNumbers:
    chunks = [sets.evaluated(places[start : start + CHUNK]) for start in range(0, len(places), CHUNK)]
    return SetNumbers(*(np.concatenate(columns) for columns in zip(*chunks, strict=True)))


def _of(space: DriveSpace, numbers: SetNumbers, objective: str) -> Array:
    """An objective of every set; the cycle takes as long for all of them."""
    if objective == "cycle_time":
        return np.full(len(numbers.use), space.duration)
    return np.asarray(getattr(numbers, objective))


def described(sets: DriveSets, places: Places, numbers: SetNumbers) -> tuple[Found, ...]:
    """Sets with their choices by name."""
    columns = zip(*(column.tolist() for column in numbers), strict=True)
    return tuple(
        Found(
            tuple(sets.options[j].choices[place] for j, place in enumerate(row)),
            mass=mass,
            energy=energy,
            price=price,
            use=use,
            temperature=temperature,
            cycle_time=sets.space.duration,
        )
        for row, (use, mass, energy, price, temperature) in zip(places, columns, strict=True)
    )
