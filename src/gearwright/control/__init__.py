"""Controllers and observers, written over scalars of any kind, and their gains."""

from gearwright.control.cascade import cascade
from gearwright.control.joint_controllers import computed_torque, feedforward, pd
from gearwright.control.nominal import NominalControl, nominal, recall
from gearwright.control.own_law import controller
from gearwright.control.sampling import sampled
from gearwright.system.control_law import ControlLaw, Decision, Seen
from gearwright.system.law_controller import LawController, LawKernel

__all__ = [
    "ControlLaw",
    "Decision",
    "LawController",
    "LawKernel",
    "NominalControl",
    "Seen",
    "cascade",
    "computed_torque",
    "controller",
    "feedforward",
    "nominal",
    "pd",
    "recall",
    "sampled",
]
