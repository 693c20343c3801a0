"""One solid of a scene: a mesh on a body, fixed or turning like a wheel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import cos, sin
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.scene.triangles import Triangles

FIXED_ROW: Mapping[str, float] = {}
"""The row of a solid that does not turn."""


@dataclass(frozen=True)
class Solid:
    r"""A mesh carried by a body.

    In its own frame, whose z is the axis of its wheel, a solid at `arm` orbits by $\varphi = orbit \cdot x$ and turns
    by $\theta = turning \cdot x$: orientation $R_z(\varphi) \, T \, R_z(\theta)$ and position
    $R_z(\varphi) \, arm$, with x the coordinates of the speeds.

    Args:
        name: of the part.
        kind: link, housing, mesh, joint, stator, rotor, shaft, gear, ring, planet, carrier, belt, payload.
        carrier: name of the body that carries it, or "base".
        mesh: in its own frame.
        rotation: of its frame in the body's, (3, 3).
        position: of its frame in the body's [m], (3,).
        turning: rotation per unit of each coordinate, relative to the arm, by name of the speed.
        orbit: rotation of the arm per unit of each coordinate, by name of the speed.
        arm: from the axis of the orbit to the mesh [m], (3,).
        tilt: rotation of the mesh's frame relative to the arm, (3, 3).
        opacity: 1 for opaque solids, less for transparent ones.
        pitch_radius: of its pitch circle, in z = 0 of its own frame [m]; 0 without teeth.
        mates: names of the solids with which its teeth mesh.
    """

    name: str
    kind: str
    carrier: str
    mesh: Triangles
    rotation: Array = field(default_factory=lambda: np.eye(3))
    position: Array = field(default_factory=lambda: np.zeros(3))
    turning: Mapping[str, Any] = field(default_factory=dict)
    orbit: Mapping[str, Any] = field(default_factory=dict)
    arm: Array = field(default_factory=lambda: np.zeros(3))
    tilt: Array = field(default_factory=lambda: np.eye(3))
    opacity: float = 1.0
    pitch_radius: float = 0.0
    mates: tuple[str, ...] = ()

    @property
    def is_moving(self) -> bool:
        """Whether it moves on its body."""
        return bool(self.turning or self.orbit)

    def pose_on_body(self, x: Mapping[str, float]) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) in the body's frame for coordinates by the names of speeds."""
        around = rotation_about_z(row_angle(self.orbit, x))
        orientation = self.rotation @ around @ self.tilt @ rotation_about_z(row_angle(self.turning, x))
        return orientation, self.position + self.rotation @ around @ self.arm


def row_angle(row: Mapping[str, Any], x: Mapping[str, float]) -> float:
    """The angle of a row of speeds at coordinates."""
    return sum(float(ratio) * x.get(name, 0.0) for name, ratio in row.items())


def scaled_row(row: Mapping[str, Any], factor: Any) -> dict[str, float]:
    """A row of speeds times a number."""
    return {name: float(ratio) * float(factor) for name, ratio in row.items()} if factor else {}


def rotation_about_z(angle: float) -> Array:
    """The rotation about z by an angle, (3, 3)."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
