"""Placing a machine: the one step that needs sines and cosines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec
from gearwright.mechanism import BASE, Mechanism, PerBody
from gearwright.mechanism.joints.dofs import Dof


@dataclass(frozen=True)
class Pose:
    """A placed machine: what every recursion starts from.

    `turn[i]` rotates vectors from body i's axes to its parent's; `shift[i]` is body i's origin in the parent's frame;
    `dofs[i]` are the ways in which it moves there, in its own axes.
    """

    mech: Mechanism
    q: tuple[Scalar, ...]
    turn: PerBody[Rot]
    shift: PerBody[Vec]
    dofs: PerBody[tuple[Dof, ...]]

    @cached_property
    def world(self) -> tuple[tuple[Rot, Vec], ...]:
        """Per body its rotation and origin in the world; the last entry (index -1) is the base's."""
        placed: list[tuple[Rot, Vec]] = [(IDENTITY, ZERO)] * (len(self.turn) + 1)
        for i in range(len(self.turn)):
            R, p = placed[self.mech.parent(i)]
            turn, shift = self.turn[i], self.shift[i]
            on_base = self.mech.parent(i) == BASE
            # Chen (8), Vukobratovic (20.9)-(20.12)
            placed[i] = (turn, shift) if on_base else (R.after(turn), p + R @ shift)
        return tuple(placed)


def place(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> Pose:
    """Rotations and origins of all bodies relative to their parents, each as its kind of joint places it.

    Joints turn by Rodrigues' formula; a quaternion of any length but zero is taken as a rotation.
    """
    turns, shifts, dofs = [], [], []
    for body, joint in zip(mech.bodies, mech.joints, strict=True):
        turn, shift, axes = body.kind.place(body, joint.coordinates(q), ops)
        turns.append(turn)
        shifts.append(shift)
        dofs.append(joint.dofs if axes is None else _along(joint.dofs, axes))
    return Pose(mech, tuple(q), PerBody(turns), PerBody(shifts), PerBody(dofs))


def _along(dofs: Sequence[Dof], axes: Sequence[Vec]) -> tuple[Dof, ...]:
    return tuple(replace(dof, axis=axis) for dof, axis in zip(dofs, axes, strict=True))
