"""Robots for other programs: C for controllers, state spaces for control design, URDF for other tools."""

from gearwright.export.c_functions import CFunction
from gearwright.export.c_package import c
from gearwright.export.casadi_rates import CasadiRates
from gearwright.export.state_space import StateSpace, state_space
from gearwright.export.targets import TARGETS, export
from gearwright.export.urdf import save, write_urdf

__all__ = [
    "TARGETS",
    "CFunction",
    "CasadiRates",
    "StateSpace",
    "c",
    "export",
    "save",
    "state_space",
    "write_urdf",
]
