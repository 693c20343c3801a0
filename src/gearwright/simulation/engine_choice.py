"""Who integrates a run: the event loop in machine code, or the loop in Python with or without kernels of the laws."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, get_args

from gearwright.errors import InputError
from gearwright.system.kernels.all_modes import LawTable, law_table
from gearwright.system.kernels.event_structure import TooLargeError
from gearwright.system.kernels.event_table import EventTable, event_table
from gearwright.system.kernels.motion_rates import MotionRates, motion_rates
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError
from gearwright.text import did_you_mean

EngineName = Literal["auto", "compiled", "python"]
"""The event loop in machine code once compiling pays, from the start, or not at all."""

KernelSource = EventTable | MotionRates
"""The kernels of the event loop: of all modes, or the rates if all laws act by forces alone."""

COMPILE_AFTER_EVALUATIONS = 1000
"""Evaluations in Python that take about as long as compiling all laws."""


@dataclass
class EngineChoice:
    """The kernels of one run, made at once if they are cached or required, else once compiling pays.

    Args:
        system: the machine with its laws.
        engine: "auto", "compiled" (InputError if a law cannot be compiled) or "python".
        remarks: list to which the reasons are added why laws are not compiled.
    """

    system: System
    engine: str
    remarks: list[str]
    _evaluations: int = field(default=0, init=False)
    _is_cache_checked: bool = field(default=False, init=False)
    _has_loop: bool = field(default=True, init=False)
    _has_law_kernels: bool = field(default=True, init=False)
    _loop_kernels: KernelSource | None = field(default=None, init=False)
    _law_kernels: LawTable | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.engine not in get_args(EngineName):
            raise InputError(
                f"simulate: there is no engine {self.engine!r}. {did_you_mean(self.engine, get_args(EngineName))}"
            )
        self._has_loop = self.engine != "python"

    @cached_property
    def motion_rates(self) -> MotionRates | None:
        """The compiled rates of laws that act by forces alone; a remark gives the reason if they are not compiled."""
        try:
            rates = motion_rates(self.system)
        except NoKernelError as reason:
            self._refuse_kernels(reason)
            return None
        self.remarks.extend(f"rates: {remark}." for remark in (rates.remarks if rates else ()))
        return rates

    def loop_kernels(self) -> KernelSource | None:
        """The kernels of the event loop in machine code; None if it is not used, or not yet."""
        if self._loop_kernels is None and self._has_loop and (not self._is_cache_checked or self._is_worth_compiling):
            self._is_cache_checked = True
            motion = self.motion_rates
            if motion is not None or not self._has_loop:
                self._loop_kernels = motion
                return motion
            try:
                self._loop_kernels = event_table(self.system, make=self._is_worth_compiling)
            except NoKernelError as reason:
                self._refuse_kernels(reason)
        return self._loop_kernels

    def law_kernels(self, uses_loop: bool) -> LawTable | None:
        """The kernels of all laws for the loop in Python, unless the other loop will take over (`uses_loop`).

        Every call counts as one evaluation of all laws in Python.
        """
        self._evaluations += 1
        waits_for_loop = uses_loop and self._has_loop and self._loop_kernels is None
        if self._law_kernels is None and self._has_law_kernels and self._is_worth_compiling and not waits_for_loop:
            try:
                self._law_kernels = law_table(self.system)
            except NoKernelError as reason:
                self._has_law_kernels = False
                self.remarks.append(str(reason))
        return self._law_kernels

    @property
    def _is_worth_compiling(self) -> bool:
        return self.engine == "compiled" or self._evaluations > COMPILE_AFTER_EVALUATIONS

    def _refuse_kernels(self, reason: NoKernelError) -> None:
        """Mark the loop as unavailable; laws of a machine that is too large for it may still be compiled."""
        if self.engine == "compiled":
            raise InputError(f"simulate: engine='compiled' is not possible: {reason} Use engine='auto'.") from None
        if str(reason) not in self.remarks:
            self.remarks.append(str(reason))
        self._has_loop, self._has_law_kernels = False, isinstance(reason, TooLargeError)
