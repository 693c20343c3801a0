"""Flexible links, divided into rigid segments with passive elastic joints between them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Inertia, OptionalVector, Scalar, Tensor, Vec, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import PartError, StructureError
from gearwright.parts.builders.mounting import drive_in_frame, mounting_link, output_is_link
from gearwright.parts.drives.drive import Drive
from gearwright.parts.gears.elasticity import JointSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import Frame, Payload
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import FramePlacement, matrix_rows

ZERO_INERTIA = Tensor.diagonal(0.0, 0.0, 0.0)


@check_arguments
@dataclass(frozen=True)
class Beam:
    r"""A slender link with bending and torsional compliance (Euler-Bernoulli beam).

    Args:
        length: L [m], from the link's origin along `direction`.
        line_density: mass per length [kg/m]; the mass of the link itself becomes a rigid hub at the root.
        bending: bending stiffness EI [Nm2] about `across` and about `direction` x `across`; None: rigid about that
            axis.
        torsion: torsional stiffness GJ [Nm2] about `direction`; None: rigid.
        polar_inertia: inertia about its own centre line per length [kg m2/m].
        segments: number n of segments, each of length h = L/n.
        direction: of the beam in the link's frame.
        across: direction of the first bending axis; by default any axis perpendicular to the beam.
        damping: of the material [s]: the damping of every elastic joint is this time times its stiffness.
    """

    length: Scalar
    line_density: Scalar
    bending: tuple[Scalar | None, Scalar | None] = (None, None)
    torsion: Scalar | None = None
    polar_inertia: Scalar = 0.0
    segments: int = 10
    direction: VectorLike = (1.0, 0.0, 0.0)
    across: OptionalVector = None
    damping: Scalar = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "bending", tuple(self.bending))
        if not isinstance(self.segments, int) or not 1 <= self.segments <= 200:
            raise PartError(f"beam: segments {self.segments!r} is not a whole number from 1 to 200.")
        positive = {"length": self.length, "line_density": self.line_density, "torsion": self.torsion}
        positive |= {f"bending {k + 1}": x for k, x in enumerate(self.bending)}
        for name, x in positive.items():
            require_range("beam", name, x, above=0, error=PartError)
        for name in ("polar_inertia", "damping"):
            require_range("beam", name, getattr(self, name), least=0, error=PartError)
        if len(self.bending) != 2 or all(x is None for x in (*self.bending, self.torsion)):
            raise PartError(
                "beam: bending and torsion are both rigid. Give `bending` (two numbers) or `torsion`, or "
                "use a rigid link."
            )

    @property
    def segment_length(self) -> Scalar:
        """The length of a segment [m]."""
        return self.length / self.segments

    @property
    def unit_axes(self) -> tuple[Vec, Vec, Vec]:
        """Unit vectors of the two bending axes and along the beam."""
        d = _unit_vector("direction", Vec.from_values(self.direction))
        default_across = Vec(0.0, 0.0, 1.0) if abs(d.z) < 0.9 else Vec(1.0, 0.0, 0.0)
        towards = default_across if self.across is None else Vec.from_values(self.across)
        e = _unit_vector("across", towards - d * d.dot(towards))
        return e, d.cross(e), d

    @property
    def elastic_hinges(self) -> list[tuple[str, Vec, Scalar]]:
        """The elastic joints between two segments: name, axis, stiffness EI/h or GJ/h [Nm/rad]."""
        hinges = zip(("bend", "sway", "twist"), self.unit_axes, (*self.bending, self.torsion), strict=True)
        return [(name, e, x / self.segment_length) for name, e, x in hinges if x is not None]

    def segment_at(self, position: Any) -> int:
        """Index of the segment that contains a point of the link; 0 is the root, which is half a segment long."""
        along = self.unit_axes[2].dot(Vec.from_values(position))
        return min(max(math.floor(along / self.segment_length + 0.5), 0), self.segments)

    def segment_origin(self, segment: int) -> Vec:
        """Start point of a segment on the undeformed beam, in the link's frame."""
        return self.unit_axes[2] * (max(segment - 0.5, 0.0) * self.segment_length)

    def rod_inertia(self, length: Scalar) -> tuple[Scalar, Vec, Tensor]:
        """Mass, centre of mass and central tensor of a segment; each transverse axis has half the polar inertia."""
        d, m, polar = self.unit_axes[2], self.line_density * length, self.polar_inertia * length
        return m, d * (length / 2), Tensor.of_revolution(d, polar, m * length * length / 12 + polar / 2)


@check_arguments
def with_beam(robot: Robot, link: str, beam: Beam) -> Robot:
    """Return the robot with a link replaced by a flexible beam; the link keeps its joint and becomes a hub at the root.

    The beam's compliance h/EI is lumped in elastic joints at the middle of the n segments: half a segment at the root,
    then n - 1 whole segments `<link>.1`, `<link>.2`, ... and half a segment at the tip. Links, frames, motors and the
    payload on the link are moved to the segment at their position.

    >>> rod = Robot("rod", [Link("boom")], frames=[Frame("tip", "boom", (1.0, 0, 0))])
    >>> cut = with_beam(rod, "boom", Beam(1.0, 2.0, bending=(None, 40.0), segments=4))
    >>> [k.name for k in cut.links], cut.frames[0].link, cut.links[1].joint.spring.stiffness
    (['boom', 'boom.1', 'boom.2', 'boom.3', 'boom.4'], 'boom.4', 160.0)
    """
    _refuse_trains(robot, link)
    old = robot.link(link)
    last = robot.last_link().name if robot.payload is not None and robot.payload.link is None else None
    links = []
    for robot_link in robot.links:
        fresh = _hub_with_root(robot_link, beam) if robot_link is old else _link_on_segment(robot_link, link, beam)
        links += [fresh, *_segments_with_tip(old, link, beam)] if robot_link is old else [fresh]
    return replace(
        robot,
        links=links,
        drives=[_drive_on_segment(drive, robot, link, beam) for drive in robot.drives],
        frames=[_frame_on_segment(frame, link, beam) for frame in robot.frames],
        payload=None if robot.payload is None else _payload_on_segment(robot.payload, link, last, beam),
    )


def _hub_with_root(link: Link, beam: Beam) -> Link:
    """The hub with the first half segment."""
    m, c, I = beam.rod_inertia(beam.segment_length / 2)
    hub = Inertia.of_body(link.mass, Vec.from_values(link.com), Tensor.from_rows(matrix_rows(link.inertia)))
    total = hub + Inertia.of_body(m, c, I)
    com = total.moment * (1 / total.mass)
    return replace(link, mass=total.mass, com=com, inertia=total.tensor - Tensor.of_point_mass(com, total.mass))


def _segments_with_tip(old: Link, name: str, beam: Beam) -> list[Link]:
    """The segments; the one that contains the tip of the original link gets the tip."""
    segments = list(_segment_links(name, beam))
    if old.end_point is None:
        return segments
    k = beam.segment_at(old.end_point)
    place = old.end_point - beam.segment_origin(k)
    return [replace(segment, tip=place) if segment.name == _segment_name(name, k) else segment for segment in segments]


def _segment_links(name: str, beam: Beam) -> Iterator[Link]:
    """Per segment one link for each elastic axis; all but the last are massless, the last carries the segment."""
    parent, hinges = name, beam.elastic_hinges
    for k in range(1, beam.segments + 1):
        shift = beam.segment_origin(k) - beam.segment_origin(k - 1)
        m, c, I = beam.rod_inertia(beam.segment_length if k < beam.segments else beam.segment_length / 2)
        for place, (hinge, e, stiffness) in enumerate(hinges):
            final = place == len(hinges) - 1
            link_name = f"{name}.{k}" if final else f"{name}.{k}.{hinge}"
            title = f"{name}.{k}" if len(hinges) == 1 else f"{name}.{k}.{hinge}"
            spring = JointSpring(stiffness, beam.damping * stiffness)
            joint = Joint(title, axis=e, position=shift if place == 0 else Vec(0.0, 0.0, 0.0), spring=spring)
            yield (
                Link(link_name, parent, joint, m, c, I)
                if final
                else Link(link_name, parent, joint, inertia=ZERO_INERTIA)
            )
            parent = link_name


def _segment_name(link: str, segment: int) -> str:
    return f"{link}.{segment}" if segment else link


def _link_on_segment(child: Link, link: str, beam: Beam) -> Link:
    if child.parent != link:
        return child
    k = beam.segment_at(child.joint.position)
    joint = replace(child.joint, position=Vec.from_values(child.joint.position) - beam.segment_origin(k))
    return replace(child, parent=_segment_name(link, k), joint=joint)


def _drive_on_segment(drive: Drive, robot: Robot, link: str, beam: Beam) -> Drive:
    """The drive on the segment of its driven joint, or of its motor's position if the joint is not on the beam."""
    driven = robot.link_of_joint(drive.joint)
    if mounting_link(drive, driven) != link:
        return drive
    if driven.name == link and drive.axis is None:  # keep the joint's axis, which is unknown to a segment further out
        drive = replace(drive, axis=driven.joint.axis)
    stated = ZERO if drive.motor.position is None else drive.motor.position
    k = beam.segment_at(driven.joint.position if driven.parent == link else stated)
    back = FramePlacement(IDENTITY, beam.segment_origin(k) * -1.0)
    return replace(drive_in_frame(drive, output_is_link(drive, driven), back), mounted_on=_segment_name(link, k))


def _frame_on_segment(frame: Frame, link: str, beam: Beam) -> Frame:
    if frame.link != link:
        return frame
    k = beam.segment_at(frame.position)
    return replace(
        frame, link=_segment_name(link, k), position=Vec.from_values(frame.position) - beam.segment_origin(k)
    )


def _payload_on_segment(payload: Payload, link: str, last: str | None, beam: Beam) -> Payload:
    if payload.frame is not None or payload.position is None:  # placed by a frame or by an attachment
        return payload
    carrier = payload.link if payload.link is not None else last
    if carrier != link:
        return replace(payload, link=carrier)
    k = beam.segment_at(payload.position)
    return replace(
        payload, link=_segment_name(link, k), position=Vec.from_values(payload.position) - beam.segment_origin(k)
    )


def _refuse_trains(robot: Robot, link: str) -> None:
    for train in robot.trains:
        named = {wheel.carrier for wheel in train.wheels} | {motor.stator for motor in train.motors}
        named |= {name for mesh in train.meshes for name in (mesh.first, mesh.second, mesh.carrier)}
        if link in named:
            raise StructureError(
                f"link {link!r} cannot be a beam: train {train.name!r} has wheels on it, and bending would separate "
                "their axes. Mount them on a rigid link, such as a fixed link at the end of the beam."
            )


def _unit_vector(name: str, v: Vec) -> Vec:
    length = math.sqrt(v.dot(v))
    if length < 1e-9:
        raise PartError(f"beam: {name} {tuple(v)} is zero or parallel to the beam. Give a vector perpendicular to it.")
    return v * (1 / length)
