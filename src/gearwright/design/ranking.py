"""The sets of drives worth analysing, the best first: what the analyses of others taught is held against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.design.candidates import Candidates, Choice
from gearwright.design.designs import Question
from gearwright.design.drive_basis import DriveSpace
from gearwright.design.drive_sets import DriveSets, Places
from gearwright.design.objectives import Found, unbeaten
from gearwright.design.search import Sets, best_sets
from gearwright.design.verification import LOOP, Miss
from gearwright.errors import InputError

Burdens = Mapping[str, float]
"""Per limit ("elbow: gearbox peak torque") how many times as much of it an analysis takes as the screening says."""
MOST = 10.0
"""The largest burden: a winding that heats without end takes all of its limit and more."""
SEARCHES = 3
"""How often sets are searched anew when none of those found bears the burdens."""
CHUNK = 200
"""Sets whose burdens are looked at together."""


@dataclass(frozen=True)
class Screen:
    """Sets of drives for a robot that stays as it is otherwise.

    Args:
        question: what is looked for.
        pair: the two objectives of the front.
        seed: of the search.
        method: of the search.
    """

    question: Question
    pair: tuple[str, str]
    seed: int = 0
    method: str | None = None

    def best(self, burdens: Burdens) -> Sets:
        """The best sets that keep every limit under the burdens."""
        return best_sets(
            self._space,
            self.burdened(burdens).options,
            self.question.objective,
            self.question.share,
            pair=self.pair,
            seed=self.seed,
            method=self.method,
        )

    def burdened(self, burdens: Burdens) -> DriveSets:
        """All sets, with limits so many times as tight."""
        return DriveSets(self._space, tuple(_tightened(some, burdens) for some in self._options))

    def uses(self, found: Found) -> dict[str, float]:
        """What the screening says that a set takes of every limit."""
        sets = DriveSets(self._space, self._options)
        return sets.uses(self.places([found])[0])

    def places(self, found: Sequence[Found]) -> Places:
        """Of choices among the options, (P, J)."""
        return np.array([[at[_key(one)] for at, one in zip(self._known, some.choices, strict=True)] for some in found])

    @cached_property
    def _space(self) -> DriveSpace:
        return self.question.drives(self.question.space.base)

    @cached_property
    def _options(self) -> tuple[Candidates, ...]:
        return self.question.options(self._space)

    @cached_property
    def _known(self) -> list[dict[tuple[str, str], int]]:
        """Per joint where each choice stands."""
        return [{_key(one): k for k, one in enumerate(some.choices)} for some in self._options]


def _key(choice: Choice) -> tuple[str, str]:
    return choice.motor.key, "" if choice.gearbox is None else choice.gearbox.key


def _keys(found: Found) -> tuple[tuple[str, str], ...]:
    return tuple(map(_key, found.choices))


def _tightened(some: Candidates, burdens: Burdens) -> Candidates:
    title = some.basis.drive.title
    return replace(some, limits={name: x / burdens.get(f"{title}: {name}", 1.0) for name, x in some.limits.items()})


class Ranking:
    """Sets in the order in which they are analysed.

    An analysis takes more of a limit than the screening says where the closed loop has errors to mend, where a
    temperature swings, where an inductance takes voltage. How many times as much a set takes that missed a limit is
    held against all others: those that would miss it too are passed over, and where none is left, sets are searched
    anew under these burdens.

    Args:
        sets: what the screening found, the best first.
        screen: the search; None where more than drives varies: every set then is a design of its own.
    """

    def __init__(self, sets: Sets, screen: Screen | None) -> None:
        self._sets, self._screen = sets, screen
        self._waiting = list(sets.found)
        self._tried: set[tuple[tuple[str, str], ...]] = set()
        self._burdens: dict[str, float] = {}
        self._searches = 0
        self.refusal = ""  # why no set bears the burdens, when that was found

    def __iter__(self) -> Iterator[Found]:
        while (place := self._next()) is not None:
            found = self._waiting.pop(place)
            self._tried.add(_keys(found))
            yield found

    def learn(self, found: Found, missed: Mapping[str, Miss]) -> None:
        """What the analysis of a set says about the others."""
        if self._screen is None:
            return
        uses = self._screen.uses(found)
        learned: dict[str, float] = {}
        for name, miss in missed.items():
            plain = name.removesuffix(LOOP)
            if uses.get(plain, 0.0) > 0:
                learned[plain] = max(learned.get(plain, 1.0), min(miss.share / uses[plain], MOST))
        self._burdens |= learned

    @property
    def sets(self) -> Sets:
        """What was found; of the front those that bear the burdens."""
        if not self._burdens:
            return self._sets
        bearing = [one for one, bears in zip(self._sets.found, self._bears(self._sets.found), strict=True) if bears]
        first, second = (np.array([one.value(name) for one in bearing]) for name in self._sets.pair)
        return self._sets._replace(front=tuple(bearing[k] for k in unbeaten(first, second)))

    def remarks(self) -> Iterator[str]:
        """On sets that were not analysed because others like them failed."""
        if self._burdens:
            told = ", ".join(f"{name} ({factor:.3g} times)" for name, factor in self._burdens.items())
            yield (
                f"analyses took more of these limits than the screening says: {told}. Sets that would miss them by as "
                "much were passed over; among them may be a better one."
            )

    def _next(self) -> int | None:
        """Where the best set waits that bears the burdens."""
        place = self._first_that_bears()
        if place is None and self._burdens and self._searches < SEARCHES:
            self._searches += 1
            self._search()
            place = self._first_that_bears()
        return place

    def _first_that_bears(self) -> int | None:
        for start in range(0, len(self._waiting), CHUNK):
            bears = np.flatnonzero(self._bears(self._waiting[start : start + CHUNK]))
            if bears.size:
                return start + int(bears[0])
        return None

    def _bears(self, found: Sequence[Found]) -> NDArray[np.bool_]:
        if self._screen is None or not self._burdens or not found:
            return np.ones(len(found), dtype=bool)
        numbers = self._screen.burdened(self._burdens).evaluated(self._screen.places(found))
        return np.asarray(numbers.use <= self._screen.question.share)

    def _search(self) -> None:
        """More sets, under the burdens, if there are any."""
        assert self._screen is not None
        try:
            more = self._screen.best(self._burdens)
        except InputError as error:
            self.refusal = str(error).removeprefix("size_drives: ")
            return
        self._waiting = [one for one in more.found if _keys(one) not in self._tried]
        self._sets = more._replace(looked_at=self._sets.looked_at + more.looked_at, remarks=self._sets.remarks)
