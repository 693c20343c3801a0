"""The elements of the flat machine: bodies, spins, springs, actuators, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, SupportsIndex, TypeVar, overload

from gearwright.algebra import IDENTITY, ZERO, Inertia, Rot, Scalar, Tensor, Vec, is_zero
from gearwright.errors import JointError, PartError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.joints.geometry import require_crossing, require_pitch
from gearwright.mechanism.joints.kinds import GEOMETRY, JointKind, joint_kind
from gearwright.mechanism.rows import Row, Terms, plain, terms

BASE = -1
"""The index of the base: parent of a body that hangs on it, carrier of a frame or wheel that is fixed to it."""

Each = TypeVar("Each")


class PerBody(tuple[Each, ...]):
    """What every body has and the base has not, such as a joint: `BASE` finds nothing here, least of all the last one.

    Where the base does have such a thing (its path, its placement, its velocity) the list ends with it, so that `BASE`
    finds it.

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


def vector(owner: str, values: Vec | Sequence[Scalar]) -> Vec:
    """Three finite scalars, or an error that names the owner."""
    try:
        x, y, z = values
    except (TypeError, ValueError):
        raise PartError(f"{owner}: {values!r} is not a vector. Give three numbers.") from None
    return Vec(plain(owner, x), plain(owner, y), plain(owner, z))


def matrix(owner: str, rows: Any) -> tuple[Vec, Vec, Vec]:
    """Three rows of three finite scalars, or an error that names the owner."""
    if isinstance(rows, Rot | Tensor):
        rows = rows.rows()
    try:
        a, b, c = (tuple(row) for row in rows)
    except (TypeError, ValueError):
        raise PartError(f"{owner}: {rows!r} is not a 3 x 3 matrix. Give three rows of three numbers.") from None
    return vector(owner, a), vector(owner, b), vector(owner, c)


@dataclass(frozen=True)
class Body:
    """An augmented link: a rigid body with every wheel it carries, at rest, lumped into it.

    Args:
        name: its name, unique in the machine.
        parent: index or name of the body that carries its joint; -1 or "base" for the base.
        joint: revolute, prismatic, fixed, spherical, free (which hangs on the base), planar, helical or universal.
        axis: axis of the joint in the body frame, made a unit vector; the normal of a planar joint; the first axis of a
            universal one, where the second angle is zero.
        rotation: rotation of the joint frame in the parent's frame, (3, 3).
        position: origin of the joint frame in the parent's frame [m].
        mass: mass [kg], wheels included.
        com: centre of mass in the body frame [m].
        inertia: tensor about the centre of mass in body axes [kg m2], (3, 3), wheels at rest included.
        effective: the numbers are combinations, not those of one physical body; physical checks are relaxed.
        joint_name: what its speed is called; the body's name unless given.
        follows: (joint, multiplier, offset) when the joint has no speed of its own, q = multiplier q_joint + offset.
        axis2: second axis of a universal joint in the body frame, made a unit vector.
        pitch: of a helical joint, how far it slides along its axis per radian [m/rad].

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
        rows = matrix(f"{owner}, inertia", self.inertia)
        checks.symmetric(f"{owner}, inertia", rows)
        values = {
            "axis": checks.unit(f"{owner}, axis", vector(f"{owner}, axis", self.axis)),
            "rotation": Rot(*matrix(f"{owner}, rotation", self.rotation)),
            "position": vector(f"{owner}, position", self.position),
            "mass": plain(f"{owner}, mass", self.mass),
            "com": vector(f"{owner}, com", self.com),
            "inertia": Tensor.of([tuple(row) for row in rows]),
            **self._geometry(owner, kind),
        }
        if self.follows is not None:
            values["follows"] = self._leader(owner)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        checks.rotation(f"{owner}, rotation", self.rotation)
        checks.body(owner, self.mass, self.inertia, self.effective)
        if self.axis2 is not None:
            require_crossing(owner, self.axis, self.axis2)

    def _geometry(self, owner: str, kind: JointKind) -> dict[str, Any]:
        """The numbers beside its axis, as many as its kind of joint needs."""
        for word in GEOMETRY:
            given = getattr(self, word) is not None
            if given != (word in kind.needs):
                way = f"needs {word}. Give it" if not given else f"has no {word}. Leave it out"
                raise JointError(f"{owner}: a {kind.name} joint {way}.")
        values: dict[str, Any] = {}
        if self.axis2 is not None:
            values["axis2"] = checks.unit(f"{owner}, axis2", vector(f"{owner}, axis2", self.axis2))
        if self.pitch is not None:
            values["pitch"] = plain(f"{owner}, pitch", self.pitch)
            require_pitch(owner, values["pitch"])
        return values

    def _leader(self, owner: str) -> tuple[str | int, Scalar, Scalar]:
        try:
            joint, multiplier, offset = self.follows  # type: ignore[misc]
        except (TypeError, ValueError):
            raise JointError(f"{owner}: follows {self.follows!r} must be (joint, multiplier, offset).") from None
        if not self.kind.single:
            raise JointError(
                f"{owner}: a {self.joint} joint cannot follow another. Make it revolute, prismatic or helical."
            )
        return joint, plain(f"{owner}, multiplier", multiplier), plain(f"{owner}, offset", offset)

    @property
    def kind(self) -> JointKind:
        """The row of its joint in the table of kinds."""
        return joint_kind(self.joint)

    @property
    def speed_name(self) -> str:
        """What the speed of its joint is called."""
        return self.joint_name if self.joint_name is not None else self.name

    @cached_property
    def about_origin(self) -> Inertia:
        """The ten parameters about the body origin, in which the dynamics is linear."""
        return Inertia.of_body(self.mass, self.com, self.inertia)


@dataclass(frozen=True)
class Rest:
    """What of a wheel lies in its carrier already: mass [kg], position [m], transverse inertia [kg m2]."""

    mass: Scalar
    position: Any
    transverse_inertia: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", vector("wheel at rest, position", self.position))


@dataclass(frozen=True)
class Spin:
    """A wheel: an axisymmetric body that turns about an axis fixed in its carrier at the rate `ratio . v`.

    Args:
        name: its name, unique in the machine.
        carrier: index or name of the body that carries it; -1 or "base" for the base.
        axis: its axis in the carrier's frame, made a unit vector.
        inertia: axial inertia J [kg m2].
        ratio: its rate per unit of each generalized speed: a sequence over all speeds, or a mapping from names.
        coupling: the inertia Jc that couples it to the carrier; None: J (an ordinary wheel); 0: balanced.
        rest: what of it is already inside the carrier, for reports and export; no algorithm needs it.

    >>> Spin("rotor", "base", (0, 0, 1), 2e-4, {"turret": 100}).coupled
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
        axis = checks.unit(f"{owner}, axis", vector(f"{owner}, axis", self.axis))
        object.__setattr__(self, "axis", axis)
        object.__setattr__(self, "inertia", plain(f"{owner}, inertia", self.inertia))
        if self.coupling is not None:
            object.__setattr__(self, "coupling", plain(f"{owner}, coupling", self.coupling))
        checks.spin(owner, self.inertia, self.coupling)

    def times(self, factor: Scalar) -> Spin:
        """The wheel with so many times its inertia.

        >>> Spin("rotor", "base", (0, 0, 1), 2e-4, {"turret": 100}).times(2.0).inertia
        0.0004
        """
        coupling = None if self.coupling is None else self.coupling * factor
        return replace(self, inertia=self.inertia * factor, coupling=coupling)

    @property
    def coupled(self) -> Scalar:
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
        """The non-zero entries of the ratio row, once the machine has numbered its speeds."""
        return terms(self.ratio)  # type: ignore[arg-type]


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
            object.__setattr__(self, field, plain(f"spring {self.name!r}, {field}", getattr(self, field)))
        checks.spring(self.name, self.stiffness, self.damping)

    @cached_property
    def terms(self) -> Terms:
        """The non-zero entries of the row, once the machine has numbered its speeds."""
        return terms(self.row)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Actuator:
    """A motor's place in the structure matrix: the row of (rotor - stator), so that its rate is row . v."""

    name: str
    row: Row

    @cached_property
    def terms(self) -> Terms:
        """The non-zero entries of the row, once the machine has numbered its speeds."""
        return terms(self.row)  # type: ignore[arg-type]


@dataclass(frozen=True)
class BodyFrame:
    """A named place on a body: a tool, a sensor, a flange."""

    name: str
    body: int | str
    rotation: Any = IDENTITY
    position: Any = ZERO

    def __post_init__(self) -> None:
        owner = f"frame {self.name!r}"
        object.__setattr__(self, "rotation", Rot(*matrix(f"{owner}, rotation", self.rotation)))
        object.__setattr__(self, "position", vector(f"{owner}, position", self.position))
        checks.rotation(f"{owner}, rotation", self.rotation)
