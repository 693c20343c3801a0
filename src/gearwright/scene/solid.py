"""One thing to look at: a mesh on a body, at rest there or turning like a wheel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import cos, sin
from typing import Any

import numpy as np

from gearwright.arrays import Array
from gearwright.scene.triangles import Triangles

STILL: Mapping[str, float] = {}
"""The row of what does not turn."""


@dataclass(frozen=True)
class Solid:
    r"""A mesh carried by a body.

    In its own frame, whose z is the axis of its wheel, a solid at `arm` circles by $\varphi = orbit \cdot x$ and turns
    by $\theta = turning \cdot x$: orientation $R_z(\varphi) \, T \, R_z(\theta)$ and place $R_z(\varphi) \, arm$, with
    x the coordinates of the speeds.

    Args:
        name: of the part it shows.
        kind: link, mesh, joint, stator, rotor, gear, ring, planet, carrier, belt, payload.
        carrier: name of the body that carries it, or "base".
        mesh: in its own frame.
        rotation: of its frame in the body's, (3, 3).
        position: of its frame in the body's [m], (3,).
        turning: turns per unit of speeds, relative to the arm, by names.
        orbit: the same of the arm.
        arm: from the axis of the orbit to the mesh [m], (3,).
        tilt: the mesh's frame seen from the arm, (3, 3).
        opacity: 1 for what is seen as it is, less for what hides others.
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

    @property
    def moves(self) -> bool:
        """Whether it moves on its body."""
        return bool(self.turning or self.orbit)

    def pose(self, x: Mapping[str, float]) -> tuple[Array, Array]:
        """Rotation (3, 3) and position (3,) in the body's frame for coordinates by the names of speeds."""
        around = turn_about_z(along(self.orbit, x))
        turned = self.rotation @ around @ self.tilt @ turn_about_z(along(self.turning, x))
        return turned, self.position + self.rotation @ around @ self.arm


def along(row: Mapping[str, Any], x: Mapping[str, float]) -> float:
    """The angle that a row of speeds makes of coordinates."""
    return sum(float(ratio) * x.get(name, 0.0) for name, ratio in row.items())


def times(row: Mapping[str, Any], factor: Any) -> dict[str, float]:
    """A row of speeds times a number."""
    return {name: float(ratio) * float(factor) for name, ratio in row.items()} if factor else {}


def turn_about_z(angle: float) -> Array:
    """The rotation about z by an angle, (3, 3)."""
    c, s = cos(angle), sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
