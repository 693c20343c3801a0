r"""Links made of a beam whose length, section and material vary: their mass and inertia follow.

A link is its beam and the rest: flanges, covers, bearings. A change of the beam changes the beam alone. A length
stretches the link along the beam: the joints, motors, payload and frames that it carries, and the centre of the rest,
move in proportion to how far along they are. All of this is written over scalars of any kind, so that a length or a
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
from gearwright.parts.structure.frame_changes import rows
from gearwright.text import did_you_mean, listed

WORDS: dict[type, tuple[str, ...]] = {Tube: ("outer", "wall"), Box: ("width", "height", "wall")}
"""Per section the measures that may vary; a tube of another diameter keeps its wall."""
NEGLIGIBLE = 1e-9
"""Mass [kg] below which a link is nothing but its beam."""


@dataclass(frozen=True)
class Made:
    """What a link's beam is made of now.

    Args:
        sections: (share of the length, section) from 0 on.
        material: the material.
        stretch: length by that of the beam as it was stated.
    """

    sections: Sequence[tuple[float, CrossSection]]
    material: Material
    stretch: Scalar = 1.0


def reshaped(link: str, section: LinkSection, words: dict[str, Scalar]) -> Sequence[tuple[float, CrossSection]]:
    """The sections of a link with other measures.

    >>> reshaped("upper", LinkSection((0.4, 0, 0), Tube(0.08, 0.06)), {"outer": 0.1})[0][1]
    Tube(outer=0.1, inner=0.08)
    """
    stations: Any = section.sections
    if not words:
        return tuple(stations)
    cross = stations[0][1]
    known = WORDS.get(type(cross), ())
    for word in words:
        if word not in known:
            raise InputError(f"variable {link}.section.{word}: {did_you_mean(word, known)}")
    if len(stations) > 1:
        raise InputError(f"link {link!r} has {len(stations)} sections along it. Vary a link with one.")
    if not isinstance(cross, Tube):
        return ((0.0, replace(cross, **words)),)
    outer = words.get("outer", cross.outer)
    wall = words.get("wall", (cross.outer - cross.inner) / 2)
    inner = 0.0 if cross.inner == 0 and "wall" not in words else outer - 2 * wall
    return ((0.0, Tube(outer, inner)),)


def beam_inertia(made: Made, section: LinkSection) -> Inertia:
    r"""The beam about the link's origin.

    Per piece of length l the mass is $\rho A l$; about axes through its middle along the beam $\rho l (I_y + I_z)$ and
    across it $m l^2 / 12 + \rho l I$.
    """
    (x, y, z), whole = beam_axes(section)
    length, total = whole * made.stretch, Inertia.zero()
    starts = [start for start, _ in made.sections]
    for start, end, (_, cross) in zip(starts, [*starts[1:], 1.0], made.sections, strict=True):
        l, density = (end - start) * length, made.material.density
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


def beam_mass(made: Made, section: LinkSection) -> Scalar:
    """Mass of the beam [kg]."""
    return beam_inertia(made, section).mass


def with_made(robot: Robot, name: str, section: LinkSection, made: Made) -> Robot:
    """The robot with a link's beam made anew; `section` states the beam that its numbers contain."""
    (along, _, _), _ = beam_axes(section)

    def moved(place: Any) -> Any:
        if place is None:
            return None
        return stretched(Vec.of(place), along, made.stretch)

    link = _made_link(robot.link(name), section, made, along)
    links = [link if own.name == name else _hung(own, name, moved) for own in robot.links]
    drives = [
        replace(d, motor=replace(d.motor, position=moved(d.motor.position))) if _carries(robot, d, name) else d
        for d in robot.drives
    ]
    frames = [replace(f, position=moved(f.position)) if f.link == name else f for f in robot.frames]
    load = robot.payload
    if load is not None and (load.link or robot.last_link().name) == name:
        load = replace(load, position=moved(load.position))
    return replace(robot, links=links, drives=drives, frames=frames, payload=load)


def _carries(robot: Robot, drive: Any, name: str) -> bool:
    return bool((drive.mounted_on or robot.link_of_joint(drive.joint).parent) == name)


def _hung(link: Link, parent: str, moved: Any) -> Link:
    return (
        replace(link, joint=replace(link.joint, position=moved(link.joint.position))) if link.parent == parent else link
    )


def _made_link(link: Link, section: LinkSection, made: Made, along: Vec) -> Link:
    stations: Any = section.sections
    assert isinstance(section.material, Material)
    old = beam_inertia(Made(stations, section.material), section)
    rest_mass = link.mass - old.mass
    if rest_mass < -NEGLIGIBLE:
        raise InputError(
            f"link {link.name!r} weighs {link.mass:.4g} kg, its beam alone {old.mass:.4g} kg. State a "
            "section that the link can have, or its whole mass."
        )
    total = beam_inertia(made, section)
    if rest_mass > NEGLIGIBLE:
        total = total + _rest(link, old, rest_mass, along, made.stretch)
    com = total.moment * (1 / total.mass)
    tip = None if link.end is None else stretched(link.end, along, made.stretch)
    return replace(link, mass=total.mass, com=com, inertia=total.tensor - Tensor.point(com, total.mass), tip=tip)


def stretched(place: Vec, along: Vec, stretch: Scalar) -> Vec:
    """A place on a link that is stretched along a direction."""
    return place + along * (along.dot(place) * (stretch - 1.0))


def _rest(link: Link, beam: Inertia, mass: Scalar, along: Vec, stretch: Scalar) -> Inertia:
    """The link without its beam, its centre moved with the stretch, its own inertia as it was."""
    whole = Inertia.of_body(link.mass, Vec.of(link.com), Tensor.of(rows(link.inertia)))
    com = (whole.moment - beam.moment) * (1 / mass)
    central = whole.tensor - beam.tensor - Tensor.point(com, mass)
    return Inertia.of_body(mass, com + along * (along.dot(com) * (stretch - 1.0)), central)


def require_links(sections: dict[str, LinkSection], links: Sequence[str]) -> None:
    """Refuse links that vary without a section to begin with."""
    missing = [name for name in links if name not in sections]
    if missing:
        raise InputError(
            f"{listed(missing)} vary, but their sections are not stated. Give the link a `section` in the "
            f"robot's file, or sections={{{missing[0]!r}: LinkSection(...)}} to `size_drives`, to begin with."
        )
