"""The pose of a machine: the only step with sines and cosines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec
from gearwright.mechanism import BASE, Mechanism, PerBody
from gearwright.mechanism.joints.dofs import Dof


@dataclass(frozen=True)
class Pose:
    """A machine at a configuration, the input of every recursion.

    `turn[i]` rotates vectors from body i's axes to its parent's; `shift[i]` is body i's origin in the parent's frame;
    `dofs[i]` are its degrees of freedom there, in its own axes.
    """

    mech: Mechanism
    q: tuple[Scalar, ...]
    turn: PerBody[Rot]
    shift: PerBody[Vec]
    dofs: PerBody[tuple[Dof, ...]]

    @cached_property
    def world_placements(self) -> tuple[tuple[Rot, Vec], ...]:
        """Rotation and origin of each body in the world; the last entry (index -1) is that of the base."""
        placed: list[tuple[Rot, Vec]] = [(IDENTITY, ZERO)] * (len(self.turn) + 1)
        for i in range(len(self.turn)):
            R, p = placed[self.mech.parent_of(i)]
            turn, shift = self.turn[i], self.shift[i]
            on_base = self.mech.parent_of(i) == BASE
            # Chen (8), Vukobratovic (20.9)-(20.12)
            placed[i] = (turn, shift) if on_base else (R.after(turn), p + R @ shift)
        return tuple(placed)


def place_machine(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> Pose:
    """Return the pose of a machine: rotations and origins of all bodies relative to their parents.

    Rotations follow Rodrigues' formula; a nonzero quaternion of any length is accepted.
    """
    turns, shifts, dofs = [], [], []
    for body, joint in zip(mech.bodies, mech.joints, strict=True):
        turn, shift, axes = body.kind.place(body, joint.joint_coordinates(q), ops)
        turns.append(turn)
        shifts.append(shift)
        dofs.append(joint.dofs if axes is None else _dofs_along(joint.dofs, axes))
    return Pose(mech, tuple(q), PerBody(turns), PerBody(shifts), PerBody(dofs))


def _dofs_along(dofs: Sequence[Dof], axes: Sequence[Vec]) -> tuple[Dof, ...]:
    return tuple(replace(dof, axis=axis) for dof, axis in zip(dofs, axes, strict=True))
