"""Changes towards consistent modes: apply the most violated guard until none is violated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.arrays import Array
from gearwright.forces import Guard
from gearwright.forces.event_tolerances import EVENT_LOCATION_LEVEL, GUARD_VIOLATION_LEVEL
from gearwright.system.system import Modes, System

IndexedGuards = Iterable[tuple[int, Guard]]
"""Guards with the index of their law."""


class ModeChanges:
    """Modes that change in sequence, with the record of the changes."""

    def __init__(self, modes: Modes) -> None:
        self.modes = modes
        self.history: list[tuple[int, str]] = []
        self.remarks: list[str] = []
        self._visited = {modes}
        self._changed: Counter[int] = Counter()
        self._weights: Counter[int] = Counter()

    @property
    def are_recurrent(self) -> bool:
        """Whether the modes were visited before: applying the most violated guard has led back to them."""
        return bool(self._weights)

    def apply_worst_guard(self, guards: IndexedGuards) -> Guard | None:
        """Apply the most violated guard and return it; None if none is violated."""
        worst = self.worst_guard(guards)
        if worst is not None:
            self.apply_guard(*worst)
        return None if worst is None else worst[1]

    def worst_guard(self, guards: IndexedGuards) -> tuple[int, Guard] | None:
        """The most violated guard with the index of its law; None if none is violated.

        Where modes recur, applying the most violated guard was wrong: then laws with fewer changes have priority.
        """
        return most_violated(guards, self._weights)

    def apply_guard(self, index: int, guard: Guard) -> None:
        """Change the mode of a law to that of its guard."""
        self._changed[index] += 1
        self.history.append((index, guard.to))
        self.modes = with_mode(self.modes, index, guard.to)
        self._weights = self._changed if self.modes in self._visited else Counter()
        self._visited.add(self.modes)

    def change_to(self, index: int, mode: str) -> None:
        """Change a mode without a guard: the effect of an impact elsewhere."""
        if self.modes[index] != mode:
            self.history.append((index, mode))
            self.modes = with_mode(self.modes, index, mode)

    @property
    def visited_modes(self) -> list[frozenset[str]]:
        """The modes in which each law has been."""
        return [frozenset(law_modes) for law_modes in zip(*self._visited, self.modes, strict=True)]

    def named_changes(self, system: System) -> tuple[tuple[str, str], ...]:
        """The changes as (law, mode)."""
        return tuple((system.laws[index].name, mode) for index, mode in self.history)


def samples_with_violations(guards: IndexedGuards, count: int) -> Iterator[tuple[int, list[tuple[int, Guard]]]]:
    """The samples, of `count` with guards as arrays, where a guard is violated, each with its guards in numbers.

    Rates are not used: a guard at zero is satisfied.
    """
    levels = [
        _GuardLevel(index, x.to, _broadcast_samples(count, x.value / x.scale), _broadcast_samples(count, x.when))
        for index, x in guards
    ]
    is_violated = np.zeros(count, dtype=bool)
    for guard_level in levels:
        is_violated |= (guard_level.when != 0) & (guard_level.level <= -GUARD_VIOLATION_LEVEL)
    for k in np.flatnonzero(is_violated).tolist():
        yield (
            k,
            [
                (guard_level.law, Guard(guard_level.level[k], guard_level.to, when=guard_level.when[k]))
                for guard_level in levels
            ],
        )


class _GuardLevel(NamedTuple):
    """A guard over several samples, in its own scale."""

    law: int
    to: str
    level: Array
    when: Array


def _broadcast_samples(count: int, value: Scalar) -> Array:
    return np.broadcast_to(value, (count,))


def with_mode(modes: Modes, index: int, mode: str) -> Modes:
    """Modes with another one for one law."""
    return (*modes[:index], mode, *modes[index + 1 :])


def most_violated(guards: IndexedGuards, weights: Mapping[int, int]) -> tuple[int, Guard] | None:
    """The most violated applicable guard, of the laws with the least weight; None if all are satisfied.

    Guards at zero that a rate decides come after all other violations.
    """
    worst: tuple[int, Guard] | None = None
    least = (0, 0.0)
    for index, guard in guards:
        rank = (weights.get(index, 0), _guard_level(guard))
        if guard.when and rank[1] <= -GUARD_VIOLATION_LEVEL and (worst is None or rank < least):
            worst, least = (index, guard), rank
    return worst


def _guard_level(guard: Guard) -> float:
    level = float(guard.value / guard.scale)
    if guard.rate is not None and abs(level) <= 2 * EVENT_LOCATION_LEVEL:
        return -GUARD_VIOLATION_LEVEL if guard.rate < 0 else 0.0
    return level
