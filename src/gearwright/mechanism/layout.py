"""How speeds and coordinates are numbered: joints in body order, then the shafts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gearwright.algebra import Scalar, Vec, is_number, is_zero
from gearwright.errors import JointError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import Body
from gearwright.text import did_you_mean, listed

UNIT_AXES = (Vec(1.0, 0.0, 0.0), Vec(0.0, 1.0, 0.0), Vec(0.0, 0.0, 1.0))


@dataclass(frozen=True)
class Dof:
    """One way a body moves relative to its parent: about or along `axis` (body axes) at `factor` times a speed."""

    angular: bool
    axis: Vec
    speed: int
    factor: Scalar = 1.0

    def scaled(self, x: Scalar) -> Scalar:
        """`x` times the factor; the factor 1 of an ordinary joint costs nothing."""
        return x if is_number(self.factor) and self.factor == 1.0 else self.factor * x


@dataclass(frozen=True)
class Joint:
    """The numbering of one body's joint: its dofs, and where its coordinates are (q = factor q[first] + offset)."""

    dofs: tuple[Dof, ...] = ()
    first: int = -1
    factor: Scalar = 1.0
    offset: Scalar = 0.0

    def coordinate(self, q: Sequence[Scalar]) -> Scalar:
        """The coordinate of a revolute or prismatic joint; a leader's is taken as it is, to the last bit."""
        x = q[self.first]
        own = is_number(self.factor) and self.factor == 1.0 and is_zero(self.offset)
        return x if own else self.factor * x + self.offset


@dataclass(frozen=True)
class Layout:
    """The numbering of a whole machine."""

    joints: tuple[Joint, ...]
    speeds: tuple[str, ...]
    coordinates: tuple[str, ...]
    coordinate_of: tuple[int, ...]
    """Per speed the index of its coordinate, or -1 for speeds of free and spherical joints."""


_SPEEDS = {
    "revolute": ("",),
    "prismatic": ("",),
    "fixed": (),
    "spherical": (".wx", ".wy", ".wz"),
    "free": (".vx", ".vy", ".vz", ".wx", ".wy", ".wz"),
}
_QUATERNION = (".qw", ".qx", ".qy", ".qz")
_COORDINATES = {
    **_SPEEDS,
    "spherical": _QUATERNION,
    "free": (".x", ".y", ".z", *_QUATERNION),
}


def lay_out(bodies: Sequence[Body], shafts: Sequence[str]) -> Layout:
    """Number the speeds and coordinates of the bodies' joints, then the shafts."""
    speeds: list[str] = []
    coordinates: list[str] = []
    coordinate_of: list[int] = []
    joints: list[Joint | None] = []
    for body in bodies:
        if body.follows is not None:
            joints.append(None)
            continue
        own = [body.speed_name + end for end in _SPEEDS[body.joint]]
        joints.append(Joint(_dofs(body, len(speeds)), len(coordinates)))
        plain = body.joint in ("revolute", "prismatic")
        coordinate_of += [len(coordinates) if plain else -1] * len(own)
        speeds += own
        coordinates += [body.speed_name + end for end in _COORDINATES[body.joint]]
    for shaft in shafts:
        coordinate_of.append(len(coordinates))
        speeds.append(shaft)
        coordinates.append(shaft)
    _refuse_duplicates(speeds)
    done = tuple(_following(bodies, joints, i) if joint is None else joint for i, joint in enumerate(joints))
    return Layout(done, tuple(speeds), tuple(coordinates), tuple(coordinate_of))


def _dofs(body: Body, first: int) -> tuple[Dof, ...]:
    if body.joint in ("revolute", "prismatic"):
        return (Dof(body.joint == "revolute", body.axis, first),)
    linear = 3 if body.joint == "free" else 0
    angular = 3 if body.joint in ("free", "spherical") else 0
    kinds = [(False, e) for e in UNIT_AXES[:linear]] + [(True, e) for e in UNIT_AXES[:angular]]
    return tuple(Dof(turns, e, first + k) for k, (turns, e) in enumerate(kinds))


def _following(bodies: Sequence[Body], joints: Sequence[Joint | None], follower: int) -> Joint:
    """Resolve a chain of followers to the joint that has a speed."""
    factor: Scalar = 1.0
    offset: Scalar = 0.0
    index, seen = follower, [follower]
    names = [body.speed_name for body in bodies]
    while (follows := bodies[index].follows) is not None:
        leader, multiplier, shift = follows
        if isinstance(leader, str):
            if leader not in names:
                raise JointError(
                    f"joint {names[index]!r} follows {leader!r}, which is no joint. {did_you_mean(leader, names)}"
                )
            leader = names.index(leader)
        if not checks.is_index(leader) or not 0 <= leader < len(bodies):
            raise JointError(f"joint {names[index]!r} follows body {leader}, but there are {len(bodies)} bodies.")
        offset = offset + factor * shift
        factor = factor * multiplier
        index = leader
        if index in seen:
            loop = listed((names[i] for i in [*seen, index]), " -> ")
            raise JointError(f"joints follow each other in a circle: {loop}. Let one of them have its own speed.")
        seen.append(index)
    joint = joints[index]
    if joint is None or bodies[index].joint not in ("revolute", "prismatic"):
        raise JointError(
            f"joint {names[follower]!r} follows {names[index]!r}, a {bodies[index].joint} joint. "
            "Only revolute and prismatic joints can be followed."
        )
    speed = joint.dofs[0].speed
    body = bodies[follower]
    return Joint((Dof(body.joint == "revolute", body.axis, speed, factor),), joint.first, factor, offset)


def _refuse_duplicates(speeds: Sequence[str]) -> None:
    for index, name in enumerate(speeds):
        if name in speeds[:index]:
            raise StructureError(f"two speeds are called {name!r}. Give one of the joints or shafts another name.")
