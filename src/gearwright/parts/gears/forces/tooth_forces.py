r"""Forces between teeth and on the bearings of the wheels.

A wheel of the pitch radius $r = m z / (2 \cos\beta)$ with N equal meshes carries $T = N F_t r$. With the normal
pressure angle $\alpha$ and the helix angle $\beta$ come $F_r = F_t \tan\alpha / \cos\beta$ and $F_a = F_t \tan\beta$.
`gear_statics` gives the balance of a complete gear.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import root_sum_square
from gearwright.algebra.differentiation.dual_numbers import DUAL_ARRAYS, DUAL_FLOATS, map_linear, primal_value
from gearwright.arguments import require_range
from gearwright.errors import TrainError

NORMAL_PRESSURE_ANGLE = math.radians(20)
"""The standard normal pressure angle of teeth [rad], the default of every gear."""


EQUAL_FORCE_RATIO = 1e-9
"""Relative difference below which two forces count as equal."""


def tangent(angle: Scalar) -> Scalar:
    """The tangent of an angle."""
    return DUAL_FLOATS.sin(angle) / DUAL_FLOATS.cos(angle)


def transverse_pressure_angle(pressure_angle: Scalar, helix_angle: Scalar) -> Scalar:
    """The pressure angle in the plane of rotation [rad]."""
    return DUAL_FLOATS.arctan2(tangent(pressure_angle), DUAL_FLOATS.cos(helix_angle))


def first_number(x: Scalar) -> Scalar:
    """The first element of an array as a number."""
    return map_linear(lambda y: float(np.ravel(y)[0]), x)


class ToothForce(NamedTuple):
    """The force in one mesh, or on one bearing, at a torque of the gear's output [N]: scalars, or (T,) over a cycle.

    Args:
        name: "sun-planet", or "planet pin" for a bearing.
        is_bearing: whether it is a bearing; then it is the resultant of all bearings of the wheel at its centre.
        tangential: F_t, tangential to the first wheel of a mesh (for a bearing: to its own wheel).
        radial: F_r, towards that axis.
        axial: F_a, along it.
        moment: tilting moment about the wheel's centre [Nm], for bearings.
    """

    name: str
    is_bearing: bool
    tangential: Any
    radial: Any = 0.0
    axial: Any = 0.0
    moment: Any = 0.0

    @property
    def size(self) -> Any:
        """Magnitude of the total force: normal to the tooth, or on the bearing."""
        return root_sum_square([self.tangential, self.radial, self.axial])

    @property
    def peak_components(self) -> dict[str, float]:
        """The largest magnitude of the total force and of each component [N], and of the tilting moment [Nm]."""
        parts = {"size": self.size, **{word: getattr(self, word) for word in FORCE_COMPONENTS}}
        return {word: float(np.max(np.abs(x))) for word, x in parts.items()}

    def larger_force(self, other: ToothForce) -> ToothForce:
        """The larger of two forces at every time; of two equal ones (spiral teeth) that with more thrust."""
        size, theirs, axial, other_axial = (
            np.asarray(primal_value(x)) for x in (self.size, other.size, self.axial, other.axial)
        )
        equal = np.isclose(size, theirs, rtol=EQUAL_FORCE_RATIO, atol=0.0)
        return self.select_where(np.where(equal, axial >= other_axial, size > theirs), other)

    def select_where(self, mine: Any, other: ToothForce) -> ToothForce:
        """This force where a condition holds, else the other."""
        return self._replace(
            **{word: DUAL_ARRAYS.where(mine, getattr(self, word), getattr(other, word)) for word in FORCE_COMPONENTS}
        )

    def as_numbers(self) -> ToothForce:
        """The force as scalars, if there is only one time."""
        numbers: dict[str, Any] = {word: first_number(getattr(self, word)) for word in FORCE_COMPONENTS}
        return self._replace(**numbers)


FORCE_COMPONENTS = ("tangential", "radial", "axial", "moment")
"""The components of a force, and its moment."""


class ToothAngles(NamedTuple):
    """Normal pressure angle and helix angle of teeth [rad].

    >>> mesh_force = ToothAngles(math.radians(20)).mesh_force("driver-driven", 20.0)
    >>> round(mesh_force.radial / mesh_force.tangential, 5), mesh_force.axial
    (0.36397, 0.0)
    """

    pressure_angle: Scalar = NORMAL_PRESSURE_ANGLE
    helix_angle: Scalar = 0.0

    def pitch_radius(self, module: Scalar, teeth: Scalar) -> Scalar:
        """Pitch radius [m], from the normal module."""
        return module * teeth / (2 * DUAL_FLOATS.cos(self.helix_angle))

    def mesh_force(self, name: str, tangential: Any) -> ToothForce:
        """A mesh of parallel axes with this tangential force."""
        push = abs(tangential)
        radial = push * tangent(self.pressure_angle) / DUAL_FLOATS.cos(self.helix_angle)
        return ToothForce(name, False, push, radial, push * tangent(abs(self.helix_angle)))


def require_teeth_angles(owner: str, pressure_angle: Scalar, helix_angle: Scalar) -> None:
    """Raise unless the angles of teeth are below a quarter turn."""
    hint, limit = "Give an angle below a quarter turn, in radians.", math.pi / 2
    words = {"unit": "rad", "hint": hint, "error": TrainError}
    require_range(owner, "pressure_angle", pressure_angle, least=0, below=limit, **words)  # type: ignore[arg-type]
    require_range(owner, "helix_angle", helix_angle, above=-limit, below=limit, **words)  # type: ignore[arg-type]


def tooth_forces_or_none(gear: object, torque: Any = 1.0, driving: bool = True) -> tuple[ToothForce, ...]:
    """Return the tooth forces of any gear; empty if it does not provide them."""
    method = getattr(gear, "tooth_forces", None)
    return () if method is None else method(torque, driving)


def missing_tooth_data(gear: object) -> str | None:
    """Return the missing data for the tooth forces of any gear."""
    return getattr(gear, "unknown_teeth", "the gear is not defined by its teeth")


def missing_fields_text(**values: object) -> str | None:
    """Return the fields of a gear that are missing, as text for `unknown_teeth`.

    >>> missing_fields_text(module=None, face_width=0.02, lead_angle=None)
    'the module and lead_angle must be given'
    """
    names = [name for name, value in values.items() if value is None]
    return f"the {' and '.join(names)} must be given" if names else None
