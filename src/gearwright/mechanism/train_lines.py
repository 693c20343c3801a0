"""The lines of a robot's file in messages about its trains."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from gearwright.errors import GearwrightError
from gearwright.parts import Train
from gearwright.parts.train import Stated


@contextmanager
def lines_of_trains(trains: Sequence[Train]) -> Iterator[None]:
    """Errors raised within say which file and line state the part of a train that they speak of first."""
    try:
        yield
    except GearwrightError as error:
        place = stated_first(trains, str(error))
        if place is not None and error.line is None:
            error.stated_at(place.source, place.line)
        raise


def stated_first(trains: Sequence[Train], message: str) -> Stated | None:
    """The part of a train that a message names first, if a file states it."""
    found = []
    for stated in (one for train in trains for one in train.stated):
        places = [message.find(words) for words in _called(stated.part) if words in message]
        if places:
            found.append((min(places), -len(stated.part), stated))
    return min(found)[2] if found else None


def _called(part: str) -> tuple[str, ...]:
    """How messages call a part: a mesh is a gear pair of its graph too, a wheel one of several or its speed."""
    if "'-'" in part:
        return part, f"gear pair {part.replace(chr(39), '')}"
    kind, _, name = part.partition(" ")
    if kind != "wheel":
        return (part,)
    return part, f"wheels are called {name}", f"speed of {name}", f"each other: {name.strip(chr(39))} ->"
