"""Actuators: what they feel and must do, and a machine with linear actuators as one model."""

from gearwright.forces import LinearActuator, SynchronousMotor, dc_motor, dc_motors, stepping_motor, synchronous_motor
from gearwright.forces.hydraulics import ServoValve, servo_cylinder
from gearwright.forces.pneumatics import AirValve, pneumatic_cylinder
from gearwright.functions.actuation import (
    ActuatorRedundancy,
    actuator_redundancy,
    actuator_speeds,
    actuator_torques,
    motor_inertias,
    structure_matrix,
)
from gearwright.system.complete_model import CompleteModel, complete_model
from gearwright.system.demands import demands
from gearwright.system.motion_demands import Excess, Jump, MotionDemands
from gearwright.system.signals import Signal

__all__ = [
    "ActuatorRedundancy",
    "AirValve",
    "CompleteModel",
    "Excess",
    "Jump",
    "LinearActuator",
    "MotionDemands",
    "ServoValve",
    "Signal",
    "SynchronousMotor",
    "actuator_redundancy",
    "actuator_speeds",
    "actuator_torques",
    "complete_model",
    "dc_motor",
    "dc_motors",
    "demands",
    "motor_inertias",
    "pneumatic_cylinder",
    "servo_cylinder",
    "stepping_motor",
    "structure_matrix",
    "synchronous_motor",
]
