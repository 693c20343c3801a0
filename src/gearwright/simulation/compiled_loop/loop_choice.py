"""Whether a run uses the event loop in machine code: at once if its kernels are cached, else once compiling pays."""

from __future__ import annotations

from collections.abc import Callable

from gearwright.simulation.compiled_loop.event_loop import EventLoop
from gearwright.system.kernels.event_structure import TooLargeError
from gearwright.system.kernels.event_table import EventTable, event_table
from gearwright.system.kernels.motion_rates import MotionRates
from gearwright.system.system import System
from gearwright.system.vector_program import NoKernelError

KernelSource = EventTable | MotionRates

COMPILE_AFTER_EVALUATIONS = 1000
"""Evaluations in Python that take about as long as compiling all laws."""


class LoopPolicy:
    """The event loop of one run, made once it pays.

    Args:
        system: the machine with its laws.
        motion: the rates if all laws act by forces alone.
        make: makes the loop from its kernels.
        remark: called once with the reason why there is no loop.
    """

    def __init__(
        self,
        system: System,
        motion: Callable[[], MotionRates | None],
        make: Callable[[KernelSource], EventLoop],
        remark: Callable[[str], None],
    ) -> None:
        self._system, self._motion, self._make, self._remark = system, motion, make, remark
        self._evaluated, self._checked_once = 0, False
        self._loop: EventLoop | None = None
        self.is_refused = False
        """Whether the loop cannot be made for this run."""
        self.is_traceable = True
        """Whether the laws can be compiled nevertheless."""

    def count_evaluation(self) -> None:
        """Count one evaluation of all laws in Python."""
        self._evaluated += 1

    def loop_if_ready(self) -> EventLoop | None:
        """The loop, if it has been made or pays by now."""
        if (
            self._loop is None
            and not self.is_refused
            and (not self._checked_once or self._evaluated > COMPILE_AFTER_EVALUATIONS)
        ):
            self._checked_once = True
            try:
                source = self._kernel_source()
            except NoKernelError as reason:
                self.refuse(reason)
                return None
            self._loop = None if source is None or self.is_refused else self._make(source)
        return self._loop

    def refuse(self, reason: NoKernelError) -> None:
        """Mark the loop as unavailable for this run, with the reason as a remark."""
        if not self.is_refused:
            self._remark(str(reason))
        self.is_refused, self.is_traceable = True, isinstance(reason, TooLargeError)

    def _kernel_source(self) -> KernelSource | None:
        motion = self._motion()
        if motion is not None or self.is_refused:
            return motion
        return event_table(self._system, make=self._evaluated > COMPILE_AFTER_EVALUATIONS)

    def hand_over(self) -> None:
        """Leave the loop; Python continues the run."""
        if self._loop is not None:
            self._loop.hand_over()
