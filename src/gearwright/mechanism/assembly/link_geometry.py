"""Axes on a robot's links, and the joints between two links."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gearwright.algebra import IDENTITY, ZERO, Rot, Scalar, Vec, is_number
from gearwright.errors import StructureError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import checked_matrix, checked_vector
from gearwright.mechanism.joints.kinds import joint_kind
from gearwright.parts import Link
from gearwright.parts.builders.mounting import joint_axis_and_origin
from gearwright.text import did_you_mean

SAME_POINT_DISTANCE = 1e-9
"""Distance [m] from a joint's axis up to which a point is on it: the rounding of stated positions."""


class LinkGeometry:
    """The robot's links by name, with the geometry that wheels need."""

    def __init__(self, links: Sequence[Link]) -> None:
        self.by_name = {link.name: link for link in links}
        self.by_joint = {link.joint_name: link for link in links}

    def require_link(self, owner: str, link: str) -> str:
        """Return the name if it is that of a link or the base."""
        names = ["base", *self.by_name]
        if link not in names:
            raise StructureError(f"{owner} {link!r}, which is not a link. {did_you_mean(link, names)}")
        return link

    def joint_axis(self, joint: str, seen_from: str) -> tuple[Vec, Vec] | None:
        """Return the axis of a joint and a point on it in the frame of one of its two links; None for other links."""
        stated_joint = self.by_joint[joint].joint
        checked_vector(f"joint {joint!r}, axis", stated_joint.axis)
        checked_vector(f"joint {joint!r}, position", stated_joint.position)
        checked_matrix(f"joint {joint!r}, rotation", stated_joint.rotation)
        return joint_axis_and_origin(self.by_joint[joint], seen_from)

    def axis_direction(self, joint: str, seen_from: str) -> Vec | None:
        """Return the direction of a joint's axis in any link's frame; None if it depends on the configuration."""
        link = self.by_joint[joint]
        return self.direction_seen_from(checked_vector(f"joint {joint!r}, axis", link.joint.axis), link.name, seen_from)

    def direction_seen_from(self, e: Vec, fixed_in: str, seen_from: str) -> Vec | None:
        """Return a direction fixed in one link in the frame of another; None if it depends on the configuration.

        It is constant if every joint between the two is fixed, prismatic, or revolute about that direction.
        """
        if fixed_in == seen_from:
            return e
        in_base = self.rotation_in_base(fixed_in) @ e
        for link, _ in self.joints_between(fixed_in, seen_from):
            owner, kind = f"joint {link.joint_name!r}, axis", joint_kind(link.joint.kind)
            if not kind.has_rotation:
                continue
            if not kind.about_axis or not parallel_sense(
                in_base, self.rotation_in_base(link.name) @ checked_vector(owner, link.joint.axis)
            ):
                return None
        return self.rotation_in_base(seen_from).T @ in_base

    def point_seen_from(self, point: Vec, fixed_in: str, seen_from: str) -> Vec | None:
        """Return a point fixed in one link in the frame of another; None if it depends on the configuration.

        It is constant if every joint between the two is fixed, or revolute about an axis through the point.
        """
        if fixed_in == seen_from:
            return point
        in_base = self._point_in_base(fixed_in, point)
        for link, _ in self.joints_between(fixed_in, seen_from):
            kind = joint_kind(link.joint.kind)
            if not kind.speeds:
                continue
            if not kind.is_revolute:
                return None
            offset = in_base - self._point_in_base(link.name, ZERO)
            axis = checks.unit_axis(
                f"joint {link.joint_name!r}, axis",
                self.rotation_in_base(link.name) @ checked_vector(f"joint {link.joint_name!r}, axis", link.joint.axis),
            )
            distance = offset - axis * axis.dot(offset)
            if not checks.are_numbers(*distance) or max(map(abs, distance)) > SAME_POINT_DISTANCE:
                return None
        return self.rotation_in_base(seen_from).T @ (in_base - self._point_in_base(seen_from, ZERO))

    def _point_in_base(self, link: str, point: Vec) -> Vec:
        """Return a point of a link in the base with all coordinates zero."""
        for inner_link in self.links_to_base(link):
            owner, joint = f"link {inner_link.name!r}", inner_link.joint
            rotation = Rot(*checked_matrix(f"{owner}, rotation", joint.rotation))
            point = rotation @ point + checked_vector(f"{owner}, position", joint.position)
        return point

    def rotation_in_base(self, link: str) -> Rot:
        """Return the orientation of a link in the base with all coordinates zero."""
        total = IDENTITY
        for inner_link in self.links_to_base(link):
            total = Rot(*checked_matrix(f"link {inner_link.name!r}, rotation", inner_link.joint.rotation)).after(total)
        return total

    def links_to_base(self, link: str) -> list[Link]:
        """Return the links from one down to the base."""
        path: list[Link] = []
        while link != "base":
            path.append(self.by_name[link])
            link = path[-1].parent
            if len(path) > len(self.by_name):
                raise StructureError(f"the parents of link {path[0].name!r} form a cycle. Connect one to the base.")
        return path

    def joints_between(self, start: str, end: str) -> list[tuple[Link, int]]:
        """Return the links whose joints are between two links, with +1 if the path to `end` passes them outwards."""
        up, down = self.links_to_base(start), self.links_to_base(end)
        while up and down and up[-1] is down[-1]:
            up.pop()
            down.pop()
        return [*((link, -1) for link in up), *((link, 1) for link in reversed(down))]

    def leader_and_factor(self, joint: str) -> tuple[str, Scalar]:
        """Return the independent joint that a mimic joint follows, and the multiplier."""
        factor: Scalar = 1.0
        for _ in self.by_joint:
            follows = self.by_joint[joint].joint.follows
            if follows is None or follows[0] not in self.by_joint:
                break
            joint, factor = follows[0], factor * follows[1]
        return joint, factor

    def follower_offset(self, joint: str) -> Scalar:
        """Return the coordinate of a mimic joint with the followed joint at zero."""
        follows = self.by_joint[joint].joint.follows
        if follows is None or follows[0] not in self.by_joint:
            return 0.0
        return follows[2] + follows[1] * self.follower_offset(follows[0])

    def row_over_speeds(self, row: dict[str, Scalar]) -> dict[str, Scalar]:
        """Return a row over joints as a row over speeds, with mimic joints expressed by the joints they follow."""
        speed_row: dict[str, Scalar] = {}
        for name, value in row.items():
            leader, factor = self.leader_and_factor(name) if name in self.by_joint else (name, 1.0)
            share = value if is_number(factor) and factor == 1.0 else value * factor
            speed_row[leader] = speed_row[leader] + share if leader in speed_row else share
        return speed_row


def parallel_sense(e: Vec, z: Vec) -> int:
    """Return 1 for axes in the same direction, -1 for opposite directions, otherwise 0 (also for symbols).

    >>> parallel_sense(Vec(0.0, 0.0, 2.0), Vec(0.0, 0.0, -1.0)), parallel_sense(Vec(0.0, 0.0, 1.0), Vec(1.0, 0.0, 0.0))
    (-1, 0)
    """
    if not checks.are_numbers(*e, *z):
        return 0
    cosine = checks.unit_axis("axis", e).dot(checks.unit_axis("axis", z))
    return round(cosine) if abs(cosine) > 1 - 1e-9 else 0


def row_sum(a: Mapping[str, Scalar], b: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Return the sum of two rows, without entries that cancel."""
    total: dict[str, Scalar] = dict(a)
    for name, x in b.items():
        total[name] = total[name] + x if name in total else x
    return {name: x for name, x in total.items() if not (is_number(x) and x == 0)}
