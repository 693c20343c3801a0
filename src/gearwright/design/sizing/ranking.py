"""The sets of drives worth analysing, the best first: what the analyses of others taught is held against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gearwright.arrays import Array
from gearwright.design.candidates.candidates import Candidates, Choice
from gearwright.design.candidates.drive_influence import DriveSpace
from gearwright.design.candidates.objectives import Found, unbeaten
from gearwright.design.search.drive_set_search import Sets, best_sets
from gearwright.design.search.drive_sets import DriveSets, Places
from gearwright.design.sizing.verification import LOOP, Miss
from gearwright.design.variables.design_evaluation import Question
from gearwright.errors import InputError

Burdens = Mapping[str, float]
"""Per limit ("elbow: gearbox peak torque") how many times as much of it an analysis takes as the screening says."""
MOST = 10.0
"""The largest burden: a winding that heats without end takes all of its limit and more."""
SEARCHES = 3
"""How often sets are searched anew when none of those found bears the burdens."""
HOPE = 1.25
"""Burdens are estimates: when none bears them, a set is analysed that takes up to so many times what is allowed."""
SAME = 1e-9
"""Relative: objectives that differ by less are equal."""
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
        choices = [some.choices for some in self._options]
        return np.array([[some.index(one) for some, one in zip(choices, each.choices, strict=True)] for each in found])

    @cached_property
    def _space(self) -> DriveSpace:
        return self.question.drives(self.question.space.base)

    @cached_property
    def _options(self) -> tuple[Candidates, ...]:
        return self.question.options(self._space)


def _key(choice: Choice) -> tuple[str, str]:
    return choice.motor.key, "" if choice.gearbox is None else choice.gearbox.key


def _keys(found: Found) -> tuple[tuple[str, str], ...]:
    return tuple(map(_key, found.choices))


def _tightened(some: Candidates, burdens: Burdens) -> Candidates:
    own = f"{some.basis.drive.title}: "
    return some.tightened({name.removeprefix(own): x for name, x in burdens.items() if name.startswith(own)})


class Ranking:
    """Sets in the order in which they are analysed.

    An analysis takes more of a limit than the screening says where the closed loop has errors to mend, where a
    temperature swings, where an inductance takes voltage. How many times as much a set takes that missed a limit is
    held against all others: those that would miss it too are passed over, and where none is left, sets are searched
    anew under these burdens.

    Args:
        sets: what the screening found, the best first.
        screen: the search; None where nothing is to be learned: where more than drives varies every set is a design of
            its own.
    """

    def __init__(self, sets: Sets, screen: Screen | None) -> None:
        self._sets, self._screen = sets, screen
        self._waiting = list(sets.found)
        self._known = {_keys(one): one for one in sets.found} if screen is not None else {}
        self._tried: set[tuple[tuple[str, str], ...]] = set()
        self._burdens: dict[str, float] = {}
        self._searches = 0
        self.refusal = ""  # why no set bears the burdens, when that was found

    def __iter__(self) -> Iterator[Found]:
        while (place := self._next()) is not None:
            found = self._waiting.pop(place)
            self._tried.add(_keys(found))
            yield found

    def passed_over(self, winner: Found) -> Iterator[Found]:
        """Sets better than the winner that were not tried, the best first, and which miss the burdens by little."""
        better = self._better(winner)
        uses = self._uses(better)
        for one, use in zip(better, uses, strict=True):
            if use <= HOPE * self._share:
                self._tried.add(_keys(one))
                yield one

    def _better(self, winner: Found) -> list[Found]:
        """Sets better than the winner that were not tried, the best first."""
        if self._screen is None:
            return []
        objective = self._screen.question.objective
        most = winner.value(objective) * (1 - SAME)
        found = [one for keys, one in self._known.items() if keys not in self._tried and one.value(objective) < most]
        return sorted(found, key=lambda one: one.value(objective))

    def learn(self, found: Found, missed: Mapping[str, Miss]) -> None:
        """What the analysis of a set says about the others; the latest counts, being of a set more like the next."""
        if self._screen is None:
            return
        uses = self._screen.uses(found)
        learned: dict[str, float] = {}
        for name, miss in missed.items():
            plain = name.removesuffix(LOOP)
            if uses.get(plain, 0.0) > 0:
                learned[plain] = max(learned.get(plain, 1.0), min(miss.share / uses[plain], MOST))
        self._burdens |= learned

    def sets(self, winner: Found) -> Sets:
        """What was found; the front has those that bear the burdens, and the winner."""
        if not self._burdens:
            return self._sets
        found = self._sets.found
        held = [one for one, bears in zip(found, self._bears(found), strict=True) if bears and one is not winner]
        held.append(winner)
        first, second = (np.array([one.value(name) for one in held]) for name in self._sets.pair)
        return self._sets._replace(front=tuple(held[k] for k in unbeaten(first, second)))

    def remarks(self, winner: Found) -> Iterator[str]:
        """On better sets that were not analysed because others like them failed."""
        left = len(self._better(winner))
        if left and self._burdens:
            told = ", ".join(f"{name} ({factor:.3g} times)" for name, factor in self._burdens.items())
            sets = "one better set was" if left == 1 else f"{left} better sets were"
            yield (
                f"{sets} not analysed: analyses took more of these limits than the screening says, {told}, and if "
                "these sets take as much more they miss them."
            )

    def _next(self) -> int | None:
        """Where the best set waits that bears the burdens; where none does, the one that misses them by little."""
        place = self._first_that_bears()
        if place is None and self._burdens and self._searches < SEARCHES:
            self._searches += 1
            self._search()
            place = self._first_that_bears()
        return self._closest() if place is None else place

    def _first_that_bears(self) -> int | None:
        for start in range(0, len(self._waiting), CHUNK):
            bears = np.flatnonzero(self._bears(self._waiting[start : start + CHUNK]))
            if bears.size:
                return start + int(bears[0])
        return None

    def _closest(self) -> int | None:
        if not self._waiting:
            return None
        uses = self._uses(self._waiting)
        best = int(uses.argmin())
        return best if uses[best] <= HOPE * self._share else None

    def _bears(self, found: Sequence[Found]) -> NDArray[np.bool_]:
        return np.asarray(self._uses(found) <= self._share)

    def _uses(self, found: Sequence[Found]) -> Array:
        """The largest share of any limit that each takes under the burdens; what the screening found keeps them all."""
        if self._screen is None or not self._burdens or not found:
            return np.zeros(len(found))
        sets, places = self._screen.burdened(self._burdens), self._screen.places(found)
        chunks = [sets.evaluated(places[start : start + CHUNK]).use for start in range(0, len(places), CHUNK)]
        return np.concatenate(chunks)

    @property
    def _share(self) -> float:
        return 1.0 if self._screen is None else self._screen.question.share

    def _search(self) -> None:
        """More sets, under the burdens, if there are any."""
        assert self._screen is not None
        try:
            more = self._screen.best(self._burdens)
        except InputError as error:
            self.refusal = str(error).removeprefix("size_drives: ")
            return
        self._known |= {_keys(one): one for one in more.found}
        self._waiting = [one for one in more.found if _keys(one) not in self._tried]
        self._sets = more._replace(looked_at=self._sets.looked_at + more.looked_at, remarks=self._sets.remarks)
