"""Placing a machine: the one step that needs sines and cosines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from gearwright.algebra import IDENTITY, ZERO, Hinge, Operations, Rot, Scalar, Vec, is_zero
from gearwright.algebra.hinge import rotated
from gearwright.mechanism import BASE, Mechanism

Z = Vec(0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Pose:
    """A placed machine: what every recursion starts from.

    `turn[i]` rotates vectors from body i's axes to its parent's; `shift[i]` is body i's origin in the parent's frame.
    """

    mech: Mechanism
    q: tuple[Scalar, ...]
    turn: tuple[Rot, ...]
    shift: tuple[Vec, ...]

    @cached_property
    def world(self) -> tuple[tuple[Rot, Vec], ...]:
        """Per body its rotation and origin in the world; the last entry (index -1) is the base's."""
        placed: list[tuple[Rot, Vec]] = [(IDENTITY, ZERO)] * (len(self.turn) + 1)
        for i in range(len(self.turn)):
            R, p = placed[self.mech.parent(i)]
            turn, shift = self.turn[i], self.shift[i]
            on_base = self.mech.parent(i) == BASE
            placed[i] = (turn, shift) if on_base else (R.after(turn), p + R @ shift)
        return tuple(placed)


def place(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> Pose:
    """Rotations and origins of all bodies relative to their parents.

    Revolute joints turn by Rodrigues' formula; a quaternion of any length but zero is taken as a rotation.
    """
    turns, shifts = [], []
    for body, joint in zip(mech.bodies, mech.joints, strict=True):
        turn, shift = body.rotation, body.position
        first = joint.first
        if body.joint in ("revolute", "prismatic"):
            angle = joint.coordinate(q)
            if body.joint == "revolute":
                turn = _turned(turn, body.axis, ops.cos(angle), ops.sin(angle))
            else:
                shift = shift + turn @ (body.axis * angle)
        elif body.joint in ("spherical", "free"):
            if body.joint == "free":
                shift = shift + turn @ Vec(*q[first : first + 3])
                first += 3
            turn = turn.after(Rot.of_quaternion(*q[first : first + 4]))
        turns.append(turn)
        shifts.append(shift)
    return Pose(mech, tuple(q), tuple(turns), tuple(shifts))


def _turned(fixed: Rot, axis: Vec, cos: Scalar, sin: Scalar) -> Rot:
    """The fixed rotation of a joint after its turn about the axis."""
    if axis == Z and is_zero(fixed.a.z):  # fixed = Rx(tilt) Rz(start)
        return Hinge(rotated((fixed.a.x, -fixed.a.y), cos, sin), (fixed.c.z, -fixed.b.z))
    return fixed.after(Rot.about(axis, cos, sin))
