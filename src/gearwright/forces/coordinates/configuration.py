"""The configuration of a machine as a coordinate sees it: where its bodies are, in scalars of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec
from gearwright.errors import InputError
from gearwright.mechanism import BASE, Mechanism
from gearwright.text import did_you_mean

Placing: TypeAlias = tuple[Rot, Vec]
"""Rotation and origin of a frame in the world."""


@dataclass(frozen=True)
class MovingFrame:
    """A frame that moves in the world by a given law of time, such as a conveyor or a ship's deck.

    Args:
        name: what it is called in messages.
        path: (t, ops) -> three scalars, its origin in the world [m].
        turn: (t, ops) -> three rows of three scalars, its rotation; None: it does not turn.

    >>> belt = MovingFrame("belt", lambda t, ops: (0.2 * t, 0.0, 0.5))
    """

    name: str
    path: Callable[[Scalar, Operations], Sequence[Scalar]]
    turn: Callable[[Scalar, Operations], Sequence[Sequence[Scalar]]] | None = None


Anchor: TypeAlias = str | int | MovingFrame
"""What a frame is given by: a body or frame of the machine, "base", or a frame that moves by itself."""


@dataclass(frozen=True)
class Configuration:
    """Time and configuration of a machine, in scalars of any kind: what the function of a coordinate gets.

    Args:
        mech: the machine.
        t: time [s].
        q: its coordinates.
        ops: what functions beyond + - * / these scalars have: cos, sin, sqrt, exp, tanh, arctan2, absolute, minimum,
            maximum, where.
        world: body index -> its rotation and origin in the world.
    """

    mech: Mechanism
    t: Scalar
    q: Sequence[Scalar]
    ops: Operations
    world: Callable[[int], Placing]

    def coordinate(self, name: str) -> Scalar:
        """A coordinate of the machine by name."""
        names = self.mech.coordinates
        if name not in names:
            raise InputError(f"there is no coordinate {name!r}. {did_you_mean(name, names)}")
        return self.q[names.index(name)]

    def placement(self, anchor: Anchor) -> Placing:
        """Rotation and origin in the world of a body, a frame, the base, or a frame that moves by itself."""
        if isinstance(anchor, MovingFrame):
            turn = IDENTITY if anchor.turn is None else Rot.of(anchor.turn(self.t, self.ops))
            return turn, Vec.of(anchor.path(self.t, self.ops))
        if anchor in (BASE, "base"):
            return IDENTITY, ZERO
        body, rotation, position = self.mech.place_of(anchor)
        R, p = self.world(body)
        if rotation is None or position is None:
            return R, p
        return R.after(rotation), p + R @ position

    def point(self, anchor: Anchor, position: Sequence[Scalar] = (0.0, 0.0, 0.0)) -> Vec:
        """A point that is fixed in a frame, in world axes [m]."""
        R, p = self.placement(anchor)
        return p + R @ Vec.of(position)

    def seen_from(self, anchor: Anchor, point: Vec) -> Vec:
        """A point of the world in the axes of a frame, from its origin [m]."""
        R, p = self.placement(anchor)
        return R.T @ (point - p)

    def turn_between(self, anchor: Anchor, other: Anchor) -> Rot:
        """The rotation of a frame in the axes of another."""
        return self.placement(other)[0].T.after(self.placement(anchor)[0])
