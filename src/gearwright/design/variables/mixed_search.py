"""Designs with variables beside the articles: optuna proposes, the best drives of each are found, gradients finish.

For every proposal the drives are those that a walk from the tip chooses, improved joint by joint; the best proposals
are then polished (`gradient_refinement.py`) and their drives chosen anew, until nothing gets better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gearwright.design.candidates.objectives import Found, unbeaten
from gearwright.design.search.drive_set_search import Sets
from gearwright.design.search.genetic_search import BROKEN
from gearwright.design.search.tightest_limit import way_out
from gearwright.design.variables.design_evaluation import Judgement, Question, possible
from gearwright.design.variables.design_variables import STRETCH, Range
from gearwright.design.variables.gradient_refinement import polished
from gearwright.errors import InputError, MissingExtraError

TRIALS = 60
"""Designs that are proposed unless somebody says."""
ROUNDS = 4
"""How often continuous variables and drives are improved in turn."""
BEST = 2
"""Proposals that are polished."""
PACE = 5e-4
"""Relative: how exactly the shortest cycle is found."""
STRICTER = 1e-4
"""By how much more than it was missed a limit is tightened."""


def best_designs(question: Question, pair: tuple[str, str], trials: int, seed: int) -> Sets:
    """The designs that keep every limit, the best first."""
    paces_only = set(question.space.domains) == {STRETCH}
    proposed = list(_paced(question, trials) if paces_only else _proposed(question, trials, seed))
    if not proposed:
        raise InputError(
            "size_drives: none of the designs proposed can be built and moved. Give narrower ranges, or a slower task."
        )
    proposed.sort(key=lambda one: _rank(question, one))
    finished = [_finished(question, one) for one in proposed[: 1 if paces_only else BEST]]
    every = sorted([*finished, *proposed], key=lambda one: _rank(question, one))
    kept = [one.found for one in every if one.found.use <= question.share]
    if not kept:
        raise _nothing(question, min(every, key=lambda one: one.found.use))
    first, second = (np.array([one.value(name) for one in kept]) for name in pair)
    front = tuple(kept[k] for k in unbeaten(first, second))
    way = "of a grid of paces were looked at" if paces_only else f"were proposed by optuna (seed {seed})"
    remark = f"{len(proposed)} designs {way}, the best {len(finished)} then improved."
    return Sets(tuple(kept), front, len(proposed), (remark,), pair)


def refined(question: Question, found: Found, excess: float) -> Found | None:
    """The design again when its analysis at more times takes so many times what is allowed: with that much less."""
    stricter = replace(question, share=question.share / excess * (1 - STRICTER))
    one = possible(stricter, dict(found.values))
    if one is None:
        return None
    finished = _finished(stricter, one).found
    return finished if finished.use <= stricter.share else None


def _cost(question: Question, one: Judgement) -> float:
    """The objective, and beyond BROKEN for designs that miss a limit."""
    found = one.found
    if found.use > question.share:
        return BROKEN * (1 + min(found.use, 1e6))
    return float(np.nan_to_num(found.value(question.objective), nan=BROKEN, posinf=BROKEN))


def _rank(question: Question, one: Judgement) -> tuple[float, float]:
    """By the objective to nine digits, then by energy."""
    return float(f"{_cost(question, one):.9g}"), float(f"{one.found.energy:.6g}")


def _paced(question: Question, trials: int) -> Iterator[Judgement]:
    """The task at paces that are spread evenly: where nothing else varies nobody needs to guess."""
    domain = question.space.domains[STRETCH]
    assert isinstance(domain, Range)
    found = (possible(question, {STRETCH: float(pace)}) for pace in np.geomspace(domain.low, domain.high, trials))
    return (one for one in found if one is not None)


def _proposed(question: Question, trials: int, seed: int) -> Iterator[Judgement]:
    """Designs that optuna asks for."""
    try:
        import optuna
    except ImportError as error:
        raise MissingExtraError(
            "size_drives: variables beside the catalogue need optuna. Install gearwright[optimise], or leave them out."
        ) from error
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    for _ in range(trials):
        trial = study.ask()
        one = possible(question, _suggested(question, trial))
        study.tell(trial, 2e6 * BROKEN if one is None else _cost(question, one))
        if one is not None:
            yield one


def _suggested(question: Question, trial: Any) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, domain in question.space.domains.items():
        if isinstance(domain, Range):
            values[name] = trial.suggest_float(name, domain.low, domain.high)
        else:
            values[name] = domain[trial.suggest_int(f"{name} #", 0, len(domain) - 1)]
    return values


def _finished(question: Question, one: Judgement) -> Judgement:
    """Continuous variables and drives improved in turn."""
    for _ in range(ROUNDS):
        better = min(_improvements(question, one), key=lambda each: _rank(question, each))
        if _rank(question, better) >= _rank(question, one):
            return one
        one = better
    return one


def _improvements(question: Question, one: Judgement) -> Iterator[Judgement]:
    step: Callable[[Question, Judgement], Judgement] = polished
    if question.objective == "cycle_time":
        step = _hurried
    moved = step(question, one)
    yield moved
    again = possible(question, dict(moved.found.values))
    if again is not None:
        yield again


def _hurried(question: Question, one: Judgement) -> Judgement:
    """The shortest cycle of a design, by halving; its drives are chosen anew at every pace."""
    domain = question.space.domains[STRETCH]
    assert isinstance(domain, Range)
    values = dict(one.found.values)
    slow, best = float(values[STRETCH]), one
    if one.found.use > question.share:
        slow = domain.high
    quick = domain.low
    while slow - quick > PACE * slow:
        middle = 0.5 * (slow + quick)
        found = possible(question, {**values, STRETCH: middle})
        if found is not None and found.found.use <= question.share:
            slow, best = middle, found
        else:
            quick = middle
    return best


def _nothing(question: Question, closest: Judgement) -> InputError:
    return InputError(
        f"size_drives: no design keeps every limit. The tightest is {closest.tightest}: the best one takes "
        f"{closest.found.use:.0%} of it, {question.share:.0%} is allowed. Give wider ranges. "
        f"{way_out(closest.tightest)}"
    )
