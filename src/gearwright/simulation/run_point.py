"""The current point of a run."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.arrays import Array
from gearwright.system.system import Modes


@dataclass
class RunPoint:
    """The current point of a run: time, state vector, modes, last step, and number of events without progress."""

    t: float
    x: Array
    modes: Modes
    step: float | None = None
    events_without_progress: int = 0

    def move_to(self, t: float, x: Array, step: float | None, event: bool = False) -> None:
        """Move to another time and state, possibly at an event; branch points are counted separately."""
        self.events_without_progress = 0 if t > self.t else self.events_without_progress + event
        self.t, self.x, self.step = t, x, step
