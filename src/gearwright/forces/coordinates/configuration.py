"""The configuration of a machine for coordinate functions: placements of its bodies in generic scalars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.errors import InputError
from gearwright.mechanism import BASE, Mechanism
from gearwright.text import did_you_mean

FramePose: TypeAlias = tuple[Rot, Vec]
"""Rotation and origin of a frame in the world."""


@check_arguments
@dataclass(frozen=True)
class MovingFrame:
    """A frame with a prescribed motion in the world, such as a conveyor or a ship's deck.

    Args:
        name: its name in messages.
        path: (t, ops) -> three scalars, its origin in the world [m].
        turn: (t, ops) -> three rows of three scalars, its rotation matrix; None: it does not rotate.

    >>> belt = MovingFrame("belt", lambda t, ops: (0.2 * t, 0.0, 0.5))
    """

    name: str
    path: Callable[[Scalar, Operations], Sequence[Scalar]]
    turn: Callable[[Scalar, Operations], Sequence[Sequence[Scalar]]] | None = None


Anchor: TypeAlias = str | int | MovingFrame
"""A frame: a body or frame of the machine, "base", or a frame with prescribed motion."""


@dataclass(frozen=True)
class Configuration:
    """Time and configuration of a machine in generic scalars: the argument of a coordinate function.

    Args:
        mech: the machine.
        t: time [s].
        q: its coordinates.
        ops: functions of these scalars beyond + - * /: cos, sin, sqrt, exp, log, tanh, arctan2, absolute, minimum,
            maximum, where.
        world: body index -> its rotation and origin in the world.
    """

    mech: Mechanism
    t: Scalar
    q: Sequence[Scalar]
    ops: Operations
    world: Callable[[int], FramePose]

    def coordinate(self, name: str) -> Scalar:
        """A coordinate of the machine by name."""
        names = self.mech.coordinates
        if name not in names:
            raise InputError(f"there is no coordinate {name!r}. {did_you_mean(name, names)}")
        return self.q[names.index(name)]

    def placement(self, anchor: Anchor) -> FramePose:
        """Rotation and origin in the world of a body, a frame, the base, or a frame with prescribed motion."""
        if isinstance(anchor, MovingFrame):
            turn = IDENTITY if anchor.turn is None else Rot.from_rows(anchor.turn(self.t, self.ops))
            return turn, Vec.from_values(anchor.path(self.t, self.ops))
        if anchor in (BASE, "base"):
            return IDENTITY, ZERO
        body, rotation, position = self.mech.place_of(anchor)
        R, p = self.world(body)
        if rotation is None or position is None:
            return R, p
        return R.after(rotation), p + R @ position

    def point(self, anchor: Anchor, position: Sequence[Scalar] = (0.0, 0.0, 0.0)) -> Vec:
        """The world position of a point that is fixed in a frame [m]."""
        local = Vec.from_values(position)
        if isinstance(anchor, MovingFrame) or anchor in (BASE, "base"):
            R, p = self.placement(anchor)
            return p + R @ local
        body, rotation, origin = self.mech.place_of(anchor)
        if rotation is not None and origin is not None:  # on the body first: that takes numbers alone
            local = origin + rotation @ local
        R, p = self.world(body)
        return p + R @ local

    def point_in_frame(self, anchor: Anchor, point: Vec) -> Vec:
        """The position of a world point relative to a frame, in its axes [m]."""
        if anchor in (BASE, "base"):
            return point
        R, p = self.placement(anchor)
        return R.T @ (point - p)

    def relative_rotation(self, anchor: Anchor, reference: Anchor) -> Rot:
        """The rotation of a frame in the axes of another."""
        return self.placement(reference)[0].T.after(self.placement(anchor)[0])
