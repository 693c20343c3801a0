"""Symbolic equations: closed forms, base parameters, and other formulations of the same dynamics.

The only package that uses SymPy.
"""

from gearwright.equations.base_parameters import BaseParameters, base_parameters
from gearwright.equations.closed_form import ClosedForm, closed_form
from gearwright.functions.dynamics import axial_rates, lagrange_form, recursive_form
from gearwright.functions.energies import Energies, EnergyRows, energies, energy_rows
from gearwright.functions.explain import Explanation, explain
from gearwright.functions.joint_axes import joint_axes, joint_axis_derivatives
from gearwright.functions.joint_forces import JointForces, joint_forces
from gearwright.functions.linear_forms import LinearForms, linear_forms
from gearwright.mechanism import canonical_trains

__all__ = [
    "BaseParameters",
    "ClosedForm",
    "Energies",
    "EnergyRows",
    "Explanation",
    "JointForces",
    "LinearForms",
    "axial_rates",
    "base_parameters",
    "canonical_trains",
    "closed_form",
    "energies",
    "energy_rows",
    "explain",
    "joint_axes",
    "joint_axis_derivatives",
    "joint_forces",
    "lagrange_form",
    "linear_forms",
    "recursive_form",
]
