"""Which backend answers a public call: NumPy at first, a kernel once it pays."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.compiling.kernel import Kernel
from gearwright.errors import GearwrightError, InputError
from gearwright.mechanism import Mechanism
from gearwright.programs.batch import evaluate, leading
from gearwright.programs.program import Fixed, Program
from gearwright.tracing.recipe import Recipe
from gearwright.tracing.trace import traced_function
from gearwright.tracing.virtual_machine import evaluate_traced

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
        self.task = recipe.task()
        self.spent = 0.0
        self.looked = self.refused = False
        self.kernel: Kernel | None = None
        self._lock = threading.Lock()

    @cached_property
    def function(self) -> Any:
        """The traced program, for derivatives without a kernel."""
        return traced_function(self.task)

    def __call__(self, arrays: Mapping[str, Array]) -> Array:
        """The result for checked inputs."""
        kernel = self.kernel or self._kernel_if_it_pays(leading(self.recipe.function, arrays))
        if kernel is not None:
            return kernel.computed(arrays)
        if self.task.wrt:
            return evaluate_traced(self.task, arrays, self.function)
        return evaluate(self.task.program, self.task.mech, arrays, self.task.fixed)

    def promptly(self) -> Kernel | None:
        """A kernel at once; None where kernels are off or LLVM cannot work."""
        off = kernel_mode() == "off" or self.refused
        return self.kernel or (None if off else self._made(only_stored=False))

    def _kernel_if_it_pays(self, lead: tuple[int, ...]) -> Kernel | None:
        mode = kernel_mode()
        if mode == "off" or self.refused:
            return None
        bodies = len(self.task.mech.bodies)
        self.spent += bodies * (15.0 + (0.3 * float(np.prod(lead)) if lead else 0.0))
        power = self.task.program.growth + len(self.task.wrt[:1])
        if mode == "on" or self.spent >= COMPILE * max(bodies / 7, 1.0) ** power:
            return self._made(only_stored=False)
        if self.spent >= LOOK and not self.looked:
            return self._made(only_stored=True)
        return None

    def _made(self, only_stored: bool) -> Kernel | None:
        """The kernel, made by one thread; None where there is none (yet), or LLVM cannot work here."""
        with self._lock:
            if self.kernel is None and not self.refused:
                self.looked = True
                try:
                    self.kernel = Kernel(self.recipe, only_stored)
                except LookupError:
                    return None
                except (RuntimeError, OSError, ImportError, ValueError, ArithmeticError, GearwrightError):
                    self.refused = True
            return self.kernel


def kernel_mode() -> str:
    """What GEARWRIGHT_KERNELS says: auto, on or off."""
    mode = os.environ.get("GEARWRIGHT_KERNELS", "auto").lower()
    if mode not in ("auto", "on", "off"):
        raise InputError(f"GEARWRIGHT_KERNELS is {mode!r}; it must be auto, on or off.")
    return mode


PER_MACHINE = 64
"""Services kept per machine: Jacobians of ever new points must not fill the memory."""

_SERVICES: dict[int, dict[tuple[Any, ...], Service]] = {}
_MACHINES: dict[int, tuple[weakref.ref[Mechanism], list[Callable[[], Any]]]] = {}


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


def when_gone(mech: Mechanism, action: Callable[[], Any]) -> None:
    """Do something when the machine is collected, before its identity can be used again."""
    number = id(mech)
    if number not in _MACHINES:
        _MACHINES[number] = (weakref.ref(mech, lambda _: _forget(number)), [])
    _MACHINES[number][1].append(action)


def _forget(number: int) -> None:
    for action in _MACHINES.pop(number)[1]:
        action()


def twin(mech: Mechanism) -> Mechanism:
    """The same machine as another object, for what must not keep the machine alive."""
    copy = object.__new__(Mechanism)
    copy.__dict__.update(mech.__dict__)
    return copy
