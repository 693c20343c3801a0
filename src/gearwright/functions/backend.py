"""Which backend answers a public call: NumPy at first, a kernel once it pays."""

from __future__ import annotations

import os
import threading
import warnings
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.errors import CompilationError, InputError, SlowerWarning, depth_of_the_caller
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs.batch import leading
from gearwright.programs.program import Fixed, Program
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.recipe import Recipe

LOOK, COMPILE = 10_000.0, 200_000.0
"""Microseconds spent without a kernel, as estimated, after which the cache is looked into and a kernel compiled.

What compiling costs is counted for 7 bodies; it grows with the program's power of their number.
"""


class Service:
    """One function of one machine: counts what it has cost, and turns to a kernel when that would have been cheaper.

    A call over NumPy costs about 15 us per body, plus 0.3 us per body and state in a batch. Once the calls of a machine
    have cost as much as compiling does, a kernel is compiled, so that one never loses more than a factor of two; a
    kernel left in the cache by an earlier process is taken after a few calls. The rule counts and takes no times, so
    that a script makes the same choices whenever it runs.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.job = recipe.job()
        self.spent = 0.0
        self.looked = self.refused = False
        self.kernel: Kernel | None = None
        self._lock = threading.Lock()

    def __call__(self, arrays: Mapping[str, Array]) -> Array:
        """The result for checked inputs."""
        kernel = self.kernel or self._kernel_if_it_pays(leading(self.recipe.function, arrays))
        return evaluate_job(self.job, arrays) if kernel is None else kernel.computed(arrays)

    def compiled_now(self) -> Kernel | None:
        """A kernel at once; None where kernels are off or none can be made."""
        return self.kernel or (None if kernel_mode() == "off" else self._kernel_from(Kernel))

    def _kernel_if_it_pays(self, lead: tuple[int, ...]) -> Kernel | None:
        mode = kernel_mode()
        if mode == "off" or self.refused:
            return None
        bodies = len(self.job.mech.bodies)
        self.spent += bodies * (15.0 + (0.3 * float(np.prod(lead)) if lead else 0.0))
        program = self.job.program
        power = (1 if program.linear(self.job.mech) else program.growth) + len(self.job.wrt[:1])
        if mode == "on" or self.spent >= COMPILE * max(bodies / 7, 1.0) ** power:
            return self._kernel_from(Kernel)
        if self.spent >= LOOK and not self.looked:
            self.looked = True
            return self._kernel_from(Kernel.from_cache)
        return None

    def _kernel_from(self, source: Callable[[Recipe], Kernel | None]) -> Kernel | None:
        """The kernel that a source gives, asked by one thread; where it fails, this is said and nobody asks again."""
        with self._lock:
            if self.kernel is None and not self.refused:
                try:
                    self.kernel = source(self.recipe)
                except CompilationError as error:
                    self.refused = True
                    warn_slower(f"{self.recipe.function} runs without a kernel", str(error))
                if self.kernel is not None and not self.kernel.has_code:
                    warn_slower(self.recipe.function, self.kernel.remarks[0])
            return self.kernel


_SAID: set[str] = set()
"""Reasons that were given already."""


def warn_slower(what: str, reason: str) -> None:
    """Say that something is slower than it could be, once for each reason."""
    if reason not in _SAID:
        _SAID.add(reason)
        warnings.warn(SlowerWarning(f"{what}: {reason}."), stacklevel=depth_of_the_caller())


def kernel_mode() -> str:
    """What GEARWRIGHT_KERNELS says: auto, on or off."""
    mode = os.environ.get("GEARWRIGHT_KERNELS", "auto").lower()
    if mode not in ("auto", "on", "off"):
        raise InputError(f"GEARWRIGHT_KERNELS is {mode!r}; it must be auto, on or off.")
    return mode


PER_MACHINE = 64
"""Services kept per machine: Jacobians of ever new points must not fill the memory."""

_SERVICES: dict[int, dict[tuple[Any, ...], Service]] = {}
_MACHINES: dict[int, tuple[weakref.ref[Any], list[Callable[[], Any]]]] = {}


def service(program: Program, mech: Mechanism, fixed: Fixed, wrt: tuple[str, ...] = ()) -> Service:
    """The service of a function of a machine; it lives as long as the machine."""
    number = id(mech)
    if number not in _SERVICES:
        _SERVICES[number] = {}
        when_gone(mech, lambda: _SERVICES.pop(number, None))
    mine, key = _SERVICES[number], (program.name, tuple(fixed.items()), wrt)
    found = mine.get(key)
    if found is None:
        # A copy, so that the service does not keep alive the machine it is to die with.
        found = mine[key] = Service(Recipe(program.name, twin(mech), (), tuple(fixed.items()), wrt))
        if len(mine) > PER_MACHINE:
            mine.pop(next(iter(mine)), None)
    return found


def when_gone(owner: RobotOrMech, action: Callable[[], Any]) -> None:
    """Do something when a machine or robot is collected, before its identity can be used again."""
    number = id(owner)
    if number not in _MACHINES:
        _MACHINES[number] = (weakref.ref(owner, lambda _: _forget(number)), [])
    _MACHINES[number][1].append(action)


def _forget(number: int) -> None:
    for action in _MACHINES.pop(number)[1]:
        action()


def twin(mech: Mechanism) -> Mechanism:
    """The same machine as another object, for what must not keep the machine alive."""
    copy = object.__new__(Mechanism)
    copy.__dict__.update(mech.__dict__)
    return copy
