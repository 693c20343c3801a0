"""Flexible links, divided into rigid segments with passive elastic joints, which are free or move in assumed modes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import Inertia, OptionalVector, Scalar, Tensor, Vec, VectorLike
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import require_range
from gearwright.errors import PartError
from gearwright.parts.builders.link_division import refuse_trains_on_link, segment_name, with_divided_link, with_tip
from gearwright.parts.builders.modal_bodies import (
    ZERO_INERTIA,
    FlexibleBody,
    generalized_eigenvectors,
    with_flexible_body,
)
from gearwright.parts.gears.elasticity import JointSpring
from gearwright.parts.link import Joint, Link
from gearwright.parts.robot import Robot
from gearwright.parts.structure.frame_changes import matrix_rows


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
        modes: number of assumed modes per elastic axis: the first ones of the clamped beam; None: segments move freely.
        stiffening: with modes: whether a stretched or rotating beam gets stiffer. The segments then turn by the modes
            and keep their lengths; otherwise displacements are linear in the modal coordinates.
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
    modes: int | None = None
    stiffening: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "bending", tuple(self.bending))
        if self.modes is not None and not (isinstance(self.modes, int) and 1 <= self.modes <= self.segments):
            raise PartError(f"beam: modes {self.modes!r} is not a whole number from 1 to the {self.segments} segments.")
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
        if self.modes is not None and self.torsion is not None and self.polar_inertia == 0:
            raise PartError(
                "beam: modes of torsion need the inertia about the centre line. Give `polar_inertia`, or omit "
                "`torsion`."
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

    >>> from gearwright.parts import Frame
    >>> rod = Robot("rod", [Link("boom")], frames=[Frame("tip", "boom", (1.0, 0, 0))])
    >>> cut = with_beam(rod, "boom", Beam(1.0, 2.0, bending=(None, 40.0), segments=4))
    >>> [k.name for k in cut.links], cut.frames[0].link, cut.links[1].joint.spring.stiffness
    (['boom', 'boom.1', 'boom.2', 'boom.3', 'boom.4'], 'boom.4', 160.0)
    """
    refuse_trains_on_link(robot, link)
    old = robot.link(link)
    hub = _hub_with_root(old, beam)
    if beam.modes is None:
        return with_divided_link(
            robot, link, hub, with_tip(old, link, list(_segment_links(link, beam)), beam), beam, ()
        )
    if not beam.stiffening:
        hubbed = replace(robot, links=[hub if part is old else part for part in robot.links])
        return with_flexible_body(hubbed, link, assumed_modes(beam))
    pieces = with_tip(old, link, [*_modal_links(link, beam), *_following_links(link, beam)], beam)
    return with_divided_link(robot, link, hub, pieces, beam, ())


def _hub_with_root(link: Link, beam: Beam) -> Link:
    """The hub with the first half segment."""
    m, c, I = beam.rod_inertia(beam.segment_length / 2)
    hub = Inertia.of_body(link.mass, Vec.from_values(link.com), Tensor.from_rows(matrix_rows(link.inertia)))
    total = hub + Inertia.of_body(m, c, I)
    com = total.moment * (1 / total.mass)
    return replace(link, mass=total.mass, com=com, inertia=total.tensor - Tensor.of_point_mass(com, total.mass))


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


class _AxisModes(NamedTuple):
    """The first modes of a beam about one elastic axis: angles of its hinges (segments, modes), stiffness (modes,)."""

    name: str
    axis: Vec
    is_twist: bool
    angles: NDArray[np.float64]
    stiffness: NDArray[np.float64]


def _axis_modes(beam: Beam) -> list[_AxisModes]:
    """Return the modes of the clamped, straight, segmented beam, with unit deflection or twist of the tip.

    The centre of segment s moves by sum (c_s - x_j) a_j over the hinges j before it, and it turns by sum a_j.
    """
    h, n = float(beam.segment_length), beam.segments
    lengths = np.where(np.arange(1, n + 1) < n, h, h / 2)
    hinges = (np.arange(n) + 0.5) * h
    rods = [beam.rod_inertia(float(x)) for x in lengths]
    centres, before = hinges + lengths / 2, np.tril(np.ones((n, n)))
    arms, modes = before * (centres[:, None] - hinges), []
    for name, axis, hinge_stiffness in beam.elastic_hinges:
        is_twist = name == "twist"
        turn = np.array([float(axis.dot(I @ axis)) for _, _, I in rods])
        masses = np.array([0.0 if is_twist else float(m) for m, _, _ in rods])
        M = arms.T @ (masses[:, None] * arms) + before.T @ (turn[:, None] * before)
        values, angles = generalized_eigenvectors(float(hinge_stiffness) * np.eye(n), M)
        angles = angles[:, : beam.modes]
        tip = (np.ones(n) if is_twist else float(beam.length) - hinges) @ angles
        modes.append(_AxisModes(name, axis, is_twist, angles / tip, values[: beam.modes] / tip**2))
    return modes


def _modal_links(name: str, beam: Beam) -> Iterator[Link]:
    """Yield the massless links whose joints are the modal coordinates: deflection [m] or twist [rad] of the tip."""
    for modes in _axis_modes(beam):
        axis = modes.axis if modes.is_twist else modes.axis.cross(beam.unit_axes[2])
        for k, stiffness in enumerate(modes.stiffness.tolist()):
            title = f"{name}.{modes.name}{k + 1}"
            spring = JointSpring(stiffness, beam.damping * stiffness)
            joint = Joint(title, "revolute" if modes.is_twist else "prismatic", axis=axis, spring=spring)
            yield Link(title, name, joint, inertia=ZERO_INERTIA)


def _following_links(name: str, beam: Beam) -> Iterator[Link]:
    """Yield the segments: per hinge and mode one link that turns with the modal coordinate; the last has the mass."""
    parent, all_modes = name, _axis_modes(beam)
    turns = [(modes, k) for modes in all_modes for k in range(len(modes.stiffness))]
    for segment in range(1, beam.segments + 1):
        shift = beam.segment_origin(segment) - beam.segment_origin(segment - 1)
        m, c, I = beam.rod_inertia(beam.segment_length if segment < beam.segments else beam.segment_length / 2)
        for place, (modes, k) in enumerate(turns):
            final = place == len(turns) - 1
            title = segment_name(name, segment) if final else f"{name}.{segment}.{modes.name}{k + 1}"
            follows = (f"{name}.{modes.name}{k + 1}", float(modes.angles[segment - 1, k]), 0.0)
            position = shift if place == 0 else Vec(0.0, 0.0, 0.0)
            joint = Joint(f"{title}.follows", axis=modes.axis, position=position, follows=follows)
            yield Link(title, parent, joint, m, c, I) if final else Link(title, parent, joint, inertia=ZERO_INERTIA)
            parent = title


@check_arguments
def assumed_modes(beam: Beam) -> FlexibleBody:
    """Return a beam as a flexible body by its first modes, with displacements linear in the modal coordinates.

    The nodes are the centres of the segments, and the tip; the half segment at the root is left to the hub. The modal
    coordinates are deflections [m] and twists [rad] of the tip, in the order bend, sway, twist.
    """
    if beam.modes is None:
        raise PartError("assumed_modes: the beam has no modes. Give Beam(..., modes=2).")
    h, n, d = float(beam.segment_length), beam.segments, beam.unit_axes[2]
    lengths = np.where(np.arange(1, n + 1) < n, h, h / 2)
    hinges = (np.arange(n) + 0.5) * h
    centres = np.append(hinges + lengths / 2, float(beam.length))
    before = np.vstack([np.tril(np.ones((n, n))), np.ones(n)])
    arms, shapes, stiffness = before * (centres[:, None] - hinges), [], []
    for modes in _axis_modes(beam):
        across = modes.axis.cross(d)
        for k in range(len(modes.stiffness)):
            turns = np.outer(before @ modes.angles[:, k], np.array([*modes.axis], dtype=float))
            moves = np.zeros_like(turns) if modes.is_twist else np.outer(arms @ modes.angles[:, k], [*across])
            shapes.append(np.hstack([moves, turns]))
        stiffness += modes.stiffness.tolist()
    rods = [beam.rod_inertia(float(x)) for x in lengths]
    inertias = [[[float(x) for x in row] for row in matrix_rows(I)] for _, _, I in rods]
    return FlexibleBody(
        np.outer(centres, np.array([*d], dtype=float)),
        [*(float(m) for m, _, _ in rods), 0.0],
        np.array(shapes),
        np.diag(stiffness),
        inertias=[*inertias, np.zeros((3, 3)).tolist()],
        damping=float(beam.damping),
    )


def _unit_vector(name: str, v: Vec) -> Vec:
    length = math.sqrt(v.dot(v))
    if length < 1e-9:
        raise PartError(f"beam: {name} {tuple(v)} is zero or parallel to the beam. Give a vector perpendicular to it.")
    return v * (1 / length)
