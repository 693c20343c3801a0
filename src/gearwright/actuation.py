"""Actuators: demands and reflected loads, and a machine with linear actuators as one model."""

from gearwright.analysis.drives.motor_space import MotorSpace, motor_space
from gearwright.forces import (
    DcMotorData,
    LinearActuator,
    SteppingMotorData,
    SynchronousMotor,
    SynchronousMotorData,
    dc_motor,
    dc_motors,
    stepping_motor,
    synchronous_motor,
)
from gearwright.forces.actuators.hydraulic_cylinder import HydraulicCylinder, ServoValve, servo_cylinder
from gearwright.forces.actuators.pneumatic_cylinder import AirValve, PneumaticCylinder, pneumatic_cylinder
from gearwright.forces.transmission.steady_gear import SteadyGear
from gearwright.functions.actuation import (
    ActuatorRedundancy,
    actuator_redundancy,
    actuator_speeds,
    actuator_torques,
    motor_inertias,
    motor_ratios,
    structure_matrix,
)
from gearwright.motion_demands.demands import demands
from gearwright.motion_demands.result import LimitExcess, MotionDemands, StateJump
from gearwright.system.inputs import Signal
from gearwright.system.open_systems.complete_model import CompleteModel, complete_model

__all__ = [
    "ActuatorRedundancy",
    "AirValve",
    "CompleteModel",
    "DcMotorData",
    "HydraulicCylinder",
    "LimitExcess",
    "LinearActuator",
    "MotionDemands",
    "MotorSpace",
    "PneumaticCylinder",
    "ServoValve",
    "Signal",
    "StateJump",
    "SteadyGear",
    "SteppingMotorData",
    "SynchronousMotor",
    "SynchronousMotorData",
    "actuator_redundancy",
    "actuator_speeds",
    "actuator_torques",
    "complete_model",
    "dc_motor",
    "dc_motors",
    "demands",
    "motor_inertias",
    "motor_ratios",
    "motor_space",
    "pneumatic_cylinder",
    "servo_cylinder",
    "stepping_motor",
    "structure_matrix",
    "synchronous_motor",
]
