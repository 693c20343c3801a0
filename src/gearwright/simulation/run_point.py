"""Where a run is."""

from __future__ import annotations

from dataclasses import dataclass

from gearwright.arrays import Array
from gearwright.system.system import Modes


@dataclass
class Here:
    """Where a run is: time, state vector, modes; the last step; and how many events came without progress."""

    t: float
    x: Array
    modes: Modes
    step: float | None = None
    still: int = 0

    def move(self, t: float, x: Array, step: float | None, event: bool = False) -> None:
        """Go on to another time and state, where an event may have come; kinks are counted by their own watch."""
        self.still = 0 if t > self.t else self.still + event
        self.t, self.x, self.step = t, x, step
