"""How speeds and coordinates are numbered: joints in body order, then the shafts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gearwright.algebra import Scalar, is_number, is_zero
from gearwright.errors import JointError, StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import Body, PerBody
from gearwright.mechanism.joints.dofs import Dof
from gearwright.text import did_you_mean, listed


@dataclass(frozen=True)
class Joint:
    """The numbering of one body's joint: its dofs, and where its coordinates are.

    A follower has those of its leader, q = factor q[first] + offset. The axes of `dofs` are those at coordinates zero;
    `Pose.dofs` has them where the machine is.
    """

    dofs: tuple[Dof, ...] = ()
    first: int = -1
    factor: Scalar = 1.0
    offset: Scalar = 0.0
    count: int = 0

    def coordinates(self, q: Sequence[Scalar]) -> Sequence[Scalar]:
        """The coordinates of the joint; a leader's are taken as they are, to the last bit."""
        own = is_number(self.factor) and self.factor == 1.0 and is_zero(self.offset)
        mine = q[self.first : self.first + self.count]
        return mine if own else [self.factor * x + self.offset for x in mine]  # Vukobratovic (20.1)


@dataclass(frozen=True)
class Layout:
    """The numbering of a whole machine."""

    joints: PerBody[Joint]
    speeds: tuple[str, ...]
    coordinates: tuple[str, ...]
    coordinate_of: tuple[int, ...]
    """Per speed the index of its coordinate, or -1 where it is not the rate of one (free, spherical, planar joints)."""
    units: tuple[str, ...]
    """Per coordinate rad or m; nothing for quaternions."""
    rates: tuple[str, ...]
    """Per speed rad or m (per second)."""

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Per speed its number."""
        return {name: k for k, name in enumerate(self.speeds)}

    @property
    def straight(self) -> bool:
        """Whether every speed is the rate of its own coordinate."""
        return -1 not in self.coordinate_of


def lay_out(bodies: Sequence[Body], shafts: Sequence[str]) -> Layout:
    """Number the speeds and coordinates of the bodies' joints, then the shafts."""
    speeds: list[str] = []
    coordinates: list[str] = []
    coordinate_of: list[int] = []
    units: list[str] = []
    rates: list[str] = []
    joints: list[Joint | None] = []
    for body in bodies:
        if body.follows is not None:
            joints.append(None)
            continue
        kind, first = body.kind, len(coordinates)
        joints.append(Joint(_numbered(body, len(speeds)), first, count=len(kind.coordinates)))
        coordinate_of += [first + k if kind.space.straight else -1 for k in range(len(kind.speeds))]
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
    done = PerBody(_following(bodies, joints, i) if joint is None else joint for i, joint in enumerate(joints))
    return Layout(done, tuple(speeds), tuple(coordinates), tuple(coordinate_of), tuple(units), tuple(rates))


def _numbered(body: Body, first: int, factor: Scalar = 1.0) -> tuple[Dof, ...]:
    """The dofs of a body whose joint has its speeds from `first` on, all of them times a factor."""
    own = is_number(factor) and factor == 1.0
    dofs = body.kind.dofs(body)
    return tuple(replace(d, speed=first + d.speed, factor=d.factor if own else factor * d.factor) for d in dofs)


def _following(bodies: Sequence[Body], joints: Sequence[Joint | None], follower: int) -> Joint:
    """Resolve a chain of followers to the joint that has a speed."""
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
            raise JointError(f"joint {names[index]!r} follows body {leader}, but there are {len(bodies)} bodies.")
        offset = offset + factor * shift
        factor = factor * multiplier
        index = leader
        if index in visited:
            loop = listed((names[i] for i in [*visited, index]), " -> ")
            raise JointError(f"joints follow each other in a circle: {loop}. Let one of them have its own speed.")
        visited.append(index)
    joint = joints[index]
    if joint is None or not bodies[index].kind.single:
        raise JointError(
            f"joint {names[follower]!r} follows {names[index]!r}, a {bodies[index].joint} joint. "
            "Only joints of one coordinate (revolute, prismatic, helical) can be followed."
        )
    return Joint(_numbered(bodies[follower], joint.dofs[0].speed, factor), joint.first, factor, offset, 1)


def _refuse_duplicates(speeds: Sequence[str]) -> None:
    taken: set[str] = set()
    for name in speeds:
        if name in taken:
            raise StructureError(f"two speeds are called {name!r}. Give one of the joints or shafts another name.")
        taken.add(name)
