"""The six coordinates of a frame relative to another one, from which constraints select."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar
from gearwright.errors import InputError
from gearwright.forces.coordinates.angles_and_distances import Angle, Displacement, Point
from gearwright.forces.coordinates.configuration import Anchor, Configuration
from gearwright.forces.coordinates.coordinate import CoordinateFunction
from gearwright.text import did_you_mean

TRANSLATION_NAMES, ROTATION_NAMES = ("x", "y", "z"), ("rx", "ry", "rz")
POSE_COORDINATE_NAMES = (*TRANSLATION_NAMES, *ROTATION_NAMES)
"""Displacements of the origin [m] and rotations [rad], along and about the axes of the other frame."""

AXIS_VECTORS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Tilt:
    """Tilt of a frame's axis against that of another frame, independent of the rotation about it.

    It is a component of the axis across the same axis of the other frame.

    Args:
        frame: the tilted frame.
        relative_to: the reference frame.
        axis: the axis that coincides in both frames at zero tilt, 0 to 2.
        across: the component, 0 to 2.
        sign: 1.0 or -1.0, chosen to make its rate the angular rate at zero tilt.
    """

    frame: Anchor
    relative_to: Anchor
    axis: int
    across: int
    sign: float

    def __call__(self, configuration: Configuration) -> Scalar:
        """The component, the sine of the tilt."""
        return self.sign * configuration.relative_rotation(self.frame, self.relative_to).rows()[self.across][self.axis]


def checked_coordinates(owner: str, held: Sequence[str]) -> tuple[str, ...]:
    """The checked names of constrained coordinates: some of the six, each once."""
    if isinstance(held, str) or not held:
        raise InputError(
            f"{owner}: held={held!r} names no coordinates. Give some of {', '.join(POSE_COORDINATE_NAMES)}, as a tuple."
        )
    for word in held:
        if word not in POSE_COORDINATE_NAMES:
            raise InputError(f"{owner}: held contains {word!r}. {did_you_mean(str(word), POSE_COORDINATE_NAMES)}")
    if len(set(held)) < len(held):
        raise InputError(f"{owner}: held={tuple(held)!r} has a duplicate. Name each coordinate once.")
    return tuple(word for word in POSE_COORDINATE_NAMES if word in held)


def relative_coordinates(frame: Anchor, relative_to: Anchor, held: Sequence[str]) -> dict[str, CoordinateFunction]:
    """All six coordinates by name; rates of the held ones are those of the motion relative to the other frame.

    Two held rotations leave the third one free over a full turn: they are tilts of its axis. One or three held
    rotations are angles about the axes.
    """
    functions: dict[str, CoordinateFunction] = {
        word: Displacement(Point(frame), relative_to, AXIS_VECTORS[word]) for word in TRANSLATION_NAMES
    }
    functions |= {word: Angle(frame, relative_to, AXIS_VECTORS[word[1]]) for word in ROTATION_NAMES}
    free = [k for k, word in enumerate(ROTATION_NAMES) if word not in held]
    if len(free) == 1:
        axis = free[0]
        after, before = (axis + 1) % 3, (axis + 2) % 3  # e.g. z: its axis moves along x by ry, along y by -rx
        functions[ROTATION_NAMES[before]] = Tilt(frame, relative_to, axis, after, 1.0)
        functions[ROTATION_NAMES[after]] = Tilt(frame, relative_to, axis, before, -1.0)
    return functions
