r"""Links made of a beam whose length, section and material vary: their mass and inertia follow.

A link consists of its beam and a remainder: flanges, covers, bearings. A change of section or material changes the beam
alone. A change of length scales positions along the beam: joints, motors, payload, frames and the centre of the
remainder move in proportion to their distance along it. The equations run over generic scalars, so a length or a
diameter can be an input of a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from gearwright.algebra import Inertia, Scalar, Tensor, Vec
from gearwright.analysis.links.beam import beam_axes
from gearwright.errors import InputError
from gearwright.parts import Box, CrossSection, Link, LinkSection, Material, Robot, Tube
from gearwright.parts.structure.frame_changes import matrix_rows
from gearwright.text import did_you_mean, listed_names

SECTION_MEASURES: dict[type, tuple[str, ...]] = {Tube: ("outer", "wall"), Box: ("width", "height", "wall")}
"""Per type of section the dimensions that may vary; a tube of another diameter keeps its wall."""
NEGLIGIBLE_LINK_MASS = 1e-9
"""Remaining mass [kg] below which a link consists of its beam only."""


@dataclass(frozen=True)
class BeamDesign:
    """Sections, material and length of a link's beam.

    Args:
        sections: (share of the length, section) from 0 on.
        material: the material.
        length_ratio: length relative to the stated length of the beam.
    """

    sections: Sequence[tuple[float, CrossSection]]
    material: Material
    length_ratio: Scalar = 1.0


def section_with_measures(
    link: str, section: LinkSection, measures: dict[str, Scalar]
) -> Sequence[tuple[float, CrossSection]]:
    """The sections of a link with other dimensions.

    >>> section_with_measures("upper", LinkSection((0.4, 0, 0), Tube(0.08, 0.06)), {"outer": 0.1})[0][1]
    Tube(outer=0.1, inner=0.08)
    """
    stations: Any = section.sections
    if not measures:
        return tuple(stations)
    cross = stations[0][1]
    allowed = SECTION_MEASURES.get(type(cross), ())
    for measure in measures:
        if measure not in allowed:
            raise InputError(f"variable {link}.section.{measure}: {did_you_mean(measure, allowed)}")
    if len(stations) > 1:
        raise InputError(f"link {link!r} has {len(stations)} sections along its length. Vary a link with one section.")
    if not isinstance(cross, Tube):
        return ((0.0, replace(cross, **measures)),)
    outer = measures.get("outer", cross.outer)
    wall = measures.get("wall", (cross.outer - cross.inner) / 2)
    inner = 0.0 if cross.inner == 0 and "wall" not in measures else outer - 2 * wall
    return ((0.0, Tube(outer, inner)),)


def beam_inertia(beam: BeamDesign, section: LinkSection) -> Inertia:
    r"""The beam about the link's origin.

    Per piece of length l the mass is $\rho A l$; about axes through its middle along the beam $\rho l (I_y + I_z)$ and
    across it $m l^2 / 12 + \rho l I$.
    """
    (x, y, z), whole = beam_axes(section)
    length, total = whole * beam.length_ratio, Inertia.zero_inertia()
    starts = [start for start, _ in beam.sections]
    for start, end, (_, cross) in zip(starts, [*starts[1:], 1.0], beam.sections, strict=True):
        l, density = (end - start) * length, beam.material.density
        mass = density * cross.area * l
        about_y, about_z = cross.second_moments
        across = mass * l * l / 12
        central = (
            Tensor.dyad(x, density * l * (about_y + about_z))
            + Tensor.dyad(y, across + density * l * about_y)
            + Tensor.dyad(z, across + density * l * about_z)
        )
        total = total + Inertia.of_body(mass, x * ((start + end) / 2 * length), central)
    return total


def beam_mass(beam: BeamDesign, section: LinkSection) -> Scalar:
    """Mass of the beam [kg]."""
    return beam_inertia(beam, section).mass


def with_beam_link(robot: Robot, name: str, section: LinkSection, beam: BeamDesign) -> Robot:
    """The robot with another beam of a link; `section` is the beam that its present numbers contain."""
    (along, _, _), _ = beam_axes(section)

    def shifted_place(place: Any) -> Any:
        if place is None:
            return None
        return scaled_position(Vec.from_values(place), along, beam.length_ratio)

    link = _link_with_beam(robot.link(name), section, beam, along)
    links = [
        link if other_link.name == name else _with_moved_joint(other_link, name, shifted_place)
        for other_link in robot.links
    ]
    drives = [
        replace(d, motor=replace(d.motor, position=shifted_place(d.motor.position)))
        if _is_mounted_on(robot, d, name)
        else d
        for d in robot.drives
    ]
    frames = [replace(f, position=shifted_place(f.position)) if f.link == name else f for f in robot.frames]
    load = robot.payload
    if load is not None and (load.link or robot.last_link().name) == name:
        load = replace(load, position=shifted_place(load.position))
    return replace(robot, links=links, drives=drives, frames=frames, payload=load)


def _is_mounted_on(robot: Robot, drive: Any, name: str) -> bool:
    return bool((drive.mounted_on or robot.link_of_joint(drive.joint).parent) == name)


def _with_moved_joint(link: Link, parent: str, move_place: Any) -> Link:
    return (
        replace(link, joint=replace(link.joint, position=move_place(link.joint.position)))
        if link.parent == parent
        else link
    )


def _link_with_beam(link: Link, section: LinkSection, beam: BeamDesign, along: Vec) -> Link:
    stations: Any = section.sections
    assert isinstance(section.material, Material)
    old = beam_inertia(BeamDesign(stations, section.material), section)
    rest_mass = link.mass - old.mass
    if rest_mass < -NEGLIGIBLE_LINK_MASS:
        raise InputError(
            f"link {link.name!r} has a mass of {link.mass:.4g} kg, but its beam alone has {old.mass:.4g} kg. State a "
            "smaller section, or the whole mass of the link."
        )
    total = beam_inertia(beam, section)
    if rest_mass > NEGLIGIBLE_LINK_MASS:
        total = total + _link_without_beam(link, old, rest_mass, along, beam.length_ratio)
    com = total.moment * (1 / total.mass)
    tip = None if link.end_point is None else scaled_position(link.end_point, along, beam.length_ratio)
    return replace(
        link, mass=total.mass, com=com, inertia=total.tensor - Tensor.of_point_mass(com, total.mass), tip=tip
    )


def scaled_position(place: Vec, along: Vec, length_ratio: Scalar) -> Vec:
    """A position on a link whose length is scaled along a direction."""
    return place + along * (along.dot(place) * (length_ratio - 1.0))


def _link_without_beam(link: Link, beam: Inertia, mass: Scalar, along: Vec, length_ratio: Scalar) -> Inertia:
    """The link without its beam: its centre moves with the length, its own inertia stays."""
    whole = Inertia.of_body(link.mass, Vec.from_values(link.com), Tensor.from_rows(matrix_rows(link.inertia)))
    com = (whole.moment - beam.moment) * (1 / mass)
    central = whole.tensor - beam.tensor - Tensor.of_point_mass(com, mass)
    return Inertia.of_body(mass, com + along * (along.dot(com) * (length_ratio - 1.0)), central)


def require_links(sections: dict[str, LinkSection], links: Sequence[str]) -> None:
    """Raise an error for variable links without an initial section."""
    missing = [name for name in links if name not in sections]
    if missing:
        raise InputError(
            f"{listed_names(missing)}: variable links without a section. Give the link a `section` in the robot "
            f"file, or give robot.with_sections({{{missing[0]!r}: LinkSection(...)}})."
        )
