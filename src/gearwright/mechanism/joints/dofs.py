"""The ways in which a body moves relative to its parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar, Vec, is_number

UNIT_AXES = (Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Dof:
    """One way a body moves relative to its parent: about or along `axis` (body axes) at `factor` times a speed.

    Rotations of a later `stage` turn the axes of the earlier ones; within one stage all axes are fixed in the body.
    """

    angular: bool
    axis: Vec
    speed: int
    factor: Scalar = 1.0
    stage: int = 0

    def scaled(self, x: Scalar) -> Scalar:
        """`x` times the factor; the factor 1 of an ordinary joint costs nothing."""
        return x if is_number(self.factor) and self.factor == 1.0 else self.factor * x


def turned_by_later(dofs: Sequence[Dof], stage: int, v: Sequence[Scalar]) -> Vec | None:
    """The angular velocity with which the later stages of a joint turn the axes of this one; None where none is later.

    >>> cross = (Dof(True, UNIT_AXES[0], 0, stage=0), Dof(True, UNIT_AXES[1], 1, stage=1))
    >>> turned_by_later(cross, 0, [2.0, 3.0]), turned_by_later(cross, 1, [2.0, 3.0])
    (Vec(0.0, 3.0, 0.0), None)
    """
    total: Vec | None = None
    for dof in dofs:
        if dof.stage > stage and dof.angular:
            share = dof.axis * dof.scaled(v[dof.speed])
            total = share if total is None else total + share
    return total


def axes_drift(dofs: Sequence[Dof], v: Sequence[Scalar]) -> Vec | None:
    """The angular acceleration that turning axes bring, sum of e_r v_r x (what later stages turn by), body axes."""
    total: Vec | None = None
    for dof in dofs:
        later = turned_by_later(dofs, dof.stage, v) if dof.angular else None
        if later is not None:
            share = (dof.axis * dof.scaled(v[dof.speed])).cross(later)
            total = share if total is None else total + share
    return total
