"""All examples of the Modelica Standard Library that have reference trajectories, as our machines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gearwright.parts import Friction
from support import modelica_moving as moving
from support import modelica_robot as robot
from support import modelica_shafts as shafts
from support import modelica_space as space
from support.modelica import Model

EFFECTS, ROTOR, SHAFTS = "Examples.Rotational3DEffects.", "Parts.Rotor1D.", "Rotational.Examples."

MODELS: dict[str, Callable[[Path], Model]] = {
    "Examples.DCMachines.DCPM_Start": lambda _: shafts.motor_start(),
    EFFECTS + "ActuatedDrive": lambda _: space.rotor_on_support(EFFECTS + "ActuatedDrive"),
    EFFECTS + "BevelGear1D": lambda _: moving.bevel_gear(),
    EFFECTS + "GearConstraint": lambda _: space.two_cylinders(EFFECTS + "GearConstraint"),
    EFFECTS + "GyroscopicEffects": lambda _: space.top(EFFECTS + "GyroscopicEffects", 10.0, quaternions=False),
    EFFECTS + "MovingActuatedDrive": lambda _: space.rotor_on_moving_support(EFFECTS + "MovingActuatedDrive"),
    "MultiBody.InitializationConversion.Rotor1D": lambda _: shafts.ten_rotors(),
    "MultiBody.Joints.GearConstraint": lambda _: space.turning_bearing(),
    ROTOR + "Bevel1D": lambda _: space.two_cylinders(ROTOR + "Bevel1D"),
    ROTOR + "GearConstraint": lambda _: space.two_cylinders(ROTOR + "GearConstraint"),
    ROTOR + "GearConstraint2": lambda _: space.two_gears(),
    ROTOR + "GearConstraint3": lambda _: moving.gear_between_boxes(),
    ROTOR + "GearConstraint4": lambda _: moving.floating_gear(),
    ROTOR + "Rotor1D_1": lambda _: space.top(ROTOR + "Rotor1D_1", 8.726646259971648, quaternions=True),
    ROTOR + "Rotor1D_2": lambda _: space.rotor_on_support(ROTOR + "Rotor1D_2"),
    ROTOR + "Rotor1D_3": lambda _: space.rotor_on_moving_support(ROTOR + "Rotor1D_3"),
    SHAFTS + "Backlash": lambda _: shafts.backlash(),
    SHAFTS + "ElasticBearing": lambda _: shafts.elastic_bearing(),
    SHAFTS + "First": lambda _: shafts.first(),
    SHAFTS + "Friction": lambda _: shafts.clutch_and_brake(),
    SHAFTS + "GenerationOfFMUs": lambda _: shafts.generation_of_fmus(),
    SHAFTS + "LossyGearDemo1": lambda _: shafts.half_lost(SHAFTS + "LossyGearDemo1"),
    SHAFTS + "LossyGearDemo2": lambda _: shafts.half_lost(SHAFTS + "LossyGearDemo2", Friction(0.5, 0.5)),
    SHAFTS + "LossyGearDemo3": lambda _: shafts.braked(),
    "Systems.RobotR3.FullRobot": robot.full_robot,
    "Systems.RobotR3.OneAxis": lambda _: robot.one_axis(),
}
