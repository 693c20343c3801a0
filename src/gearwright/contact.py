"""Contact: what holds a machine to its surroundings or closes its loops."""

from gearwright.forces.catch import Catch
from gearwright.forces.configuration import MovingFrame
from gearwright.forces.constraint import Constraint, fixed_frame
from gearwright.forces.contact import Contact
from gearwright.forces.environment import Environment
from gearwright.forces.measured import Measured
from gearwright.forces.soft_contact import SoftContact
from gearwright.functions.closure import FreeSpeeds
from gearwright.functions.linearise import free_speeds
from gearwright.parts.surface import Cylinder, Plane, Sphere, Surface
from gearwright.parts.wall import with_object, with_wall
from gearwright.planning.closed_motion import closed_motion
from gearwright.system.consistent_start import project

__all__ = [
    "Catch",
    "Constraint",
    "Contact",
    "Cylinder",
    "Environment",
    "FreeSpeeds",
    "Measured",
    "MovingFrame",
    "Plane",
    "SoftContact",
    "Sphere",
    "Surface",
    "closed_motion",
    "fixed_frame",
    "free_speeds",
    "project",
    "with_object",
    "with_wall",
]
