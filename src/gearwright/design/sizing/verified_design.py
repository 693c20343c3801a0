"""The best design whose analysis satisfies every limit, prescribed and in closed loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from gearwright.analysis import analyse
from gearwright.design.candidates.candidates import Choice
from gearwright.design.candidates.chosen_drives import with_chosen_drives
from gearwright.design.candidates.objectives import DesignPoint
from gearwright.design.candidates.usable_entries import unlimited_by_sheet
from gearwright.design.robot_preparation.rigid_gears import elastic_remarks
from gearwright.design.search.drive_set_search import SearchResult
from gearwright.design.sizing.controller_gains import controller_gains
from gearwright.design.sizing.ranking import DesignRanking
from gearwright.design.sizing.sizing_result import Sizing
from gearwright.design.sizing.verification import Verification, no_verified_design, without_accuracy
from gearwright.design.variables.design_evaluation import SizingProblem
from gearwright.design.variables.mixed_search import POLISHED_PROPOSALS, refine_design
from gearwright.errors import GearwrightError, InputError, PartError, SimulationError, SingularityError
from gearwright.simulation.progress import counting_bar
from gearwright.text import listed_names

MAX_ANALYSED_SETS = 50
"""Largest number of sets that are analysed."""
MAX_SIMULATED_SETS = 15
"""Largest number of sets that are analysed with a closed loop, which takes seconds each."""
MAX_OVERLOADING_SETS = 5
"""Number of sets that overload drives that were not chosen, after which the best of them is used with a remark."""
SCREENED_FRONT_REMARK = (
    "of the Pareto front only the selected design was analysed: the others satisfy every limit in the screening. "
    "`verify_front` (--verify-front) analyses them all."
)
MAX_REPAIRS = 3
"""Number of repairs of a design that exceeds a limit in its analysis."""


def best_verified_design(
    problem: SizingProblem, ranking: DesignRanking, remarks: tuple[str, ...], whole_front: bool, progress: bool | None
) -> Sizing:
    """The best design that satisfies every limit in its analysis, with closed loop, links and temperature variation.

    Args:
        problem: the sizing problem.
        ranking: order of the designs.
        remarks: earlier remarks.
        whole_front: whether all designs of the front are analysed, and those that exceed a limit removed.
        progress: whether to show a progress bar.

    Raises:
        InputError: no analysed design satisfies every limit.
    """
    limit = MAX_SIMULATED_SETS if _has_closed_loop(problem) else MAX_ANALYSED_SETS
    with counting_bar(limit, 0, progress, "analysing sets") as count:
        trials = DesignTrials(problem, ranking, limit, count)
        best = trials.first_feasible(ranking)
        if best is not None:
            best = trials.first_feasible(ranking.skipped_designs(best.design)) or best
    best = best or trials.best_if_other_drives_overload()
    sets = ranking.search_result(best.design)
    front_remarks: tuple[str, ...] = (SCREENED_FRONT_REMARK,) if len(sets.front) > 1 else ()
    if whole_front:
        with counting_bar(len(sets.front), 0, progress, "analysing the front") as count:
            sets, front_remarks = trials.verified_front(sets, best, count)
    all_remarks = (*remarks, *trials.trial_remarks(best), *ranking.unanalysed_remarks(best.design))
    return _sizing_of_winner(problem, sets, best, all_remarks, front_remarks)


class DesignTrials:
    """A sequence of analyses of designs.

    Args:
        problem: the sizing problem.
        ranking: is updated by designs that fail.
        most: largest number of analyses.
        count: called with the number of analyses.
    """

    def __init__(self, problem: SizingProblem, ranking: DesignRanking, most: int, count: Callable[[int], None]) -> None:
        self._problem, self._ranking, self._max_analyses, self._count = problem, ranking, most, count
        self._verification = Verification(problem)
        self._infeasible_designs: list[Sizing] = []
        self._analysis_errors: list[GearwrightError] = []

    def first_feasible(self, designs: Iterable[DesignPoint]) -> Sizing | None:
        """The first feasible design within the remaining number of analyses, or None."""
        for design in designs:
            if self._is_finished:
                break
            analysed = self._try_design(design)
            if analysed is not None and not analysed.violations:
                return analysed
            self._count(self._analysis_count)
        return None

    @property
    def _analysis_count(self) -> int:
        return len(self._infeasible_designs) + len(self._analysis_errors)

    @property
    def _is_finished(self) -> bool:
        """Whether the number of analyses, or of sets that overload only other drives, is exhausted."""
        return len(self._overloading_designs) >= MAX_OVERLOADING_SETS or self._analysis_count >= self._max_analyses

    @property
    def _overloading_designs(self) -> list[Sizing]:
        return [
            analysed
            for analysed in self._infeasible_designs
            if self._verification.is_only_of_others(analysed.violations)
        ]

    def _try_design(self, design: DesignPoint) -> Sizing | None:
        """An analysed design; None if it cannot be analysed."""
        improve = len(self._infeasible_designs) < POLISHED_PROPOSALS
        try:
            analysed = (_repaired_design if improve else _analyse_design)(self._problem, self._verification, design)
        except (PartError, InputError, SimulationError, SingularityError) as error:
            self._analysis_errors.append(error)
            return None
        if analysed.violations:
            self._verification.raise_if_unattainable(analysed.analysis)
            self._infeasible_designs.append(analysed)
            self._ranking.record_error(design, analysed.violations)
        return analysed

    def best_if_other_drives_overload(self) -> Sizing:
        """The best design that overloads only drives that were not chosen; an error without such a design."""
        if self._overloading_designs:
            return self._overloading_designs[0]
        if not self._infeasible_designs:
            raise self._analysis_errors[0]
        raise no_verified_design(
            self._problem, [analysed.violations for analysed in self._infeasible_designs], self._ranking.refusal
        )

    def verified_front(
        self, sets: SearchResult, best: Sizing, count: Callable[[int], None]
    ) -> tuple[SearchResult, tuple[str, ...]]:
        """The designs of the front that satisfy every limit in their analysis, and a remark on the others."""
        feasible, violated = [], dict[str, None]()
        for number, design in enumerate(sets.front):
            limits = [] if design is best.design else list(self._violated_limits(design))
            feasible += [] if limits else [design]
            violated |= dict.fromkeys(limits)
            count(number + 1)
        dropped = len(sets.front) - len(feasible)
        remark = (
            f"removed from the Pareto front: {dropped} designs that exceed {listed_names(violated)} in the analysis."
        )
        return sets._replace(front=tuple(feasible)), (remark,) if dropped else ()

    def _violated_limits(self, design: DesignPoint) -> Iterable[str]:
        try:
            return map(str, _analyse_design(self._problem, self._verification, design).violations)
        except (PartError, InputError, SimulationError, SingularityError) as error:
            return [str(error)]

    def trial_remarks(self, best: Sizing) -> Iterator[str]:
        """Remarks on the selected design, and on better designs that failed."""
        yield from self._verification.unchosen_drive_remarks(best.analysis)
        objective = self._problem.objective
        bound = best.design.objective_value(objective)
        better = [
            analysed
            for analysed in self._infeasible_designs
            if analysed is not best and analysed.design.objective_value(objective) <= bound
        ]
        if better:
            violated = listed_names(dict.fromkeys(str(key) for analysed in better for key in analysed.violations))
            sets = "one better set" if len(better) == 1 else f"{len(better)} better sets"
            yield f"{sets} satisfied every limit in the screening, but not in the analysis: {violated}."
        if self._analysis_errors:
            yield (
                f"{len(self._analysis_errors)} sets were skipped, because they cannot be analysed: "
                f"{self._analysis_errors[0]}"
            )


def _has_closed_loop(problem: SizingProblem) -> bool:
    return problem.space.base.task.perturbed is not None


def _repaired_design(problem: SizingProblem, judge: Verification, design: DesignPoint) -> Sizing:
    """A design that exceeds a limit, with its continuous variables changed until it does not."""
    analysed = _analyse_design(problem, judge, design)
    for _ in range(MAX_REPAIRS if problem.space.continuous_variables else 0):
        excess = max((violation.share for violation in analysed.violations.values()), default=0.0) / problem.share
        refined_design = (
            refine_design(problem, analysed.design, excess) if analysed.violations and isfinite(excess) else None
        )
        if refined_design is None:
            break
        analysed = _analyse_design(problem, judge, refined_design)
    return analysed


def _analyse_design(problem: SizingProblem, judge: Verification, point: DesignPoint) -> Sizing:
    """An analysed design; the closed loop is not simulated if a limit of the prescribed motion is exceeded."""
    design = problem.space.design_with(dict(point.values))
    robot = with_chosen_drives(design.robot, dict(zip(problem.judged_joints, point.choices, strict=True)))
    task = without_accuracy(design.task) if _has_closed_loop(problem) else design.task
    for loop in (None, task.perturbed) if _has_closed_loop(problem) else (None,):
        analysis = analyse(robot, replace(task, perturbed=loop), sections=design.sections, catalogue=problem.catalogue)
        violations = judge.violations(analysis)
        if violations and not judge.is_only_of_others(violations):
            break
    choices = dict(zip(problem.judged_joints, point.choices, strict=True))
    values = dict(point.values)
    return Sizing(choices, robot, analysis, point, values=values, pair=problem.pair, violations=violations)


def _sizing_of_winner(
    problem: SizingProblem, sets: SearchResult, best: Sizing, remarks: Sequence[str], of_front: Sequence[str]
) -> Sizing:
    """The result, analysed with all requirements of its task."""
    design, analysis = problem.space.design_with(best.values), best.analysis
    if _has_closed_loop(problem) and "accuracy" in design.task.required:
        analysis = analyse(best.robot, design.task, sections=design.sections, catalogue=problem.catalogue)
    return replace(
        best,
        analysis=analysis,
        front=sets.front,
        evaluated_count=sets.evaluated_count,
        remarks=(*remarks, *_choice_remarks(problem, best.choices), *of_front),
        gains=controller_gains(analysis),
    )


def _choice_remarks(problem: SizingProblem, choices: Mapping[str, Choice]) -> Iterator[str]:
    """Remarks on limits that the data sheets of the winner do not state, and on the stiffness of its gears."""
    chosen = {joint: choice for joint, choice in choices.items() if not choice.is_kept}
    for joint, choice in chosen.items():
        yield from unlimited_by_sheet(joint, choice.motor, choice.gearbox)
    boxes = [(joint, choice.gearbox.stiffness) for joint, choice in chosen.items() if choice.gearbox is not None]
    yield from elastic_remarks(problem.space.base.robot, boxes)
