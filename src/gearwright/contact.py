"""Contact: what holds a machine to its surroundings or closes its loops."""

from gearwright.forces.configuration import MovingFrame
from gearwright.forces.constraint import Constraint, fixed_frame
from gearwright.forces.contact import Contact
from gearwright.parts.surface import Cylinder, Plane, Sphere, Surface
from gearwright.system.consistent_start import project

__all__ = [
    "Constraint",
    "Contact",
    "Cylinder",
    "MovingFrame",
    "Plane",
    "Sphere",
    "Surface",
    "fixed_frame",
    "project",
]
