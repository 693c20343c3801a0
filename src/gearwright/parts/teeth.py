r"""Forces between teeth and on the bearings that carry their wheels, per unit of torque at a gear's output.

A wheel of the pitch radius $r = m z / (2 \cos\beta)$ with N equal meshes carries $T = N F_t r$. With the normal
pressure angle $\alpha$ and the helix angle $\beta$ come $F_r = F_t \tan\alpha / \cos\beta$ and $F_a = F_t \tan\beta$.
What the mesh itself loses is left out, and planets share their load equally.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError

PRESSURE_ANGLE = math.radians(20)
"""The usual normal pressure angle of teeth [rad]."""


class ToothForce(NamedTuple):
    """The force in one mesh, or on one bearing, per unit of torque at the gear's output [1/m].

    Args:
        name: "sun-planet", or "planet pin" for a bearing.
        is_bearing: whether it is a bearing; then `tangential` and `radial` are across its axis.
        tangential: F_t.
        radial: F_r.
        axial: F_a.
    """

    name: str
    is_bearing: bool
    tangential: float
    radial: float = 0.0
    axial: float = 0.0

    @property
    def size(self) -> float:
        """Of the whole force: normal to the tooth, or on the bearing."""
        return math.sqrt(self.tangential**2 + self.radial**2 + self.axial**2)

    def scaled(self, factor: float, prefix: str = "") -> ToothForce:
        """For another unit of torque."""
        sizes = (factor * x for x in (self.tangential, self.radial, self.axial))
        return ToothForce(f"{prefix}{self.name}", self.is_bearing, *sizes)


class Teeth(NamedTuple):
    """Normal pressure angle and helix angle of teeth [rad].

    >>> mesh = Teeth(math.radians(20)).mesh("driver-driven", 20.0)
    >>> round(mesh.radial / mesh.tangential, 5), mesh.axial
    (0.36397, 0.0)
    """

    pressure_angle: float = PRESSURE_ANGLE
    helix_angle: float = 0.0

    def radius(self, module: Scalar, teeth: Scalar) -> float:
        """Of the pitch circle [m], for a normal module."""
        return float(module * teeth / (2 * math.cos(self.helix_angle)))

    def mesh(self, name: str, tangential: float) -> ToothForce:
        """A mesh with this tangential force."""
        push = abs(tangential)
        radial = push * math.tan(self.pressure_angle) / math.cos(self.helix_angle)
        return ToothForce(name, False, push, radial, push * math.tan(abs(self.helix_angle)))

    def bearing(self, name: str, tangential: float) -> ToothForce:
        """What carries a wheel with one such mesh."""
        return self.mesh(name, tangential)._replace(is_bearing=True)


def require_teeth_angles(owner: str, pressure_angle: Scalar, helix_angle: Scalar) -> None:
    """Angles of teeth are below a quarter turn."""
    hint, limit = "It is below a quarter turn: check its unit.", math.pi / 2
    words = {"unit": "rad", "hint": hint, "error": TrainError}
    require_range(owner, "pressure_angle", pressure_angle, least=0, below=limit, **words)  # type: ignore[arg-type]
    require_range(owner, "helix_angle", helix_angle, above=-limit, below=limit, **words)  # type: ignore[arg-type]


def tooth_forces_of(gear: object) -> tuple[ToothForce, ...]:
    """The forces of any gear, none where it does not tell them."""
    ask = getattr(gear, "tooth_forces", None)
    return () if ask is None else ask()


def unknown_teeth_of(gear: object) -> str | None:
    """What any gear lacks for them."""
    return getattr(gear, "unknown_teeth", "it is not drawn by its teeth")
