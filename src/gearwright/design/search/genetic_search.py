"""Genetic algorithm of pymoo for two objectives, if there are too many sets; it starts with sets of a beam search.

A set that exceeds a limit is worse than every feasible set, by the amount of the excess (pymoo's rule). The result is
improved joint by joint, with every choice of one joint while the others stay.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.search.drive_sets import ChoiceIndices, DriveSets, SetNumbers
from gearwright.design.search.enumeration import light_sets
from gearwright.errors import MissingExtraError

POPULATION_SIZE, MAX_GENERATIONS = 150, 40
MAX_REMEMBERED_SETS = 100_000
"""Number of feasible sets that are stored before the best of them are selected."""
GENETIC_BATCH_SIZE = 20_000
"""Number of sets that are evaluated together."""
INFEASIBLE_COST = 1e6
"""Cost offset of a set that exceeds a limit, in units of the objective; the excess is added."""


Selection = Callable[[SetNumbers], NDArray[np.intp]]
"""Selects the indices of the sets to store, from their numbers."""


class SetEvaluator:
    """Sets with their costs; stores feasible sets.

    Args:
        sets: all sets.
        objective: the minimised objective.
        share: allowed utilisation of every limit.
        selection: the sets to store if there are more than `MAX_REMEMBERED_SETS`; by default all.
    """

    def __init__(self, sets: DriveSets, objective: str, share: float, selection: Selection | None = None) -> None:
        self.sets, self.objective, self.share = sets, objective, share
        self.evaluated_count = 0
        self._selection = selection
        self._feasible_blocks: list[tuple[ChoiceIndices, SetNumbers]] = []

    def evaluate_rows(self, rows: ChoiceIndices, share: float = inf) -> SetNumbers:
        """The numbers of sets; feasible ones are stored.

        Args:
            rows: the sets.
            share: utilisation above which it need not be known, as in `DriveSets.evaluate_sets`.
        """
        self.evaluated_count += len(rows)
        parts = []
        for start in range(0, len(rows), GENETIC_BATCH_SIZE):
            batch = rows[start : start + GENETIC_BATCH_SIZE]
            values = self.sets.evaluate_sets(batch, share)
            fits = values.largest_share <= self.share
            self._remember_feasible(batch[fits], values.select_rows(fits))
            parts.append(values)
        return SetNumbers(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))

    def _remember_feasible(self, rows: ChoiceIndices, numbers: SetNumbers) -> None:
        if len(rows):
            self._feasible_blocks.append((rows, numbers))
        if self._selection is not None and sum(len(block) for block, _ in self._feasible_blocks) > MAX_REMEMBERED_SETS:
            rows, numbers = self._distinct_sets()
            worth = self._selection(numbers)
            self._feasible_blocks = [(rows[worth], numbers.select_rows(worth))]

    def _distinct_sets(self) -> tuple[ChoiceIndices, SetNumbers]:
        """The stored sets without duplicates, in the order in which they were found."""
        rows = np.concatenate([block for block, _ in self._feasible_blocks])
        numbers = SetNumbers(
            *(np.concatenate(x) for x in zip(*(block for _, block in self._feasible_blocks), strict=True))
        )
        first = np.sort(np.unique(rows, axis=0, return_index=True)[1])
        return rows[first], numbers.select_rows(first)

    @property
    def feasible_sets(self) -> ChoiceIndices:
        """The stored sets."""
        return (
            self._distinct_sets()[0] if self._feasible_blocks else np.zeros((0, len(self.sets.options)), dtype=np.intp)
        )

    def objective_costs(self, rows: ChoiceIndices, cost_bound: float = inf) -> Array:
        """The objective of each set; above `INFEASIBLE_COST` beyond a limit, with the excess up to `cost_bound`."""
        values = self.evaluate_rows(rows, self.share if cost_bound < INFEASIBLE_COST else inf)
        fits = values.largest_share <= self.share
        return np.where(
            fits, objective_cost(values, self.objective), INFEASIBLE_COST * (1 + np.minimum(values.largest_share, 1e6))
        )


def objective_cost(numbers: SetNumbers, objective: str) -> Array:
    """The cost of sets: the objective, or the utilisation for the cycle time; unknown values are worst."""
    values = numbers.largest_share if objective == "cycle_time" else getattr(numbers, objective)
    return np.nan_to_num(values, nan=INFEASIBLE_COST, posinf=INFEASIBLE_COST)


def evolve_sets(
    sets: DriveSets, objectives: tuple[str, str], share: float, seed: int, selection: Selection
) -> tuple[ChoiceIndices, int]:
    """Feasible sets and the number of evaluated sets; the first objective is improved until it converges."""
    try:
        from pymoo.algorithms.moo.nsga2 import NSGA2
        from pymoo.core.problem import Problem
        from pymoo.operators.crossover.sbx import SBX
        from pymoo.operators.mutation.pm import PM
        from pymoo.operators.repair.rounding import RoundingRepair
        from pymoo.optimize import minimize
    except ImportError as error:
        raise MissingExtraError(
            "size_drives: there are too many sets for enumeration, and the genetic algorithm needs pymoo. Install "
            "gearwright[optimise], or give fewer joints or a smaller catalogue."
        ) from error

    evaluator = SetEvaluator(sets, objectives[0], share, selection)
    sizes = np.array([len(pairs) for pairs in sets.options])

    class ChoiceProblem(Problem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(n_var=len(sizes), n_obj=2, n_ieq_constr=1, xl=0, xu=sizes - 1, vtype=int)

        def _evaluate(self, rows: Any, out: Any, *args: Any, **options: Any) -> None:
            values = evaluator.evaluate_rows(np.asarray(rows, dtype=np.intp))
            out["F"] = np.column_stack([objective_cost(values, name) for name in objectives])
            out["G"] = np.minimum(values.largest_share, INFEASIBLE_COST) - share

    start = _initial_population(sets, evaluator, sizes, np.random.default_rng(seed))
    algorithm = NSGA2(
        pop_size=POPULATION_SIZE,
        sampling=start,
        crossover=SBX(prob=0.9, eta=3.0, vtype=float, repair=RoundingRepair()),
        mutation=PM(prob=0.6, eta=3.0, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=True,
    )
    result = minimize(ChoiceProblem(), algorithm, ("n_gen", MAX_GENERATIONS), seed=seed, verbose=False)
    population = np.asarray(result.pop.get("X"), dtype=np.intp)
    improve_by_joint(evaluator, population[evaluator.objective_costs(population).argmin()])
    return evaluator.feasible_sets, evaluator.evaluated_count


def _initial_population(
    sets: DriveSets, evaluator: SetEvaluator, sizes: ChoiceIndices, random: np.random.Generator
) -> ChoiceIndices:
    """Random sets, and those of a beam search from the tip."""
    rows = random.integers(0, sizes, size=(POPULATION_SIZE, len(sizes)))
    start = light_sets(sets, evaluator.share)
    rows[: len(start)] = start
    return rows


def improve_by_joint(evaluator: SetEvaluator, best: ChoiceIndices) -> ChoiceIndices:
    """Coordinate search: every choice of one joint, then of the next, until no choice improves the set."""
    least = float(evaluator.objective_costs(best[None])[0])
    while True:
        previous = least
        for joint, pairs in enumerate(evaluator.sets.options):
            rows = np.repeat(best[None], len(pairs), axis=0)
            rows[:, joint] = np.arange(len(pairs))
            costs = evaluator.objective_costs(rows, least)
            if costs.min() < least:
                best, least = rows[costs.argmin()], float(costs.min())
        if least >= previous:
            return best
