"""The public functions: arrays in, arrays out; `backend` chooses between NumPy and a compiled kernel.

- The dynamics: `dynamics` (`aliases` has the names of other libraries), `linearise`, `energies`, `explain`.
- Actuators and elastic drives: `actuation`, and the folder `elastic`.
- Closed loops, contacts, impacts: the folder `constrained`.
- From a call to a result: `public_call` (machine, checks), `backend` (NumPy or a kernel?), `special_kernels`.
"""

from gearwright.functions.actuation import actuator_torques, structure_matrix
from gearwright.functions.constrained.closing import assemble, speed_directions, whole_motion
from gearwright.functions.constrained.closure import Closure, closure_of
from gearwright.functions.dynamics import (
    axial_rates,
    bias,
    forward_dynamics,
    gravity,
    integrate,
    inverse_dynamics,
    jacobian,
    jacobian_rate,
    kinetic_energy,
    mass_matrix,
    neutral,
    parameter_names,
    parameters,
    placement,
    potential_energy,
    regressor,
)

__all__ = [
    "Closure",
    "actuator_torques",
    "assemble",
    "axial_rates",
    "bias",
    "closure_of",
    "forward_dynamics",
    "gravity",
    "integrate",
    "inverse_dynamics",
    "jacobian",
    "jacobian_rate",
    "kinetic_energy",
    "mass_matrix",
    "neutral",
    "parameter_names",
    "parameters",
    "placement",
    "potential_energy",
    "regressor",
    "speed_directions",
    "structure_matrix",
    "whole_motion",
]
