"""The best sets of drives: by enumeration, or by a genetic algorithm if there are many."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis.drives.limit_kinds import JOINT_SPEED
from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates
from gearwright.design.candidates.drive_influence import DriveSpace
from gearwright.design.candidates.objectives import DesignPoint, pareto_front_indices, with_objective_data
from gearwright.design.candidates.screening import largest, speed_shares
from gearwright.design.search.drive_sets import ChoiceIndices, DriveSets, SetNumbers
from gearwright.design.search.enumeration import ENUMERATION_CHUNK_SIZE, feasible_sets
from gearwright.design.search.tightest_limit import no_feasible_set
from gearwright.errors import InputError

MAX_ENUMERATED_SETS = 1_000_000
"""Largest number of sets that are enumerated."""
MAX_COUPLED_SETS = 20_000
"""Largest number of sets that are enumerated if the drives act on each other: partial sets then exclude none."""
MAX_KEPT_SETS = 5_000
"""Number of best feasible sets that are kept."""
SEARCH_METHODS = ("enumerate", "evolve")


class SearchResult(NamedTuple):
    """The best sets, the Pareto front of two objectives, the number of evaluated sets, and remarks."""

    designs: tuple[DesignPoint, ...]
    front: tuple[DesignPoint, ...]
    evaluated_count: int
    remarks: tuple[str, ...]


def best_sets(
    space: DriveSpace,
    options: Sequence[Candidates],
    goal: str,
    share: float,
    *,
    pair: tuple[str, str] = ("mass", "energy"),
    seed: int = 0,
    method: str | None = None,
) -> SearchResult:
    """The sets of choices that satisfy every limit, the best first."""
    sets = DriveSets(space, fast_enough_options(space, options, share, goal))
    set_count = prod(len(pairs) for pairs in sets.options)
    second_objective = pair[1] if pair[0] == goal else pair[0]
    most = MAX_COUPLED_SETS if sets.joint_order is None else MAX_ENUMERATED_SETS
    if method == "enumerate" or (method is None and set_count <= most):
        places, evaluated_count, remarks = (
            feasible_sets(sets, share),
            set_count,
            (f"all {set_count} sets were evaluated.",),
        )
    else:
        from gearwright.design.search.genetic_search import evolve_sets

        def select_sets(numbers: SetNumbers) -> NDArray[np.intp]:
            return np.unique(
                np.concatenate(
                    [_best_indices(space, numbers, goal, second_objective), _front_indices(space, numbers, pair)]
                )
            )

        places, evaluated_count = evolve_sets(sets, (goal, second_objective), share, seed, select_sets)
        remarks = (f"{evaluated_count} of {set_count:.3g} sets were evaluated by a genetic algorithm (seed {seed}).",)
    if not len(places):
        raise no_feasible_set(
            DriveSets(space, tuple(with_objective_data(pairs, goal) for pairs in options)), share, MAX_ENUMERATED_SETS
        )
    numbers = _set_numbers(sets, places)
    best, front = _best_indices(space, numbers, goal, second_objective), _front_indices(space, numbers, pair)
    return SearchResult(
        design_points(sets, places[best], numbers.select_rows(best)),
        design_points(sets, places[front], numbers.select_rows(front)),
        evaluated_count,
        remarks,
    )


def _best_indices(space: DriveSpace, numbers: SetNumbers, goal: str, second_objective: str) -> NDArray[np.intp]:
    """Indices of the best sets, by the objective, then by the other one."""
    return np.lexsort((_objective_values(space, numbers, second_objective), _objective_values(space, numbers, goal)))[
        :MAX_KEPT_SETS
    ]


def _front_indices(space: DriveSpace, numbers: SetNumbers, pair: tuple[str, str]) -> NDArray[np.intp]:
    """Indices of the sets on the Pareto front of two objectives."""
    return pareto_front_indices(*(_objective_values(space, numbers, name) for name in pair))


def fast_enough_options(
    space: DriveSpace, options: Sequence[Candidates], share: float, goal: str
) -> tuple[Candidates, ...]:
    """Per joint the choices that are fast enough and have the data of the objective."""
    quick = tuple(with_objective_data(_fast_enough(space, pairs, share), goal) for pairs in options)
    empty = [pairs.basis.drive.joint for pairs in quick if not len(pairs)]
    if empty:
        raise InputError(
            f"size_drives: joint {empty[0]!r}: no drive that is fast enough states its {goal}. "
            "Add the data in your own catalogue file, or use another objective."
        )
    return quick


def _fast_enough(space: DriveSpace, pairs: Candidates, share: float) -> Candidates:
    """The choices that are fast enough for the motion at any load."""
    shares = speed_shares(pairs, space.motion)
    joint = pairs.basis.drive.joint
    joint_share = shares.pop(JOINT_SPEED, np.zeros(1))[0]
    if joint_share > share:
        raise InputError(
            f"size_drives: joint {joint!r}: the task needs {joint_share:.0%} of the joint's speed limit, {share:.0%} "
            f"is allowed. {JOINT_SPEED.remedy}"
        )
    worst = largest(shares.values(), pairs.mass)
    fits = worst <= share
    if not fits.any():
        best = int(worst.argmin())
        tightest = max(shares, key=lambda kind: float(shares[kind][best]))
        raise InputError(
            f"size_drives: joint {joint!r}: no drive of the catalogue is fast enough; the best needs "
            f"{worst[best]:.0%} of its {tightest.name}, {share:.0%} is allowed. {tightest.remedy}"
        )
    return pairs[fits]


def _set_numbers(sets: DriveSets, places: ChoiceIndices) -> SetNumbers:
    chunks = [
        sets.evaluate_sets(places[start : start + ENUMERATION_CHUNK_SIZE])
        for start in range(0, len(places), ENUMERATION_CHUNK_SIZE)
    ]
    return SetNumbers(*(np.concatenate(columns) for columns in zip(*chunks, strict=True)))


def _objective_values(space: DriveSpace, numbers: SetNumbers, objective: str) -> Array:
    """An objective of every set; all have the same cycle time."""
    if objective == "cycle_time":
        return np.full(len(numbers.largest_share), space.duration)
    return np.asarray(getattr(numbers, objective))


def design_points(sets: DriveSets, places: ChoiceIndices, numbers: SetNumbers) -> tuple[DesignPoint, ...]:
    """Sets with their choices by name."""
    columns = zip(*(column.tolist() for column in numbers), strict=True)
    return tuple(
        DesignPoint(
            tuple(sets.options[j].choices[place] for j, place in enumerate(row)),
            mass=mass,
            energy=energy,
            price=price,
            largest_share=largest_share,
            temperature=temperature,
            cycle_time=sets.space.duration,
        )
        for row, (largest_share, mass, energy, price, temperature) in zip(places, columns, strict=True)
    )
