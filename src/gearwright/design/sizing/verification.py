"""Verification of a design by analysis: limits of its drives, links and task, prescribed and in closed loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import NamedTuple, TypeAlias

from gearwright.analysis import Analysis, LimitCheck, Task, analyse
from gearwright.analysis.drives.advice_value import Advice, advice_text
from gearwright.analysis.drives.limit_checks import LIMIT_TOLERANCE, required_check
from gearwright.analysis.drives.limit_kinds import LINK, TRACKING_ACCURACY, LimitKey
from gearwright.design.robot_preparation.sized_drives import sized_drives
from gearwright.design.variables.design_evaluation import SizingProblem
from gearwright.errors import InputError
from gearwright.text import listed_names


def without_accuracy(task: Task) -> Task:
    """The task without its required accuracy, whose recommendation costs another closed loop per set."""
    return replace(
        task, required={x: limit for x, limit in task.required.items() if x != TRACKING_ACCURACY.requirement}
    )


class LimitViolation(NamedTuple):
    """An exceeded limit: its utilisation and the recommendations, which are computed when they are read."""

    share: float
    advice: Sequence[Advice] = ()


Violations: TypeAlias = dict[LimitKey, LimitViolation]
"""The exceeded limits of a design."""


def limit_share(check: LimitCheck) -> float:
    """Utilisation of a limit; for a lower limit the required value over the actual value.

    >>> from gearwright.analysis.drives.limit_kinds import GEARBOX_LIFE
    >>> limit_share(LimitCheck(GEARBOX_LIFE, "elbow", 2000.0, 1000.0, "h", is_minimum=True))
    0.5
    """
    if check.is_minimum:
        return inf if check.value <= 0 else check.limit / check.value
    return 1 - check.margin


def all_limits(analysis: Analysis) -> Iterator[tuple[LimitKey, LimitCheck]]:
    """Every limit of the prescribed motion and of the closed loop.

    Joint positions do not depend on the choice and are checked before.
    """
    loop = () if analysis.perturbed is None else analysis.perturbed.limits
    for checks, in_closed_loop in ((analysis.limits, False), (loop, True)):
        yield from ((LimitKey(x.owner, x.kind, in_closed_loop), x) for x in checks if not x.is_range)


@dataclass(frozen=True)
class Verification:
    """Checks analyses of designs.

    Drives that are not chosen are checked too: a limit that they satisfy in the original robot should still be
    satisfied; one that they exceed there is only reported.

    Args:
        problem: the sizing problem.
    """

    problem: SizingProblem

    def violations(self, analysis: Analysis) -> Violations:
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
        loop, limit = analysis.perturbed, self._requirements.get(TRACKING_ACCURACY.requirement)
        if limit is None or loop is None or loop.tip_error is None or self.problem.space.domains:
            return
        start_error = float(loop.tip_error[0])
        if start_error > limit * (self.problem.share + LIMIT_TOLERANCE):
            raise InputError(
                f"size_drives: the closed loop starts with a tip error of {1e3 * start_error:.3g} mm, but an accuracy "
                f"of {1e3 * limit:.3g} mm is required. This does not depend on the drives. Reduce `start_error`, or "
                "relax the requirement."
            )

    def is_only_of_others(self, violations: Iterable[LimitKey]) -> bool:
        """Whether all exceeded limits are those of drives that were not chosen."""
        return all(self._is_of_other_drive(key) for key in violations)

    def _is_of_other_drive(self, key: LimitKey) -> bool:
        return key.kind.part != LINK and key.owner in self._unchosen_motors  # a link may have the name of a joint

    def _all_violations(self, analysis: Analysis) -> Violations:
        """Every limit above the allowed utilisation."""
        shares = {key: LimitViolation(limit_share(check), check.advice) for key, check in all_limits(analysis)}
        loop = analysis.perturbed
        accuracy = None if loop is None else required_check(TRACKING_ACCURACY, self._requirements, loop.accuracy)
        if accuracy is not None:
            shares[LimitKey("", TRACKING_ACCURACY, True)] = LimitViolation(limit_share(accuracy))
        allowed = self.problem.share + LIMIT_TOLERANCE
        return {key: violation for key, violation in shares.items() if violation.share > allowed}

    @property
    def _requirements(self) -> Mapping[str, float]:
        return self.problem.space.base.task.required

    def _is_excused(self, key: LimitKey) -> bool:
        """Whether a limit is that of an unchanged drive that exceeds it in the original robot."""
        allowed = self.problem.share + LIMIT_TOLERANCE
        return self._is_of_other_drive(key) and self._initial_shares.get(key, 0.0) > allowed

    @cached_property
    def _unchosen_motors(self) -> frozenset[str]:
        """Names of the motors that are not chosen, by title and joint."""
        robot, chosen = self.problem.space.base.robot, set(self.problem.judged_joints)
        unchosen = [drive for drive in sized_drives(robot) if drive.joint not in chosen]
        return frozenset(name for drive in unchosen for name in (drive.title, drive.joint))

    @cached_property
    def _initial_shares(self) -> dict[LimitKey, float]:
        """Utilisation of the limits by the original robot."""
        base = self.problem.space.base
        task = without_accuracy(base.task)
        analysis = analyse(base.robot, task, sections=base.sections, catalogue=self.problem.catalogue)
        return {key: limit_share(check) for key, check in all_limits(analysis)}


def no_verified_design(
    problem: SizingProblem, violations_by_set: Iterable[Violations], refusal: str = ""
) -> InputError:
    """The error if no set satisfies every limit in the analysis.

    Args:
        problem: the sizing problem.
        violations_by_set: the exceeded limits of each set.
        refusal: why no other set is better, if known.
    """
    worst = [max(violations.items(), key=lambda item: item[1].share) for violations in violations_by_set]
    tightest, violation = min(worst, key=lambda item: item[1].share)
    other_limits = [str(key) for key in dict.fromkeys(key for key, _ in worst) if key != tightest]
    others_text = f" Other sets exceed {listed_names(other_limits)}." if other_limits else ""
    counted = "the one analysed set does not satisfy" if len(worst) == 1 else f"none of {len(worst)} sets satisfies"
    outlook = f"With the same screening errors for the other sets: {refusal}" if refusal else ""
    return InputError(
        f"size_drives: in the analysis, {counted} every limit. The tightest is {tightest}: the best set needs "
        f"{violation.share:.0%} of it, {problem.share:.0%} is allowed.{others_text} "
        f"{outlook or advice_text(violation.advice) or tightest.kind.remedy}"
    )
