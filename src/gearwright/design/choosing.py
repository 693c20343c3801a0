"""A robot with the drives that were chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gearwright.design.candidates import Choice
from gearwright.parts import Robot


def with_choices(robot: Robot, choices: Mapping[str, Choice]) -> Robot:
    """The robot with other motors and gearboxes; mounts, axes and places stay, and so does what was kept."""
    for drive in robot.drives:
        choice = choices.get(drive.joint)
        if choice is None or choice.kept:
            continue
        motor = choice.motor.motor(position=drive.motor.position)
        gear = drive.gear if choice.gearbox is None else choice.gearbox.gear()
        robot = robot.with_drive(drive.title, replace(drive, motor=motor, gear=gear))
    return robot
