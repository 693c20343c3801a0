"""The analysis of a design that was found, against every limit: of its drives, its links, its task, in both courses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import NamedTuple

from gearwright.analysis import Analysis, LimitCheck, Task, analyse
from gearwright.analysis.drives.limit_checks import ROUNDING, STRESS
from gearwright.design.search.tightest_limit import way_out
from gearwright.design.variables.design_evaluation import Question
from gearwright.errors import InputError
from gearwright.text import listed

LOOP = " (closed loop)"
"""After the name of a limit that holds for the perturbed motion."""
ACCURACY = "tracking accuracy of the tip"


def without_accuracy(task: Task) -> Task:
    """The task without what it requires of the tip's path: the advice on that costs a stricter loop per set."""
    return replace(task, required={word: x for word, x in task.required.items() if word != "accuracy"})


class Miss(NamedTuple):
    """A limit that is not kept: the share of it that is taken, and what would help."""

    share: float
    advice: str


def share_taken(check: LimitCheck) -> float:
    """Of a limit; where it is a least value, what is required of what there is.

    >>> share_taken(LimitCheck("elbow: gearbox life", 2000.0, 1000.0, "h", least=True))
    0.5
    """
    if check.least:
        return inf if check.value <= 0 else check.limit / check.value
    return 1 - check.margin


def all_limits(analysis: Analysis) -> Iterator[tuple[str, LimitCheck]]:
    """Every limit of the prescribed motion and of the closed loop, by name.

    Where the joints go does not depend on what is chosen, and was looked at before.
    """
    loop = () if analysis.perturbed is None else analysis.perturbed.limits
    yield from ((check.name, check) for check in analysis.limits if not check.is_range)
    yield from ((check.name + LOOP, check) for check in loop if not check.is_range)


@dataclass(frozen=True)
class Verification:
    """Judges analyses of designs.

    Drives that were not in question are judged too: a limit that they kept in the robot as it was given should still
    be kept; one that they missed there is only told.

    Args:
        question: what is looked for.
    """

    question: Question

    def missed(self, analysis: Analysis) -> dict[str, Miss]:
        """The limits that a design must keep and does not."""
        broken = self._broken(analysis)
        return {name: miss for name, miss in broken.items() if not self._excused(name)}

    def remarks(self, analysis: Analysis) -> Iterator[str]:
        """On limits of drives that were not chosen and are not kept; on a frequency that nothing has."""
        for name, miss in self._broken(analysis).items():
            if self._of_other(name) and miss.share > 1 + ROUNDING:
                yield (
                    f"{name}, of a drive that was not chosen, is not kept: {miss.share:.1%} of it is taken, "
                    f"{self._before.get(name, 0.0):.1%} before. Choose that drive too, or lighter ones."
                )
        if "frequency" in self._required and all(one.frequency is None for one in analysis.drives.values()):
            yield "a natural frequency is required, but no drive is elastic: it is not judged."

    def refuse_hopeless(self, analysis: Analysis) -> None:
        """Refuse an accuracy that the start of the motion misses already: no drive changes where the robot begins."""
        loop, most = analysis.perturbed, self._required.get("accuracy")
        if most is None or loop is None or loop.tip_error is None or self.question.space.domains:
            return
        begins = float(loop.tip_error[0])
        if begins > most * (self.question.share + ROUNDING):
            raise InputError(
                f"size_drives: the closed loop begins {1e3 * begins:.3g} mm off, {1e3 * most:.3g} mm of accuracy is "
                "required, and no drive changes that. Make `start_error` smaller, or require less."
            )

    def only_of_others(self, missed: Mapping[str, Miss]) -> bool:
        """Whether all that is missed are limits of drives that were not chosen."""
        return all(self._of_other(name) for name in missed)

    def _of_other(self, name: str) -> bool:
        owner, _, what = name.partition(": ")
        return owner in self._kept and what.removesuffix(LOOP) != STRESS  # a link may be called like a joint

    def _broken(self, analysis: Analysis) -> dict[str, Miss]:
        """Every limit of which too much is taken."""
        shares = {name: (share_taken(check), check.advice) for name, check in all_limits(analysis)}
        shares |= {name: (share, "") for name, share in self._accuracy(analysis).items()}
        most = self.question.share + ROUNDING
        return {name: Miss(share, advice) for name, (share, advice) in shares.items() if share > most}

    def _accuracy(self, analysis: Analysis) -> dict[str, float]:
        """Of the accuracy that is required the share that is taken, if something goes wrong in the task."""
        loop, most = analysis.perturbed, self._required.get("accuracy")
        return {} if most is None or loop is None or loop.accuracy is None else {ACCURACY + LOOP: loop.accuracy / most}

    @property
    def _required(self) -> Mapping[str, float]:
        return self.question.space.base.task.required

    def _excused(self, name: str) -> bool:
        """Whether a limit is that of a drive that stays as it is, and which missed it before."""
        return self._of_other(name) and self._before.get(name, 0.0) > self.question.share + ROUNDING

    @cached_property
    def _kept(self) -> frozenset[str]:
        """Names of the motors that nobody asked about: of drives by title and joint, and of trains."""
        robot, asked = self.question.space.base.robot, set(self.question.joints)
        names = [name for one in robot.drives if one.joint not in asked for name in (one.title, one.joint)]
        return frozenset([*names, *(motor.name for train in robot.trains for motor in train.motors)])

    @cached_property
    def _before(self) -> dict[str, float]:
        """The shares that the robot as it was given takes."""
        base = self.question.space.base
        task = without_accuracy(base.task)
        found = analyse(base.robot, task, sections=base.sections, catalogue=self.question.table)
        return {name: share_taken(check) for name, check in all_limits(found)}


def none_verified(question: Question, tried: Iterable[Mapping[str, Miss]], refusal: str = "") -> InputError:
    """Sets that were screened and none of which keeps every limit when analysed.

    Args:
        question: what was looked for.
        tried: what each of the sets misses.
        refusal: why no other set can do better, if that was found.
    """
    worst = [max(one.items(), key=lambda item: item[1].share) for one in tried]
    name, miss = min(worst, key=lambda item: item[1].share)
    others = [other for other in dict.fromkeys(one for one, _ in worst) if other != name]
    also = f" Others fail by {listed(others)}." if others else ""
    counted = "the one set that was analysed does not keep" if len(worst) == 1 else f"none of {len(worst)} sets keeps"
    way = f"Were others to take as much more than the screening says: {refusal}" if refusal else ""
    return InputError(
        f"size_drives: when analysed, {counted} every limit. The tightest is {name}: the best of them takes "
        f"{miss.share:.0%} of it, {question.share:.0%} is allowed.{also} {way or miss.advice or way_out(name)}"
    )
