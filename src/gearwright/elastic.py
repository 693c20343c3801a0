"""Elastic drives: their form, the motion of their motors, and links and rotors as free bodies."""

from gearwright.functions.elastic.elastic_machines import (
    ElasticForm,
    MotorMotion,
    elastic_form,
    motor_motion,
    needed_derivatives,
)
from gearwright.functions.elastic.redundant_models import ModelRanks, NormBounds, ProjectedModel, RedundantModel

__all__ = [
    "ElasticForm",
    "ModelRanks",
    "MotorMotion",
    "NormBounds",
    "ProjectedModel",
    "RedundantModel",
    "elastic_form",
    "motor_motion",
    "needed_derivatives",
]
