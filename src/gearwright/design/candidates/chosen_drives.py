"""A robot with the drives that were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.design.candidates.candidates import Choice
from gearwright.design.robot_preparation.rigid_gears import elastic_like
from gearwright.parts import Robot


@check_arguments
def with_choices(robot: Robot, choices: Mapping[str, Choice]) -> Robot:
    """The robot with other motors and gearboxes; mounts, axes and places stay, and so does what was kept.

    Where the old gear was elastic the new one is: as stiff as its sheet prints, or else as the old one.
    """
    for drive in robot.drives:
        choice = choices.get(drive.joint)
        if choice is None or choice.kept:
            continue
        motor = choice.motor.motor(position=drive.motor.position)
        box = choice.gearbox
        gear = drive.gear if box is None else elastic_like(box.gear(), drive.gear, box.stiffness)
        robot = robot.with_drive(drive.title, replace(drive, motor=motor, gear=gear))
    return robot
