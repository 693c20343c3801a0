"""The parts of a robot model: links and joints, motors and gears, payloads, frames, and the robot itself."""

from gearwright.parts.builders.attachment import attach
from gearwright.parts.builders.closing_joints import with_closing_joint
from gearwright.parts.builders.elastic_base import ElasticBase, with_elastic_base
from gearwright.parts.builders.flexible_links import Beam, assumed_modes, with_beam
from gearwright.parts.builders.linkages import Connection, linkage
from gearwright.parts.builders.modal_bodies import (
    FlexibleBody,
    craig_bampton,
    load_flexible_body,
    with_flexible_body,
)
from gearwright.parts.builders.standard_trains import bevel_differential, nested_shafts, planetary_differential
from gearwright.parts.builders.walls_and_objects import with_object, with_wall
from gearwright.parts.drives.data_sheets import DataSheet, GearboxSheet, MotorSheet
from gearwright.parts.drives.drive import CurrentControl, Drive
from gearwright.parts.drives.friction import Friction, LoadFriction, Lubricant
from gearwright.parts.drives.motor import Cogging, Motor, Ripple
from gearwright.parts.drives.mounting import is_mounting_known, mounting_conflict
from gearwright.parts.drives.supply_and_servo import Servo, Supply
from gearwright.parts.drives.thermal import Heat
from gearwright.parts.drives.winding import motor_constant
from gearwright.parts.environment.loops_and_contacts import ContactPoint, Loop
from gearwright.parts.environment.surfaces import Cylinder, Plane, Sphere
from gearwright.parts.gears.belt import Belt
from gearwright.parts.gears.bevel_and_worm import Bevel, Worm
from gearwright.parts.gears.elasticity import (
    Element,
    Hysteresis,
    JointSpring,
    KinematicError,
    PassiveSpring,
    StiffnessPiece,
    Torsion,
    elastic_elements,
)
from gearwright.parts.gears.forces.tooth_forces import ToothForce
from gearwright.parts.gears.gear import Gear, GearType, Wheel
from gearwright.parts.gears.harmonic_and_cycloidal import Cycloidal, Harmonic
from gearwright.parts.gears.losses import Losses, gear_losses, interpolated_losses
from gearwright.parts.gears.member import Member
from gearwright.parts.gears.planetary import Planetary
from gearwright.parts.gears.rack_and_screw import Rack, Screw
from gearwright.parts.gears.series import Series, Shaft
from gearwright.parts.gears.spur import Spur
from gearwright.parts.gears.wolfrom import Wolfrom
from gearwright.parts.link import FREE_JOINT, Joint, Limits, Link, Shape
from gearwright.parts.parameter_paths import parameter, with_parameters
from gearwright.parts.payload_and_frames import Frame, NamedState, Payload
from gearwright.parts.robot import Robot
from gearwright.parts.structure.cord import Branch, Cord, Roller, Waypoint
from gearwright.parts.structure.cross_sections import MATERIALS, Box, CrossSection, LinkSection, Material, Tube
from gearwright.parts.structure.tendon import Tendon
from gearwright.parts.trains.train import Gearwheel, Mesh, Train, TrainMotor

__all__ = [
    "FREE_JOINT",
    "MATERIALS",
    "Beam",
    "Belt",
    "Bevel",
    "Box",
    "Branch",
    "Cogging",
    "Connection",
    "ContactPoint",
    "Cord",
    "CrossSection",
    "CurrentControl",
    "Cycloidal",
    "Cylinder",
    "DataSheet",
    "Drive",
    "ElasticBase",
    "Element",
    "FlexibleBody",
    "Frame",
    "Friction",
    "Gear",
    "GearType",
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
    "LoadFriction",
    "Loop",
    "Losses",
    "Lubricant",
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
    "Train",
    "TrainMotor",
    "Tube",
    "Waypoint",
    "Wheel",
    "Wolfrom",
    "Worm",
    "assumed_modes",
    "attach",
    "bevel_differential",
    "craig_bampton",
    "elastic_elements",
    "gear_losses",
    "interpolated_losses",
    "is_mounting_known",
    "linkage",
    "load_flexible_body",
    "motor_constant",
    "mounting_conflict",
    "nested_shafts",
    "parameter",
    "planetary_differential",
    "with_beam",
    "with_closing_joint",
    "with_elastic_base",
    "with_flexible_body",
    "with_object",
    "with_parameters",
    "with_wall",
]
