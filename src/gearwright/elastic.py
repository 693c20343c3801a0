"""Elastic drives: their form, the motion of their motors, and links and rotors as free bodies."""

from gearwright.functions.elastic import ElasticForm, MotorMotion, elastic_form, motor_motion, needed_derivatives
from gearwright.functions.redundant import Projection, RedundantModel
from gearwright.functions.redundant_properties import Bounds, Ranks

__all__ = [
    "Bounds",
    "ElasticForm",
    "MotorMotion",
    "Projection",
    "Ranks",
    "RedundantModel",
    "elastic_form",
    "motor_motion",
    "needed_derivatives",
]
