"""Elastic drives: their form, the motion of their motors, and links and rotors as free bodies."""

from gearwright.functions.elastic.elastic_machines import (
    ElasticForm,
    MotorMotion,
    elastic_form,
    motor_motion,
    required_derivative_orders,
)
from gearwright.functions.elastic.redundant_models import ModelRanks, NormBounds, ProjectedModel, RedundantModel
from gearwright.functions.elastic.redundant_structure import (
    StateRanks,
    controllability,
    coriolis_constant,
    coriolis_constant_bound,
    observability,
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
    "coriolis_constant_bound",
    "elastic_form",
    "motor_motion",
    "observability",
    "required_derivative_orders",
]
