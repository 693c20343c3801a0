"""The way to modes that fit each other: obey the most violated guard until none is violated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.arrays import Array
from gearwright.forces.law import Guard
from gearwright.system.system import Modes, System

ZERO = 0.5e-9
"""Guards below minus this, in their own scale, are violated."""

CROSSED = 1e-9
"""An event is located where a guard reaches minus this; up to twice as near to zero, a guard's rate decides."""

Guards = Iterable[tuple[int, Guard]]
"""Guards with the index of their law."""


class ModeChanges:
    """Modes that change one by one, and how they did."""

    def __init__(self, modes: Modes) -> None:
        self.modes = modes
        self.made: list[tuple[int, str]] = []
        self.remarks: list[str] = []
        self._visited = {modes}
        self._changed: Counter[int] = Counter()
        self._weights: Counter[int] = Counter()

    def obey(self, guards: Guards) -> Guard | None:
        """Change the mode whose guard is violated most; None where none is."""
        worst = self.worst(guards)
        if worst is not None:
            self.apply(*worst)
        return None if worst is None else worst[1]

    def worst(self, guards: Guards) -> tuple[int, Guard] | None:
        """The guard that is violated most, with the index of its law; None where none is.

        Where modes come again, the most violated guard was the wrong one to obey: then laws that were changed less
        often come first.
        """
        return most_violated(guards, self._weights)

    def apply(self, index: int, guard: Guard) -> None:
        """Change the mode of a law as its guard says."""
        self._changed[index] += 1
        self.made.append((index, guard.to))
        self.modes = with_mode(self.modes, index, guard.to)
        self._weights = self._changed if self.modes in self._visited else Counter()
        self._visited.add(self.modes)

    def change_to(self, index: int, mode: str) -> None:
        """Change a mode that no guard asks for: what a blow elsewhere has done to it."""
        if self.modes[index] != mode:
            self.made.append((index, mode))
            self.modes = with_mode(self.modes, index, mode)

    @property
    def modes_taken(self) -> list[frozenset[str]]:
        """Per law the modes that it was in."""
        return [frozenset(own) for own in zip(*self._visited, self.modes, strict=True)]

    def named(self, system: System) -> tuple[tuple[str, str], ...]:
        """The changes as (law, mode)."""
        return tuple((system.laws[index].name, mode) for index, mode in self.made)


def violated(guards: Guards, count: int) -> Iterator[tuple[int, list[tuple[int, Guard]]]]:
    """Of `count` samples whose guards are arrays those where one is violated, each with its own guards in numbers.

    Rates have no say: a guard that is zero holds.
    """
    levels = [_Level(index, x.to, _over(count, x.value / x.scale), _over(count, x.when)) for index, x in guards]
    broken = np.zeros(count, dtype=bool)
    for one in levels:
        broken |= (one.when != 0) & (one.level <= -ZERO)
    for k in np.flatnonzero(broken).tolist():
        yield k, [(one.law, Guard(one.level[k], one.to, when=one.when[k])) for one in levels]


class _Level(NamedTuple):
    """A guard over several samples, in its own scale."""

    law: int
    to: str
    level: Array
    when: Array


def _over(count: int, value: Scalar) -> Array:
    return np.broadcast_to(value, (count,))


def with_mode(modes: Modes, index: int, mode: str) -> Modes:
    """Modes with another one for one law."""
    return (*modes[:index], mode, *modes[index + 1 :])


def most_violated(guards: Guards, weights: Mapping[int, int]) -> tuple[int, Guard] | None:
    """The most violated guard that counts, of the laws with the least weight; None where all hold.

    Ties that a rate decides come after all real violations.
    """
    found: tuple[int, Guard] | None = None
    least = (0, 0.0)
    for index, guard in guards:
        place = (weights.get(index, 0), _level(guard))
        if guard.when and place[1] <= -ZERO and (found is None or place < least):
            found, least = (index, guard), place
    return found


def _level(guard: Guard) -> float:
    level = float(guard.value / guard.scale)
    if guard.rate is not None and abs(level) <= 2 * CROSSED:
        return -ZERO if guard.rate < 0 else 0.0
    return level
