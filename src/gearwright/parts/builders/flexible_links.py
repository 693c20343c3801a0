"""Flexible links, cut into rigid segments with passive elastic joints between them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Inertia, Scalar, Tensor, Vec
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import PartError, StructureError
from gearwright.parts.builders.mounting import mount_of, moved_drive, output_is_link
from gearwright.parts.drives.drive import Drive
from gearwright.parts.gears.elasticity import JointSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.payload_and_frames import Frame, Payload
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import PartPlace, rows

MASSLESS = Tensor.diagonal(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Beam:
    r"""A slender link that bends and twists, after Euler and Bernoulli.

    Args:
        length: L [m], from the link's origin along `direction`.
        line_density: mass per length [kg/m]; the link's own mass is that of a rigid hub at its root.
        bending: bending stiffness EI [Nm2] about `across` and about `direction` x `across`; None: stiff about it.
        torsion: torsional stiffness GJ [Nm2] about `direction`; None: stiff.
        polar_inertia: inertia about its own centre line per length [kg m2/m].
        segments: n, into how many pieces of the length h = L/n it is cut.
        direction: of the beam in the link's frame.
        across: of the first bending axis; any one across unless given.
        damping: of the material [s]: every elastic joint has a damper of so many times its stiffness.
    """

    length: Scalar
    line_density: Scalar
    bending: tuple[Scalar | None, Scalar | None] = (None, None)
    torsion: Scalar | None = None
    polar_inertia: Scalar = 0.0
    segments: int = 10
    direction: Any = (1.0, 0.0, 0.0)
    across: Any = None
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
            raise PartError("beam: it is stiff every way. Give `bending` (two numbers) or `torsion`, or a rigid link.")

    @property
    def step(self) -> Scalar:
        """The length of a segment [m]."""
        return self.length / self.segments

    @property
    def axes(self) -> tuple[Vec, Vec, Vec]:
        """Unit vectors: across, the other one across, and along the beam."""
        d = _unit("direction", Vec.of(self.direction))
        other = Vec(0.0, 0.0, 1.0) if abs(d.z) < 0.9 else Vec(1.0, 0.0, 0.0)
        towards = other if self.across is None else Vec.of(self.across)
        e = _unit("across", towards - d * d.dot(towards))
        return e, d.cross(e), d

    @property
    def hinges(self) -> list[tuple[str, Vec, Scalar]]:
        """The elastic joints between two segments: name, axis, stiffness EI/h or GJ/h [Nm/rad]."""
        ways = zip(("bend", "sway", "twist"), self.axes, (*self.bending, self.torsion), strict=True)
        return [(name, e, x / self.step) for name, e, x in ways if x is not None]

    def segment_at(self, position: Any) -> int:
        """The segment that a point of the link belongs to; 0 is the root, which is half a segment long."""
        along = self.axes[2].dot(Vec.of(position))
        return min(max(math.floor(along / self.step + 0.5), 0), self.segments)

    def origin(self, segment: int) -> Vec:
        """Where a segment begins on the straight beam, in the link's frame."""
        return self.axes[2] * (max(segment - 0.5, 0.0) * self.step)

    def rod(self, length: Scalar) -> tuple[Scalar, Vec, Tensor]:
        """Mass, centre of mass and central tensor of a piece; half of its polar inertia is about each axis across."""
        d, m, polar = self.axes[2], self.line_density * length, self.polar_inertia * length
        return m, d * (length / 2), Tensor.of_revolution(d, polar, m * length * length / 12 + polar / 2)


@check_arguments
def with_beam(robot: Robot, link: str, beam: Beam) -> Robot:
    """The robot with a link made a flexible beam; the link keeps its joint, its own mass becomes a hub at the root.

    The elastic joints lie in the middle of the n pieces, where the beam's compliance h/EI is gathered: the root moves
    with half a piece, then come n - 1 whole segments `<link>.1`, `<link>.2`, ... and half a one at the tip. Links,
    frames, motors and the payload that sit on the link move to the segment at their place.

    >>> rod = Robot("rod", [Link("boom")], frames=[Frame("tip", "boom", (1.0, 0, 0))])
    >>> cut = with_beam(rod, "boom", Beam(1.0, 2.0, bending=(None, 40.0), segments=4))
    >>> [k.name for k in cut.links], cut.frames[0].link, cut.links[1].joint.spring.stiffness
    (['boom', 'boom.1', 'boom.2', 'boom.3', 'boom.4'], 'boom.4', 160.0)
    """
    _refuse_trains(robot, link)
    old = robot.link(link)
    last = robot.last_link().name if robot.payload is not None and robot.payload.link is None else None
    links = []
    for own in robot.links:
        fresh = _rooted(own, beam) if own is old else _rehung(own, link, beam)
        links += [fresh, *_tipped(old, link, beam)] if own is old else [fresh]
    return replace(
        robot,
        links=links,
        drives=[_remounted(drive, robot, link, beam) for drive in robot.drives],
        frames=[_moved_frame(frame, link, beam) for frame in robot.frames],
        payload=None if robot.payload is None else _moved_payload(robot.payload, link, last, beam),
    )


def _rooted(link: Link, beam: Beam) -> Link:
    """The hub with the first half piece."""
    m, c, I = beam.rod(beam.step / 2)
    hub = Inertia.of_body(link.mass, Vec.of(link.com), Tensor.of(rows(link.inertia)))
    total = hub + Inertia.of_body(m, c, I)
    com = total.moment * (1 / total.mass)
    return replace(link, mass=total.mass, com=com, inertia=total.tensor - Tensor.point(com, total.mass))


def _tipped(old: Link, name: str, beam: Beam) -> list[Link]:
    """The segments, of which the one at the old link's tip has it."""
    segments = list(_segments(name, beam))
    if old.end is None:
        return segments
    k = beam.segment_at(old.end)
    place = old.end - beam.origin(k)
    return [replace(one, tip=place) if one.name == _name(name, k) else one for one in segments]


def _segments(name: str, beam: Beam) -> Iterator[Link]:
    """Per piece one massless link per elastic axis but the last, which carries the segment."""
    parent, hinges = name, beam.hinges
    for k in range(1, beam.segments + 1):
        shift = beam.origin(k) - beam.origin(k - 1)
        m, c, I = beam.rod(beam.step if k < beam.segments else beam.step / 2)
        for place, (way, e, stiffness) in enumerate(hinges):
            final = place == len(hinges) - 1
            own = f"{name}.{k}" if final else f"{name}.{k}.{way}"
            title = f"{name}.{k}" if len(hinges) == 1 else f"{name}.{k}.{way}"
            spring = JointSpring(stiffness, beam.damping * stiffness)
            joint = Joint(title, axis=e, position=shift if place == 0 else Vec(0.0, 0.0, 0.0), spring=spring)
            yield Link(own, parent, joint, m, c, I) if final else Link(own, parent, joint, inertia=MASSLESS)
            parent = own


def _name(link: str, segment: int) -> str:
    return f"{link}.{segment}" if segment else link


def _rehung(own: Link, link: str, beam: Beam) -> Link:
    if own.parent != link:
        return own
    k = beam.segment_at(own.joint.position)
    joint = replace(own.joint, position=Vec.of(own.joint.position) - beam.origin(k))
    return replace(own, parent=_name(link, k), joint=joint)


def _remounted(drive: Drive, robot: Robot, link: str, beam: Beam) -> Drive:
    """A drive goes with the joint it drives if that sits on the beam, else by the motor's place."""
    driven = robot.link_of_joint(drive.joint)
    if mount_of(drive, driven) != link:
        return drive
    if driven.name == link and drive.axis is None:  # the joint's, which a segment further out does not see
        drive = replace(drive, axis=driven.joint.axis)
    stated = ZERO if drive.motor.position is None else drive.motor.position
    k = beam.segment_at(driven.joint.position if driven.parent == link else stated)
    back = PartPlace(IDENTITY, beam.origin(k) * -1.0)
    return replace(moved_drive(drive, output_is_link(drive, driven), back), mounted_on=_name(link, k))


def _moved_frame(frame: Frame, link: str, beam: Beam) -> Frame:
    if frame.link != link:
        return frame
    k = beam.segment_at(frame.position)
    return replace(frame, link=_name(link, k), position=Vec.of(frame.position) - beam.origin(k))


def _moved_payload(payload: Payload, link: str, last: str | None, beam: Beam) -> Payload:
    if payload.frame is not None or payload.position is None:  # at what an attachment brings
        return payload
    carrier = payload.link if payload.link is not None else last
    if carrier != link:
        return replace(payload, link=carrier)
    k = beam.segment_at(payload.position)
    return replace(payload, link=_name(link, k), position=Vec.of(payload.position) - beam.origin(k))


def _refuse_trains(robot: Robot, link: str) -> None:
    for train in robot.trains:
        named = {wheel.carrier for wheel in train.wheels} | {motor.stator for motor in train.motors}
        named |= {name for mesh in train.meshes for name in (mesh.first, mesh.second, mesh.carrier)}
        if link in named:
            raise StructureError(
                f"link {link!r} cannot be a beam: train {train.name!r} has wheels on it, whose axes would part. Put "
                "them on a rigid link, such as a fixed one at the beam's end."
            )


def _unit(name: str, v: Vec) -> Vec:
    length = math.sqrt(v.dot(v))
    if length < 1e-9:
        raise PartError(f"beam: {name} {tuple(v)} has no direction of its own. Give a vector across the other one.")
    return v * (1 / length)
