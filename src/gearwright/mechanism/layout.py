"""Numbering of speeds and coordinates: joints in body order, then the shafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.errors import JointError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import Body, PerBody
from gearwright.mechanism.joints.dofs import Dof
from gearwright.text import did_you_mean, listed_names


@dataclass(frozen=True)
class JointIndices:
    """The numbering of one body's joint: its dofs, and the indices of its coordinates.

    A mimic joint has those of the joint it follows, q = factor q[first] + offset. The axes of `dofs` are those at zero
    coordinates; `Pose.dofs` has them at the current configuration.
    """

    dofs: tuple[Dof, ...] = ()
    first: int = -1
    factor: Scalar = 1.0
    offset: Scalar = 0.0
    count: int = 0

    def joint_coordinates(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        """Return the coordinates of the joint, unchanged to the last bit unless it is a mimic joint."""
        is_leader = is_number(self.factor) and self.factor == 1.0 and is_zero(self.offset)
        values = q[self.first : self.first + self.count]
        return values if is_leader else [self.factor * x + self.offset for x in values]  # Vukobratovic (20.1)


@dataclass(frozen=True)
class SpeedLayout:
    """The numbering of a whole machine."""

    joints: PerBody[JointIndices]
    speeds: tuple[str, ...]
    coordinates: tuple[str, ...]
    coordinate_of: tuple[int, ...]
    """Index of the coordinate of each speed, or -1 if it is not the rate of one (free, spherical, planar joints)."""
    units: tuple[str, ...]
    """Unit of each coordinate, rad or m; empty for quaternions."""
    rates: tuple[str, ...]
    """Unit of each speed, rad or m (per second)."""

    @cached_property
    def speed_indices(self) -> Mapping[str, int]:
        """Index of each speed by name."""
        return {name: k for k, name in enumerate(self.speeds)}

    @property
    def speeds_are_rates(self) -> bool:
        """Whether every speed is the rate of its own coordinate."""
        return -1 not in self.coordinate_of


def lay_out(bodies: Sequence[Body], shafts: Sequence[str]) -> SpeedLayout:
    """Number the speeds and coordinates of the bodies' joints, then the shafts."""
    speeds: list[str] = []
    coordinates: list[str] = []
    coordinate_of: list[int] = []
    units: list[str] = []
    rates: list[str] = []
    joints: list[JointIndices | None] = []
    for body in bodies:
        if body.follows is not None:
            joints.append(None)
            continue
        kind, first = body.kind, len(coordinates)
        joints.append(JointIndices(_numbered_dofs(body, len(speeds)), first, count=len(kind.coordinates)))
        coordinate_of += [first + k if kind.space.speeds_are_rates else -1 for k in range(len(kind.speeds))]
        speeds += [body.speed_name + end for end in kind.speeds]
        coordinates += [body.speed_name + end for end in kind.coordinates]
        units += kind.units
        rates += kind.rates
    coordinate_of += range(len(coordinates), len(coordinates) + len(shafts))
    for names in (speeds, coordinates):
        names += shafts
    for kinds in (units, rates):
        kinds += ["rad"] * len(shafts)
    _refuse_duplicates(speeds)
    all_joints = PerBody(
        _follower_joint(bodies, joints, i) if joint is None else joint for i, joint in enumerate(joints)
    )
    return SpeedLayout(all_joints, tuple(speeds), tuple(coordinates), tuple(coordinate_of), tuple(units), tuple(rates))


def _numbered_dofs(body: Body, first: int, factor: Scalar = 1.0) -> tuple[Dof, ...]:
    """Return the dofs of a body whose joint has its speeds from index `first`, multiplied by a factor."""
    has_unit_factor = is_number(factor) and factor == 1.0
    dofs = body.kind.dofs(body)
    return tuple(
        replace(d, speed=first + d.speed, factor=d.factor if has_unit_factor else factor * d.factor) for d in dofs
    )


def _follower_joint(bodies: Sequence[Body], joints: Sequence[JointIndices | None], follower: int) -> JointIndices:
    """Resolve a chain of mimic joints to the joint with a speed."""
    factor: Scalar = 1.0
    offset: Scalar = 0.0
    index, visited = follower, [follower]
    names = [body.speed_name for body in bodies]
    while (follows := bodies[index].follows) is not None:
        leader, multiplier, shift = follows
        if isinstance(leader, str):
            if leader not in names:
                raise JointError(
                    f"joint {names[index]!r} follows {leader!r}, which is not a joint. {did_you_mean(leader, names)}"
                )
            leader = names.index(leader)
        if not checks.is_index(leader) or not 0 <= leader < len(bodies):
            raise JointError(f"joint {names[index]!r} follows body {leader}, but the machine has {len(bodies)} bodies.")
        offset = offset + factor * shift
        factor = factor * multiplier
        index = leader
        if index in visited:
            loop = listed_names((names[i] for i in [*visited, index]), " -> ")
            raise JointError(f"joints follow each other in a cycle: {loop}. Give one of them its own speed.")
        visited.append(index)
    joint = joints[index]
    if joint is None or not bodies[index].kind.has_one_coordinate:
        raise JointError(
            f"joint {names[follower]!r} follows {names[index]!r}, a {bodies[index].joint} joint. "
            "Only joints of one coordinate (revolute, prismatic, helical) can be followed."
        )
    return JointIndices(_numbered_dofs(bodies[follower], joint.dofs[0].speed, factor), joint.first, factor, offset, 1)


def _refuse_duplicates(speeds: Sequence[str]) -> None:
    seen_names: set[str] = set()
    for name in speeds:
        if name in seen_names:
            raise StructureError(f"two speeds are called {name!r}. Rename one of the joints or shafts.")
        seen_names.add(name)
