"""Contact: what holds a machine to its surroundings or closes its loops."""

from gearwright.forces.configuration import MovingFrame
from gearwright.forces.constraint import Constraint, fixed_frame
from gearwright.system.consistent_start import project

__all__ = [
    "Constraint",
    "MovingFrame",
    "fixed_frame",
    "project",
]
