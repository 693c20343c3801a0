"""Verification of a design by analysis: limits of its drives, links and task, prescribed and in closed loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import NamedTuple

from gearwright.analysis import Analysis, LimitCheck, Task, analyse
from gearwright.analysis.drives.limit_checks import LIMIT_TOLERANCE, STRESS_LIMIT
from gearwright.design.search.tightest_limit import advice_for
from gearwright.design.variables.design_evaluation import SizingProblem
from gearwright.errors import InputError
from gearwright.text import listed_names

LOOP_SUFFIX = " (closed loop)"
"""Suffix of the name of a limit in the closed loop."""
ACCURACY_LIMIT = "tracking accuracy of the tip"


def without_accuracy(task: Task) -> Task:
    """The task without its required accuracy, whose recommendation costs another closed loop per set."""
    return replace(
        task, required={requirement: x for requirement, x in task.required.items() if requirement != "accuracy"}
    )


class LimitViolation(NamedTuple):
    """An exceeded limit: its utilisation and the recommendation."""

    share: float
    advice: str


def limit_share(check: LimitCheck) -> float:
    """Utilisation of a limit; for a lower limit the required value over the actual value.

    >>> limit_share(LimitCheck("elbow: gearbox life", 2000.0, 1000.0, "h", is_minimum=True))
    0.5
    """
    if check.is_minimum:
        return inf if check.value <= 0 else check.limit / check.value
    return 1 - check.margin


def all_limits(analysis: Analysis) -> Iterator[tuple[str, LimitCheck]]:
    """Every limit of the prescribed motion and of the closed loop, by name.

    Joint positions do not depend on the choice and are checked before.
    """
    loop = () if analysis.perturbed is None else analysis.perturbed.limits
    yield from ((check.name, check) for check in analysis.limits if not check.is_range)
    yield from ((check.name + LOOP_SUFFIX, check) for check in loop if not check.is_range)


@dataclass(frozen=True)
class Verification:
    """Checks analyses of designs.

    Drives that are not chosen are checked too: a limit that they satisfy in the original robot should still be
    satisfied; one that they exceed there is only reported.

    Args:
        problem: the sizing problem.
    """

    problem: SizingProblem

    def violations(self, analysis: Analysis) -> dict[str, LimitViolation]:
        """The limits that a design must satisfy and exceeds."""
        all_violations = self._all_violations(analysis)
        return {name: violation for name, violation in all_violations.items() if not self._is_excused(name)}

    def unchosen_drive_remarks(self, analysis: Analysis) -> Iterator[str]:
        """Remarks on exceeded limits of drives that were not chosen, and on a frequency of a rigid robot."""
        for name, violation in self._all_violations(analysis).items():
            if self._is_of_other_drive(name) and violation.share > 1 + LIMIT_TOLERANCE:
                yield (
                    f"{name}, of a drive that was not chosen, is exceeded: utilisation {violation.share:.1%}, before "
                    f"{self._initial_shares.get(name, 0.0):.1%}. Choose that drive too, or lighter ones."
                )
        if "frequency" in self._requirements and all(drive.frequency is None for drive in analysis.drives.values()):
            yield "a natural frequency is required, but no drive is elastic: it is not checked."

    def raise_if_unattainable(self, analysis: Analysis) -> None:
        """Raise an error if the start error alone exceeds the required accuracy, which no drive can change."""
        loop, limit = analysis.perturbed, self._requirements.get("accuracy")
        if limit is None or loop is None or loop.tip_error is None or self.problem.space.domains:
            return
        start_error = float(loop.tip_error[0])
        if start_error > limit * (self.problem.share + LIMIT_TOLERANCE):
            raise InputError(
                f"size_drives: the closed loop starts with a tip error of {1e3 * start_error:.3g} mm, but an accuracy "
                f"of {1e3 * limit:.3g} mm is required. This does not depend on the drives. Reduce `start_error`, or "
                "relax the requirement."
            )

    def is_only_of_others(self, violations: Mapping[str, LimitViolation]) -> bool:
        """Whether all exceeded limits are those of drives that were not chosen."""
        return all(self._is_of_other_drive(name) for name in violations)

    def _is_of_other_drive(self, name: str) -> bool:
        owner, _, quantity = name.partition(": ")
        return (
            owner in self._unchosen_motors and quantity.removesuffix(LOOP_SUFFIX) != STRESS_LIMIT
        )  # a link may have the name of a joint

    def _all_violations(self, analysis: Analysis) -> dict[str, LimitViolation]:
        """Every limit above the allowed utilisation."""
        shares = {name: (limit_share(check), check.advice_text) for name, check in all_limits(analysis)}
        shares |= {name: (share, "") for name, share in self._accuracy_share(analysis).items()}
        allowed = self.problem.share + LIMIT_TOLERANCE
        return {name: LimitViolation(share, advice) for name, (share, advice) in shares.items() if share > allowed}

    def _accuracy_share(self, analysis: Analysis) -> dict[str, float]:
        """Utilisation of the required accuracy, if the task has a closed loop."""
        loop, limit = analysis.perturbed, self._requirements.get("accuracy")
        return (
            {}
            if limit is None or loop is None or loop.accuracy is None
            else {ACCURACY_LIMIT + LOOP_SUFFIX: loop.accuracy / limit}
        )

    @property
    def _requirements(self) -> Mapping[str, float]:
        return self.problem.space.base.task.required

    def _is_excused(self, name: str) -> bool:
        """Whether a limit is that of an unchanged drive that exceeds it in the original robot."""
        return (
            self._is_of_other_drive(name) and self._initial_shares.get(name, 0.0) > self.problem.share + LIMIT_TOLERANCE
        )

    @cached_property
    def _unchosen_motors(self) -> frozenset[str]:
        """Names of the motors that are not chosen: of drives by title and joint, and of trains."""
        robot, chosen = self.problem.space.base.robot, set(self.problem.judged_joints)
        names = [name for drive in robot.drives if drive.joint not in chosen for name in (drive.title, drive.joint)]
        return frozenset([*names, *(motor.name for train in robot.trains for motor in train.motors)])

    @cached_property
    def _initial_shares(self) -> dict[str, float]:
        """Utilisation of the limits by the original robot."""
        base = self.problem.space.base
        task = without_accuracy(base.task)
        analysis = analyse(base.robot, task, sections=base.sections, catalogue=self.problem.catalogue)
        return {name: limit_share(check) for name, check in all_limits(analysis)}


def no_verified_design(
    problem: SizingProblem, tried: Iterable[Mapping[str, LimitViolation]], refusal: str = ""
) -> InputError:
    """The error if no set satisfies every limit in the analysis.

    Args:
        problem: the sizing problem.
        tried: the exceeded limits of each set.
        refusal: why no other set is better, if known.
    """
    worst = [max(violations.items(), key=lambda item: item[1].share) for violations in tried]
    name, violation = min(worst, key=lambda item: item[1].share)
    other_limits = [
        limit_name for limit_name in dict.fromkeys(violations for violations, _ in worst) if limit_name != name
    ]
    also = f" Other sets exceed {listed_names(other_limits)}." if other_limits else ""
    counted = "the one analysed set does not satisfy" if len(worst) == 1 else f"none of {len(worst)} sets satisfies"
    outlook = f"With the same screening errors for the other sets: {refusal}" if refusal else ""
    return InputError(
        f"size_drives: in the analysis, {counted} every limit. The tightest is {name}: the best set needs "
        f"{violation.share:.0%} of it, {problem.share:.0%} is allowed.{also} "
        f"{outlook or violation.advice or advice_for(name)}"
    )
