"""Contact: constraints and contacts with the environment, and closed loops."""

from gearwright.forces.contact.catch import Catch
from gearwright.forces.contact.constraint import Constraint, fixed_frame
from gearwright.forces.contact.contact import Contact
from gearwright.forces.contact.environment import Environment
from gearwright.forces.contact.force_sensor import ForceSensor
from gearwright.forces.contact.rough_constraint import RoughConstraint
from gearwright.forces.contact.soft_contact import SoftContact
from gearwright.forces.coordinates.configuration import MovingFrame
from gearwright.functions.constrained.closing import ClosedMechanism
from gearwright.functions.constrained.closure import FreeSpeeds
from gearwright.functions.constrained.constrained_dynamics import StruckBody
from gearwright.functions.constrained.peg_in_hole import JammingVertex, PegInHole
from gearwright.functions.linearise import free_speeds
from gearwright.motion_demands.closed_loop_motion import closed_motion
from gearwright.parts.builders.walls_and_objects import with_object, with_wall
from gearwright.parts.environment.surfaces import Cylinder, Plane, Sphere, Surface
from gearwright.system.constraints.consistent_start import project

__all__ = [
    "Catch",
    "ClosedMechanism",
    "Constraint",
    "Contact",
    "Cylinder",
    "Environment",
    "ForceSensor",
    "FreeSpeeds",
    "JammingVertex",
    "MovingFrame",
    "PegInHole",
    "Plane",
    "RoughConstraint",
    "SoftContact",
    "Sphere",
    "StruckBody",
    "Surface",
    "closed_motion",
    "fixed_frame",
    "free_speeds",
    "project",
    "with_object",
    "with_wall",
]
