"""Masses on a link whose places are stated: the payload and motors."""

from __future__ import annotations

from gearwright.analysis.section_forces import Point
from gearwright.parts import Robot


def placed_masses(robot: Robot, name: str) -> list[Point]:
    """Mass [kg] and place [m] in the link's frame of what sits on a link, as `link_loads` takes them."""
    load = robot.payload
    found: list[Point] = []
    if load is not None and (load.link or robot.last_link().name) == name:
        found.append((load.mass, load.position))
    for drive in robot.drives:
        motor, carrier = drive.motor, drive.mounted_on or robot.link_of_joint(drive.joint).parent
        if carrier == name and motor.position is not None and not motor.included:
            found.append((motor.mass + motor.mass_at_rest, motor.position))
    return found
