"""Search for consistent modes at one instant: apply guards in sequence, or try neighbouring modes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gearwright.arrays import Array
from gearwright.forces import Guard, Situation
from gearwright.forces.contact.contact import SLIDE_MODE, Contact
from gearwright.forces.event_tolerances import (
    BREAKAWAY_SPEED,
    LIMIT_REST_SPEED,
    MAX_CHANGES_PER_LAW,
    MAX_REPEATED_CHANGES_PER_LAW,
    MAX_SEARCHED_MODES,
    NEAR_GUARD_LEVEL,
)
from gearwright.system.evaluation import Evaluation, evaluate_system
from gearwright.system.modes.contact_modes import decide_contacts, with_slip_direction
from gearwright.system.modes.impacts import with_held_speeds
from gearwright.system.modes.jamming import is_jam
from gearwright.system.modes.mode_changes import IndexedGuards, ModeChanges, most_violated, with_mode
from gearwright.system.modes.simultaneous_impacts import after_contact_impact, opened_by_impact
from gearwright.system.system import Modes, System

SAME_SPEED_RATIO = 1e-9
"""Difference, relative to the largest speed, up to which speeds are equal."""

Neighbours: TypeAlias = Callable[[Evaluation], Iterator[Modes]]
"""A function that returns the modes to try next after inconsistent ones."""


@dataclass(frozen=True)
class ModeSearch:
    """A machine with its laws and inputs at one instant."""

    system: System
    t: float
    u: Array

    def evaluate_modes(self, x: Array, modes: Modes) -> Evaluation:
        """The evaluation of a state in given modes."""
        return evaluate_system(self.system, self.t, x, self.u, modes)

    def follow_guards(self, x: Array, changes: ModeChanges, jams: bool = True) -> tuple[Array, bool]:
        """The state after guards were applied in sequence, and whether all guards are satisfied.

        Impacts and new holds change the speeds. `jams` selects whether turning gears may jam.
        """
        for _ in range((MAX_CHANGES_PER_LAW if jams else MAX_REPEATED_CHANGES_PER_LAW) * (len(self.system.laws) + 1)):
            evaluation = self.evaluate_modes(x, changes.modes)
            worst = changes.worst_guard(_counting_guards(evaluation, jams))
            if worst is None:
                x = with_held_speeds(self.system, x, evaluation)
                evaluation = self.evaluate_modes(x, changes.modes)
                worst = changes.worst_guard(_counting_guards(evaluation, jams))
            if worst is None:
                return x, True
            if changes.are_recurrent:
                x = self._without_residual_speeds(x, evaluation)
            x = self._state_after_guard(x, evaluation, *worst, changes)
        return x, False

    def _without_residual_speeds(self, x: Array, evaluation: Evaluation) -> Array:
        """The state with held lines exactly at rest, if they are at rest up to the accuracy of event location.

        A line that sticks and breaks away begins to move from rest. With the residual speed of its stop, of the wrong
        sign, it would stick again, and so on without end.
        """
        held = with_held_speeds(self.system, x, evaluation)
        change = np.abs(held[self.system.v] - x[self.system.v])
        return held if change.max(initial=0.0) <= BREAKAWAY_SPEED else x

    def _state_after_guard(
        self, x: Array, evaluation: Evaluation, index: int, guard: Guard, changes: ModeChanges
    ) -> Array:
        """The state after a guard was applied: closed contacts without normal speed are determined together."""
        if isinstance(self.system.laws[index], Contact) and not _is_impact(guard, evaluation.situations[index]):
            decided = decide_contacts(x, self.u, evaluation, changes)
            if decided is not None:
                return decided
            x = with_slip_direction(x, evaluation, index) if guard.to == SLIDE_MODE else x
        changes.apply_guard(index, guard)
        if guard.impact is None:
            return x
        while True:
            after = after_contact_impact(self.system, x, guard.impact, evaluation, changes)
            opened = opened_by_impact(self.system, x, after, index, guard.impact, evaluation)
            if opened is None:
                return after
            changes.change_to(*opened)
            evaluation = self.evaluate_modes(x, with_mode(evaluation.modes, *opened))

    def search_modes(self, x: Array, modes: Modes, neighbours: Neighbours, jumps: bool) -> tuple[Modes, Array] | None:
        """Neighbouring modes in which every guard is satisfied, and the state with the speeds of the holds.

        Applying guards in sequence assumes that a force along a line accelerates it in its direction. With a
        self-locking gear it may accelerate it in the opposite direction (Painleve paradox): friction that breaks away
        then slides against its direction. `jumps` selects whether speeds may change.
        """
        waiting, visited = deque([modes]), {modes}
        while waiting and len(visited) < MAX_SEARCHED_MODES:
            evaluation = self.evaluate_modes(x, waiting.popleft())
            held = self._consistent_state(x, evaluation)
            if held is not None and (jumps or self._same_speeds(x, held)):
                return evaluation.modes, held
            for neighbour in neighbours(evaluation):
                if neighbour not in visited:
                    visited.add(neighbour)
                    waiting.append(neighbour)
        return None

    def _consistent_state(self, x: Array, evaluation: Evaluation) -> Array | None:
        """The state with the speeds of the holds, if every guard is satisfied before and after; else None."""
        if most_violated(evaluation.guards, {}) is not None:
            return None
        held = with_held_speeds(self.system, x, evaluation)
        after = self.evaluate_modes(held, evaluation.modes)
        return held if most_violated(after.guards, {}) is None else None

    def _same_speeds(self, x: Array, changed: Array) -> bool:
        before, after = x[self.system.v], changed[self.system.v]
        return bool(np.abs(after - before).max() <= SAME_SPEED_RATIO * (1.0 + np.abs(before).max()))


def _is_impact(guard: Guard, situation: Situation) -> bool:
    """Whether a guard has an impact with a non-zero speed."""
    return guard.impact is not None and guard.impact.line.speed(situation.v) < -LIMIT_REST_SPEED


def guard_successors(evaluation: Evaluation) -> Iterator[Modes]:
    """The modes that a guard at or below zero leads to, without impacts."""
    for index, guard in evaluation.guards:
        if guard.when and guard.impact is None and guard.value / guard.scale < NEAR_GUARD_LEVEL:
            yield with_mode(evaluation.modes, index, guard.to)


def visited_neighbours(visited_modes: Sequence[frozenset[str]]) -> Neighbours:
    """The neighbours in which one law is in another of its earlier modes."""

    def neighbour_modes(evaluation: Evaluation) -> Iterator[Modes]:
        for index, law_modes in enumerate(visited_modes):
            yield from (with_mode(evaluation.modes, index, mode) for mode in sorted(law_modes))

    return neighbour_modes


def _counting_guards(evaluation: Evaluation, jams: bool) -> IndexedGuards:
    """The guards that apply."""
    return [(k, guard) for k, guard in evaluation.guards if jams or not is_jam(evaluation, k, guard.to)]
