"""Degrees of freedom of a body relative to its parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar, Vec, is_number


@dataclass(frozen=True)
class Dof:
    """One degree of freedom relative to the parent: about or along `axis` (body axes) at `factor` times a speed.

    Rotations of a later `stage` rotate the axes of the earlier ones; within one stage all axes are fixed in the body.
    """

    angular: bool
    axis: Vec
    speed: int
    factor: Scalar = 1.0
    stage: int = 0

    def times_factor(self, x: Scalar) -> Scalar:
        """Return `x` times the factor, without an operation for the factor 1."""
        return x if is_number(self.factor) and self.factor == 1.0 else self.factor * x


def later_angular_velocity(dofs: Sequence[Dof], stage: int, v: Sequence[Scalar]) -> Vec | None:
    """Return the angular velocity of this stage's axes due to later stages of the joint; None without later stages.

    >>> from gearwright.algebra import UNIT_AXES
    >>> cross = (Dof(True, UNIT_AXES[0], 0, stage=0), Dof(True, UNIT_AXES[1], 1, stage=1))
    >>> later_angular_velocity(cross, 0, [2.0, 3.0]), later_angular_velocity(cross, 1, [2.0, 3.0])
    (Vec(0.0, 3.0, 0.0), None)
    """
    total: Vec | None = None
    for dof in dofs:
        if dof.stage > stage and dof.angular:
            share = dof.axis * dof.times_factor(v[dof.speed])
            total = share if total is None else total + share
    return total


def axis_acceleration(dofs: Sequence[Dof], v: Sequence[Scalar]) -> Vec | None:
    """Return the angular acceleration due to rotating axes, sum of e_r v_r x w of later stages, body axes."""
    total: Vec | None = None
    for dof in dofs:
        later = later_angular_velocity(dofs, dof.stage, v) if dof.angular else None
        if later is not None:
            share = (dof.axis * dof.times_factor(v[dof.speed])).cross(later)
            total = share if total is None else total + share
    return total
