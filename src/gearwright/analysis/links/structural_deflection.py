"""Structural deflection under the forces of a motion: bending of links, and the tip of the whole arm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.link_loads import link_loads_along, point_masses
from gearwright.analysis.links.section_forces import MachineMotion
from gearwright.analysis.links.tip_deflection import TipDeflection, TipPoint, tip_deflection, tip_point
from gearwright.analysis.task.contact_wrenches import contact_wrenches
from gearwright.analysis.task.process_forces import AppliedWrench, ProcessForce, applied_wrenches
from gearwright.forces.contact.contacts_of_robot import environment_laws
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.parts import LinkSection, Robot


class StructuralAnalysis(NamedTuple):
    """Links by name, and the tip; None for a robot with several tips, or without elastic parts."""

    links: dict[str, LinkAnalysis]
    tip: TipDeflection | None

    def peak_values(self) -> dict[str, float]:
        """The characteristics: stress [Pa] and deflection [m] of every link, deflection of the tip [m]."""
        stresses = {name: link.peak_stress for name, link in self.links.items()}
        deflections = {name: link.peak_deflection for name, link in self.links.items()}
        return named_peaks(stresses, deflections, None if self.tip is None else self.tip.peak_deflection)


def named_peaks(stresses: Mapping[str, Any], deflections: Mapping[str, Any], tip: Any) -> dict[str, Any]:
    """Characteristics of links and tip by their names in tables."""
    peaks = {f"{name}.peak_stress": x for name, x in stresses.items()}
    peaks |= {f"{name}.peak_deflection": x for name, x in deflections.items()}
    return peaks | ({} if tip is None else {"tip.peak_deflection": tip})


def external_wrenches(
    robot: Robot, mech: Mechanism, motion: Motion, forces: Sequence[ProcessForce], contact: Mapping[str, Any]
) -> list[AppliedWrench]:
    """Process forces and contact forces along a motion."""
    contact_loads, _ = contact_wrenches(mech, environment_laws(robot), contact, motion.t)
    return [*applied_wrenches(mech, motion.q, motion.t, forces), *contact_loads]


def analyse_structure(
    robot: Robot,
    mech: Mechanism,
    motion: Motion,
    sections: Mapping[str, LinkSection],
    acting: Sequence[AppliedWrench],
    tip: str | None,
    end: TipPoint | None = None,
) -> StructuralAnalysis:
    """The links with sections and the tip of a robot, along a motion.

    Args:
        robot: the robot.
        mech: the same, assembled.
        motion: of all its speeds.
        sections: of links.
        acting: external forces.
        tip: the frame or link whose deflection is computed; by default the last one of a chain.
        end: the point itself, if known.
    """
    links = {}
    if sections:
        moving = MachineMotion.from_motion(mech, motion, acting)
        links = {
            name: LinkAnalysis(name, link_loads_along(moving, name, section, point_masses(robot, name)))
            for name, section in sections.items()
        }
    end = end or tip_point(robot, mech, tip, link_beams(sections))
    return StructuralAnalysis(links, None if end is None else tip_deflection(mech, motion, end, links))


def link_beams(sections: Mapping[str, LinkSection]) -> dict[str, LinkBeam]:
    """The beam of every link."""
    return {name: LinkBeam.from_section(section) for name, section in sections.items()}
