"""A machine with its laws: state vector, inputs, signals, force balance, numeric and compiled evaluation."""

from gearwright.system.controllers.control_law import ControlLaw
from gearwright.system.controllers.controller import Controller
from gearwright.system.controllers.law_controller import LawController, with_controller_parameters
from gearwright.system.controllers.scalar_law import control_law_of
from gearwright.system.law_parameters import (
    ParametricLaw,
    find_parameter,
    law_parameter,
    parameter_names,
    require_controller_parameters,
    require_numbers,
    with_law_parameters,
)

__all__ = [
    "ControlLaw",
    "Controller",
    "LawController",
    "ParametricLaw",
    "control_law_of",
    "find_parameter",
    "law_parameter",
    "parameter_names",
    "require_controller_parameters",
    "require_numbers",
    "with_controller_parameters",
    "with_law_parameters",
]
