"""What a gear looks like in its own frame: z along the motor's axis, x from the motor towards the joint."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from gearwright.arrays import Array
from gearwright.scene.triangles import Triangles


@dataclass(frozen=True)
class Room:
    """How much room a gear has where its file does not say how large it is.

    Args:
        radius: of its largest wheel [m].
        width: of its teeth [m].
        distance: from the motor's axis to the joint's [m]; 0 when they are in line or not known.
        joint_axis: direction of the joint's axis in the gear's frame, (3,); None when not known.
    """

    radius: float
    width: float
    distance: float = 0.0
    joint_axis: Array | None = None


@dataclass(frozen=True)
class Form:
    """One member of a gear: its mesh, and its rates per unit speed of the driven side.

    Args:
        name: of the member.
        kind: see `Solid`.
        mesh: in the member's own frame.
        rate: its own turning, relative to its arm.
        orbit: of its arm.
        arm: from the gear's axis to the member [m], (3,).
        tilt: the member's frame in the gear's, (3, 3).
        joint_side: whether it turns behind the gear's spring.
        opacity: see `Solid`.
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

    def lifted(self, height: float) -> Form:
        """The member further along the axis."""
        return replace(self, arm=self.arm + np.array([0.0, 0.0, height]))

    def quicker(self, ratio: float) -> Form:
        """The member where other gears follow: all rates times their ratio."""
        return replace(self, rate=self.rate * ratio, orbit=self.orbit * ratio)
