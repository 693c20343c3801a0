"""The backend of a public call: NumPy for the first calls, a compiled kernel for many."""

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
from gearwright.errors import CompilationError, InputError, SlowerWarning, caller_stack_level
from gearwright.mechanism import Mechanism, RobotOrMech
from gearwright.programs.batch import batch_shape
from gearwright.programs.program import Fixed, Program
from gearwright.tracing.casadi_interpreter import evaluate_job
from gearwright.tracing.recipe import KernelRequest

CACHE_LOOKUP_COST, COMPILATION_COST = 10_000.0, 200_000.0
"""Estimated time [us] without a kernel after which the cache is searched, and after which a kernel is compiled.

The compile time is that for 7 bodies; it grows with a power of their number given by the program.
"""


class Backend:
    """One function of one machine, evaluated by NumPy or by a kernel according to the estimated cost.

    A pass of NumPy takes about 15 us per body, plus 0.3 us per body and state in a batch. Once the calls of a machine
    have cost as much as compiling, a kernel is compiled, so the total time is at most twice the optimum; a cached
    kernel of an earlier process is used after a few calls. The rule counts calls and measures no times, so a script
    makes the same choices in every run.
    """

    def __init__(self, recipe: KernelRequest) -> None:
        self.request = recipe
        self.job = recipe.trace_job()
        self.spent = 0.0
        self.has_searched_cache = self.is_refused = False
        self.kernel: Kernel | None = None
        self._lock = threading.Lock()

    def __call__(self, arrays: Mapping[str, Array]) -> Array:
        """The result for checked inputs."""
        kernel = self.kernel or self._kernel_if_it_pays(batch_shape(self.request.function, arrays))
        return evaluate_job(self.job, arrays) if kernel is None else kernel.evaluate(arrays)

    def compile_now(self) -> Kernel | None:
        """Return a kernel immediately; None where kernels are off or compiling is not possible."""
        return self.kernel or (None if kernel_mode() == "off" else self._kernel_from(Kernel))

    def _kernel_if_it_pays(self, lead: tuple[int, ...]) -> Kernel | None:
        mode = kernel_mode()
        if mode == "off" or self.is_refused:
            return None
        bodies, program = len(self.job.mech.bodies), self.job.program
        self.spent += program.passes * bodies * (15.0 + (0.3 * float(np.prod(lead)) if lead else 0.0))
        power = (1 if program.linear(self.job.mech) else program.growth) + len(self.job.wrt[:1])
        if mode == "on" or self.spent >= COMPILATION_COST * max(bodies / 7, 1.0) ** power:
            return self._kernel_from(Kernel)
        if self.spent >= CACHE_LOOKUP_COST and not self.has_searched_cache:
            self.has_searched_cache = True
            return self._kernel_from(Kernel.from_cache)
        return None

    def _kernel_from(self, source: Callable[[KernelRequest], Kernel | None]) -> Kernel | None:
        """Return the kernel of a source, called by one thread; a failure gives one warning and no further attempts."""
        with self._lock:
            if self.kernel is None and not self.is_refused:
                try:
                    self.kernel = source(self.request)
                except CompilationError as error:
                    self.is_refused = True
                    warn_slower(f"{self.request.function} runs without a kernel", str(error))
                if self.kernel is not None and not self.kernel.has_code:
                    warn_slower(self.request.function, self.kernel.remarks[0])
            return self.kernel


_GIVEN_REASONS: set[str] = set()
"""Reasons for which a warning was issued."""


def warn_slower(subject: str, reason: str) -> None:
    """Warn that a computation is slower than possible, once for each reason."""
    if reason not in _GIVEN_REASONS:
        _GIVEN_REASONS.add(reason)
        warnings.warn(SlowerWarning(f"{subject}: {reason}."), stacklevel=caller_stack_level())


def kernel_mode() -> str:
    """Return the value of GEARWRIGHT_KERNELS: auto, on or off."""
    mode = os.environ.get("GEARWRIGHT_KERNELS", "auto").lower()
    if mode not in ("auto", "on", "off"):
        raise InputError(f"GEARWRIGHT_KERNELS is {mode!r}; it must be auto, on or off.")
    return mode


MAX_BACKENDS_PER_MACHINE = 64
"""Number of functions kept per machine; Jacobians of many different points must not fill the memory."""

_BACKENDS: dict[int, dict[tuple[Any, ...], Backend]] = {}
_COLLECTION_ACTIONS: dict[int, tuple[weakref.ref[Any], list[Callable[[], Any]]]] = {}


def backend_of(program: Program, mech: Mechanism, fixed: Fixed, wrt: tuple[str, ...] = ()) -> Backend:
    """Return the backend of a function of a machine; its lifetime is that of the machine."""
    number = id(mech)
    if number not in _BACKENDS:
        _BACKENDS[number] = {}
        on_collected(mech, lambda: _BACKENDS.pop(number, None))
    backends, key = _BACKENDS[number], (program.name, tuple(fixed.items()), wrt)
    backend = backends.get(key)
    if backend is None:
        # A copy, so the backend does not hold a reference to its machine.
        backend = backends[key] = Backend(
            KernelRequest(program.name, detached_copy(mech), (), tuple(fixed.items()), wrt)
        )
        if len(backends) > MAX_BACKENDS_PER_MACHINE:
            backends.pop(next(iter(backends)), None)
    return backend


def on_collected(owner: RobotOrMech, action: Callable[[], Any]) -> None:
    """Call an action when a machine or robot is garbage-collected, before its id can be reused."""
    number = id(owner)
    if number not in _COLLECTION_ACTIONS:
        _COLLECTION_ACTIONS[number] = (weakref.ref(owner, lambda _: _run_collection_actions(number)), [])
    _COLLECTION_ACTIONS[number][1].append(action)


def _run_collection_actions(number: int) -> None:
    for action in _COLLECTION_ACTIONS.pop(number)[1]:
        action()


def detached_copy(mech: Mechanism) -> Mechanism:
    """Return a copy of the machine, for objects that must not hold a reference to it."""
    copy = object.__new__(type(mech))
    copy.__dict__.update(mech.__dict__)
    return copy
