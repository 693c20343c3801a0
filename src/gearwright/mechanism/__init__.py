"""The flat machine: bodies, spins, shafts, springs and actuators, and how parts are assembled into it."""

from gearwright.mechanism.approximation import approximate
from gearwright.mechanism.assembly import assemble
from gearwright.mechanism.elements import BASE, Actuator, Body, Frame, Rest, Spin, Spring
from gearwright.mechanism.mechanism import Mechanism

__all__ = ["BASE", "Actuator", "Body", "Frame", "Mechanism", "Rest", "Spin", "Spring", "approximate", "assemble"]
