"""What gives way: links that bend, and the tip of the whole arm, under the forces of a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gearwright.analysis.links.beam import LinkBeam
from gearwright.analysis.links.link_analysis import LinkAnalysis
from gearwright.analysis.links.link_loads import loads_along, placed_masses
from gearwright.analysis.links.section_forces import Moving
from gearwright.analysis.links.tip_deflection import Tip, TipDeflection, tip_deflection, tip_of
from gearwright.analysis.task.contact_wrenches import contact_wrenches
from gearwright.analysis.task.process_forces import AppliedWrench, ProcessForce, applied
from gearwright.forces.contact.contacts_of_robot import surrounding_laws
from gearwright.mechanism import Mechanism
from gearwright.motion import Motion
from gearwright.motion_demands.sensitivity import AnyMotion
from gearwright.parts import LinkSection, Robot


class Structure(NamedTuple):
    """Links by name, and the tip; None for a robot with several tips, or where nothing gives."""

    links: dict[str, LinkAnalysis]
    tip: TipDeflection | None

    def numbers(self) -> dict[str, float]:
        """Its characteristics: stress [Pa] and deflection [m] of every link, deflection of the tip [m]."""
        stresses = {name: link.peak_stress for name, link in self.links.items()}
        deflections = {name: link.peak_deflection for name, link in self.links.items()}
        return named_peaks(stresses, deflections, None if self.tip is None else self.tip.peak)


def named_peaks(stresses: Mapping[str, Any], deflections: Mapping[str, Any], tip: Any) -> dict[str, Any]:
    """Numbers of links and tip by the names that they have in tables."""
    found = {f"{name}.peak_stress": x for name, x in stresses.items()}
    found |= {f"{name}.peak_deflection": x for name, x in deflections.items()}
    return found | ({} if tip is None else {"tip.peak_deflection": tip})


def acting_on(
    robot: Robot, mech: Mechanism, motion: AnyMotion, forces: Sequence[ProcessForce], contact: Mapping[str, Any]
) -> list[AppliedWrench]:
    """The forces of the process and of contacts, along a motion."""
    pressed, _ = contact_wrenches(mech, surrounding_laws(robot), contact, motion.t)
    return [*applied(mech, motion.q, motion.t, forces), *pressed]


def structure_of(
    robot: Robot,
    mech: Mechanism,
    motion: Motion,
    sections: Mapping[str, LinkSection],
    acting: Sequence[AppliedWrench],
    tip: str | None,
    end: Tip | None = None,
) -> Structure:
    """The links with sections and the tip of a robot, along a motion.

    Args:
        robot: the robot.
        mech: the same, assembled.
        motion: of all its speeds.
        sections: of links.
        acting: forces from outside.
        tip: the frame or link whose deflection is told; the last one of a chain unless given.
        end: that point itself, where it is known already.
    """
    links = {}
    if sections:
        moving = Moving.of(mech, motion, acting)
        links = {
            name: LinkAnalysis(name, loads_along(moving, name, section, placed_masses(robot, name)))
            for name, section in sections.items()
        }
    end = end or tip_of(robot, mech, tip, beams_of(sections))
    return Structure(links, None if end is None else tip_deflection(mech, motion, end, links))


def beams_of(sections: Mapping[str, LinkSection]) -> dict[str, LinkBeam]:
    """Per link its beam."""
    return {name: LinkBeam.of(section) for name, section in sections.items()}
