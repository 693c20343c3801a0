"""Force laws: forces, constraints and losses that act on a machine; their interface and the laws of a robot."""

from gearwright.forces.actuators.dc_motor import DcMotorData, dc_motor, dc_motors
from gearwright.forces.actuators.hydraulic_cylinder import HydraulicCylinder, ServoValve, servo_cylinder
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.actuators.pneumatic_cylinder import AirValve, PneumaticCylinder, pneumatic_cylinder
from gearwright.forces.actuators.stepping_motor import SteppingMotorData, stepping_motor
from gearwright.forces.actuators.synchronous_motor import SynchronousMotor, SynchronousMotorData, synchronous_motor
from gearwright.forces.contact.catch import Catch
from gearwright.forces.contact.constraint import Constraint
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.end_stops import Stops, compliant_stops, stop_laws
from gearwright.forces.contact.environment import Environment
from gearwright.forces.contact.force_sensor import ForceSensor
from gearwright.forces.contact.soft_contact import SoftContact
from gearwright.forces.coordinates.angles_and_distances import angle, displacement, distance
from gearwright.forces.coordinates.configuration import Configuration, MovingFrame
from gearwright.forces.coordinates.coordinate import Coordinate
from gearwright.forces.coordinates.wrench_load import Wrench
from gearwright.forces.cords.cords_of_robot import LineInertia
from gearwright.forces.cords.tendon_length import Pulley, tendon
from gearwright.forces.friction.clutch import Clutch, OneWayClutch
from gearwright.forces.friction.dry_friction import DryFriction, SmoothFriction, friction_laws
from gearwright.forces.friction.lugre import LuGre
from gearwright.forces.law import (
    ACTIVE_MODE,
    Action,
    Drag,
    Force,
    Guard,
    Hold,
    Impact,
    Law,
    Outcome,
    Quantity,
    Reaction,
    Situation,
)
from gearwright.forces.line import Line
from gearwright.forces.loads import FunctionForce, Load
from gearwright.forces.motors.motor import Winding
from gearwright.forces.motors.motors_of_robot import motor_laws
from gearwright.forces.motors.supply_circuit import MotorCircuit
from gearwright.forces.motors.torque_source import MotorTorque
from gearwright.forces.motors.voltage_servo import VoltageServo
from gearwright.forces.prescribed_motion import IdealDrive
from gearwright.forces.transmission.backlash import Backlash
from gearwright.forces.transmission.elastic_drives import elastic_laws
from gearwright.forces.transmission.gear_losses import GearLoss, loss_laws
from gearwright.forces.transmission.hysteresis import BoucWen, MaxwellSlip
from gearwright.forces.transmission.kinematic_error import ElementDeflection, TransmissionRipple
from gearwright.forces.transmission.load_friction import LoadBristles
from gearwright.forces.transmission.nonlinear_spring import LinearSpring, NonlinearSpring, TorqueCurve
from gearwright.forces.transmission.train_losses import TrainLoss, train_loss_laws

__all__ = [
    "ACTIVE_MODE",
    "Action",
    "AirValve",
    "Backlash",
    "BoucWen",
    "Catch",
    "Clutch",
    "Configuration",
    "Constraint",
    "Contact",
    "Coordinate",
    "DcMotorData",
    "Drag",
    "DryFriction",
    "ElementDeflection",
    "Environment",
    "Force",
    "ForceSensor",
    "FunctionForce",
    "GearLoss",
    "Guard",
    "Hold",
    "HydraulicCylinder",
    "IdealDrive",
    "Impact",
    "Law",
    "Line",
    "LineInertia",
    "LinearActuator",
    "LinearSpring",
    "Load",
    "LoadBristles",
    "LuGre",
    "MaxwellSlip",
    "MotorCircuit",
    "MotorTorque",
    "MovingFrame",
    "NonlinearSpring",
    "OneWayClutch",
    "Outcome",
    "PneumaticCylinder",
    "Pulley",
    "Quantity",
    "Reaction",
    "ServoValve",
    "Situation",
    "SmoothFriction",
    "SoftContact",
    "SteppingMotorData",
    "Stops",
    "SynchronousMotor",
    "SynchronousMotorData",
    "TorqueCurve",
    "TrainLoss",
    "TransmissionRipple",
    "VoltageServo",
    "Winding",
    "Wrench",
    "angle",
    "compliant_stops",
    "dc_motor",
    "dc_motors",
    "displacement",
    "distance",
    "elastic_laws",
    "friction_laws",
    "loss_laws",
    "motor_laws",
    "pneumatic_cylinder",
    "servo_cylinder",
    "stepping_motor",
    "stop_laws",
    "synchronous_motor",
    "tendon",
    "train_loss_laws",
]
