"""Equations to read: closed forms, the parameters that matter, and other formulations of the same dynamics.

The only room that knows SymPy.
"""

from gearwright.equations.base_parameters import BaseParameters, base_parameters
from gearwright.equations.closed_form import ClosedForm, closed_form
from gearwright.functions.explain import Explanation, explain
from gearwright.functions.functions import axial_rates, lagrange_form, recursive_form

__all__ = [
    "BaseParameters",
    "ClosedForm",
    "Explanation",
    "axial_rates",
    "base_parameters",
    "closed_form",
    "explain",
    "lagrange_form",
    "recursive_form",
]
