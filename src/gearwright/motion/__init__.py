"""Trajectories: how the joints move, with exact derivatives."""

from gearwright.motion.profiles import chain, polynomial, trapezoid
from gearwright.motion.trajectory import Motion, Trajectory

__all__ = ["Motion", "Trajectory", "chain", "polynomial", "trapezoid"]
