"""The event loop, choice among violated guards, and the record of changed modes."""

from __future__ import annotations

from gearwright.compiling import Ints
from gearwright.forces.event_tolerances import GUARD_VIOLATION_LEVEL
from gearwright.simulation.compiled_loop.source.workspace import LoopWorkspace


def worst_guard(s: LoopWorkspace, weights: Ints) -> int:
    """The most violated guard of the laws with the least weight, as its index among all guards; -1: none."""
    worst = -1
    least = 0.0
    lightest = 0
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        weight = weights[law]
        for k in range(s.guard_begin[choice], s.guard_begin[choice + 1]):
            now = s.violations[s.guard_first[law] + k - s.guard_begin[choice]]
            if now <= -GUARD_VIOLATION_LEVEL:
                better = 0
                if worst < 0 or weight < lightest or (weight == lightest and now < least):
                    better = 1
                if better != 0:
                    worst = k
                    least = now
                    lightest = weight
    return worst


def guard_owner(s: LoopWorkspace, guard: int) -> int:
    """The law whose current mode has a guard."""
    for law in range(s.laws):
        choice = s.first_choice[law] + s.modes[law]
        if s.guard_begin[choice] <= guard and guard < s.guard_begin[choice + 1]:
            return law
    return 0


def is_visited(s: LoopWorkspace, visited: Ints, visits: int) -> int:
    """Whether the current modes are among those visited."""
    for k in range(visits):
        same = 1
        for j in range(s.laws):
            if visited[k * s.laws + j] != s.modes[j]:
                same = 0
        if same != 0:
            return 1
    return 0


def count_change(s: LoopWorkspace, law: int, visited: Ints, changed: Ints, weights: Ints, visits: int) -> int:
    """Count a change of the mode of a law; returns the number of modes visited so far.

    Where modes recur, laws with fewer changes have priority.
    """
    changed[law] += 1
    is_repeated = is_visited(s, visited, visits)
    for j in range(s.laws):
        weights[j] = changed[j] if is_repeated != 0 else 0
    if is_repeated != 0:
        return visits
    for j in range(s.laws):
        visited[visits * s.laws + j] = s.modes[j]
    return visits + 1
