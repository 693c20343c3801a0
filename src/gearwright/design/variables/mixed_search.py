"""Search for designs with variables: proposals by optuna, the best drives of each, refinement by gradients.

The drives of every proposal are chosen by a beam search from the tip and improved joint by joint. The best proposals
are then refined (`gradient_refinement.py`) and their drives chosen again, until there is no improvement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.design.candidates.objectives import DesignPoint, pareto_front_indices
from gearwright.design.search.drive_set_search import SearchResult
from gearwright.design.search.genetic_search import INFEASIBLE_COST
from gearwright.design.variables.design_evaluation import DesignEvaluation, SizingProblem, evaluate_if_buildable
from gearwright.design.variables.design_variables import TIME_SCALE_VARIABLE, Range
from gearwright.design.variables.gradient_refinement import refine_variables
from gearwright.errors import InputError, MissingExtraError

MAX_IMPROVEMENT_ROUNDS = 4
"""Number of alternations between continuous variables and drives."""
POLISHED_PROPOSALS = 2
"""Number of proposals that are refined."""
STRETCH_TOLERANCE = 5e-4
"""Relative tolerance of the shortest cycle time."""
TIGHTENING_RATIO = 1e-4
"""Relative addition to the excess when a limit is tightened."""


def best_designs(problem: SizingProblem) -> SearchResult:
    """The designs that satisfy every limit, the best first."""
    is_time_only = set(problem.space.domains) == {TIME_SCALE_VARIABLE}
    proposed = list((_evaluate_time_scales if is_time_only else _evaluate_proposals)(problem))
    if not proposed:
        raise InputError(
            "size_drives: no proposed design can be built and moved. Give narrower ranges, or a slower task."
        )
    proposed.sort(key=lambda candidate: _rank_key(problem, candidate))
    finished = [
        _improve_in_turn(problem, candidate) for candidate in proposed[: 1 if is_time_only else POLISHED_PROPOSALS]
    ]
    ranked = sorted([*finished, *proposed], key=lambda candidate: _rank_key(problem, candidate))
    feasible = [candidate.design for candidate in ranked if candidate.design.largest_share <= problem.share]
    if not feasible:
        raise _no_feasible_design(problem, min(ranked, key=lambda candidate: candidate.design.largest_share))
    first, second = (np.array([candidate.objective_value(name) for candidate in feasible]) for name in problem.pair)
    front = tuple(feasible[k] for k in pareto_front_indices(first, second))
    source = (
        "were evaluated on a grid of task speeds" if is_time_only else f"were proposed by optuna (seed {problem.seed})"
    )
    remark = f"{len(proposed)} designs {source}; the best {len(finished)} were refined."
    return SearchResult(tuple(feasible), front, len(proposed), (remark,))


def refine_design(problem: SizingProblem, design: DesignPoint, excess: float) -> DesignPoint | None:
    """The design refined with limits tightened by the excess of its analysis with more samples."""
    stricter = replace(problem, share=problem.share / excess * (1 - TIGHTENING_RATIO))
    evaluation = evaluate_if_buildable(stricter, dict(design.values))
    if evaluation is None:
        return None
    finished = _improve_in_turn(stricter, evaluation).design
    return finished if finished.largest_share <= stricter.share else None


def _design_cost(problem: SizingProblem, evaluation: DesignEvaluation) -> float:
    """The objective; above `INFEASIBLE_COST` for designs that exceed a limit."""
    design = evaluation.design
    if design.largest_share > problem.share:
        return INFEASIBLE_COST * (1 + min(design.largest_share, 1e6))
    return float(np.nan_to_num(design.objective_value(problem.objective), nan=INFEASIBLE_COST, posinf=INFEASIBLE_COST))


def _rank_key(problem: SizingProblem, evaluation: DesignEvaluation) -> tuple[float, float]:
    """Sort key: the objective to nine digits, then energy."""
    return float(f"{_design_cost(problem, evaluation):.9g}"), float(f"{evaluation.design.energy:.6g}")


def _evaluate_time_scales(problem: SizingProblem) -> Iterator[DesignEvaluation]:
    """Designs at evenly spaced task speeds, if the task speed is the only variable."""
    domain = problem.space.domains[TIME_SCALE_VARIABLE]
    assert isinstance(domain, Range)
    evaluations = (
        evaluate_if_buildable(problem, {TIME_SCALE_VARIABLE: float(factor)})
        for factor in np.geomspace(domain.low, domain.high, problem.trials)
    )
    return (evaluation for evaluation in evaluations if evaluation is not None)


def _evaluate_proposals(problem: SizingProblem) -> Iterator[DesignEvaluation]:
    """Designs proposed by optuna."""
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError(
            "size_drives: variables need optuna. Install gearwright[optimise], or omit variables."
        ) from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=problem.seed))
    for _ in range(problem.trials):
        trial = study.ask()
        evaluation = evaluate_if_buildable(problem, _suggested_values(problem, trial))
        study.tell(trial, 2e6 * INFEASIBLE_COST if evaluation is None else _design_cost(problem, evaluation))
        if evaluation is not None:
            yield evaluation


def _suggested_values(problem: SizingProblem, trial: Any) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, domain in problem.space.domains.items():
        if isinstance(domain, Range):
            values[name] = trial.suggest_float(name, domain.low, domain.high)
        else:
            values[name] = domain[trial.suggest_int(f"{name} #", 0, len(domain) - 1)]
    return values


def _improve_in_turn(problem: SizingProblem, evaluation: DesignEvaluation) -> DesignEvaluation:
    """The design with continuous variables and drives improved alternately."""
    for _ in range(MAX_IMPROVEMENT_ROUNDS):
        better = min(_improved_evaluations(problem, evaluation), key=lambda each: _rank_key(problem, each))
        if _rank_key(problem, better) >= _rank_key(problem, evaluation):
            return evaluation
        evaluation = better
    return evaluation


def _improved_evaluations(problem: SizingProblem, evaluation: DesignEvaluation) -> Iterator[DesignEvaluation]:
    step: Callable[[SizingProblem, DesignEvaluation], DesignEvaluation] = refine_variables
    if problem.objective == "cycle_time":
        step = _shortest_cycle
    improved = step(problem, evaluation)
    yield improved
    repeated = evaluate_if_buildable(problem, dict(improved.design.values))
    if repeated is not None:
        yield repeated


def _shortest_cycle(problem: SizingProblem, evaluation: DesignEvaluation) -> DesignEvaluation:
    """The shortest cycle of a design, by bisection; its drives are chosen again at every task speed."""
    domain = problem.space.domains[TIME_SCALE_VARIABLE]
    assert isinstance(domain, Range)
    values = dict(evaluation.design.values)
    slow, best = float(values[TIME_SCALE_VARIABLE]), evaluation
    if evaluation.design.largest_share > problem.share:
        slow = domain.high
    quick = domain.low
    while slow - quick > STRETCH_TOLERANCE * slow:
        middle = 0.5 * (slow + quick)
        trial = evaluate_if_buildable(problem, {**values, TIME_SCALE_VARIABLE: middle})
        if trial is not None and trial.design.largest_share <= problem.share:
            slow, best = middle, trial
        else:
            quick = middle
    return best


def _no_feasible_design(problem: SizingProblem, closest: DesignEvaluation) -> InputError:
    return InputError(
        f"size_drives: no design satisfies every limit. The tightest is {closest.tightest}: the best one needs "
        f"{closest.design.largest_share:.0%} of it, {problem.share:.0%} is allowed. Give wider ranges. "
        f"{closest.tightest.kind.remedy}"
    )
