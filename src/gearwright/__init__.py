"""Gearwright: the complete dynamics of geared robots.

A robot is links plus *spins*: every rotor, gear, sun, planet set or pulley is an axisymmetric wheel carried by a link,
turning at a rate that is linear in the generalized speeds. `load` or write a robot, `assemble` it, and call functions.
"""

from gearwright import parts
from gearwright._version import __version__
from gearwright.catalogue import load
from gearwright.design.frequency_response import FrequencyResponse, frequency_response
from gearwright.design.inputs_for_motion import inputs_for_motion
from gearwright.design.motion_inputs import MotionInputs
from gearwright.design.vibration import Modes, modes
from gearwright.export.urdf import save
from gearwright.forces import Law, Line
from gearwright.forces.of_robot import laws
from gearwright.identification import Log, consistent, excite, identify, read_log
from gearwright.kernels.actuation import (
    actuator_speeds,
    actuator_torques,
    motor_inertias,
    redundancy,
    structure_matrix,
)
from gearwright.kernels.base_parameters import BaseParameters, base_parameters
from gearwright.kernels.closed_form import closed_form
from gearwright.kernels.complete_model import CompleteModel, complete_model
from gearwright.kernels.constrained import constrained_dynamics, impact
from gearwright.kernels.elastic import ElasticForm, MotorMotion, elastic_form, motor_motion, needed_derivatives
from gearwright.kernels.explain import explain
from gearwright.kernels.functions import (
    axial_rates,
    bias,
    centre_of_mass,
    coriolis_matrix,
    difference,
    forward_dynamics,
    gravity,
    integrate,
    inverse_dynamics,
    jacobian,
    jacobian_rate,
    kinetic_energy,
    lagrange_form,
    mass_matrix,
    momentum,
    neutral,
    parameter_names,
    parameters,
    placement,
    potential_energy,
    reactions,
    recursive_form,
    regressor,
)
from gearwright.kernels.kernel import Kernel, compile
from gearwright.kernels.linearise import linearise
from gearwright.kernels.redundant import RedundantModel
from gearwright.kernels.rollout import rollout
from gearwright.kernels.rollout_stability import fastest_mode
from gearwright.mechanism import Actuator, Body, Frame, Mechanism, Spin, Spring, approximate, assemble
from gearwright.simulation import Controller, Event, Run, State, sampled, simulate

__all__ = [
    "Actuator",
    "BaseParameters",
    "Body",
    "CompleteModel",
    "Controller",
    "ElasticForm",
    "Event",
    "Frame",
    "FrequencyResponse",
    "Kernel",
    "Law",
    "Line",
    "Log",
    "Mechanism",
    "Modes",
    "MotionInputs",
    "MotorMotion",
    "RedundantModel",
    "Run",
    "Spin",
    "Spring",
    "State",
    "__version__",
    "actuator_speeds",
    "actuator_torques",
    "approximate",
    "assemble",
    "axial_rates",
    "base_parameters",
    "bias",
    "centre_of_mass",
    "closed_form",
    "compile",
    "complete_model",
    "consistent",
    "constrained_dynamics",
    "coriolis_matrix",
    "difference",
    "elastic_form",
    "excite",
    "explain",
    "fastest_mode",
    "forward_dynamics",
    "frequency_response",
    "gravity",
    "identify",
    "impact",
    "inputs_for_motion",
    "integrate",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "kinetic_energy",
    "lagrange_form",
    "laws",
    "linearise",
    "load",
    "mass_matrix",
    "modes",
    "momentum",
    "motor_inertias",
    "motor_motion",
    "needed_derivatives",
    "neutral",
    "parameter_names",
    "parameters",
    "parts",
    "placement",
    "potential_energy",
    "reactions",
    "read_log",
    "recursive_form",
    "redundancy",
    "regressor",
    "rollout",
    "sampled",
    "save",
    "simulate",
    "structure_matrix",
]
