"""Events of the user, located during a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gearwright.argument_kinds import check_arguments
from gearwright.system.state import State


@check_arguments
@dataclass(frozen=True)
class Event:
    """A zero of a function of time and state, to be located during a run.

    Args:
        function: (t, State) -> number; the event is its zero crossing.
        name: its name in the run's events.
        terminal: whether the run ends there.

    >>> Event(lambda t, state: state.q[0] - 1.0, "reached", terminal=True).name
    'reached'
    """

    function: Callable[[float, State], float]
    name: str = "event"
    terminal: bool = False


class EventWatch:
    """Events of a run, with the current sign of each function."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = tuple(events)
        self._sides = [1.0] * len(self.events)

    def initialise_sides(self, t: float, state: State) -> None:
        """Determine the sign of each function at the start."""
        self._sides = [1.0 if float(event.function(t, state)) >= 0 else -1.0 for event in self.events]

    def event_levels(self, t: float, state: State) -> list[float]:
        """Per event its function times its current sign: positive until the event."""
        return [side * float(event.function(t, state)) for event, side in zip(self.events, self._sides, strict=True)]

    def take_crossed_events(self, t: float, state: State) -> list[Event]:
        """The events that occur now; the sign of each is reversed."""
        crossed = [level <= 0 for level in self.event_levels(t, state)]
        self._sides = [-side if is_crossed else side for side, is_crossed in zip(self._sides, crossed, strict=True)]
        return [event for event, is_crossed in zip(self.events, crossed, strict=True) if is_crossed]
