"""The table of joint kinds with all their properties, one row each.

A new kind is a row here and its keys in `files`; recursions, backends, drives and simulations use the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from gearwright.algebra import UNIT_AXES, Operations, Rot, Scalar, Vec
from gearwright.errors import JointError
from gearwright.mechanism.joints.dofs import Dof
from gearwright.mechanism.joints.geometry import plane_axes, rotation_after_turn
from gearwright.mechanism.joints.spaces import LINES, MOTIONS, PLANE_MOTIONS, ROTATIONS, ConfigurationSpace

GEOMETRY = ("axis2", "pitch")
"""Parameters that some kinds need in addition to `axis`."""


class JointPlacement(Protocol):
    """Placement of a joint on its parent, and its parameters; a body has them."""

    @property
    def axis(self) -> Any:
        """Unit vector of its axis in the body frame."""
        ...

    @property
    def axis2(self) -> Any:
        """Its second axis, for kinds that have one."""
        ...

    @property
    def pitch(self) -> Any:
        """Translation per radian [m/rad], for helical joints."""
        ...

    @property
    def rotation(self) -> Any:
        """Rotation of the joint frame in the parent's frame."""
        ...

    @property
    def position(self) -> Any:
        """Origin of the joint frame in the parent's frame [m]."""
        ...


class JointTransform(NamedTuple):
    """Rotation and origin of a body in its parent's frame, and the axes of its dofs if they depend on q."""

    turn: Rot
    shift: Vec
    axes: tuple[Vec, ...] | None = None


@dataclass(frozen=True)
class JointKind:
    """The properties of a kind of joint.

    Args:
        name: its name.
        coordinates: suffixes of the names of its coordinates, `<joint>` + suffix.
        speeds: suffixes of the names of its speeds.
        units: units of the coordinates, rad or m; "" for quaternions.
        rates: units of the speeds, rad or m (per second).
        dofs: degrees of freedom of a body on it, with speeds counted from 0, at zero coordinates.
        place: pose of a body on it as a function of its coordinates.
        space: its configuration space.
        needs: parameters in addition to its axis.
        pure: pure rotation about, or pure translation along, an axis that is fixed in both links.
        about_axis: whether all its rotation is about `axis`.
        on_base: whether its parent must be the base.
    """

    name: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    units: tuple[str, ...]
    rates: tuple[str, ...]
    dofs: Callable[[JointPlacement], tuple[Dof, ...]]
    place: Callable[[JointPlacement, Sequence[Scalar], Operations], JointTransform]
    space: ConfigurationSpace = LINES
    needs: tuple[str, ...] = ()
    pure: bool = False
    about_axis: bool = False
    on_base: bool = False

    @property
    def has_one_coordinate(self) -> bool:
        """Whether it has one coordinate, as drives, springs, friction, stops and mimic joints require."""
        return len(self.coordinates) == 1

    @property
    def has_rotation(self) -> bool:
        """Whether it has a rotation."""
        return "rad" in self.rates

    @property
    def is_revolute(self) -> bool:
        """Whether it is a pure rotation about an axis that is fixed in both links."""
        return self.pure and self.has_rotation

    @property
    def is_prismatic(self) -> bool:
        """Whether it is a pure translation along an axis that is fixed in both links."""
        return self.pure and not self.has_rotation

    @property
    def force_unit(self) -> str:
        """Nm or N: the unit of the force at a joint of one coordinate."""
        return "Nm" if self.has_rotation else "N"


def joint_kind(name: str, owner: str = "joint") -> JointKind:
    """Return the properties of a kind.

    >>> joint_kind("universal").speeds
    ('.angle1', '.angle2')
    """
    if name not in JOINT_KINDS:
        raise JointError(f"{owner}: joint {name!r} is unknown. Use one of {', '.join(JOINT_KINDS)}.")
    return JOINT_KINDS[name]


def _fixed_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    return ()


def _revolute_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    return (Dof(True, seat.axis, 0),)


def _prismatic_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    return (Dof(False, seat.axis, 0),)


def _helical_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    return (Dof(True, seat.axis, 0), Dof(False, seat.axis, 0, seat.pitch))


def _universal_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    return (Dof(True, seat.axis, 0, stage=0), Dof(True, seat.axis2, 1, stage=1))


def _spherical_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    return tuple(Dof(True, e, k) for k, e in enumerate(UNIT_AXES))


def _free_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    return (
        *(Dof(False, e, k) for k, e in enumerate(UNIT_AXES)),
        *(Dof(True, e, 3 + k) for k, e in enumerate(UNIT_AXES)),
    )


def _planar_dofs(seat: JointPlacement) -> tuple[Dof, ...]:
    x, y = plane_axes(seat.axis)
    return (Dof(False, x, 0), Dof(False, y, 1), Dof(True, seat.axis, 2))


def _place_fixed(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    return JointTransform(seat.rotation, seat.position)


def _place_revolute(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    (angle,) = q
    return JointTransform(rotation_after_turn(seat.rotation, seat.axis, ops.cos(angle), ops.sin(angle)), seat.position)


def _place_prismatic(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    (displacement,) = q
    return JointTransform(seat.rotation, seat.position + seat.rotation @ (seat.axis * displacement))


def _place_helical(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    (angle,) = q
    turn = rotation_after_turn(seat.rotation, seat.axis, ops.cos(angle), ops.sin(angle))
    return JointTransform(turn, seat.position + seat.rotation @ (seat.axis * (seat.pitch * angle)))


def _place_universal(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    inner, outer = q
    second = Rot.about_axis(seat.axis2, ops.cos(outer), ops.sin(outer))
    first = rotation_after_turn(seat.rotation, seat.axis, ops.cos(inner), ops.sin(inner))
    return JointTransform(first.after(second), seat.position, (second.T @ seat.axis, seat.axis2))


def _place_spherical(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    return JointTransform(seat.rotation.after(Rot.from_quaternion(*q)), seat.position)


def _place_free(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    turn = seat.rotation.after(Rot.from_quaternion(*q[3:]))
    return JointTransform(turn, seat.position + seat.rotation @ Vec(*q[:3]))


def _place_planar(seat: JointPlacement, q: Sequence[Scalar], ops: Operations) -> JointTransform:
    x, y = plane_axes(seat.axis)
    turn = rotation_after_turn(seat.rotation, seat.axis, ops.cos(q[2]), ops.sin(q[2]))
    return JointTransform(turn, seat.position + seat.rotation @ (x * q[0] + y * q[1]))


_XYZ, _QUATERNION = (".x", ".y", ".z"), (".qw", ".qx", ".qy", ".qz")
_VELOCITY, _TURNING = (".vx", ".vy", ".vz"), (".wx", ".wy", ".wz")
_ANGLES = (".angle1", ".angle2")
_RAD, _M, _NONE = ("rad",), ("m",), ("",)

_JOINT_KIND_ROWS = (
    JointKind("revolute", ("",), ("",), _RAD, _RAD, _revolute_dofs, _place_revolute, pure=True, about_axis=True),
    JointKind("prismatic", ("",), ("",), _M, _M, _prismatic_dofs, _place_prismatic, pure=True),
    JointKind("fixed", (), (), (), (), _fixed_dofs, _place_fixed),
    JointKind("spherical", _QUATERNION, _TURNING, _NONE * 4, _RAD * 3, _spherical_dofs, _place_spherical, ROTATIONS),
    JointKind(
        "free",
        (*_XYZ, *_QUATERNION),
        (*_VELOCITY, *_TURNING),
        (*_M * 3, *_NONE * 4),
        (*_M * 3, *_RAD * 3),
        _free_dofs,
        _place_free,
        MOTIONS,
        on_base=True,
    ),
    JointKind(
        "planar",
        (".x", ".y", ".angle"),
        (".vx", ".vy", ".wz"),
        (*_M * 2, *_RAD),
        (*_M * 2, *_RAD),
        _planar_dofs,
        _place_planar,
        PLANE_MOTIONS,
        about_axis=True,
    ),
    JointKind("helical", ("",), ("",), _RAD, _RAD, _helical_dofs, _place_helical, needs=("pitch",), about_axis=True),
    JointKind("universal", _ANGLES, _ANGLES, _RAD * 2, _RAD * 2, _universal_dofs, _place_universal, needs=("axis2",)),
)

JOINT_KINDS: Mapping[str, JointKind] = {kind.name: kind for kind in _JOINT_KIND_ROWS}
"""The table, by name."""
