"""Too many sets to look at: pymoo's genetic algorithm for two objectives, begun at light sets that a walk finds.

A set that misses a limit is worse than every set that keeps all of them, by how much it misses it (pymoo's rule). What
the evolution ends with is improved joint by joint, looking at every choice of one joint while the others stay.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.search.drive_sets import DriveSets, Places, SetNumbers
from gearwright.design.search.enumeration import walked
from gearwright.errors import MissingExtraError

POPULATION, GENERATIONS = 150, 40
REMEMBERED = 100_000
"""Sets that keep every limit and are remembered before the best of them are selected."""
TOGETHER = 20_000
"""Sets whose numbers are computed together."""
BROKEN = 1e6
"""Cost of a set that misses a limit, in units of the objective, and more by how much."""


Selection = Callable[[SetNumbers], NDArray[np.intp]]
"""Places of the sets that are worth remembering, by their numbers."""


class Judged:
    """Sets with their costs; remembers sets that keep all limits.

    Args:
        sets: all there are.
        objective: what is wanted least.
        share: of every limit that may be taken.
        selection: which sets are remembered where there are more than REMEMBERED; all unless given.
    """

    def __init__(self, sets: DriveSets, objective: str, share: float, selection: Selection | None = None) -> None:
        self.sets, self.objective, self.share = sets, objective, share
        self.looked_at = 0
        self._selection = selection
        self._good: list[tuple[Places, SetNumbers]] = []

    def numbers(self, rows: Places, share: float = inf) -> SetNumbers:
        """The numbers of sets, of which those that keep every limit are remembered.

        Args:
            rows: the sets.
            share: beyond which their use need not be known, as `DriveSets.evaluated` takes it.
        """
        self.looked_at += len(rows)
        parts = []
        for start in range(0, len(rows), TOGETHER):
            some = rows[start : start + TOGETHER]
            found = self.sets.evaluated(some, share)
            fits = found.use <= self.share
            self._remember(some[fits], found.at(fits))
            parts.append(found)
        return SetNumbers(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _remember(self, rows: Places, numbers: SetNumbers) -> None:
        if len(rows):
            self._good.append((rows, numbers))
        if self._selection is not None and sum(len(one) for one, _ in self._good) > REMEMBERED:
            rows, numbers = self._distinct()
            worth = self._selection(numbers)
            self._good = [(rows[worth], numbers.at(worth))]

    def _distinct(self) -> tuple[Places, SetNumbers]:
        """The sets that are remembered, each once, in the order in which they were found."""
        rows = np.concatenate([one for one, _ in self._good])
        numbers = SetNumbers(*(np.concatenate(x) for x in zip(*(one for _, one in self._good), strict=True)))
        first = np.sort(np.unique(rows, axis=0, return_index=True)[1])
        return rows[first], numbers.at(first)

    @property
    def good(self) -> Places:
        """The sets that are remembered."""
        return self._distinct()[0] if self._good else np.zeros((0, len(self.sets.options)), dtype=np.intp)

    def costs(self, rows: Places, most: float = inf) -> Array:
        """The objective of each set, and beyond BROKEN for those that miss a limit; by how much only if `most` does."""
        found = self.numbers(rows, self.share if most < BROKEN else inf)
        fits = found.use <= self.share
        return np.where(fits, cost(found, self.objective), BROKEN * (1 + np.minimum(found.use, 1e6)))


def cost(found: SetNumbers, objective: str) -> Array:
    """What is wanted least of sets; for a short cycle, that little of the limits is taken. Unknown is worst."""
    values = found.use if objective == "cycle_time" else getattr(found, objective)
    return np.nan_to_num(values, nan=BROKEN, posinf=BROKEN)


def evolved(
    sets: DriveSets, objectives: tuple[str, str], share: float, seed: int, selection: Selection
) -> tuple[Places, int]:
    """Sets that keep every limit, and how many were looked at; the first objective is improved to the end."""
    try:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem
        from pymoo.operators.crossover.sbx import SBX
        from pymoo.operators.mutation.pm import PM
        from pymoo.operators.repair.rounding import RoundingRepair
        from pymoo.optimize import minimize
    except ImportError as error:
        raise MissingExtraError(
            "size_drives: there are too many sets to look at all of them, and the evolution needs pymoo. Install "
            "gearwright[optimise], or give fewer joints or a smaller catalogue."
        ) from error

    judged = Judged(sets, objectives[0], share, selection)
    sizes = np.array([len(some) for some in sets.options])

    class Choosing(Problem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=len(sizes), n_obj=2, n_ieq_constr=1, xl=0, xu=sizes - 1, vtype=int)

        def _evaluate(self, rows: Any, out: Any, *args: Any, **words: Any) -> None:
            found = judged.numbers(np.asarray(rows, dtype=np.intp))
            out["F"] = np.column_stack([cost(found, name) for name in objectives])
            out["G"] = np.minimum(found.use, BROKEN) - share

    start = _first_generation(sets, judged, sizes, np.random.default_rng(seed))
    algorithm = NSGA2(
        pop_size=POPULATION,
        sampling=start,
        crossover=SBX(prob=0.9, eta=3.0, vtype=float, repair=RoundingRepair()),
        mutation=PM(prob=0.6, eta=3.0, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=True,
    )
    result = minimize(Choosing(), algorithm, ("n_gen", GENERATIONS), seed=seed, verbose=False)
    population = np.asarray(result.pop.get("X"), dtype=np.intp)
    improved(judged, population[judged.costs(population).argmin()])
    return judged.good, judged.looked_at


def _first_generation(sets: DriveSets, judged: Judged, sizes: Places, random: np.random.Generator) -> Places:
    """Random sets, and those of a walk from the tip."""
    rows = random.integers(0, sizes, size=(POPULATION, len(sizes)))
    start = walked(sets, judged.share)
    rows[: len(start)] = start
    return rows


def improved(judged: Judged, best: Places) -> Places:
    """Every choice of one joint, then of the next, until nothing gets better."""
    least = float(judged.costs(best[None])[0])
    while True:
        before = least
        for joint, some in enumerate(judged.sets.options):
            rows = np.repeat(best[None], len(some), axis=0)
            rows[:, joint] = np.arange(len(some))
            costs = judged.costs(rows, least)
            if costs.min() < least:
                best, least = rows[costs.argmin()], float(costs.min())
        if least >= before:
            return best
