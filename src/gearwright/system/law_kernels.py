"""What is made of a machine and its laws once and kept, and why there may be no machine code of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Generic, TypeVar

from gearwright.functions.service import kernel_mode
from gearwright.system.survey import Survey, survey
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError

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
