"""What a designer names: links and joints, motors and gears, payloads, frames, and the robot they make."""

from gearwright.parts.attachment import attach
from gearwright.parts.belt import Belt
from gearwright.parts.differential import bevel_differential, nested_shafts, planetary_differential
from gearwright.parts.drive import Drive
from gearwright.parts.gear import AnyGear, Gear, Wheel
from gearwright.parts.harmonic import Cycloidal, Harmonic
from gearwright.parts.link import FREE, Joint, Limits, Link, Shape
from gearwright.parts.member import Member
from gearwright.parts.motor import Motor
from gearwright.parts.paths import parameter, with_parameters
from gearwright.parts.payload import Frame, Payload
from gearwright.parts.planetary import Planetary
from gearwright.parts.robot import Robot
from gearwright.parts.screw import Rack, Screw
from gearwright.parts.spur import Bevel, Series, Spur, Worm
from gearwright.parts.train import Gearwheel, Mesh, Train, TrainMotor
from gearwright.parts.wolfrom import Wolfrom

__all__ = [
    "FREE",
    "AnyGear",
    "Belt",
    "Bevel",
    "Cycloidal",
    "Drive",
    "Frame",
    "Gear",
    "Gearwheel",
    "Harmonic",
    "Joint",
    "Limits",
    "Link",
    "Member",
    "Mesh",
    "Motor",
    "Payload",
    "Planetary",
    "Rack",
    "Robot",
    "Screw",
    "Series",
    "Shape",
    "Spur",
    "Train",
    "TrainMotor",
    "Wheel",
    "Wolfrom",
    "Worm",
    "attach",
    "bevel_differential",
    "nested_shafts",
    "parameter",
    "planetary_differential",
    "with_parameters",
]
