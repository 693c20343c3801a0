"""The best design whose own analysis keeps every limit, in the prescribed motion and in the closed loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from gearwright.analysis import Analysis, analyse
from gearwright.design.candidates.candidates import Choice
from gearwright.design.candidates.chosen_drives import with_choices
from gearwright.design.candidates.objectives import Found
from gearwright.design.candidates.usable_entries import unlimited
from gearwright.design.robot_preparation.rigid_gears import elastic_remarks
from gearwright.design.search.drive_set_search import Sets
from gearwright.design.sizing.controller_gains import controller_gains
from gearwright.design.sizing.ranking import Ranking
from gearwright.design.sizing.sizing_result import Sizing
from gearwright.design.sizing.verification import Miss, Verification, none_verified, without_accuracy
from gearwright.design.variables.design_evaluation import Question
from gearwright.design.variables.mixed_search import BEST, refined
from gearwright.errors import GearwrightError, InputError, PartError, SimulationError, SingularityError
from gearwright.parts import Robot
from gearwright.simulation.progress import counting
from gearwright.text import listed

TRIED = 50
"""How many of the best sets are analysed before it is said that none keeps every limit."""
LOOPED = 15
"""How many where a closed loop is simulated, which takes seconds."""
SPOILING = 5
"""How many sets may ask too much of drives that were not chosen before the best of them is taken, with a remark."""
SCREENED = (
    "of the front only the design that was chosen was analysed: the others keep every limit in the screening. "
    "`verify_front` (--verify-front) analyses them all."
)
REFINED = 3
"""How often a design that misses a limit by its analysis is brought back below it."""


@dataclass(frozen=True)
class Tried:
    """A design that was analysed, and the limits that it must keep and does not."""

    found: Found
    robot: Robot
    analysis: Analysis
    missed: dict[str, Miss]


def best_verified(
    question: Question, ranking: Ranking, remarks: tuple[str, ...], whole_front: bool, progress: bool | None
) -> Sizing:
    """The best design that keeps every limit when analysed: the screening sees no loop, no links, no swing of heat.

    Args:
        question: what is looked for.
        ranking: in which order designs are tried.
        remarks: what there is to say before.
        whole_front: whether all designs of the front are analysed, and those left out that miss a limit.
        progress: whether a bar is drawn.

    Raises:
        InputError: none of those tried keeps every limit.
    """
    most = LOOPED if _loops(question) else TRIED
    with counting(most, 0, progress, "analysing sets") as count:
        trials = Trials(question, ranking, most, count)
        best = trials.first(ranking)
        if best is not None:
            best = trials.first(ranking.passed_over(best.found)) or best
    best = best or trials.least_spoiling()
    sets = ranking.sets(best.found)
    told: tuple[str, ...] = (SCREENED,) if len(sets.front) > 1 else ()
    if whole_front:
        with counting(len(sets.front), 0, progress, "analysing the front") as count:
            sets, told = trials.kept_front(sets, best, count)
    said = (*remarks, *trials.remarks(best), *ranking.remarks(best.found))
    return _winner(question, sets, best, said, told)


class Trials:
    """Analyses of designs, one after the other.

    Args:
        question: what is looked for.
        ranking: which learns from those that fail.
        most: how many there may be.
        count: called with how many there were.
    """

    def __init__(self, question: Question, ranking: Ranking, most: int, count: Callable[[int], None]) -> None:
        self._question, self._ranking, self._most, self._count = question, ranking, most, count
        self._judge = Verification(question)
        self._failed: list[Tried] = []
        self._unable: list[GearwrightError] = []

    def first(self, designs: Iterable[Found]) -> Tried | None:
        """The first that keeps every limit, if there is one among those that may still be tried."""
        for found in designs:
            if self._done:
                break
            tried = self._tried(found)
            if tried is not None and not tried.missed:
                return tried
            self._count(self._analyses)
        return None

    @property
    def _analyses(self) -> int:
        return len(self._failed) + len(self._unable)

    @property
    def _done(self) -> bool:
        """Whether enough was tried, or enough with nothing amiss but drives that were not chosen."""
        return len(self._spoiling) >= SPOILING or self._analyses >= self._most

    @property
    def _spoiling(self) -> list[Tried]:
        return [one for one in self._failed if self._judge.only_of_others(one.missed)]

    def _tried(self, found: Found) -> Tried | None:
        """A design analysed; None if that cannot be done."""
        improve = len(self._failed) < BEST
        try:
            tried = (_brought_back if improve else _analysed)(self._question, self._judge, found)
        except (PartError, InputError, SimulationError, SingularityError) as error:
            self._unable.append(error)
            return None
        if tried.missed:
            self._judge.refuse_hopeless(tried.analysis)
            self._failed.append(tried)
            self._ranking.learn(found, tried.missed)
        return tried

    def least_spoiling(self) -> Tried:
        """The best that asks too much of nothing but drives that were not chosen; an error if there is none."""
        if self._spoiling:
            return self._spoiling[0]
        if not self._failed:
            raise self._unable[0]
        raise none_verified(self._question, [one.missed for one in self._failed], self._ranking.refusal)

    def kept_front(self, sets: Sets, best: Tried, count: Callable[[int], None]) -> tuple[Sets, tuple[str, ...]]:
        """The designs of the front that keep every limit when analysed, and what is to be said about the others."""
        kept, missed = [], dict[str, None]()
        for number, found in enumerate(sets.front):
            limits = {} if found is best.found else self._limits_missed(found)
            kept += [] if limits else [found]
            missed |= dict.fromkeys(limits)
            count(number + 1)
        dropped = len(sets.front) - len(kept)
        said = f"left out of the front: {dropped}, of designs that miss {listed(missed)} when analysed."
        return sets._replace(front=tuple(kept)), (said,) if dropped else ()

    def _limits_missed(self, found: Found) -> Iterable[str]:
        try:
            return _analysed(self._question, self._judge, found).missed
        except (PartError, InputError, SimulationError, SingularityError) as error:
            return [str(error)]

    def remarks(self, best: Tried) -> Iterator[str]:
        """On the winner, and on better designs that failed."""
        yield from self._judge.remarks(best.analysis)
        objective = self._question.objective
        most = best.found.value(objective)
        better = [one for one in self._failed if one is not best and one.found.value(objective) <= most]
        if better:
            missed = listed(dict.fromkeys(name for one in better for name in one.missed))
            sets = "one better set" if len(better) == 1 else f"{len(better)} better sets"
            yield f"{sets} kept every limit in the screening, but not when analysed, by {missed}."
        if self._unable:
            yield f"sets that cannot be analysed were passed over, {len(self._unable)} of them: {self._unable[0]}"


def _loops(question: Question) -> bool:
    return question.space.base.task.perturbed is not None


def _brought_back(question: Question, judge: Verification, found: Found) -> Tried:
    """A design that misses a limit, with its continuous variables changed until it does not."""
    tried = _analysed(question, judge, found)
    for _ in range(REFINED if question.space.continuous else 0):
        excess = max((miss.share for miss in tried.missed.values()), default=0.0) / question.share
        again = refined(question, tried.found, excess) if tried.missed and isfinite(excess) else None
        if again is None:
            break
        tried = _analysed(question, judge, again)
    return tried


def _analysed(question: Question, judge: Verification, found: Found) -> Tried:
    """A design analysed; one that misses a limit of the prescribed motion is not simulated."""
    design = question.space.design(dict(found.values))
    robot = with_choices(design.robot, _choices(question, found))
    task = without_accuracy(design.task) if _loops(question) else design.task
    for loop in (None, task.perturbed) if _loops(question) else (None,):
        analysis = analyse(robot, replace(task, perturbed=loop), sections=design.sections, catalogue=question.table)
        missed = judge.missed(analysis)
        if missed and not judge.only_of_others(missed):
            break
    return Tried(found, robot, analysis, missed)


def _choices(question: Question, found: Found) -> dict[str, Choice]:
    return dict(zip(question.joints, found.choices, strict=True))


def _winner(question: Question, sets: Sets, tried: Tried, remarks: Sequence[str], of_front: Sequence[str]) -> Sizing:
    """The design that is handed back, analysed with all that its task requires."""
    design = question.space.design(dict(tried.found.values))
    analysis = tried.analysis
    if _loops(question) and "accuracy" in design.task.required:
        analysis = analyse(tried.robot, design.task, sections=design.sections, catalogue=question.table)
    choices = _choices(question, tried.found)
    return Sizing(
        choices,
        tried.robot,
        analysis,
        sets.front,
        sets.looked_at,
        (*remarks, *_of_choices(question, choices), *of_front),
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
