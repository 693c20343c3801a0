"""The best design whose own analysis keeps every limit, in the prescribed motion and in the closed loop."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from math import isfinite

from gearwright.analysis import Analysis, analyse
from gearwright.design.able_articles import unlimited
from gearwright.design.candidates import Choice
from gearwright.design.choosing import with_choices
from gearwright.design.designs import Question
from gearwright.design.gains import controller_gains
from gearwright.design.mixed_search import BEST, refined
from gearwright.design.objectives import Found
from gearwright.design.ranking import Ranking
from gearwright.design.rigid_robots import elastic_remarks
from gearwright.design.sized_drives import Sizing
from gearwright.design.verification import Miss, Verification, none_verified, without_accuracy
from gearwright.parts import Robot
from gearwright.simulation.progress import counting
from gearwright.text import listed

TRIED = 50
"""How many of the best sets are analysed before it is said that none keeps every limit."""
LOOPED = 15
"""How many where a closed loop is simulated, which takes seconds."""
SPOILING = 5
"""How many sets may ask too much of drives that were not chosen before the best of them is taken, with a remark."""
REFINED = 3
"""How often a design that misses a limit by its analysis is brought back below it."""


@dataclass(frozen=True)
class Tried:
    """A design that was analysed, and the limits that it must keep and does not."""

    found: Found
    robot: Robot
    analysis: Analysis
    missed: dict[str, Miss]


def best_verified(question: Question, ranking: Ranking, remarks: tuple[str, ...], progress: bool | None) -> Sizing:
    """The best design that keeps every limit when analysed: the screening sees no loop, no links, no swing of heat.

    Args:
        question: what is looked for.
        ranking: in which order designs are tried.
        remarks: what there is to say before.
        progress: whether a bar is drawn.

    Raises:
        InputError: none of those tried keeps every limit.
    """
    judge = Verification(question)
    failed: list[dict[str, Miss]] = []
    spoiling: list[Tried] = []
    most = LOOPED if _loops(question) else TRIED
    with counting(most, 0, progress, "analysing sets") as count:
        for found in islice(ranking, most):
            improve = len(failed) < BEST
            tried = _brought_back(question, judge, found) if improve else _tried(question, judge, found)
            if not tried.missed:
                said = (*remarks, *judge.remarks(tried.analysis), *_passed(failed), *ranking.remarks())
                return _winner(question, ranking, tried, said)
            failed.append(tried.missed)
            ranking.learn(found, tried.missed)
            count(len(failed))
            spoiling += [tried] if judge.only_of_others(tried.missed) else []
            if len(spoiling) == SPOILING:
                break
    if not spoiling:
        raise none_verified(question, failed, ranking.refusal)
    best = spoiling[0]
    better = failed[: failed.index(best.missed)]
    said = (*remarks, *judge.remarks(best.analysis), *_passed(better), *ranking.remarks())
    return _winner(question, ranking, best, said)


def _loops(question: Question) -> bool:
    return question.space.base.task.perturbed is not None


def _brought_back(question: Question, judge: Verification, found: Found) -> Tried:
    """A design that misses a limit, with its continuous variables changed until it does not."""
    tried = _tried(question, judge, found)
    for _ in range(REFINED if question.space.continuous else 0):
        excess = max((miss.share for miss in tried.missed.values()), default=0.0) / question.share
        again = refined(question, tried.found, excess) if tried.missed and isfinite(excess) else None
        if again is None:
            break
        tried = _tried(question, judge, again)
    return tried


def _tried(question: Question, judge: Verification, found: Found) -> Tried:
    """A design analysed; one that misses a limit of the prescribed motion is not simulated."""
    design = question.space.design(dict(found.values))
    robot = with_choices(design.robot, _choices(question, found))
    task = without_accuracy(design.task) if _loops(question) else design.task
    for loop in (None, task.perturbed) if _loops(question) else (None,):
        analysis = analyse(robot, replace(task, perturbed=loop), sections=design.sections, catalogue=question.table)
        missed = judge.missed(analysis)
        if missed and not judge.only_of_others(missed):
            judge.refuse_hopeless(analysis)
            break
    return Tried(found, robot, analysis, missed)


def _choices(question: Question, found: Found) -> dict[str, Choice]:
    return dict(zip(question.joints, found.choices, strict=True))


def _winner(question: Question, ranking: Ranking, tried: Tried, remarks: tuple[str, ...]) -> Sizing:
    """The design that is handed back, analysed with all that its task requires."""
    design = question.space.design(dict(tried.found.values))
    analysis = tried.analysis
    if _loops(question) and "accuracy" in design.task.required:
        analysis = analyse(tried.robot, design.task, sections=design.sections, catalogue=question.table)
    choices, sets = _choices(question, tried.found), ranking.sets(tried.found)
    return Sizing(
        choices,
        tried.robot,
        analysis,
        sets.front,
        sets.looked_at,
        (*remarks, *_of_choices(question, choices)),
        dict(tried.found.values),
        controller_gains(analysis),
        tried.found,
        sets.pair,
    )


def _of_choices(question: Question, choices: Mapping[str, Choice]) -> Iterator[str]:
    """What the sheets of the winner do not limit, and how stiff its gears were taken to be."""
    chosen = {joint: one for joint, one in choices.items() if not one.kept}
    for joint, one in chosen.items():
        yield from unlimited(joint, one.motor, one.gearbox)
    boxes = [(joint, one.gearbox.stiffness) for joint, one in chosen.items() if one.gearbox is not None]
    yield from elastic_remarks(question.space.base.robot, boxes)


def _passed(failed: list[dict[str, Miss]]) -> Iterator[str]:
    if failed:
        missed = listed(dict.fromkeys(name for one in failed for name in one))
        sets = "one better set" if len(failed) == 1 else f"{len(failed)} better sets"
        yield f"{sets} kept every limit in the screening, but not when analysed, by {missed}."
