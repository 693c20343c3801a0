"""Elastic drives: their form, the motion of their motors, and links and rotors as free bodies."""

from gearwright.functions.elastic.elastic_machines import (
    ElasticForm,
    MotorMotion,
    elastic_form,
    motor_motion,
    needed_derivatives,
)
from gearwright.functions.elastic.redundant_models import ModelRanks, NormBounds, ProjectedModel, RedundantModel
from gearwright.functions.elastic.redundant_structure import (
    StateRanks,
    controllability,
    coriolis_constant,
    observability,
    property_constant,
)

__all__ = [
    "ElasticForm",
    "ModelRanks",
    "MotorMotion",
    "NormBounds",
    "ProjectedModel",
    "RedundantModel",
    "StateRanks",
    "controllability",
    "coriolis_constant",
    "elastic_form",
    "motor_motion",
    "needed_derivatives",
    "observability",
    "property_constant",
]
