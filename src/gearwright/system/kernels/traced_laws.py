"""Laws traced over symbols in each of their modes: what they hold and drag, and why a law may have no machine code.

What is made of a machine and its laws is kept for the next run of the same system.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeAlias, TypeVar

from gearwright.errors import NotTraceableError
from gearwright.forces.law import Action, Drag, Guard, Hold, Law, Reaction, Situation
from gearwright.functions.backend import kernel_mode
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError
from gearwright.tracing.symbols import operations, symbols

Choice: TypeAlias = tuple[int, str]
"""A law by its number, and one of its modes."""


@dataclass(frozen=True)
class Survey:
    """How laws act in each of their modes, whatever the numbers are.

    Args:
        actions: per law and mode how it acts.
        guards: per law and mode what ends it.
        obstacles: a sentence per law that cannot be traced, with the reason.
    """

    actions: Mapping[Choice, Action]
    guards: Mapping[Choice, tuple[Guard, ...]]
    obstacles: tuple[str, ...]

    @property
    def holds(self) -> list[tuple[Choice, Hold]]:
        """The holds of all modes."""
        return [(choice, hold) for choice, action in self.actions.items() for hold in action.holds]

    @property
    def drags(self) -> list[tuple[Choice, Drag]]:
        """The drags of all modes."""
        return [(choice, drag) for choice, action in self.actions.items() for drag in action.drags]


def survey(system: System) -> Survey:
    """Ask every law in every mode, over symbols.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> survey(System(gw.assemble(arm), gw.laws(arm))).obstacles
    ()
    """
    x = system.moving(symbols("x", system.own.stop))
    situations = system.situations(operations(), symbols("t", 1)[0], x, symbols("u", system.input_size))
    actions: dict[Choice, Action] = {}
    guards: dict[Choice, tuple[Guard, ...]] = {}
    obstacles = []
    for k, (law, situation) in enumerate(zip(system.laws, situations, strict=True)):
        try:
            for mode in law.modes:
                actions[k, mode], guards[k, mode] = _asked(law, mode, situation, system.mech.n)
        except NotTraceableError as obstacle:
            obstacles.append(f"law {law.name!r} runs in Python, not in machine code: {obstacle}")
    return Survey(actions, guards, tuple(obstacles))


def _asked(law: Law, mode: str, situation: Situation, n: int) -> tuple[Action, tuple[Guard, ...]]:
    """All that a law is ever asked, in the order in which it is."""
    action = law.act(mode, situation).placed(situation.scene)
    felt = _felt(n, action.holds, action.drags)
    law.follow(mode, situation, felt)
    return action, law.guards(mode, situation, felt)


def _felt(n: int, holds: Sequence[Hold], drags: Sequence[Drag]) -> Reaction:
    return Reaction(
        symbols("a", n), symbols("multiplier", len(holds)), symbols("flow", len(drags)), symbols("answer", len(drags))
    )


Made = TypeVar("Made")


class OncePerSystem(Generic[Made]):
    """What is made of a machine and its laws, kept for the next run of the same.

    Laws that cannot be a key (with a list in them) are not an obstacle: for them it is made anew for every run.
    """

    def __init__(self, make: Callable[[System], Made], most: int) -> None:
        self._make = make
        self._known = lru_cache(maxsize=most)(lambda mech, laws: make(System(mech, laws)))

    def of(self, system: System) -> Made:
        """What was made for this machine and these laws, or is made now."""
        try:
            hash((system.mech, system.laws))
        except TypeError:
            return self._make(system)
        return self._known(system.mech, system.laws)


_SURVEYS = OncePerSystem(survey, 64)


def surveyed(system: System) -> Survey:
    """What the laws do in each of their modes."""
    return _SURVEYS.of(system)


def require_traceable(system: System) -> Survey:
    """What the laws do in each of their modes; NoKernelError where machine code is off or a law cannot be traced."""
    if kernel_mode() == "off":
        raise NoKernelError("the laws run in Python, not in machine code: GEARWRIGHT_KERNELS is off.")
    found = surveyed(system)
    if found.obstacles:
        raise NoKernelError(" ".join(found.obstacles))
    return found
