r"""Forces between teeth and on the bearings that carry their wheels.

A wheel of the pitch radius $r = m z / (2 \cos\beta)$ with N equal meshes carries $T = N F_t r$. With the normal
pressure angle $\alpha$ and the helix angle $\beta$ come $F_r = F_t \tan\alpha / \cos\beta$ and $F_a = F_t \tan\beta$.
`gear_statics` has the balance of a whole gear.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.arguments import require_range
from gearwright.errors import TrainError

PRESSURE_ANGLE = math.radians(20)
"""The usual normal pressure angle of teeth [rad]: what every gear has unless it states another."""


ROUNDING = 1e-9
"""Forces that differ by less of themselves are as large as each other."""


class ToothForce(NamedTuple):
    """The force in one mesh, or on one bearing, at a torque of the gear's output [N]: numbers, or (T,) over a cycle.

    Args:
        name: "sun-planet", or "planet pin" for a bearing.
        is_bearing: whether it is a bearing; then it is all that carries the wheel, taken together at its middle.
        tangential: F_t, round the axis of the first wheel of a mesh (on a bearing: of its own wheel).
        radial: F_r, towards that axis.
        axial: F_a, along it.
        moment: that tilts the wheel about its middle [Nm], of bearings.
    """

    name: str
    is_bearing: bool
    tangential: Any
    radial: Any = 0.0
    axial: Any = 0.0
    moment: Any = 0.0

    @property
    def size(self) -> Any:
        """Of the whole force: normal to the tooth, or on the bearing."""
        return np.sqrt(self.tangential**2 + self.radial**2 + self.axial**2)

    @property
    def peaks(self) -> dict[str, float]:
        """The largest magnitude of the whole force and of each component [N], and of the tilting moment [Nm]."""
        parts = {"size": self.size, **{word: getattr(self, word) for word in COMPONENTS}}
        return {word: float(np.max(np.abs(x))) for word, x in parts.items()}

    def larger(self, other: ToothForce) -> ToothForce:
        """Of two the larger, at every time; of two as large (spiral teeth, either sense) that with more thrust."""
        mine, theirs = np.asarray(self.size), np.asarray(other.size)
        equal = np.isclose(mine, theirs, rtol=ROUNDING, atol=0.0)
        return self.where(np.where(equal, np.asarray(self.axial) >= np.asarray(other.axial), mine > theirs), other)

    def where(self, mine: Any, other: ToothForce) -> ToothForce:
        """Itself where a condition holds, else another."""
        return self._replace(**{word: np.where(mine, getattr(self, word), getattr(other, word)) for word in COMPONENTS})

    def only(self) -> ToothForce:
        """As numbers, when there is one time."""
        numbers: dict[str, Any] = {word: float(np.ravel(getattr(self, word))[0]) for word in COMPONENTS}
        return self._replace(**numbers)


COMPONENTS = ("tangential", "radial", "axial", "moment")
"""Of a force: those of which its size is made, and the moment."""


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

    def mesh(self, name: str, tangential: Any) -> ToothForce:
        """A mesh of parallel axes with this tangential force."""
        push = abs(tangential)
        radial = push * math.tan(self.pressure_angle) / math.cos(self.helix_angle)
        return ToothForce(name, False, push, radial, push * math.tan(abs(self.helix_angle)))


def require_teeth_angles(owner: str, pressure_angle: Scalar, helix_angle: Scalar) -> None:
    """Angles of teeth are below a quarter turn."""
    hint, limit = "It is below a quarter turn: check its unit.", math.pi / 2
    words = {"unit": "rad", "hint": hint, "error": TrainError}
    require_range(owner, "pressure_angle", pressure_angle, least=0, below=limit, **words)  # type: ignore[arg-type]
    require_range(owner, "helix_angle", helix_angle, above=-limit, below=limit, **words)  # type: ignore[arg-type]


def tooth_forces_of(gear: object, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
    """The forces of any gear, none where it does not tell them."""
    ask = getattr(gear, "tooth_forces", None)
    return () if ask is None else ask(torque, driving)


def unknown_teeth_of(gear: object) -> str | None:
    """What any gear lacks for them."""
    return getattr(gear, "unknown_teeth", "the gear is not drawn by its teeth")


def missing(**values: object) -> str | None:
    """Which of a gear's words are not given, as `unknown_teeth` tells it.

    >>> missing(module=None, face_width=0.02, lead_angle=None)
    'the module and lead_angle must be given'
    """
    names = [name for name, value in values.items() if value is None]
    return f"the {' and '.join(names)} must be given" if names else None
