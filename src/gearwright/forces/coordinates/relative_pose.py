"""The six coordinates of a frame relative to another one, of which constraints hold some and leave the others free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.errors import InputError
from gearwright.forces.coordinates.angles_and_distances import Angle, Displacement, Point
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import Function
from gearwright.text import did_you_mean

PLACES, TURNS = ("x", "y", "z"), ("rx", "ry", "rz")
SIX = (*PLACES, *TURNS)
"""Displacements of the origin [m] and turns [rad], about and along the axes of the other frame."""

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Tilt:
    """A component of a frame's axis across the same axis of another frame: how far it is tilted, at any turn about it.

    Args:
        frame: what is tilted.
        relative_to: against what.
        axis: the axis that both have in common when nothing is tilted, 0 to 2.
        across: the component, 0 to 2.
        sign: 1.0 or -1.0, so that its rate is the rate of turning where nothing is tilted.
    """

    frame: Anchor
    relative_to: Anchor
    axis: int
    across: int
    sign: float

    def __call__(self, configuration: Configuration) -> Scalar:
        """The component, the sine of the tilt."""
        return self.sign * configuration.turn_between(self.frame, self.relative_to).rows()[self.across][self.axis]


def checked_held(owner: str, held: Sequence[str]) -> tuple[str, ...]:
    """Some of the six, each once."""
    if isinstance(held, str) or not held:
        raise InputError(f"{owner}: held={held!r} names nothing to hold. Give some of {', '.join(SIX)}, as a tuple.")
    for word in held:
        if word not in SIX:
            raise InputError(f"{owner}: held names {word!r}. {did_you_mean(str(word), SIX)}")
    if len(set(held)) < len(held):
        raise InputError(f"{owner}: held={tuple(held)!r} names one twice. Name each once.")
    return tuple(word for word in SIX if word in held)


def relative_coordinates(frame: Anchor, relative_to: Anchor, held: Sequence[str]) -> dict[str, Function]:
    """All six by name; where some are held, their rates are those of the motion as seen from the other frame.

    Two turns that are held leave the third free all the way round: they are tilts of its axis. One turn or three that
    are held are angles about the axes.
    """
    found: dict[str, Function] = {word: Displacement(Point(frame), relative_to, AXES[word]) for word in PLACES}
    found |= {word: Angle(frame, relative_to, AXES[word[1]]) for word in TURNS}
    free = [k for k, word in enumerate(TURNS) if word not in held]
    if len(free) == 1:
        axis = free[0]
        after, before = (axis + 1) % 3, (axis + 2) % 3  # e.g. z: its axis moves along x by ry, along y by -rx
        found[TURNS[before]] = Tilt(frame, relative_to, axis, after, 1.0)
        found[TURNS[after]] = Tilt(frame, relative_to, axis, before, -1.0)
    return found
