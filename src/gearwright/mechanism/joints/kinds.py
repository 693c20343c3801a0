"""The table of joint kinds: everything that a kind of joint is, one row each.

A new kind is a row here and its words in `files`; recursions, backends, drives and simulations read the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from gearwright.algebra import Operations, Rot, Scalar, Vec
from gearwright.errors import JointError
from gearwright.mechanism.joints.dofs import UNIT_AXES, Dof
from gearwright.mechanism.joints.geometry import in_plane, turned
from gearwright.mechanism.joints.spaces import LINES, MOTIONS, PLANE_MOTIONS, ROTATIONS, Space

GEOMETRY = ("axis2", "pitch")
"""Numbers that some kinds need beside `axis`, which every kind has."""


class Seat(Protocol):
    """Where a joint sits on its parent, and its numbers: a body has them."""

    @property
    def axis(self) -> Any:
        """Its axis, in the body's frame: a unit vector."""
        ...

    @property
    def axis2(self) -> Any:
        """Its second axis, of those kinds that have one."""
        ...

    @property
    def pitch(self) -> Any:
        """How far it slides per radian [m/rad], of those kinds that do."""
        ...

    @property
    def rotation(self) -> Any:
        """Rotation of the joint frame in the parent's frame."""
        ...

    @property
    def position(self) -> Any:
        """Origin of the joint frame in the parent's frame [m]."""
        ...


class Placed(NamedTuple):
    """Rotation and origin of a body in its parent's frame, and the axes of its dofs where they change with q."""

    turn: Rot
    shift: Vec
    axes: tuple[Vec, ...] | None = None


@dataclass(frozen=True)
class JointKind:
    """What a kind of joint is.

    Args:
        name: the word for it.
        coordinates: endings of the names of its coordinates, `<joint>` + ending.
        speeds: endings of the names of its speeds.
        units: of the coordinates, rad or m; "" for quaternions.
        rates: of the speeds, rad or m (per second).
        dofs: how a body on it moves, with speeds counted from 0, at coordinates zero.
        place: where a body on it is at its coordinates.
        space: how its coordinates move along its speeds.
        needs: which numbers it needs beside its axis.
        pure: it only turns about, or only slides along, an axis that both links see fixed.
        about_axis: what turns on it turns about `axis` alone.
        on_base: its parent can only be the base.
    """

    name: str
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    units: tuple[str, ...]
    rates: tuple[str, ...]
    dofs: Callable[[Seat], tuple[Dof, ...]]
    place: Callable[[Seat, Sequence[Scalar], Operations], Placed]
    space: Space = LINES
    needs: tuple[str, ...] = ()
    pure: bool = False
    about_axis: bool = False
    on_base: bool = False

    @property
    def single(self) -> bool:
        """Whether it has one coordinate: what drives, springs, friction, stops and followers need."""
        return len(self.coordinates) == 1

    @property
    def turns(self) -> bool:
        """Whether it turns a body at all."""
        return "rad" in self.rates

    @property
    def hinges(self) -> bool:
        """Whether it only turns about an axis that both links see fixed."""
        return self.pure and self.turns

    @property
    def slides(self) -> bool:
        """Whether it only slides along an axis that both links see fixed."""
        return self.pure and not self.turns

    @property
    def force_unit(self) -> str:
        """Nm or N: the unit of the force at a joint of one coordinate."""
        return "Nm" if self.turns else "N"


def joint_kind(name: str, owner: str = "joint") -> JointKind:
    """The row of a kind.

    >>> joint_kind("universal").speeds
    ('.angle1', '.angle2')
    """
    if name not in JOINT_KINDS:
        raise JointError(f"{owner}: joint {name!r} is unknown. Use one of {', '.join(JOINT_KINDS)}.")
    return JOINT_KINDS[name]


def _still(seat: Seat) -> tuple[Dof, ...]:
    return ()


def _turn(seat: Seat) -> tuple[Dof, ...]:
    return (Dof(True, seat.axis, 0),)


def _slide(seat: Seat) -> tuple[Dof, ...]:
    return (Dof(False, seat.axis, 0),)


def _screw(seat: Seat) -> tuple[Dof, ...]:
    return (Dof(True, seat.axis, 0), Dof(False, seat.axis, 0, seat.pitch))


def _cross(seat: Seat) -> tuple[Dof, ...]:
    return (Dof(True, seat.axis, 0, stage=0), Dof(True, seat.axis2, 1, stage=1))


def _ball(seat: Seat) -> tuple[Dof, ...]:
    return tuple(Dof(True, e, k) for k, e in enumerate(UNIT_AXES))


def _flight(seat: Seat) -> tuple[Dof, ...]:
    return (
        *(Dof(False, e, k) for k, e in enumerate(UNIT_AXES)),
        *(Dof(True, e, 3 + k) for k, e in enumerate(UNIT_AXES)),
    )


def _drive_on_plane(seat: Seat) -> tuple[Dof, ...]:
    x, y = in_plane(seat.axis)
    return (Dof(False, x, 0), Dof(False, y, 1), Dof(True, seat.axis, 2))


def _place_still(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    return Placed(seat.rotation, seat.position)


def _place_turned(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    (angle,) = q
    return Placed(turned(seat.rotation, seat.axis, ops.cos(angle), ops.sin(angle)), seat.position)


def _place_slid(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    (way,) = q
    return Placed(seat.rotation, seat.position + seat.rotation @ (seat.axis * way))


def _place_screwed(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    (angle,) = q
    turn = turned(seat.rotation, seat.axis, ops.cos(angle), ops.sin(angle))
    return Placed(turn, seat.position + seat.rotation @ (seat.axis * (seat.pitch * angle)))


def _place_crossed(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    inner, outer = q
    second = Rot.about(seat.axis2, ops.cos(outer), ops.sin(outer))
    first = turned(seat.rotation, seat.axis, ops.cos(inner), ops.sin(inner))
    return Placed(first.after(second), seat.position, (second.T @ seat.axis, seat.axis2))


def _place_ball(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    return Placed(seat.rotation.after(Rot.of_quaternion(*q)), seat.position)


def _place_flight(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    turn = seat.rotation.after(Rot.of_quaternion(*q[3:]))
    return Placed(turn, seat.position + seat.rotation @ Vec(*q[:3]))


def _place_on_plane(seat: Seat, q: Sequence[Scalar], ops: Operations) -> Placed:
    x, y = in_plane(seat.axis)
    turn = turned(seat.rotation, seat.axis, ops.cos(q[2]), ops.sin(q[2]))
    return Placed(turn, seat.position + seat.rotation @ (x * q[0] + y * q[1]))


_XYZ, _QUATERNION = (".x", ".y", ".z"), (".qw", ".qx", ".qy", ".qz")
_VELOCITY, _TURNING = (".vx", ".vy", ".vz"), (".wx", ".wy", ".wz")
_ANGLES = (".angle1", ".angle2")
_RAD, _M, _NONE = ("rad",), ("m",), ("",)

_ROWS = (
    JointKind("revolute", ("",), ("",), _RAD, _RAD, _turn, _place_turned, pure=True, about_axis=True),
    JointKind("prismatic", ("",), ("",), _M, _M, _slide, _place_slid, pure=True),
    JointKind("fixed", (), (), (), (), _still, _place_still),
    JointKind("spherical", _QUATERNION, _TURNING, _NONE * 4, _RAD * 3, _ball, _place_ball, ROTATIONS),
    JointKind(
        "free",
        (*_XYZ, *_QUATERNION),
        (*_VELOCITY, *_TURNING),
        (*_M * 3, *_NONE * 4),
        (*_M * 3, *_RAD * 3),
        _flight,
        _place_flight,
        MOTIONS,
        on_base=True,
    ),
    JointKind(
        "planar",
        (".x", ".y", ".angle"),
        (".vx", ".vy", ".wz"),
        (*_M * 2, *_RAD),
        (*_M * 2, *_RAD),
        _drive_on_plane,
        _place_on_plane,
        PLANE_MOTIONS,
        about_axis=True,
    ),
    JointKind("helical", ("",), ("",), _RAD, _RAD, _screw, _place_screwed, needs=("pitch",), about_axis=True),
    JointKind("universal", _ANGLES, _ANGLES, _RAD * 2, _RAD * 2, _cross, _place_crossed, needs=("axis2",)),
)

JOINT_KINDS: Mapping[str, JointKind] = {kind.name: kind for kind in _ROWS}
"""The table, by name."""
