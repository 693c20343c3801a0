"""Contact: what holds a machine to its surroundings or closes its loops."""

from gearwright.forces.configuration import MovingFrame
from gearwright.forces.constraint import Constraint, fixed_frame
from gearwright.forces.contact import Contact
from gearwright.forces.measured import Measured
from gearwright.forces.soft_contact import SoftContact
from gearwright.parts.surface import Cylinder, Plane, Sphere, Surface
from gearwright.parts.wall import with_wall
from gearwright.system.consistent_start import project

__all__ = [
    "Constraint",
    "Contact",
    "Cylinder",
    "Measured",
    "MovingFrame",
    "Plane",
    "SoftContact",
    "Sphere",
    "Surface",
    "fixed_frame",
    "project",
    "with_wall",
]
