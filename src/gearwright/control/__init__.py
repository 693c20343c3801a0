"""Controllers and observers, written over scalars of any kind, and their gains."""

from gearwright.control.adaptive import adaptive
from gearwright.control.admittance import admittance
from gearwright.control.by_name import by_name
from gearwright.control.cascade import cascade
from gearwright.control.driving import servos, through_drives
from gearwright.control.filtering import filtered
from gearwright.control.gains import StateGains, joint_gains, lqr, poles
from gearwright.control.joint_controllers import computed_torque, feedforward, pd
from gearwright.control.known_environment import KnownEnvironment
from gearwright.control.linearisation import feedback_linearisation
from gearwright.control.nominal import NominalControl, nominal, recall
from gearwright.control.observers import elastic_observer, momentum_observer
from gearwright.control.operational import impedance, operational_space
from gearwright.control.own_law import controller
from gearwright.control.picture import tracking_plot
from gearwright.control.position_force import hybrid, position_force
from gearwright.control.sampling import sampled
from gearwright.control.state_feedback import state_feedback
from gearwright.control.within import within
from gearwright.system.control_law import ControlLaw, Decision, Measurement
from gearwright.system.controllers import sampled_controller
from gearwright.system.law_controller import LawController, LawKernel

__all__ = [
    "ControlLaw",
    "Decision",
    "KnownEnvironment",
    "LawController",
    "LawKernel",
    "Measurement",
    "NominalControl",
    "StateGains",
    "adaptive",
    "admittance",
    "by_name",
    "cascade",
    "computed_torque",
    "controller",
    "elastic_observer",
    "feedback_linearisation",
    "feedforward",
    "filtered",
    "hybrid",
    "impedance",
    "joint_gains",
    "lqr",
    "momentum_observer",
    "nominal",
    "operational_space",
    "pd",
    "poles",
    "position_force",
    "recall",
    "sampled",
    "sampled_controller",
    "servos",
    "state_feedback",
    "through_drives",
    "tracking_plot",
    "within",
]
