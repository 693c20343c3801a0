"""Ways to modes that fit each other at one instant: obey guards one by one, or try those near by."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gearwright.arrays import Array
from gearwright.forces.contact.contact import SLIDE, Contact
from gearwright.forces.friction.stick_slip import RESTING
from gearwright.forces.law import Guard, Situation
from gearwright.system.evaluation import Evaluation, evaluate
from gearwright.system.modes.contact_modes import begun_to_slide, decide_contacts
from gearwright.system.modes.impacts import kept
from gearwright.system.modes.jamming import is_jam
from gearwright.system.modes.mode_changes import Guards, ModeChanges, most_violated, with_mode
from gearwright.system.modes.simultaneous_impacts import after_blow
from gearwright.system.system import Modes, System

PATIENCE = 40
"""Changes per law before a set of modes counts as one that does not settle."""

LESS_PATIENCE = 10
"""The same where it did not settle before: then a search is quicker."""

CLOSE = 1e-6
"""Guards below this, in their own scale, may end a mode in a search."""

REACH = 400
"""Sets of modes that a search looks at."""

SAME = 1e-9
"""Share of the largest speed up to which speeds are the same."""

Neighbours: TypeAlias = Callable[[Evaluation], Iterator[Modes]]
"""The modes to try next, where some do not fit."""


@dataclass(frozen=True)
class Instant:
    """A machine with its laws at a time, with its inputs."""

    system: System
    t: float
    u: Array

    def evaluate(self, x: Array, modes: Modes) -> Evaluation:
        """What follows from modes."""
        return evaluate(self.system, self.t, x, self.u, modes)

    def obeyed(self, x: Array, changes: ModeChanges, jams: bool = True) -> tuple[Array, bool]:
        """The state after guards were obeyed one by one, and whether none is violated any more.

        Impacts and new holds change the speeds. `jams` says whether gears that turn may jam on the way.
        """
        for _ in range((PATIENCE if jams else LESS_PATIENCE) * (len(self.system.laws) + 1)):
            evaluation = self.evaluate(x, changes.modes)
            worst = changes.worst(_counting(evaluation, jams))
            if worst is None:
                x = kept(self.system, x, evaluation)
                evaluation = self.evaluate(x, changes.modes)
                worst = changes.worst(_counting(evaluation, jams))
            if worst is None:
                return x, True
            x = self._after(x, evaluation, *worst, changes)
        return x, False

    def _after(self, x: Array, evaluation: Evaluation, index: int, guard: Guard, changes: ModeChanges) -> Array:
        """The state after a guard was obeyed: contacts that neither approach nor leave are decided together."""
        if isinstance(self.system.laws[index], Contact) and not _strikes(guard, evaluation.situations[index]):
            decided = decide_contacts(x, self.u, evaluation, changes)
            if decided is not None:
                return decided
            x = begun_to_slide(x, evaluation, index) if guard.to == SLIDE else x
        changes.apply(index, guard)
        if guard.impact is None:
            return x
        return after_blow(self.system, x, guard.impact, evaluation, changes)

    def searched(self, x: Array, modes: Modes, neighbours: Neighbours, jumps: bool) -> tuple[Modes, Array] | None:
        """Modes near others in which every guard holds, and the state with what is held at its speed.

        Step by step one follows the guards as if a force along a line always moved it that way. Beside a gear that
        locks itself it may move it the other way (the paradox of Painleve): then friction that lets go slides against
        its sense. `jumps` says whether speeds may change.
        """
        waiting, known = deque([modes]), {modes}
        while waiting and len(known) < REACH:
            evaluation = self.evaluate(x, waiting.popleft())
            held = self._consistent(x, evaluation)
            if held is not None and (jumps or self._same_speeds(x, held)):
                return evaluation.modes, held
            for other in neighbours(evaluation):
                if other not in known:
                    known.add(other)
                    waiting.append(other)
        return None

    def _consistent(self, x: Array, evaluation: Evaluation) -> Array | None:
        """The state with what is held at its speed, if every guard holds before and after; else None."""
        if most_violated(evaluation.guards, {}) is not None:
            return None
        held = kept(self.system, x, evaluation)
        after = self.evaluate(held, evaluation.modes)
        return held if most_violated(after.guards, {}) is None else None

    def _same_speeds(self, x: Array, other: Array) -> bool:
        before, after = x[self.system.v], other[self.system.v]
        return bool(np.abs(after - before).max() <= SAME * (1.0 + np.abs(before).max()))


def _strikes(guard: Guard, situation: Situation) -> bool:
    """Whether a guard comes with an impact of something that moves."""
    return guard.impact is not None and guard.impact.line.speed(situation.v) < -RESTING


def led_to(evaluation: Evaluation) -> Iterator[Modes]:
    """The modes that a guard at or below zero leads to, without impacts."""
    for index, guard in evaluation.guards:
        if guard.when and guard.impact is None and guard.value / guard.scale < CLOSE:
            yield with_mode(evaluation.modes, index, guard.to)


def among(taken: Sequence[frozenset[str]]) -> Neighbours:
    """Modes in which one law is in another one of those that it was in before."""

    def neighbours(evaluation: Evaluation) -> Iterator[Modes]:
        for index, own in enumerate(taken):
            yield from (with_mode(evaluation.modes, index, mode) for mode in sorted(own))

    return neighbours


def _counting(evaluation: Evaluation, jams: bool) -> Guards:
    """The guards that count."""
    return [(k, guard) for k, guard in evaluation.guards if jams or not is_jam(evaluation, k, guard.to)]
