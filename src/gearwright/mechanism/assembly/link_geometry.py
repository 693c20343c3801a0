"""Where axes are on a robot's links, and which joints lie between two links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gearwright.algebra import IDENTITY, Rot, Scalar, Vec, is_number
from gearwright.errors import StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import matrix, vector
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Link
from gearwright.parts.builders.mounting import joint_axis
from gearwright.text import did_you_mean


class Links:
    """The robot's links by name, with the geometry that wheels need."""

    def __init__(self, links: Sequence[Link]) -> None:
        self.by_name = {link.name: link for link in links}
        self.by_joint = {link.joint_name: link for link in links}

    def require(self, owner: str, link: str) -> str:
        """The name itself if it is that of a link or the base."""
        names = ["base", *self.by_name]
        if link not in names:
            raise StructureError(f"{owner} {link!r}, which is not a link. {did_you_mean(link, names)}")
        return link

    def joint_axis(self, joint: str, seen_from: str) -> tuple[Vec, Vec] | None:
        """Axis of a joint and a point on it in the frame of one of its two links; None for any other link."""
        own = self.by_joint[joint].joint
        vector(f"joint {joint!r}, axis", own.axis)
        vector(f"joint {joint!r}, position", own.position)
        matrix(f"joint {joint!r}, rotation", own.rotation)
        return joint_axis(self.by_joint[joint], seen_from)

    def axis_direction(self, joint: str, seen_from: str) -> Vec | None:
        """The direction of a joint's axis in any link's frame; None where it changes with the configuration."""
        link = self.by_joint[joint]
        return self.direction(vector(f"joint {joint!r}, axis", link.joint.axis), link.name, seen_from)

    def direction(self, e: Vec, fixed_in: str, seen_from: str) -> Vec | None:
        """A direction fixed in one link as another sees it; None where it changes with the configuration.

        It stays when every joint between the two is fixed, slides, or turns about that very direction.
        """
        if fixed_in == seen_from:
            return e
        in_base = self.turn(fixed_in) @ e
        for link, _ in self.between(fixed_in, seen_from):
            owner, kind = f"joint {link.joint_name!r}, axis", joint_kind(link.joint.kind)
            if not kind.turns:
                continue
            if not kind.about_axis or not pointing(in_base, self.turn(link.name) @ vector(owner, link.joint.axis)):
                return None
        return self.turn(seen_from).T @ in_base

    def turn(self, link: str) -> Rot:
        """Orientation of a link in the base with all coordinates zero."""
        total = IDENTITY
        for own in self.to_base(link):
            total = Rot(*matrix(f"link {own.name!r}, rotation", own.joint.rotation)).after(total)
        return total

    def to_base(self, link: str) -> list[Link]:
        """The links from one down to the base."""
        found: list[Link] = []
        while link != "base":
            found.append(self.by_name[link])
            link = found[-1].parent
            if len(found) > len(self.by_name):
                raise StructureError(f"the parents of link {found[0].name!r} form a circle. Hang one on the base.")
        return found

    def between(self, start: str, end: str) -> list[tuple[Link, int]]:
        """The links whose joints lie between two links; +1 when the joint is passed outwards on the way to `end`."""
        up, down = self.to_base(start), self.to_base(end)
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return [*((link, -1) for link in up), *((link, 1) for link in reversed(down))]

    def leader(self, joint: str) -> tuple[str, Scalar]:
        """The joint with a speed that a joint follows, and the factor."""
        factor: Scalar = 1.0
        for _ in self.by_joint:
            follows = self.by_joint[joint].joint.follows
            if follows is None or follows[0] not in self.by_joint:
                break
            joint, factor = follows[0], factor * follows[1]
        return joint, factor

    def offset(self, joint: str) -> Scalar:
        """The coordinate of a joint that follows others when the followed one is at zero."""
        follows = self.by_joint[joint].joint.follows
        if follows is None or follows[0] not in self.by_joint:
            return 0.0
        return follows[2] + follows[1] * self.offset(follows[0])

    def over_speeds(self, row: dict[str, Scalar]) -> dict[str, Scalar]:
        """A row over joints as one over speeds: joints that follow another count there."""
        found: dict[str, Scalar] = {}
        for name, value in row.items():
            leader, factor = self.leader(name) if name in self.by_joint else (name, 1.0)
            share = value if is_number(factor) and factor == 1.0 else value * factor
            found[leader] = found[leader] + share if leader in found else share
        return found


def pointing(e: Vec, z: Vec) -> int:
    """1 when two axes point the same way, -1 when opposite ways, 0 when neither (or when one is a symbol).

    >>> pointing(Vec(0.0, 0.0, 2.0), Vec(0.0, 0.0, -1.0)), pointing(Vec(0.0, 0.0, 1.0), Vec(1.0, 0.0, 0.0))
    (-1, 0)
    """
    if not checks.numbers(*e, *z):
        return 0
    cosine = checks.unit("axis", e).dot(checks.unit("axis", z))
    return round(cosine) if abs(cosine) > 1 - 1e-9 else 0


def row_sum(a: Mapping[str, Scalar], b: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The sum of two rows, without the entries that cancel."""
    total: dict[str, Scalar] = dict(a)
    for name, x in b.items():
        total[name] = total[name] + x if name in total else x
    return {name: x for name, x in total.items() if not (is_number(x) and x == 0)}
