"""Too many sets to look at: pymoo's genetic algorithm, begun at the lightest set that a walk from the tip finds.

A set that misses a limit is worse than every set that keeps all of them, by how much it misses it. What the evolution
ends with is improved joint by joint, looking at every choice of one joint while the others stay.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.design.drive_sets import DriveSets, Places
from gearwright.errors import MissingExtraError

POPULATION, GENERATIONS = 150, 40
BROKEN = 1e6
"""Cost of a set that misses a limit, in units of the objective, and more by how much."""


class Judged:
    """Sets with their costs; remembers every set that keeps all limits."""

    def __init__(self, sets: DriveSets, objective: str, share: float) -> None:
        self.sets, self.objective, self.share = sets, objective, share
        self.looked_at = 0
        self.good: dict[bytes, Places] = {}

    def costs(self, rows: Places) -> Array:
        """The objective of each set, and beyond BROKEN for those that miss a limit."""
        self.looked_at += len(rows)
        use, energy = self.sets.evaluated(rows)
        options = self.sets.options
        if self.objective == "energy":
            value = energy
        else:
            value = np.sum([getattr(some, self.objective)[rows[:, j]] for j, some in enumerate(options)], axis=0)
        fits = use <= self.share
        for row in rows[fits]:
            self.good.setdefault(row.tobytes(), row)
        return np.where(fits, value, BROKEN * (1 + np.minimum(use, 1e6)))


def evolved(sets: DriveSets, objective: str, share: float, seed: int) -> tuple[Places, int]:
    """Sets that keep every limit, and how many were looked at."""
    try:
        from pymoo.algorithms.soo.nonconvex.ga import GA
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

    judged = Judged(sets, objective, share)
    sizes = np.array([len(some) for some in sets.options])

    class Choosing(Problem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=len(sizes), n_obj=1, xl=0, xu=sizes - 1, vtype=int)

        def _evaluate(self, rows: Any, out: Any, *args: Any, **words: Any) -> None:
            out["F"] = judged.costs(np.asarray(rows, dtype=np.intp))

    start = _first_generation(sets, judged, sizes, np.random.default_rng(seed))
    algorithm = GA(
        pop_size=POPULATION,
        sampling=start,
        crossover=SBX(prob=0.9, eta=3.0, vtype=float, repair=RoundingRepair()),
        mutation=PM(prob=0.6, eta=3.0, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=True,
    )
    result = minimize(Choosing(), algorithm, ("n_gen", GENERATIONS), seed=seed, verbose=False)
    best = np.asarray(result.X, dtype=np.intp).reshape(-1)
    _improved(sets, judged, best)
    rows = list(judged.good.values())
    return (np.array(rows) if rows else np.zeros((0, len(sizes)), dtype=np.intp)), judged.looked_at


def _first_generation(sets: DriveSets, judged: Judged, sizes: Places, random: np.random.Generator) -> Places:
    """Random sets, and the one that takes at every joint the lightest choice which fits, from the tip on."""
    rows = random.integers(0, sizes, size=(POPULATION, len(sizes)))
    rows[0] = _walk(sets, judged.share)
    return rows


def _walk(sets: DriveSets, share: float) -> Places:
    chosen: dict[int, Places] = {}
    for joint in sets.order or range(len(sets.options)):
        count = len(sets.options[joint])
        others = {k: np.full(count, place[0]) for k, place in chosen.items()}
        others |= {k: np.zeros(count, dtype=np.intp) for k in range(len(sets.options)) if k not in chosen}
        worst = sets.screened(joint, others, np.arange(count)).worst
        fits = np.flatnonzero(worst <= share)
        chosen[joint] = np.array([fits[0] if fits.size else worst.argmin()])
    return np.array([chosen[j][0] for j in range(len(sets.options))])


def _improved(sets: DriveSets, judged: Judged, best: Places) -> Places:
    """Every choice of one joint, then of the next, until nothing gets better."""
    cost = float(judged.costs(best[None])[0])
    while True:
        before = cost
        for joint, some in enumerate(sets.options):
            rows = np.repeat(best[None], len(some), axis=0)
            rows[:, joint] = np.arange(len(some))
            costs = judged.costs(rows)
            if costs.min() < cost:
                best, cost = rows[costs.argmin()], float(costs.min())
        if cost >= before:
            return best
