"""Events that a user watches for during a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gearwright.system.state import State


@dataclass(frozen=True)
class Event:
    """Something to watch for during a run.

    Args:
        function: (t, State) -> number; the event is where it goes through zero.
        name: what it is called in the run's events.
        terminal: whether the run ends there.

    >>> Event(lambda t, state: state.q[0] - 1.0, "reached", terminal=True).name
    'reached'
    """

    function: Callable[[float, State], float]
    name: str = "event"
    terminal: bool = False


class Watch:
    """Events, and on which side of zero each is."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = tuple(events)
        self._sides = [1.0] * len(self.events)

    def begin(self, t: float, state: State) -> None:
        """Look on which side each event is at the start."""
        self._sides = [1.0 if float(event.function(t, state)) >= 0 else -1.0 for event in self.events]

    def levels(self, t: float, state: State) -> list[float]:
        """Per event a number that is positive on its side."""
        return [side * float(one.function(t, state)) for one, side in zip(self.events, self._sides, strict=True)]

    def met(self, t: float, state: State) -> list[Event]:
        """The events that happen now; each goes over to its other side."""
        happens = [level <= 0 for level in self.levels(t, state)]
        self._sides = [-side if one else side for side, one in zip(self._sides, happens, strict=True)]
        return [event for event, one in zip(self.events, happens, strict=True) if one]
