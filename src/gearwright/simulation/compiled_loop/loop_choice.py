"""Whether a run has its event loop in machine code: at once where its kernels are known, else once they pay."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.simulation.compiled_loop.event_loop import EventLoop
from gearwright.system.kernels.event_structure import TooLargeError
from gearwright.system.kernels.event_table import EventTable, event_table
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError

Source = EventTable | MotionRates

WORTHWHILE = 1000
"""Evaluations law by law, which take about as long as compiling all laws does."""


class LoopChoice:
    """The loop of one run, once there is one.

    Args:
        system: the machine with its laws.
        motion: the rates of laws that act by forces alone, where all do.
        make: the loop from its kernels.
        remark: takes a sentence about why there is none, once.
    """

    def __init__(
        self,
        system: System,
        motion: Callable[[], MotionRates | None],
        make: Callable[[Source], EventLoop],
        remark: Callable[[str], None],
    ) -> None:
        self._system, self._motion, self._make, self._remark = system, motion, make, remark
        self._evaluated, self._looked = 0, False
        self._loop: EventLoop | None = None
        self.refused = False
        """Whether there is none, and never will be."""
        self.traceable = True
        """Whether the laws could be compiled all the same."""

    def evaluated(self) -> None:
        """Somebody has evaluated all laws without it."""
        self._evaluated += 1

    def asked(self) -> EventLoop | None:
        """The loop, if it is there by now."""
        if self._loop is None and not self.refused and (not self._looked or self._evaluated > WORTHWHILE):
            self._looked = True
            try:
                source = self._source()
            except NoKernelError as reason:
                self.refuse(reason)
                return None
            self._loop = None if source is None or self.refused else self._make(source)
        return self._loop

    def refuse(self, reason: NoKernelError) -> None:
        """There is none, and never will be."""
        if not self.refused:
            self._remark(str(reason))
        self.refused, self.traceable = True, isinstance(reason, TooLargeError)

    def _source(self) -> Source | None:
        motion = self._motion()
        if motion is not None or self.refused:
            return motion
        return event_table(self._system, make=self._evaluated > WORTHWHILE)

    def leave(self) -> None:
        """Somebody else goes on."""
        if self._loop is not None:
            self._loop.leave()
