"""Every characteristic of a task with its exact slopes by parameters: the analysis, over what varies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from gearwright.algebra import Scalar
from gearwright.algebra.variations import varied_parameters
from gearwright.analysis.course import Prescribed
from gearwright.analysis.cycle import Cycle
from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.structure import acting_on, beams_of
from gearwright.analysis.structure_slopes import structure_slopes
from gearwright.analysis.summary import CHARACTERISTICS
from gearwright.catalogue import drives as bundled_drives
from gearwright.mechanism import assemble
from gearwright.parts import LinkSection, Robot
from gearwright.parts.paths import with_parameters

if TYPE_CHECKING:
    from gearwright.analysis.analyse import Analysis


def varied_characteristics(found: Analysis, values: Mapping[str, float]) -> dict[str, Scalar]:
    """The characteristics of drives, links and tip by name, with slopes by parameters that have these values."""
    task, robot = found.task, with_parameters(found.robot, varied_parameters(values))
    mech = assemble(robot)
    course = Prescribed(task.cycle, tuple(task.forces), task.contact, found.samples, task.cycles)
    demanded, handed_on = course.slopes(found.robot, values)
    acting = acting_on(robot, mech, demanded.motion, task.forces, task.contact)
    cycle = Cycle(robot, mech, task, demanded, handed_on, found.catalogue or bundled_drives(), acting)
    drives = {one.joint or one.name: one for one in cycle.drives()}
    beams = beams_of(_sections(found, robot))
    return numbers_of(drives) | structure_slopes(robot, mech, demanded.motion, beams, task)


def numbers_of(drives: Mapping[str, DriveAnalysis]) -> dict[str, Scalar]:
    """The characteristics of drives by name."""
    return {
        f"{name}.{word}": getattr(drive, word)
        for name, drive in drives.items()
        for word in CHARACTERISTICS
        if getattr(drive, word) is not None
    }


def _sections(found: Analysis, robot: Robot) -> dict[str, LinkSection]:
    """Those of the analysis; where the robot itself states them, those that vary."""
    sections = {}
    for name, link in found.links.items():
        own, varied = found.robot.link(name).section, robot.link(name).section
        sections[name] = varied if own is link.loads.section and varied is not None else link.loads.section
    return sections
