"""Laws: what pushes, holds and loses power in a machine."""

from gearwright.forces.actuator import LinearActuator
from gearwright.forces.backlash import Backlash
from gearwright.forces.catch import Catch
from gearwright.forces.clutch import Clutch
from gearwright.forces.configuration import Configuration, MovingFrame
from gearwright.forces.constraint import Constraint
from gearwright.forces.contact import Contact
from gearwright.forces.coordinate import Coordinate
from gearwright.forces.coordinates import angle, displacement, distance
from gearwright.forces.dc_motor import dc_motor, dc_motors
from gearwright.forces.elastic_drives import elastic_laws
from gearwright.forces.environment import Environment
from gearwright.forces.friction import DryFriction, SmoothFriction, friction_laws
from gearwright.forces.hydraulics import ServoValve, servo_cylinder
from gearwright.forces.hysteresis import BoucWen, MaxwellSlip
from gearwright.forces.kinematic_error import Ripple, Twist
from gearwright.forces.law import (
    ON,
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
from gearwright.forces.load import Load
from gearwright.forces.losses import GearLoss, loss_laws
from gearwright.forces.lugre import LuGre
from gearwright.forces.measured import Measured
from gearwright.forces.motor import Winding
from gearwright.forces.motor_circuit import MotorCircuit
from gearwright.forces.motor_torque import MotorTorque
from gearwright.forces.motors_of_robot import motor_laws
from gearwright.forces.moved_inertia import MovedInertia
from gearwright.forces.nonlinear_spring import Curve, LinearSpring, NonlinearSpring
from gearwright.forces.pneumatics import AirValve, pneumatic_cylinder
from gearwright.forces.prescribed import Prescribed
from gearwright.forces.soft_contact import SoftContact
from gearwright.forces.stepping_motor import stepping_motor
from gearwright.forces.stops import Stops, compliant_stops, stop_laws
from gearwright.forces.synchronous import SynchronousMotor, synchronous_motor
from gearwright.forces.tendons import Pulley, tendon
from gearwright.forces.train_losses import TrainLoss, train_loss_laws
from gearwright.forces.wrench import Wrench

__all__ = [
    "ON",
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
    "Curve",
    "Drag",
    "DryFriction",
    "Environment",
    "Force",
    "GearLoss",
    "Guard",
    "Hold",
    "Impact",
    "Law",
    "Line",
    "LinearActuator",
    "LinearSpring",
    "Load",
    "LuGre",
    "MaxwellSlip",
    "Measured",
    "MotorCircuit",
    "MotorTorque",
    "MovedInertia",
    "MovingFrame",
    "NonlinearSpring",
    "Outcome",
    "Prescribed",
    "Pulley",
    "Quantity",
    "Reaction",
    "Ripple",
    "ServoValve",
    "Situation",
    "SmoothFriction",
    "SoftContact",
    "Stops",
    "SynchronousMotor",
    "TrainLoss",
    "Twist",
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
