"""A robot with the chosen drives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gearwright.argument_kinds import check_arguments
from gearwright.design.candidates.candidates import Choice
from gearwright.design.robot_preparation.rigid_gears import with_elasticity_of
from gearwright.design.robot_preparation.sized_drives import sized_drives, with_sized_drive
from gearwright.parts import Robot


@check_arguments
def with_chosen_drives(robot: Robot, choices: Mapping[str, Choice]) -> Robot:
    """Return the robot with other motors and gearboxes; mounts, axes, positions, trains and kept parts stay.

    Choices are by joint; those of motors of trains by the name of the motor.

    If the old gear is elastic, so is the new one, with the stiffness of its data sheet or else of the old gear.
    """
    for drive in sized_drives(robot):
        choice = choices.get(drive.joint)
        if choice is None or choice.is_kept:
            continue
        motor = choice.motor.motor(position=drive.motor.position)
        box = choice.gearbox
        gear = drive.gear if box is None else with_elasticity_of(box.gear(), drive.gear, box.stiffness)
        robot = with_sized_drive(robot, replace(drive, motor=motor, gear=gear))
    return robot
