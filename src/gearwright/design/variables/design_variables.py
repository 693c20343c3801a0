"""Design variables besides catalogue entries: ratios, mounts, lengths, sections, materials, task speed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from gearwright.algebra import OptionalVector, Scalar
from gearwright.analysis import Task
from gearwright.analysis.links.beam import LinkBeam, beam_axes
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, whole_number
from gearwright.design.variables.beam_links import (
    BeamDesign,
    beam_mass,
    require_links,
    section_with_measures,
    with_beam_link,
)
from gearwright.design.variables.task_speed import slowed_task
from gearwright.errors import InputError
from gearwright.parts import MATERIALS, LinkSection, Material, Robot, parameter, with_parameters
from gearwright.text import did_you_mean, listed_names

TIME_SCALE_VARIABLE = "task.time_scale"
"""The variable that is a factor on the duration of the task's motions."""
MOUNT_SUFFIX, MATERIAL_SUFFIX, LENGTH_SUFFIX, RATIO_SUFFIX = ".mounted_on", ".material", ".length", ".gear.ratio"
TEETH_SUFFIX = ".teeth"


@check_arguments
@dataclass(frozen=True)
class Range:
    """The range of a design variable.

    >>> Range(30, 120).low
    30.0
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", real_number("range", "low", self.low))
        object.__setattr__(self, "high", real_number("range", "high", self.high, above=self.low, example=self.low + 1))


@check_arguments
@dataclass(frozen=True)
class Mount:
    """A possible mount of a motor.

    Args:
        link: that carries the motor, or "base".
        position: of the motor in that link's frame [m]; by default the origin of the driven joint.
        axis: of its rotor in that link's frame; by default parallel to the joint axis at zero position.
    """

    link: str
    position: OptionalVector = None
    axis: OptionalVector = None


VariableDomain = Range | tuple[Any, ...]
VariableValues = Mapping[str, Any]


@dataclass(frozen=True)
class Design:
    """One design: the robot, its task, and the sections of its links."""

    robot: Robot
    task: Task
    sections: Mapping[str, LinkSection]


@dataclass(frozen=True)
class DesignSpace:
    """A design and its variables.

    Args:
        base: the stated design.
        domains: variable -> its range, or its possible values.
    """

    base: Design
    domains: Mapping[str, VariableDomain]

    @cached_property
    def continuous_variables(self) -> tuple[str, ...]:
        """Variables with a range."""
        return tuple(name for name, domain in self.domains.items() if isinstance(domain, Range))

    @cached_property
    def varied_links(self) -> tuple[str, ...]:
        """Links whose beam varies."""
        names = [link.name for link in self.base.robot.links]
        return tuple(name for name in names if any(_is_variable_of_link(variable, name) for variable in self.domains))

    @cached_property
    def ratio_variables(self) -> dict[str, str]:
        """Joint -> the variable that is the ratio of its gear."""
        titles = {f"{drive.title}{RATIO_SUFFIX}": drive.joint for drive in self.base.robot.drives}
        return {titles[name]: name for name in self.domains if name in titles}

    def robot_with(self, values: VariableValues) -> Robot:
        """The robot with these values, which may be generic scalars for variables with a range."""
        robot = self.base.robot
        for name, value in values.items():
            if name.endswith(MOUNT_SUFFIX):
                robot = _with_mount(robot, name.removesuffix(MOUNT_SUFFIX), value)
            elif name != TIME_SCALE_VARIABLE and not any(
                _is_variable_of_link(name, link) for link in self.varied_links
            ):
                robot = with_parameters(robot, _numbers_by_path(name, value))
        for link in self.varied_links:
            robot = with_beam_link(robot, link, self.base.sections[link], self.beam_design(link, values))
        return robot

    def beam_design(self, link: str, values: VariableValues) -> BeamDesign:
        """Sections, material and length of a link's beam."""
        section = self.base.sections[link]
        prefix = f"{link}.section."
        measures = {name.removeprefix(prefix): x for name, x in values.items() if name.startswith(prefix)}
        material = values.get(link + MATERIAL_SUFFIX, section.material)
        length = values.get(link + LENGTH_SUFFIX)
        length_ratio = 1.0 if length is None else length / beam_axes(section)[1]
        metal = MATERIALS[material] if isinstance(material, str) else material
        return BeamDesign(section_with_measures(link, section, measures), metal, length_ratio)

    def link_beams(self, values: VariableValues) -> dict[str, LinkBeam]:
        """The beam of each link with a section; its dimensions may be generic scalars."""
        beams = {}
        for name, section in self.base.sections.items():
            beam, varied_beam = LinkBeam.from_section(section), self.beam_design(name, values)
            beams[name] = LinkBeam(
                beam.axes, beam.length * varied_beam.length_ratio, tuple(varied_beam.sections), varied_beam.material
            )
        return beams

    def varied_beam_mass(self, values: VariableValues) -> Scalar:
        """Mass of the variable beams [kg]."""
        masses = [beam_mass(self.beam_design(link, values), self.base.sections[link]) for link in self.varied_links]
        return sum(masses[1:], masses[0]) if masses else 0.0

    def design_with(self, values: VariableValues) -> Design:
        """The design with these values, all of them numbers or names."""
        robot, sections = self.robot_and_sections(values)
        return Design(robot, slowed_task(self.base.task, values.get(TIME_SCALE_VARIABLE, 1.0)), sections)

    def robot_and_sections(self, values: VariableValues) -> tuple[Robot, dict[str, LinkSection]]:
        """The robot with these values and the sections of its links."""
        sections = dict(self.base.sections)
        for link in self.varied_links:
            varied_beam, old = self.beam_design(link, values), sections[link]
            to = tuple(float(x) * float(varied_beam.length_ratio) for x in old.to)
            sections[link] = replace(old, to=to, sections=varied_beam.sections, material=varied_beam.material)
        robot = self.robot_with(values)
        links = [
            replace(part, section=sections[part.name]) if part.name in self.varied_links else part
            for part in robot.links
        ]
        return replace(robot, links=links) if self.varied_links else robot, sections


def design_space(base: Design, variables: Mapping[str, Any]) -> DesignSpace:
    """The space of a design, with checks of the name and values of every variable and of the corners of the space."""
    domains = {name: _variable_domain(base, name, stated) for name, stated in variables.items()}
    space = DesignSpace(base, domains)
    require_links(dict(base.sections), space.varied_links)
    for corner in (_corner_values(domains, "low"), _corner_values(domains, "high")):
        space.design_with(corner)
    return space


def _corner_values(domains: Mapping[str, VariableDomain], end: str) -> dict[str, Any]:
    return {name: getattr(x, end) if isinstance(x, Range) else x[0] for name, x in domains.items()}


def _variable_domain(base: Design, name: str, stated: Any) -> VariableDomain:
    _require_known_variable(base, name)
    if name.endswith(MOUNT_SUFFIX):
        return tuple(_checked_mount(base.robot, name, option) for option in _listed_options(name, stated))
    if name.endswith(MATERIAL_SUFFIX) and is_link_variable(base.robot, name):
        return tuple(_checked_material(name, option) for option in _listed_options(name, stated))
    if name.endswith(TEETH_SUFFIX):
        return tuple(_checked_teeth(name, option) for option in _listed_options(name, stated))
    if isinstance(stated, Range):
        if TEETH_SUFFIX in name:
            raise InputError(
                f"size_drives: variable {name!r}: numbers of teeth are whole. Give a list of them instead of a range."
            )
        return stated
    takes_list = name != TIME_SCALE_VARIABLE and not is_link_variable(base.robot, name)
    if takes_list and isinstance(stated, list | tuple) and not any(isinstance(option, str) for option in stated):
        return tuple(real_number("size_drives", name, option) for option in _listed_options(name, stated))
    raise InputError(
        f"size_drives: variable {name!r}: {stated!r} is not a range{' or a list of numbers' if takes_list else ''}. "
        "Give Range(low, high), or low..high on the command line."
    )


def _checked_teeth(name: str, stated: Any) -> tuple[float, float]:
    """The teeth of both gears of a mesh."""
    pair = tuple(stated.split(":")) if isinstance(stated, str) else tuple(stated)
    if len(pair) != 2:
        raise InputError(
            f"size_drives: variable {name!r}: {stated!r} is not a pair of numbers of teeth. Give a list of pairs such "
            "as [(18, 54), (20, 60)], or 18:54,20:60 on the command line."
        )
    words = [int(z) if isinstance(z, str) and z.strip().isdecimal() else z for z in pair]
    first, second = (whole_number("size_drives", name, z, least=1, example=20) for z in words)
    return float(first), float(second)


def _numbers_by_path(name: str, value: Any) -> dict[str, Any]:
    """A variable as parameters of the robot; the teeth of a mesh are two."""
    return {f"{name}.{k}": x for k, x in enumerate(value)} if isinstance(value, tuple) else {name: value}


def _listed_options(name: str, stated: Any) -> Sequence[Any]:
    if isinstance(stated, str | Range) or not isinstance(stated, Sequence) or not stated:
        raise InputError(f"size_drives: variable {name!r}: {stated!r} is not a list. Give a list of possible values.")
    return stated


def _require_known_variable(base: Design, name: str) -> None:
    if name == TIME_SCALE_VARIABLE or is_link_variable(base.robot, name):
        return
    titles = [drive.title for drive in base.robot.drives]
    if name.endswith(MOUNT_SUFFIX):
        title = name.removesuffix(MOUNT_SUFFIX)
        if title not in titles:
            raise InputError(f"size_drives: variable {name!r}: unknown drive. {did_you_mean(title, titles)}")
        return
    parameter(base.robot, f"{name}.0" if name.endswith(TEETH_SUFFIX) else name)


def is_link_variable(robot: Robot, name: str) -> bool:
    """Whether a variable names the length, the material or the section of a link's beam."""
    return any(_is_variable_of_link(name, link.name) for link in robot.links)


def _is_variable_of_link(name: str, link: str) -> bool:
    return name in (link + LENGTH_SUFFIX, link + MATERIAL_SUFFIX) or name.startswith(f"{link}.section.")


def _checked_mount(robot: Robot, name: str, stated: Any) -> Mount:
    mount = stated if isinstance(stated, Mount) else Mount(stated)
    links = ["base", *(link.name for link in robot.links)]
    if mount.link not in links:
        raise InputError(
            f"size_drives: variable {name!r}: unknown link {mount.link!r}. {did_you_mean(mount.link, links)}"
        )
    return mount


def _checked_material(name: str, stated: Any) -> str | Material:
    if isinstance(stated, Material) or stated in MATERIALS:
        return stated
    raise InputError(
        f"size_drives: variable {name!r}: unknown material {stated!r}. Use one of {listed_names(MATERIALS)}."
    )


def _with_mount(robot: Robot, title: str, mount: Mount) -> Robot:
    drive = next(candidate for candidate in robot.drives if candidate.title == title)
    motor = replace(drive.motor, position=mount.position)
    return robot.with_drive(title, replace(drive, mounted_on=mount.link, motor=motor, axis=mount.axis))
