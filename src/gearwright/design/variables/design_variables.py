"""What may vary in a design beside the articles: ratios, mounts, lengths, sections, materials, the pace of the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gearwright.algebra import Scalar
from gearwright.analysis import Task
from gearwright.analysis.links.beam import LinkBeam, beam_axes
from gearwright.arguments import number
from gearwright.design.variables.beam_links import Made, beam_mass, require_links, reshaped, with_made
from gearwright.design.variables.task_speed import stretched
from gearwright.errors import InputError
from gearwright.parts import MATERIALS, LinkSection, Material, Robot, parameter, with_parameters
from gearwright.text import did_you_mean, listed

STRETCH = "task.stretch"
"""The variable that makes the task's motions so many times as long."""
MOUNT, MATERIAL, LENGTH, RATIO = ".mounted_on", ".material", ".length", ".gear.ratio"


@dataclass(frozen=True)
class Range:
    """Any number between two.

    >>> Range(30, 120).low
    30.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number("range", "low", self.low))
        object.__setattr__(self, "high", number("range", "high", self.high, above=self.low, example=self.low + 1))


@dataclass(frozen=True)
class Mount:
    """Where a motor may sit.

    Args:
        link: that carries it, or "base".
        position: of the motor in that link's frame [m]; the origin of the driven joint unless given.
        axis: of its rotor in that link's frame; parallel to the joint's axis at its zero unless given.
    """

    link: str
    position: Any = None
    axis: Any = None


Domain = Range | tuple[Any, ...]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Design:
    """One design: the robot, its task, and the sections of its links."""

    robot: Robot
    task: Task
    sections: Mapping[str, LinkSection]


@dataclass(frozen=True)
class DesignSpace:
    """A design and what may vary in it.

    Args:
        base: the design as it is stated.
        domains: variable -> its range, or what it may be.
    """

    base: Design
    domains: Mapping[str, Domain]

    @cached_property
    def continuous(self) -> tuple[str, ...]:
        """Variables with a range."""
        return tuple(name for name, domain in self.domains.items() if isinstance(domain, Range))

    @cached_property
    def links(self) -> tuple[str, ...]:
        """Links whose beam varies."""
        known = [link.name for link in self.base.robot.links]
        return tuple(name for name in known if any(_of_link(word, name) for word in self.domains))

    @cached_property
    def ratios(self) -> dict[str, str]:
        """Joint -> the variable that is the ratio of its gear."""
        titles = {f"{drive.title}{RATIO}": drive.joint for drive in self.base.robot.drives}
        return {titles[name]: name for name in self.domains if name in titles}

    def robot(self, values: Values) -> Robot:
        """The robot with these values, which may be scalars of any kind where the variable has a range."""
        robot = self.base.robot
        for name, value in values.items():
            if name.endswith(MOUNT):
                robot = _mounted(robot, name.removesuffix(MOUNT), value)
            elif name != STRETCH and not any(_of_link(name, link) for link in self.links):
                robot = with_parameters(robot, {name: value})
        for link in self.links:
            robot = with_made(robot, link, self.base.sections[link], self.made(link, values))
        return robot

    def made(self, link: str, values: Values) -> Made:
        """What a link's beam is made of."""
        section = self.base.sections[link]
        prefix = f"{link}.section."
        words = {name.removeprefix(prefix): x for name, x in values.items() if name.startswith(prefix)}
        material = values.get(link + MATERIAL, section.material)
        length = values.get(link + LENGTH)
        stretch = 1.0 if length is None else length / beam_axes(section)[1]
        metal = MATERIALS[material] if isinstance(material, str) else material
        return Made(reshaped(link, section, words), metal, stretch)

    def beams(self, values: Values) -> dict[str, LinkBeam]:
        """Per link with a section its beam; its measures may be scalars of any kind."""
        found = {}
        for name, section in self.base.sections.items():
            beam, made = LinkBeam.of(section), self.made(name, values)
            found[name] = LinkBeam(beam.axes, beam.length * made.stretch, tuple(made.sections), made.material)
        return found

    def beam_mass(self, values: Values) -> Scalar:
        """Mass of the beams that vary [kg]."""
        masses = [beam_mass(self.made(link, values), self.base.sections[link]) for link in self.links]
        return sum(masses[1:], masses[0]) if masses else 0.0

    def design(self, values: Values) -> Design:
        """The design with these values, all of them numbers or names."""
        robot, sections = self.built(values)
        return Design(robot, stretched(self.base.task, values.get(STRETCH, 1.0)), sections)

    def built(self, values: Values) -> tuple[Robot, dict[str, LinkSection]]:
        """The robot with these values and the sections of its links."""
        sections = dict(self.base.sections)
        for link in self.links:
            made, old = self.made(link, values), sections[link]
            to = tuple(float(x) * float(made.stretch) for x in old.to)
            sections[link] = replace(old, to=to, sections=made.sections, material=made.material)
        robot = self.robot(values)
        links = [replace(one, section=sections[one.name]) if one.name in self.links else one for one in robot.links]
        return replace(robot, links=links) if self.links else robot, sections


def design_space(base: Design, variables: Mapping[str, Any]) -> DesignSpace:
    """The space of a design, every variable checked: its name, its values, and that each corner can be built."""
    domains = {name: _domain(base, name, given) for name, given in variables.items()}
    space = DesignSpace(base, domains)
    require_links(dict(base.sections), space.links)
    for corner in (_corner(domains, "low"), _corner(domains, "high")):
        space.design(corner)
    return space


def _corner(domains: Mapping[str, Domain], end: str) -> dict[str, Any]:
    return {name: getattr(x, end) if isinstance(x, Range) else x[0] for name, x in domains.items()}


def _domain(base: Design, name: str, given: Any) -> Domain:
    _require_known(base, name)
    if name.endswith(MOUNT):
        return tuple(_mount(base.robot, name, one) for one in _listed(name, given))
    if name.endswith(MATERIAL) and is_of_link(base.robot, name):
        return tuple(_material(name, one) for one in _listed(name, given))
    if isinstance(given, Range):
        return given
    raise InputError(
        f"size_drives: variable {name!r}: {given!r} is not a range. Give Range(low, high), low..high "
        "on the command line."
    )


def _listed(name: str, given: Any) -> Sequence[Any]:
    if isinstance(given, str | Range) or not isinstance(given, Sequence) or not given:
        raise InputError(f"size_drives: variable {name!r}: {given!r} is not a list of what it may be.")
    return given


def _require_known(base: Design, name: str) -> None:
    if name == STRETCH or is_of_link(base.robot, name):
        return
    titles = [drive.title for drive in base.robot.drives]
    if name.endswith(MOUNT):
        title = name.removesuffix(MOUNT)
        if title not in titles:
            raise InputError(f"size_drives: variable {name!r}: there is no such drive. {did_you_mean(title, titles)}")
        return
    parameter(base.robot, name)


def is_of_link(robot: Robot, name: str) -> bool:
    """Whether a variable names the length, the material or the section of a link's beam."""
    return any(_of_link(name, link.name) for link in robot.links)


def _of_link(name: str, link: str) -> bool:
    return name in (link + LENGTH, link + MATERIAL) or name.startswith(f"{link}.section.")


def _mount(robot: Robot, name: str, given: Any) -> Mount:
    mount = given if isinstance(given, Mount) else Mount(given)
    links = ["base", *(link.name for link in robot.links)]
    if mount.link not in links:
        raise InputError(f"size_drives: variable {name!r}: no link {mount.link!r}. {did_you_mean(mount.link, links)}")
    return mount


def _material(name: str, given: Any) -> str | Material:
    if isinstance(given, Material) or given in MATERIALS:
        return given
    raise InputError(f"size_drives: variable {name!r}: no material {given!r}; known are {listed(MATERIALS)}.")


def _mounted(robot: Robot, title: str, mount: Mount) -> Robot:
    drive = next(one for one in robot.drives if one.title == title)
    motor = replace(drive.motor, position=mount.position)
    return robot.with_drive(title, replace(drive, mounted_on=mount.link, motor=motor, axis=mount.axis))
