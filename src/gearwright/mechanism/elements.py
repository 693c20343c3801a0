"""The elements of the flat machine: bodies, spins, springs, actuators, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, SupportsIndex, TypeVar, overload

from gearwright.algebra import IDENTITY, ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_zero
from gearwright.argument_kinds import check_arguments
from gearwright.errors import JointError, PartError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.joints.geometry import require_crossing, require_pitch
from gearwright.mechanism.joints.kinds import GEOMETRY, JointKind, joint_kind
from gearwright.mechanism.rows import Row, Terms, as_number, nonzero_terms

BASE = -1
"""The index of the base as the parent of a body or the carrier of a frame or wheel."""

Each = TypeVar("Each")


class PerBody(tuple[Each, ...]):
    """Values of all bodies without one for the base, such as joints: the index `BASE` raises an error.

    Where the base has a value too (its path, its pose, its velocity), the list ends with it, so `BASE` (-1) returns it.

    >>> PerBody(["shoulder", "elbow"])[BASE]
    Traceback (most recent call last):
    ...
    gearwright.errors.StructureError: the base (body -1) has none of the 2 values that bodies 0 to 1 have.
    """

    __slots__ = ()

    @overload
    def __getitem__(self, index: SupportsIndex) -> Each: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Each, ...]: ...
    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice) and index < 0:
            raise StructureError(
                f"the base (body {index}) has none of the {len(self)} values that bodies 0 to {len(self) - 1} have."
            )
        return super().__getitem__(index)


def checked_vector(owner: str, values: Vec | Sequence[Scalar]) -> Vec:
    """Return three finite scalars as a vector; raise an error that names the owner otherwise."""
    try:
        x, y, z = () if isinstance(values, (set, frozenset, dict)) else values  # these have no order, or are keys
    except (TypeError, ValueError):
        raise PartError(f"{owner}: {values!r} is not a vector. Give three numbers.") from None
    return Vec(as_number(owner, x), as_number(owner, y), as_number(owner, z))


def checked_matrix(owner: str, rows: Any) -> tuple[Vec, Vec, Vec]:
    """Return three rows of three finite scalars; raise an error that names the owner otherwise."""
    if isinstance(rows, Rot | Tensor):
        rows = rows.rows()
    try:
        a, b, c = (tuple(row) for row in rows)
    except (TypeError, ValueError):
        raise PartError(f"{owner}: {rows!r} is not a 3 x 3 matrix. Give three rows of three numbers.") from None
    return checked_vector(owner, a), checked_vector(owner, b), checked_vector(owner, c)


@check_arguments
@dataclass(frozen=True)
class Body:
    """An augmented link: a rigid body that includes its wheels at rest.

    Args:
        name: its name, unique in the machine.
        parent: index or name of the body that carries its joint; -1 or "base" for the base.
        joint: revolute, prismatic, fixed, spherical, free (parent: the base), planar, helical or universal.
        axis: axis of the joint in the body frame, normalised; the normal of a planar joint; the first axis of a
            universal joint at a second angle of zero.
        rotation: rotation of the joint frame in the parent's frame, (3, 3).
        position: origin of the joint frame in the parent's frame [m].
        mass: mass [kg], wheels included.
        com: centre of mass in the body frame [m].
        inertia: tensor about the centre of mass in body axes [kg m2], (3, 3), wheels at rest included.
        effective: whether the inertial parameters are combinations (base parameters), not those of one physical body;
            physical checks are relaxed.
        joint_name: name of its speed; the body's name unless given.
        follows: (joint, multiplier, offset) for a mimic joint, q = multiplier q_joint + offset.
        axis2: second axis of a universal joint in the body frame, normalised.
        pitch: translation of a helical joint along its axis per radian [m/rad].

    >>> Body("upper", "base", axis=(0, 0, 2), mass=2, com=(0.2, 0, 0)).axis
    Vec(0.0, 0.0, 1.0)
    """

    name: str
    parent: int | str = BASE
    joint: str = "revolute"
    axis: Any = (0.0, 0.0, 1.0)
    rotation: Any = IDENTITY
    position: Any = ZERO
    mass: Scalar = 0.0
    com: Any = ZERO
    inertia: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    effective: bool = False
    joint_name: str | None = None
    follows: tuple[str | int, Scalar, Scalar] | None = None
    axis2: Any = None
    pitch: Scalar | None = None

    def __post_init__(self) -> None:
        owner = f"body {self.name!r}"
        kind = joint_kind(self.joint, owner)
        rows = checked_matrix(f"{owner}, inertia", self.inertia)
        checks.check_symmetry(f"{owner}, inertia", rows)
        values = {
            "axis": checks.unit_axis(f"{owner}, axis", checked_vector(f"{owner}, axis", self.axis)),
            "rotation": Rot(*checked_matrix(f"{owner}, rotation", self.rotation)),
            "position": checked_vector(f"{owner}, position", self.position),
            "mass": as_number(f"{owner}, mass", self.mass),
            "com": checked_vector(f"{owner}, com", self.com),
            "inertia": Tensor.from_rows([tuple(row) for row in rows]),
            **self._joint_geometry(owner, kind),
        }
        if self.follows is not None:
            values["follows"] = self._checked_leader(owner)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        checks.check_rotation(f"{owner}, rotation", self.rotation)
        checks.check_body(owner, self.mass, self.inertia, self.effective)
        if self.axis2 is not None:
            require_crossing(owner, self.axis, self.axis2)

    def _joint_geometry(self, owner: str, kind: JointKind) -> dict[str, Any]:
        """Return the further parameters that its kind of joint needs."""
        for word in GEOMETRY:
            is_stated = getattr(self, word) is not None
            if is_stated != (word in kind.needs):
                problem = f"needs {word}. Give it" if not is_stated else f"has no {word}. Remove it"
                raise JointError(f"{owner}: a {kind.name} joint {problem}.")
        values: dict[str, Any] = {}
        if self.axis2 is not None:
            values["axis2"] = checks.unit_axis(f"{owner}, axis2", checked_vector(f"{owner}, axis2", self.axis2))
        if self.pitch is not None:
            values["pitch"] = as_number(f"{owner}, pitch", self.pitch)
            require_pitch(owner, values["pitch"])
        return values

    def _checked_leader(self, owner: str) -> tuple[str | int, Scalar, Scalar]:
        try:
            joint, multiplier, offset = self.follows  # type: ignore[misc]
        except (TypeError, ValueError):
            raise JointError(f"{owner}: follows {self.follows!r} must be (joint, multiplier, offset).") from None
        if not self.kind.has_one_coordinate:
            raise JointError(
                f"{owner}: a {self.joint} joint cannot follow another. Make it revolute, prismatic or helical."
            )
        return joint, as_number(f"{owner}, multiplier", multiplier), as_number(f"{owner}, offset", offset)

    @property
    def kind(self) -> JointKind:
        """The properties of its joint in the table of kinds."""
        return joint_kind(self.joint)

    @property
    def speed_name(self) -> str:
        """The name of its joint's speed."""
        return self.joint_name if self.joint_name is not None else self.name

    @cached_property
    def about_origin(self) -> Inertia:
        """The ten parameters about the body origin, in which the dynamics is linear."""
        return Inertia.of_body(self.mass, self.com, self.inertia)


@dataclass(frozen=True)
class Rest:
    """The part of a wheel that its carrier includes: mass [kg], position [m], transverse inertia [kg m2]."""

    mass: Scalar
    position: Any
    transverse_inertia: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", checked_vector("wheel at rest, position", self.position))


@check_arguments
@dataclass(frozen=True)
class Spin:
    """A wheel: an axisymmetric body that turns about an axis fixed in its carrier at the rate `ratio . v`.

    Args:
        name: its name, unique in the machine.
        carrier: index or name of the body that carries it; -1 or "base" for the base.
        axis: its axis in the carrier's frame, normalised.
        inertia: axial inertia J [kg m2].
        ratio: its rate per unit of each generalized speed: a sequence over all speeds, or a mapping from names.
        coupling: the inertia Jc that couples it to the carrier; None: J (an ordinary wheel); 0: balanced.
        rest: its inertia at rest included in the carrier, for reports and export; no algorithm uses it.

    >>> Spin("rotor", "base", (0, 0, 1), 2e-4, {"turret": 100}).coupling_inertia
    0.0002
    """

    name: str
    carrier: int | str
    axis: Any
    inertia: Scalar
    ratio: Row
    coupling: Scalar | None = None
    rest: Rest | None = None

    def __post_init__(self) -> None:
        owner = f"spin {self.name!r}"
        axis = checks.unit_axis(f"{owner}, axis", checked_vector(f"{owner}, axis", self.axis))
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "inertia", as_number(f"{owner}, inertia", self.inertia))
        if self.coupling is not None:
            object.__setattr__(self, "coupling", as_number(f"{owner}, coupling", self.coupling))
        checks.check_spin(owner, self.inertia, self.coupling)

    def with_scaled_inertia(self, factor: Scalar) -> Spin:
        """Return the wheel with its inertia multiplied by a factor.

        >>> Spin("rotor", "base", (0, 0, 1), 2e-4, {"turret": 100}).with_scaled_inertia(2.0).inertia
        0.0004
        """
        coupling = None if self.coupling is None else self.coupling * factor
        return replace(self, inertia=self.inertia * factor, coupling=coupling)

    @property
    def coupling_inertia(self) -> Scalar:
        """The coupling inertia Jc: the axial inertia itself unless given."""
        return self.inertia if self.coupling is None else self.coupling

    @property
    def coupling_share(self) -> Scalar:
        """Jc/J: 1 for an ordinary wheel, 0 for a balanced one."""
        if self.coupling is None or is_zero(self.coupling):
            return 1.0 if self.coupling is None else 0.0
        return self.coupling / self.inertia

    @cached_property
    def terms(self) -> Terms:
        """The nonzero entries of the ratio row of a spin in a machine."""
        return nonzero_terms(self.ratio)  # type: ignore[arg-type]


@check_arguments
@dataclass(frozen=True)
class Spring:
    """A linear spring and damper along a row: potential 1/2 k (row . q - rest)^2, force d (row . v) against motion.

    `stiffness` [Nm/rad or N/m], `damping` [Nms/rad or Ns/m], `rest` in the units of row . q.
    """

    name: str
    row: Row
    stiffness: Scalar
    damping: Scalar = 0.0
    rest: Scalar = 0.0

    def __post_init__(self) -> None:
        for field in ("stiffness", "damping", "rest"):
            object.__setattr__(self, field, as_number(f"spring {self.name!r}, {field}", getattr(self, field)))
        checks.check_spring(self.name, self.stiffness, self.damping)

    @cached_property
    def terms(self) -> Terms:
        """The non-zero entries of the row, once the machine has numbered its speeds."""
        return nonzero_terms(self.row)  # type: ignore[arg-type]


@check_arguments
@dataclass(frozen=True)
class Actuator:
    """A motor in the structure matrix: the row of (rotor - stator); its rate is row . v."""

    name: str
    row: Row

    @cached_property
    def terms(self) -> Terms:
        """The non-zero entries of the row, once the machine has numbered its speeds."""
        return nonzero_terms(self.row)  # type: ignore[arg-type]


@check_arguments
@dataclass(frozen=True)
class BodyFrame:
    """A named frame on a body: a tool, a sensor, a flange."""

    name: str
    body: int | str
    rotation: Any = IDENTITY
    position: Any = ZERO

    def __post_init__(self) -> None:
        owner = f"frame {self.name!r}"
        object.__setattr__(self, "rotation", Rot(*checked_matrix(f"{owner}, rotation", self.rotation)))
        object.__setattr__(self, "position", checked_vector(f"{owner}, position", self.position))
        checks.check_rotation(f"{owner}, rotation", self.rotation)
