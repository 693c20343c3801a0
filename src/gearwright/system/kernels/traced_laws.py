"""Laws traced over symbols in each of their modes: their actions and guards, and why a law cannot be compiled.

Results for a machine and its laws are cached for the next run of the same system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeAlias, TypeVar

from gearwright.errors import NotTraceableError
from gearwright.forces import Action, Drag, Guard, Hold, Law, Reaction, Situation
from gearwright.functions.backend import kernel_mode
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError
from gearwright.tracing.symbols import new_symbols, symbol_operations

LawMode: TypeAlias = tuple[int, str]
"""The index of a law, and one of its modes."""


@dataclass(frozen=True)
class Survey:
    """The actions and guards of laws in each of their modes, over symbols.

    Args:
        actions: the action of each law and mode.
        guards: the guards of each law and mode.
        obstacles: a sentence with the reason for each law that cannot be traced.
    """

    actions: Mapping[LawMode, Action]
    guards: Mapping[LawMode, tuple[Guard, ...]]
    obstacles: tuple[str, ...]

    @property
    def holds(self) -> list[tuple[LawMode, Hold]]:
        """The holds of all modes."""
        return [(choice, hold) for choice, action in self.actions.items() for hold in action.holds]

    @property
    def drags(self) -> list[tuple[LawMode, Drag]]:
        """The drags of all modes."""
        return [(choice, drag) for choice, action in self.actions.items() for drag in action.drags]


def survey_laws(system: System) -> Survey:
    """The survey of every law in every mode, over symbols.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> survey_laws(System(gw.assemble(arm), gw.laws(arm))).obstacles
    ()
    """
    x = system.motion_of(new_symbols("x", system.law_slice.stop))
    situations = system.law_situations(
        symbol_operations(), new_symbols("t", 1)[0], x, new_symbols("u", system.input_size)
    )
    actions: dict[LawMode, Action] = {}
    guards: dict[LawMode, tuple[Guard, ...]] = {}
    obstacles = []
    for k, (law, situation) in enumerate(zip(system.laws, situations, strict=True)):
        try:
            for mode in law.modes:
                actions[k, mode], guards[k, mode] = _law_mode_structure(law, mode, situation, system.mech.n)
        except NotTraceableError as obstacle:
            obstacles.append(f"law {law.name!r} runs in Python, not in machine code: {obstacle}")
    return Survey(actions, guards, tuple(obstacles))


def _law_mode_structure(law: Law, mode: str, situation: Situation, n: int) -> tuple[Action, tuple[Guard, ...]]:
    """The action and guards of a law in a mode, evaluated in the order of a run."""
    action = law.act(mode, situation).placed_in(situation.kinematics)
    reaction = _symbolic_reaction(n, action.holds, action.drags)
    law.follow(mode, situation, reaction)
    return action, law.guards(mode, situation, reaction)


def _symbolic_reaction(n: int, holds: Sequence[Hold], drags: Sequence[Drag]) -> Reaction:
    return Reaction(
        new_symbols("a", n),
        new_symbols("multiplier", len(holds)),
        new_symbols("flow", len(drags)),
        new_symbols("answer", len(drags)),
    )


Made = TypeVar("Made")


class SystemCache(Generic[Made]):
    """A cache of results per machine and laws.

    For laws that are not hashable (with a list in them) the result is computed anew for every run.
    """

    def __init__(self, make: Callable[[System], Made], most: int) -> None:
        self._make = make
        self._cached = lru_cache(maxsize=most)(lambda mech, laws: make(System(mech, laws)))

    def for_system(self, system: System) -> Made:
        """The result for this machine and these laws, computed on first use."""
        try:
            hash((system.mech, system.laws))
        except TypeError:
            return self._make(system)
        return self._cached(system.mech, system.laws)


_SURVEY_CACHE = SystemCache(survey_laws, 64)


def law_survey(system: System) -> Survey:
    """The survey of the laws in each of their modes."""
    return _SURVEY_CACHE.for_system(system)


def require_traceable(system: System) -> Survey:
    """The survey of the laws; NoKernelError if compilation is off or a law cannot be traced."""
    if kernel_mode() == "off":
        raise NoKernelError("the laws run in Python, not in machine code: GEARWRIGHT_KERNELS is off.")
    survey = law_survey(system)
    if survey.obstacles:
        raise NoKernelError(" ".join(survey.obstacles))
    return survey
