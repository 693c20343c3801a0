"""Geometry of a gear in its own frame: z along the motor axis, x from the motor towards the joint."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gearwright.arrays import Array
from gearwright.scene.triangles import Triangles


@dataclass(frozen=True)
class GearSpace:
    """Space for a gear whose size is not stated.

    Args:
        radius: of its largest wheel [m].
        width: of its teeth [m].
        distance: from the motor axis to the joint axis along their common perpendicular, which is x [m]; 0 if they
            are in line or unknown.
        joint_axis: direction of the joint axis in the gear's frame, (3,); None if unknown.
    """

    radius: float
    width: float
    distance: float = 0.0
    joint_axis: Array | None = None


@dataclass(frozen=True)
class GearForm:
    """One member of a gear: its mesh, and its speeds per unit speed of the driven side.

    Args:
        name: of the member.
        kind: see `Solid`.
        mesh: in the member's own frame.
        rate: its speed relative to its arm.
        orbit: speed of its arm.
        arm: from the gear's axis to the member [m], (3,).
        tilt: the member's frame in the gear's, (3, 3).
        joint_side: whether it is on the joint side of the gear's spring.
        opacity: see `Solid`.
        pitch_radius: of its pitch circle in z = 0 of its frame [m]; 0 without teeth.
        mates: names of the members with which its teeth mesh.
    """

    name: str
    kind: str
    mesh: Triangles
    rate: float = 0.0
    orbit: float = 0.0
    arm: Array = field(default_factory=lambda: np.zeros(3))
    tilt: Array = field(default_factory=lambda: np.eye(3))
    joint_side: bool = False
    opacity: float = 1.0
    pitch_radius: float = 0.0
    mates: tuple[str, ...] = ()

    def with_axial_offset(self, height: float) -> GearForm:
        """The member shifted along the axis."""
        return replace(self, arm=self.arm + np.array([0.0, 0.0, height]))

    def with_scaled_rates(self, ratio: float) -> GearForm:
        """The member with further gears behind it: all speeds times their ratio."""
        return replace(self, rate=self.rate * ratio, orbit=self.orbit * ratio)
