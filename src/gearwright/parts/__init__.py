"""What a designer names: links and joints, motors and gears, payloads, frames, and the robot they make."""

from gearwright.parts.attachment import attach
from gearwright.parts.belt import Belt
from gearwright.parts.cord import Branch, Cord, Roller, Waypoint
from gearwright.parts.crossed import Bevel, Worm
from gearwright.parts.data_sheets import DataSheet, GearboxSheet, MotorSheet
from gearwright.parts.differential import bevel_differential, nested_shafts, planetary_differential
from gearwright.parts.drive import CurrentControl, Drive
from gearwright.parts.elasticity import (
    Element,
    Hysteresis,
    JointSpring,
    KinematicError,
    PassiveSpring,
    StiffnessPiece,
    Torsion,
    elements_of,
)
from gearwright.parts.flexible import Beam, with_beam
from gearwright.parts.friction import Friction
from gearwright.parts.gear import AnyGear, Gear, Wheel
from gearwright.parts.harmonic import Cycloidal, Harmonic
from gearwright.parts.heat import Heat
from gearwright.parts.link import FREE, Joint, Limits, Link, Shape
from gearwright.parts.losses import Losses, losses_at, losses_of
from gearwright.parts.member import Member
from gearwright.parts.motor import Cogging, Motor, Ripple
from gearwright.parts.named_state import NamedState
from gearwright.parts.paths import parameter, with_parameters
from gearwright.parts.payload import Frame, Payload
from gearwright.parts.planetary import Planetary
from gearwright.parts.robot import Robot
from gearwright.parts.screw import Rack, Screw
from gearwright.parts.sections import MATERIALS, Box, CrossSection, LinkSection, Material, Tube
from gearwright.parts.series import Series, Shaft
from gearwright.parts.servo import Servo
from gearwright.parts.spur import Spur
from gearwright.parts.supply import Supply
from gearwright.parts.support import ElasticBase, with_elastic_base
from gearwright.parts.surface import Cylinder, Plane, Sphere
from gearwright.parts.surroundings import Loop, Touch
from gearwright.parts.teeth import ToothForce
from gearwright.parts.tendon import Tendon
from gearwright.parts.train import Gearwheel, Mesh, Train, TrainMotor
from gearwright.parts.wall import with_object, with_wall
from gearwright.parts.winding import motor_constant
from gearwright.parts.wolfrom import Wolfrom

__all__ = [
    "FREE",
    "MATERIALS",
    "AnyGear",
    "Beam",
    "Belt",
    "Bevel",
    "Box",
    "Branch",
    "Cogging",
    "Cord",
    "CrossSection",
    "CurrentControl",
    "Cycloidal",
    "Cylinder",
    "DataSheet",
    "Drive",
    "ElasticBase",
    "Element",
    "Frame",
    "Friction",
    "Gear",
    "GearboxSheet",
    "Gearwheel",
    "Harmonic",
    "Heat",
    "Hysteresis",
    "Joint",
    "JointSpring",
    "KinematicError",
    "Limits",
    "Link",
    "LinkSection",
    "Loop",
    "Losses",
    "Material",
    "Member",
    "Mesh",
    "Motor",
    "MotorSheet",
    "NamedState",
    "PassiveSpring",
    "Payload",
    "Plane",
    "Planetary",
    "Rack",
    "Ripple",
    "Robot",
    "Roller",
    "Screw",
    "Series",
    "Servo",
    "Shaft",
    "Shape",
    "Sphere",
    "Spur",
    "StiffnessPiece",
    "Supply",
    "Tendon",
    "ToothForce",
    "Torsion",
    "Touch",
    "Train",
    "TrainMotor",
    "Tube",
    "Waypoint",
    "Wheel",
    "Wolfrom",
    "Worm",
    "attach",
    "bevel_differential",
    "elements_of",
    "losses_at",
    "losses_of",
    "motor_constant",
    "nested_shafts",
    "parameter",
    "planetary_differential",
    "with_beam",
    "with_elastic_base",
    "with_object",
    "with_parameters",
    "with_wall",
]
